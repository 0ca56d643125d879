//! The line editor on a thread of its own: it reads keys all the time, whatever else the program does (S45).
//!
//! What is typed comes out as [`Input`]s; what is to be shown goes in through [`Printer`]. Who needs the terminal for
//! itself (a question, a shell, an editor) has it with [`Terminal::ask`] or [`Terminal::run`]: that happens on this thread,
//! between two reads, and the text that was being typed is there again afterwards.

mod begun;
mod blocks;
mod completer;
mod external;
mod geometry;
mod guest;
mod hand;
mod keys;
mod menu;
mod prompt;
mod question;
mod setup;
mod thread;
mod tty;

pub(super) use blocks::{Submitted, submitted};
pub(crate) use question::Typed;
pub(super) use setup::Setup;
pub(super) use tty::give_up;

use super::printer::Printer;
use crate::chat::{Refusal, display::StatusLine};
use begun::Begun;
use external::External;
use guest::{Ending, Guest};
use hand::Hand;
use mcp_catalog::deadline;
use prompt::Face;
use std::{
    fmt, io,
    process::{Command, ExitStatus},
    sync::{Arc, Mutex, PoisonError, atomic::Ordering, mpsc},
    thread::JoinHandle,
};
use tokio::sync::{mpsc as events, oneshot};

/// What came from the keyboard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A text was submitted. The editor waits until [`Terminal::read`].
    Text(String),
    /// A text was entered while another program had the terminal. The editor waits for nothing.
    Ahead(String),
    /// The external editor changed nothing, and why. The text is still being typed.
    NotEdited(Refusal),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or a terminal that is gone.
    Ended,
}

/// An order for the editor's thread.
enum Order {
    /// Go on reading.
    Read,
    /// Let this program have the terminal.
    Run { program: Command, ended: oneshot::Sender<io::Result<ExitStatus>> },
    /// Ask this, which is safe to show.
    Ask { question: String, answer: oneshot::Sender<Typed> },
    /// It is over.
    End,
}

/// The terminal, as everything but the editor's thread sees it.
#[derive(Clone)]
pub(crate) struct Terminal {
    printer: Printer,
    face: Face,
    orders: mpsc::Sender<Order>,
    hand: Hand,
    guest: Guest,
    editor: Arc<Mutex<Arc<[String]>>>,
    repaint: Arc<dyn Fn() + Send + Sync>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Terminal {
    /// Begins to read keys.
    pub(super) fn open(setup: Setup, printer: Printer) -> io::Result<(Self, events::UnboundedReceiver<Input>)> {
        let (orders, taken) = mpsc::channel();
        let (told, inputs) = events::unbounded_channel();
        let (hand, guest) = (Hand::new(told.clone()), Guest::default());
        let face = Face::default();
        face.set(setup.prompt.clone());
        let completions = setup.completions.clone();
        let external =
            External { words: Arc::new(Mutex::new(Arc::clone(&setup.editor))), scratch: setup.scratch.clone() };
        let words = Arc::clone(&external.words);
        let (editor, repaint) = setup.build(&printer, &face, &hand);
        let seat = thread::Seat {
            editor: Some(editor),
            face: face.clone(),
            printer: printer.clone(),
            orders: taken,
            told,
            completions,
            hand: hand.clone(),
            guest: guest.clone(),
            external,
            begun: Begun::default(),
        };
        let thread = std::thread::Builder::new().name("line-editor".to_owned()).spawn(move || seat.run())?;
        let thread = Arc::new(Mutex::new(Some(thread)));
        Ok((Self { printer, face, orders, hand, guest, editor: words, repaint, thread }, inputs))
    }

    /// Lets the editor read the next text.
    pub(super) fn read(&self) {
        // A thread that has ended reads nothing; its end was told.
        let _ = self.orders.send(Order::Read);
    }

    /// Runs a program with the terminal to itself, and waits for its end. `None` when the editor has ended.
    pub(crate) async fn run(&self, program: Command) -> Option<io::Result<ExitStatus>> {
        let (ended, status) = oneshot::channel();
        self.order(Order::Run { program, ended })?;
        status.await.ok()
    }

    /// Asks for one line; `question` is safe to show. What was typed before is no answer: it goes on being typed after it
    /// (S40). `None` when the editor has ended.
    pub(crate) async fn ask(&self, question: impl Into<String>) -> Option<Typed> {
        let (answer, answered) = oneshot::channel();
        self.order(Order::Ask { question: question.into(), answer })?;
        answered.await.ok()
    }

    fn order(&self, order: Order) -> Option<()> {
        self.orders.send(order).ok()?;
        self.hand.wanted().store(true, Ordering::Release);
        Some(())
    }

    /// Whether something runs that Ctrl-C stops.
    pub(super) fn busy(&self, busy: bool) {
        self.hand.set_busy(busy);
    }

    /// Takes other words for the external editor.
    pub(super) fn edit_with(&self, words: Arc<[String]>) {
        *self.editor.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }

    /// Ends the program that has the terminal, with everything it started (S18).
    pub(super) async fn end_guest(&self) {
        if self.guest.end(Ending::Asked) {
            tokio::time::sleep(deadline::HANDING_BACK / 2).await;
            self.guest.end(Ending::Killed);
        }
    }

    /// Shows another prompt, at once.
    pub(super) fn prompt(&self, prompt: String) {
        if self.face.set(prompt) {
            (self.repaint)();
        }
    }

    /// Turns what turns beside the prompt.
    pub(super) fn turn(&self) {
        if self.face.turn() {
            (self.repaint)();
        }
    }

    /// Whether what is typed is coloured.
    pub(super) fn highlight(&self, on: bool) {
        self.face.highlight(on);
    }

    /// Where text is shown.
    pub(crate) const fn printer(&self) -> &Printer {
        &self.printer
    }

    /// Ends the editor, and waits until the terminal is as it was.
    pub(super) async fn close(&self) {
        self.order(Order::End);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let ended = tokio::task::spawn_blocking(move || thread.join());
            // A thread that sits in somebody's question ends with the process.
            let _ = tokio::time::timeout(deadline::HANDING_BACK, ended).await;
        }
        crate::repl::release_terminal();
        self.printer.flush();
    }
}

impl StatusLine for Terminal {
    fn show(&self, status: Option<&str>) {
        if self.face.wait(status) {
            (self.repaint)();
        }
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}
