//! The messages of a conversation, which every provider must accept as they stand.
//!
//! A call without a result or a result without a call is refused by every provider, and the conversation with it. So calls
//! and results come in together, and what was cut, cancelled or refused leaves text alone (S13).

use crate::{
    functions::{ToolCall, ToolResult},
    model::{Message, Part},
};

/// A conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    messages: Vec<Message>,
}

impl Transcript {
    /// A conversation that begins with these messages: what the model is told to be, and examples.
    pub const fn beginning(messages: Vec<Message>) -> Self {
        Self { messages }
    }

    /// What was said, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The text of the last answer that has one.
    pub fn last_answer(&self) -> Option<&str> {
        self.messages.iter().rev().find_map(|message| match message {
            Message::Assistant { text, .. } if !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
    }

    /// Whether it brought its own words about what the model is to be.
    pub fn begins_with_system(&self) -> bool {
        matches!(self.messages.first(), Some(Message::System(_)))
    }

    /// The same after these messages.
    #[must_use]
    pub fn after(self, mut head: Vec<Message>) -> Self {
        head.extend(self.messages);
        Self { messages: head }
    }

    /// The same without its first `count` messages.
    #[must_use]
    pub fn without(mut self, count: usize) -> Self {
        drop(self.messages.drain(..count.min(self.messages.len())));
        self
    }

    /// Takes back what the user said last and everything after it, to be said again.
    pub fn reopen(&mut self) -> Option<Vec<Part>> {
        let last = self.messages.iter().rposition(|message| matches!(message, Message::User(_)))?;
        match self.messages.drain(last..).next() {
            Some(Message::User(parts)) => Some(parts),
            _ => None,
        }
    }

    /// What the user says.
    pub fn user(&mut self, parts: Vec<Part>) {
        self.messages.push(Message::User(parts));
    }

    /// A reply without calls. One without text is not kept: providers refuse it.
    pub fn answer(&mut self, text: &str) {
        if !text.is_empty() {
            self.messages.push(Message::Assistant { text: text.to_owned(), calls: Vec::new() });
        }
    }

    /// A reply with calls, and what they answered. Each call must have the result at its place; what has no partner is left
    /// out.
    pub fn round(&mut self, text: &str, calls: Vec<ToolCall>, results: Vec<ToolResult>) {
        let pairs: (Vec<_>, Vec<_>) =
            calls.into_iter().zip(results).filter(|(call, result)| call.id == result.id).unzip();
        let (calls, results) = pairs;
        if calls.is_empty() {
            return self.answer(text);
        }
        self.messages.push(Message::Assistant { text: text.to_owned(), calls });
        self.messages.push(Message::Results(results));
    }

    /// Takes back what the user said last, if nothing has been answered to it: said again, it would stand there twice.
    pub fn take_back(&mut self) {
        if matches!(self.messages.last(), Some(Message::User(_))) {
            self.messages.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "f".to_owned(), arguments: json!({}) }
    }

    fn result(id: &str) -> ToolResult {
        ToolResult { id: id.to_owned(), name: "f".to_owned(), output: json!({}), code: None }
    }

    #[test]
    fn a_call_without_a_result_never_enters_the_conversation() {
        let mut transcript = Transcript::default();
        transcript.round("t", vec![call("1"), call("2"), call("3")], vec![result("1"), result("x")]);
        let kept =
            [Message::Assistant { text: "t".to_owned(), calls: vec![call("1")] }, Message::Results(vec![result("1")])];
        assert_eq!(transcript.messages(), kept);
    }

    #[test]
    fn a_round_without_results_leaves_its_text_alone() {
        let mut transcript = Transcript::default();
        transcript.round("t", vec![call("1")], Vec::new());
        transcript.round("", vec![call("1")], Vec::new());
        transcript.answer("");
        assert_eq!(transcript.messages(), [Message::Assistant { text: "t".to_owned(), calls: Vec::new() }]);
    }

    #[test]
    fn what_nobody_answered_is_taken_back_and_nothing_else_is() {
        let mut transcript = Transcript::beginning(vec![Message::System("s".to_owned())]);
        transcript.user(vec![Part::Text("a".to_owned())]);
        transcript.take_back();
        transcript.take_back();
        assert_eq!(transcript.messages(), [Message::System("s".to_owned())]);
    }
}
