//! The rows over HTTP: those of the other transport that can be played there, and what only HTTP can do wrong.

mod answers;
mod sessions;
mod starts;
mod streams;
mod twins;

use crate::hostile::{Act, Scenario};

/// A body that is one message.
const JSON: &str = "200 OK\nContent-Type: application/json";
/// A body that is a stream of events.
const EVENTS: &str = "200 OK\nContent-Type: text/event-stream";

pub(super) fn rows() -> Vec<Scenario> {
    [twins::rows(), starts::rows(), answers::rows(), streams::rows(), sessions::rows()].concat()
}

/// An answer's head.
fn head(text: impl Into<String>) -> Act {
    Act::Head(text.into())
}

/// A piece of an answer.
fn piece(text: &str) -> Act {
    Act::Bytes(text.as_bytes().to_vec())
}

/// A row whose server plays `acts` for the first call of its tool.
fn call(name: &'static str, cites: &'static str, acts: impl Into<Vec<Act>>) -> Scenario {
    Scenario::call(name, cites, acts).over_http()
}
