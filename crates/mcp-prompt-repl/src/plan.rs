//! `.prompt` from the line to the chat, as events in and effects out (D5, S42, S43).
//!
//! It does nothing itself: it asks no server, reads no key, prints nothing. Whatever happens in whatever order, a plan
//! submits at most once, and nothing after something went wrong.

use crate::missing::{Question, Questions, Reply};
use crate::{ChatText, Echo, Invocation, ReplError, table};
use mcp_catalog::{
    CatalogItem, CatalogKind, Details, Listing, NoteKind, PromptArgument, PromptName, ServerName, closest,
};
use mcp_render::{Flattened, shown};
use serde_json::{Map, Value};

/// Whether there is a person to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// Questions can be asked.
    Allowed,
    /// There is no terminal: what is missing is an error (C13).
    Impossible,
}

/// What happened.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// The listing of the server's prompts, with its notes; one that failed has only notes.
    Listed(Listing),
    /// What came of the question.
    Replied(Reply),
    /// What the prompt returned.
    Got(Flattened),
    /// The prompt failed: the sentence that the host has for it.
    Failed(String),
}

/// What is to be done now.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// List the prompts of a server. The answer is [`Event::Listed`].
    FetchListing(ServerName),
    /// Ask. The answer is [`Event::Replied`].
    Ask(Question),
    /// Get the prompt (`prompts/get`). The answer is [`Event::Got`] or [`Event::Failed`].
    FetchPrompt {
        /// The server.
        server: ServerName,
        /// The prompt.
        prompt: PromptName,
        /// `None` leaves `arguments` out.
        arguments: Option<Map<String, Value>>,
    },
    /// Show the echo, then say the text to the model. This ends the plan.
    Submit {
        /// The text.
        text: ChatText,
        /// What the person sees of it.
        echo: Echo,
        /// What there is to say about it: that it was cut, and where the whole is (S36). Safe to show.
        note: Option<String>,
    },
    /// Tell the person. This ends the plan.
    Tell(Tell),
    /// Nothing: the event was not waited for.
    Wait,
}

/// What ends a plan without a submission. Its texts are safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tell {
    /// What `--info` shows.
    Info(String),
    /// Nothing went wrong, and nothing is sent.
    Note(String),
    /// The line is wrong; nothing was sent. The exit status of a script is 2.
    Wrong(ReplError),
    /// The prompt failed.
    Failed {
        /// The sentence.
        sentence: String,
        /// The closest prompts, when the listing does not know this one; escaped.
        closest: Vec<String>,
    },
}

/// A `.prompt` under way.
#[derive(Debug)]
pub struct Plan {
    invocation: Invocation,
    asking: Asking,
    declared: Option<Vec<PromptArgument>>,
    closest: Vec<String>,
    state: State,
}

#[derive(Debug)]
enum State {
    Listing,
    Asking(Questions),
    Getting,
    Done,
}

impl Plan {
    /// Begins. The first effect is always the listing.
    pub fn new(invocation: Invocation, asking: Asking) -> (Self, Effect) {
        let first = Effect::FetchListing(invocation.server.clone());
        (Self { invocation, asking, declared: None, closest: Vec::new(), state: State::Listing }, first)
    }

    /// One step.
    pub fn step(&mut self, event: Event) -> Effect {
        match (std::mem::replace(&mut self.state, State::Done), event) {
            (State::Listing, Event::Listed(listing)) => self.listed(&listing),
            (State::Asking(_), Event::Replied(Reply::GivenUp)) => tell(Tell::Note("Nothing was sent".to_owned())),
            (State::Asking(mut questions), Event::Replied(Reply::Text(text))) => {
                questions.answer(text);
                self.ask(questions)
            }
            (State::Getting, Event::Got(flattened)) => submit(flattened),
            (State::Getting, Event::Failed(sentence)) => {
                let closest = std::mem::take(&mut self.closest);
                tell(Tell::Failed { sentence: shown(&sentence).to_string(), closest })
            }
            (state, _) => {
                self.state = state;
                Effect::Wait
            }
        }
    }

    fn listed(&mut self, listing: &Listing) -> Effect {
        let name = self.invocation.prompt.as_str();
        let prompts = || listing.items.iter().filter(|item| item.kind() == CatalogKind::Prompt);
        let item = prompts().find(|item| item.id == name);
        if item.is_none() && is_whole(listing) {
            let near = closest(name, prompts().map(|item| item.id.as_str()));
            self.closest = near.iter().map(|near| crate::error::name(near)).collect();
        }
        if self.invocation.info {
            return tell(self.info(item));
        }
        // A prompt that is not listed (the listing failed, or the server makes it up) is sent as typed (S42).
        let Some(Details::Prompt { arguments }) = item.map(|item| &item.details) else { return self.get() };
        if let Err(error) = self.invocation.check(arguments) {
            return tell(Tell::Wrong(error));
        }
        self.declared = Some(arguments.clone());
        let missing = self.invocation.missing(arguments);
        match self.asking {
            Asking::Allowed => self.ask(Questions::new(missing)),
            Asking::Impossible if missing.is_empty() => self.get(),
            Asking::Impossible => tell(Tell::Wrong(ReplError::Missing {
                prompt: name.to_owned(),
                missing: missing.into_iter().map(|question| question.argument).collect(),
            })),
        }
    }

    /// Asks what is left, or gets the prompt.
    fn ask(&mut self, questions: Questions) -> Effect {
        if let Some(question) = questions.next() {
            let effect = Effect::Ask(question.clone());
            self.state = State::Asking(questions);
            return effect;
        }
        self.invocation.arguments.extend(questions.into_answers());
        self.get()
    }

    fn get(&mut self) -> Effect {
        self.state = State::Getting;
        Effect::FetchPrompt {
            server: self.invocation.server.clone(),
            prompt: self.invocation.prompt.clone(),
            arguments: self.invocation.to_send(self.declared.as_deref()),
        }
    }

    fn info(&self, item: Option<&CatalogItem>) -> Tell {
        match item {
            Some(item) => Tell::Info(table::prompt_info(&self.invocation.server, item)),
            None => Tell::Wrong(ReplError::NotListed {
                server: self.invocation.server.to_string(),
                prompt: self.invocation.prompt.to_string(),
                closest: self.closest.clone(),
            }),
        }
    }
}

fn tell(tell: Tell) -> Effect {
    Effect::Tell(tell)
}

/// No messages, or only empty ones, are a message to the person and no model call (S36, C19).
fn submit(flattened: Flattened) -> Effect {
    let note = flattened.note.as_deref().map(|note| shown(note).to_string());
    let note = match (&flattened.path, note) {
        (Some(path), Some(note)) if !note.contains(path.as_str()) => Some(format!("{note}: {}", shown(path))),
        (_, note) => note,
    };
    if let Some(text) = ChatText::of_prompt(flattened) {
        return Effect::Submit { echo: text.echo(), text, note };
    }
    let what = note.unwrap_or_else(|| "The prompt returned nothing".to_owned());
    tell(Tell::Note(format!("{what}; nothing was sent")))
}

/// Whether a prompt that is absent is unknown to the server, as far as a listing can tell.
fn is_whole(listing: &Listing) -> bool {
    let loses = |what: &NoteKind| !matches!(what, NoteKind::Mended { .. } | NoteKind::Duplicates { .. });
    !listing.notes.iter().any(|note| note.kind == CatalogKind::Prompt && loses(&note.what))
}

#[cfg(test)]
mod tests;
