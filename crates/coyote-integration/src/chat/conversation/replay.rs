//! What was said last, as it is shown when a session is resumed: words, the names of pictures and calls, no result.
//!
//! A long message is cut by lines. Nothing is escaped here; whoever prints it does that (S46).

use super::Conversation;
use crate::model::{Message, Part};
use std::fmt::Write;

/// The longest replayed message, in lines.
const REPLAYED_LINES: usize = 12;

/// One message of a session that is resumed, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Whether the user said it.
    pub by_user: bool,
    /// Its text, cut after some lines; foreign text.
    pub text: String,
}

impl Conversation {
    /// The last exchanges, to be shown when a session is resumed.
    pub fn replay(&self, exchanges: usize) -> Vec<Replayed> {
        let messages = self.transcript.messages();
        let starts = messages.iter().enumerate().rev().filter(|(_, message)| matches!(message, Message::User(_)));
        let from = starts.take(exchanges).last().map_or(messages.len(), |(start, _)| start);
        messages.iter().skip(from).filter_map(replayed).collect()
    }
}

fn replayed(message: &Message) -> Option<Replayed> {
    let (by_user, text) = match message {
        Message::System(_) | Message::Results(_) => return None,
        Message::User(parts) => {
            let parts = parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Image { name, .. } => format!("(picture {name})"),
            });
            (true, parts.collect::<Vec<_>>().join("\n"))
        }
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| format!("(called {})", call.name));
            let texts = Some(text.clone()).filter(|text| !text.is_empty());
            (false, texts.into_iter().chain(calls).collect::<Vec<_>>().join("\n"))
        }
    };
    let count = text.lines().count();
    let mut shown = text.lines().take(REPLAYED_LINES).collect::<Vec<_>>().join("\n");
    if count > REPLAYED_LINES {
        // Writing to a string does not fail.
        let more = count - REPLAYED_LINES;
        let _ = write!(shown, "\n… and {more} {} more", if more == 1 { "line" } else { "lines" });
    }
    Some(Replayed { by_user, text: shown })
}
