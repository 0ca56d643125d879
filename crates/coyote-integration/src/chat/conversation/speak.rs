//! What is said in a conversation: a message, a go on, the same once more.
//!
//! A turn works on a copy of the transcript, which takes the old one's place when the turn has ended: whoever drops a turn
//! on its way loses that turn and nothing else. What a role or an agent puts before what was said is made for each request
//! and is no part of the transcript, so that it can be changed or left.

use super::{Conversation, Refusal};
use crate::{
    agents::take_with_children,
    chat::{Sampling, Taken, Transcript, Turn, TurnView},
    config::{Facts, Role},
    model::{ChatRequest, Message, Part},
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a model is told that is to go on.
const GO_ON: &str = "Go on exactly where you stopped. Do not repeat anything and do not comment on this";

/// What a turn begins with.
enum Said {
    /// The user's words, as the role wants them.
    Words(Vec<Part>),
    /// As they stand.
    AsIs(Vec<Part>),
    /// Nothing: the last message waits for its answer.
    Nothing,
}

impl Conversation {
    /// Says this to the model, and runs what it calls until it has answered. What was answered is in the transcript
    /// afterwards, however the turn ended (S13).
    pub async fn say(&mut self, parts: Vec<Part>, view: Arc<dyn TurnView>, cancel: CancellationToken) -> Taken {
        let said_before = self.transcript.clone();
        let taken = self.turn(said_before.clone(), Said::Words(parts.clone()), view, cancel).await;
        self.unanswered = (self.transcript == said_before).then_some(parts);
        taken
    }

    /// Lets the model go on (`.continue`): with a turn that stopped after its calls, or with an answer that was cut.
    pub async fn go_on(&mut self, view: Arc<dyn TurnView>, cancel: CancellationToken) -> Result<Taken, Refusal> {
        let said = match self.transcript.messages().last() {
            Some(Message::Results(_)) => Said::Nothing,
            Some(Message::Assistant { .. }) => Said::AsIs(vec![Part::Text(GO_ON.to_owned())]),
            _ => return Err(Refusal::given("There is no answer to go on with", "Say something first")),
        };
        Ok(self.turn(self.transcript.clone(), said, view, cancel).await)
    }

    /// Asks the last message again and drops what was answered to it (`.regenerate`). When nothing is answered this time,
    /// the old answer stays.
    pub async fn regenerate(&mut self, view: Arc<dyn TurnView>, cancel: CancellationToken) -> Result<Taken, Refusal> {
        if let Some(parts) = self.unanswered.take() {
            return Ok(self.say(parts, view, cancel).await);
        }
        if self.only_a_summary_is_left() {
            let sentence = "The last message was summarised with what stood before it";
            return Err(Refusal::given(sentence, "Say it again"));
        }
        let mut shorter = self.transcript.clone();
        let Some(parts) = shorter.reopen() else {
            return Err(Refusal::given("There is nothing to ask again", "Say something first"));
        };
        Ok(self.turn(shorter, Said::AsIs(parts), view, cancel).await)
    }

    /// The request that saying this would send (`--dry-run`).
    pub fn request(&self, parts: Vec<Part>) -> ChatRequest {
        let (mut transcript, _, said) = self.opened(self.transcript.clone(), Said::Words(parts));
        if let Some(said) = said {
            transcript.user(said);
        }
        let turn = self.as_turn(Arc::new(Unseen), CancellationToken::new());
        turn.request(&transcript, turn.toolbox.declare().as_ref())
    }

    /// Forgets what was said.
    pub fn forget(&mut self) {
        self.transcript = Transcript::default();
        self.unanswered = None;
        self.aside = None;
    }

    async fn turn(
        &mut self,
        said_before: Transcript,
        said: Said,
        view: Arc<dyn TurnView>,
        cancel: CancellationToken,
    ) -> Taken {
        let before = said_before.messages().len();
        let (mut transcript, head, said) = self.opened(said_before, said);
        let turn = self.as_turn(Arc::clone(&view), cancel.clone());
        let taken = match (self.supervisor(), said) {
            (Some(supervisor), said) => take_with_children(&turn, &mut transcript, said, supervisor).await,
            (None, Some(said)) => turn.take(&mut transcript, said).await,
            (None, None) => turn.resume(&mut transcript).await,
        };
        let transcript = transcript.without(head);
        self.aside = None;
        if transcript.messages().len() > before {
            self.transcript = transcript;
            self.keep(before, view.as_ref()).await;
            if self.compress(view.as_ref(), cancel).await {
                self.keep(self.transcript.messages().len(), view.as_ref()).await;
            }
        }
        taken
    }

    fn as_turn(&self, view: Arc<dyn TurnView>, cancel: CancellationToken) -> Turn<'_> {
        let layers = self.layers();
        let sampling = Sampling {
            temperature: layers.temperature(),
            top_p: layers.top_p(),
            stream: self.stream && self.app().config.stream,
        };
        Turn { model: self.model.as_ref(), toolbox: &self.tools, view, sampling, cancel }
    }

    /// The transcript with what stands before it, how many messages that are, and the words as the role wants them.
    fn opened(&self, said_before: Transcript, said: Said) -> (Transcript, usize, Option<Vec<Part>>) {
        let (words, of_role) = match said {
            Said::Words(parts) => (Some(parts), true),
            Said::AsIs(parts) => (Some(parts), false),
            Said::Nothing => (None, false),
        };
        let (head, in_role) = self.head(words.clone().unwrap_or_default());
        let words = if of_role { Some(in_role) } else { words };
        // A file may have brought its own; providers take one.
        let head = if said_before.begins_with_system() { Vec::new() } else { head };
        let count = head.len();
        (said_before.after(head), count, words)
    }

    /// What stands before everything that was said, and the user's words as the role wants them.
    fn head(&self, said: Vec<Part>) -> (Vec<Message>, Vec<Part>) {
        match (&self.role, &self.agent) {
            (Some(role), _) => opening(role, &Facts::gather(&self.app().environment), said),
            (None, Some(agent)) if !agent.instructions.is_empty() => {
                (vec![Message::System(agent.instructions.clone())], said)
            }
            (None, _) => (Vec::new(), said),
        }
    }
}

/// What a role puts before the user's words, and those as it wants them.
fn opening(role: &Role, facts: &Facts, said: Vec<Part>) -> (Vec<Message>, Vec<Part>) {
    let mut begun = role.messages(facts, said.clone());
    match begun.pop() {
        Some(Message::User(said)) => (begun, said),
        other => {
            begun.extend(other);
            (begun, said)
        }
    }
}

/// Nobody watches a request that is not sent.
struct Unseen;

impl TurnView for Unseen {
    fn text(&self, _more: &str) {}
    fn call_started(&self, _call: &crate::functions::ToolCall) {}
    fn progress(&self, _call: &crate::functions::ToolCall, _progress: &mcp_catalog::Progress) {}
    fn call_ended(&self, _call: &crate::functions::ToolCall, _result: &crate::functions::ToolResult) {}
    fn note(&self, _text: &str) {}
}
