//! What a stand-in answers to one request, free of any wire format.

use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
    pub(super) pieces: Vec<Piece>,
    pub(super) usage: Option<(u64, u64)>,
    pub(super) finish: Finish,
    pub(super) pause: Option<Duration>,
    pub(super) held: Option<(usize, Gate)>,
    pub(super) halves: bool,
    pub(super) frames: Option<usize>,
    pub(super) ending: Ending,
}

/// One piece of a reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Reasoning(String),
    Call { id: String, name: String, arguments: String },
}

/// Why a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    Natural,
    Length,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As the format wants it.
    Whole,
    /// The response ends in order, but the format's last word is missing.
    Early,
    /// The connection is closed in the middle of the response.
    Cut,
    /// Nothing more comes, and the connection stays, until the client hangs up.
    Silence,
}

/// Holds answers back until it is opened.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    /// Lets everything through, from now on.
    pub fn open(&self) {
        self.0.close();
    }

    pub(super) async fn passed(&self) {
        // There are no permits: it ends when the gate is opened.
        let _ = self.0.acquire().await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

impl PartialEq for Gate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Answer {
    /// A reply of nothing, to which pieces are added.
    pub fn new() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: None,
            pieces: Vec::new(),
            usage: None,
            finish: Finish::Natural,
            pause: None,
            held: None,
            halves: false,
            frames: None,
            ending: Ending::Whole,
        }
    }

    /// A reply of text, streamed word by word.
    pub fn text(text: &str) -> Self {
        Self::new().and_text(text)
    }

    /// An HTTP status and a body that is no reply.
    pub fn status(status: u16, body: &str) -> Self {
        Self { status, body: Some(body.to_owned()), ..Self::new() }
    }

    /// More text.
    #[must_use]
    pub fn and_text(mut self, text: &str) -> Self {
        self.pieces.extend(text.split_inclusive(' ').map(|word| Piece::Text(word.to_owned())));
        self
    }

    /// Reasoning. Give it before the text.
    #[must_use]
    pub fn reasoning(mut self, text: &str) -> Self {
        self.pieces.push(Piece::Reasoning(text.to_owned()));
        self
    }

    /// A call; its arguments come in several pieces where the format streams them.
    #[must_use]
    pub fn call(self, id: &str, name: &str, arguments: &Value) -> Self {
        self.raw_call(id, name, &arguments.to_string())
    }

    /// A call whose arguments are this text, JSON or not. Formats whose arguments are no text carry it as a JSON string when
    /// it is no JSON.
    #[must_use]
    pub fn raw_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.pieces.push(Piece::Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() });
        self
    }

    /// Tokens of the request and of the reply.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Some((input, output));
        self
    }

    /// The reply says that it reached its longest length.
    #[must_use]
    pub fn too_long(mut self) -> Self {
        self.finish = Finish::Length;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Waits before each frame.
    #[must_use]
    pub fn slow(mut self, pause: Duration) -> Self {
        self.pause = Some(pause);
        self
    }

    /// Sends `frames` frames, and the others once the gate is open: so that what a test does before is before, on any machine.
    #[must_use]
    pub fn held(mut self, frames: usize, gate: &Gate) -> Self {
        self.held = Some((frames, gate.clone()));
        self
    }

    /// Sends every frame in pieces of a few bytes, cut anywhere, inside a character too.
    #[must_use]
    pub fn in_pieces(mut self) -> Self {
        self.halves = true;
        self
    }

    /// Ends so, once `frames` frames are sent. Zero frames: nothing after the headers.
    #[must_use]
    pub fn ending(mut self, frames: usize, ending: Ending) -> Self {
        self.frames = Some(frames);
        self.ending = ending;
        self
    }
}

impl Default for Answer {
    fn default() -> Self {
        Self::new()
    }
}
