//! A session that has grown too long for its model: what was said is summarised by the model, and the summary goes on in
//! its place (`compression_threshold`, `summarization_prompt`).
//!
//! Nothing is lost: what was summarised stays in the session's file and is not sent any more. The last exchange stays as
//! it is unless it is the long one. When the model does not answer, nothing changes, and the next exchange tries again.

use super::Conversation;
use crate::{
    chat::{Transcript, TurnView},
    model::{ChatRequest, Message, Part, ReplySink},
};
use tokio_util::sync::CancellationToken;

/// The share of a model's window that a session may fill, in percent.
const SHARE: u64 = 60;
/// How many bytes of text are taken for one token. Nobody but the provider can count, and only afterwards.
const BYTES_PER_TOKEN: usize = 4;
/// What a picture is taken for.
const TOKENS_PER_PICTURE: u64 = 1_000;
/// `summarization_prompt` by default.
const PROMPT: &str = "Summarise the conversation above so that it can be gone on with: what the user wants, facts, names, \
                      decisions, what is done and what is open. At most 300 words, nothing else";
/// What the summary answers, so that the conversation stays one of questions and answers.
const ASKED: &str = "What was said before, in short?";

struct Quiet;

impl ReplySink for Quiet {
    fn text(&self, _more: &str) {}
}

impl Conversation {
    /// The tokens from which a session is compressed: none when the window is not known.
    pub fn compression_threshold(&self) -> Option<u64> {
        let given = self.app().config.compression_threshold;
        let window = self.model.abilities().max_input_tokens;
        given.or_else(|| window.map(|window| window / 100 * SHARE)).filter(|threshold| *threshold > 0)
    }

    /// About how many tokens the transcript is.
    pub fn tokens(&self) -> u64 {
        tokens(self.transcript.messages())
    }

    /// Compresses the session if it is over the threshold; whether it did.
    pub(super) async fn compress(&mut self, view: &dyn TurnView, cancel: CancellationToken) -> bool {
        let Some(threshold) = self.compression_threshold().filter(|threshold| self.tokens() >= *threshold) else {
            return false;
        };
        if self.session.is_none() {
            return false;
        }
        let (old, last) = self.transcript.messages().split_at(self.kept_from(threshold));
        if old.len() < 2 {
            return false;
        }
        view.note(&format!(
            "The session is about {} tokens, and the threshold is {threshold}: {} messages are summarised",
            self.tokens(),
            old.len()
        ));
        let asked = self.app().config.summarization_prompt.as_deref().unwrap_or(PROMPT);
        // As one text: what was called then may not be declared now, and providers refuse calls of undeclared functions.
        let text = format!("{}\n\n{asked}", as_text(old));
        let request = ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() };
        let reply = tokio::select! {
            biased;
            () = cancel.cancelled() => return false,
            reply = self.model.chat(request, &Quiet, cancel.clone()) => reply,
        };
        let summary = match reply {
            Ok(reply) if reply.cut.is_none() && !reply.text.trim().is_empty() => reply.text,
            Ok(_) => {
                view.note("The summary did not arrive whole; the session stays as it is");
                return false;
            }
            Err(error) => {
                view.note(&format!("The session could not be summarised and stays as it is: {error}"));
                return false;
            }
        };
        view.note(&format!("What was said before goes on as this summary: {}", summary.trim()));
        let (old, last) = (old.to_vec(), last.to_vec());
        let answer = Message::Assistant { text: summary, calls: Vec::new() };
        self.transcript = Transcript::beginning([Message::user(ASKED), answer].into_iter().chain(last).collect());
        if let Some(open) = &mut self.session {
            open.compressed.extend(old);
        }
        true
    }

    /// Whether the last message that a user said is the question of a summary.
    pub(super) fn only_a_summary_is_left(&self) -> bool {
        let mut said = self.transcript.messages().iter().filter(|message| matches!(message, Message::User(_)));
        let summarised = self.session.as_ref().is_some_and(|open| !open.compressed.is_empty());
        summarised && said.next() == Some(&Message::user(ASKED)) && said.next().is_none()
    }

    /// Where the last exchange begins, if it is short enough to stay; else the end.
    fn kept_from(&self, threshold: u64) -> usize {
        let messages = self.transcript.messages();
        let last = messages.iter().rposition(|message| matches!(message, Message::User(_)));
        let short = |start: &usize| messages.get(*start..).is_some_and(|last| tokens(last) <= threshold / 4);
        last.filter(short).unwrap_or(messages.len())
    }
}

fn tokens(messages: &[Message]) -> u64 {
    let text = |bytes: usize| u64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u64::MAX);
    let of = |message: &Message| match message {
        Message::System(said) => text(said.len()),
        Message::User(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Text(said) => text(said.len()),
                Part::Image { .. } => TOKENS_PER_PICTURE,
            })
            .sum(),
        Message::Assistant { text: said, calls } => {
            text(said.len() + calls.iter().map(|call| call.arguments.to_string().len()).sum::<usize>())
        }
        Message::Results(results) => text(results.iter().map(|result| result.output.to_string().len()).sum()),
    };
    messages.iter().map(of).sum()
}

/// The conversation as one text.
fn as_text(messages: &[Message]) -> String {
    let one = |message: &Message| match message {
        Message::System(said) => format!("[system]\n{said}"),
        Message::User(parts) => {
            let parts = parts.iter().map(|part| match part {
                Part::Text(said) => said.clone(),
                Part::Image { name, .. } => format!("(picture {name})"),
            });
            format!("[user]\n{}", parts.collect::<Vec<_>>().join("\n"))
        }
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| format!("\n(called {} with {})", call.name, call.arguments));
            format!("[assistant]\n{text}{}", calls.collect::<String>())
        }
        Message::Results(results) => {
            let results = results.iter().map(|result| format!("{} answered {}", result.name, result.output));
            format!("[results]\n{}", results.collect::<Vec<_>>().join("\n"))
        }
    };
    messages.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests;
