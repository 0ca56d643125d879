//! Messages between agents: an inbox that is bounded, in order, and read once.

use mcp_render::{AGENT_INBOX_MAX_ITEMS, AGENT_MESSAGE_MAX_BYTES};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};
use thiserror::Error;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The id of the agent that wrote it; `parent` for the one above.
    pub from: String,
    /// What it says.
    pub text: String,
}

/// A message that is not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotDelivered {
    /// It is too long.
    #[error("The message has {bytes} bytes; the limit is {AGENT_MESSAGE_MAX_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The inbox is full.
    #[error(
        "The inbox holds {AGENT_INBOX_MAX_ITEMS} messages that were not read; the limit is {AGENT_INBOX_MAX_ITEMS}"
    )]
    Full,
    /// The agent has ended.
    #[error("The agent has ended and reads no messages")]
    Closed,
}

impl NotDelivered {
    /// The next step.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::TooLong { .. } => "Say it shorter, or in several messages",
            Self::Full => "Wait until the agent has read them: it does so before it ends",
            Self::Closed => "Spawn the agent again and tell it the whole task",
        }
    }
}

/// An agent's inbox. What is put in is read, or counted when it is closed: nothing is taken and lost.
#[derive(Debug, Default)]
pub struct Mailbox(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    letters: VecDeque<Letter>,
    /// The agent has ended.
    closed: bool,
}

impl Mailbox {
    /// Puts a message in.
    pub fn deliver(&self, letter: Letter) -> Result<(), NotDelivered> {
        if letter.text.len() > AGENT_MESSAGE_MAX_BYTES {
            return Err(NotDelivered::TooLong { bytes: letter.text.len() });
        }
        let mut inside = self.inside();
        if inside.closed {
            return Err(NotDelivered::Closed);
        }
        if inside.letters.len() >= AGENT_INBOX_MAX_ITEMS {
            return Err(NotDelivered::Full);
        }
        inside.letters.push_back(letter);
        Ok(())
    }

    /// Takes the next message out, if `wanted` says so.
    pub fn take_if(&self, wanted: impl FnOnce(&Letter) -> bool) -> Option<Letter> {
        let mut inside = self.inside();
        inside.letters.front().is_some_and(wanted).then(|| inside.letters.pop_front()).flatten()
    }

    /// Takes all messages out.
    pub fn take_all(&self) -> Vec<Letter> {
        std::mem::take(&mut self.inside().letters).into()
    }

    /// Takes all messages out; when there is none, none can come any more.
    pub fn take_all_or_close(&self) -> Vec<Letter> {
        let mut inside = self.inside();
        inside.closed = inside.letters.is_empty();
        std::mem::take(&mut inside.letters).into()
    }

    /// Lets no message come any more; how many were not read.
    pub fn close(&self) -> usize {
        let mut inside = self.inside();
        inside.closed = true;
        inside.letters.len()
    }

    /// How many wait to be read.
    pub fn len(&self) -> usize {
        self.inside().letters.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(text: &str) -> Letter {
        Letter { from: "a-1".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn messages_are_read_once_and_in_order() {
        let inbox = Mailbox::default();
        for text in ["1", "2", "3"] {
            inbox.deliver(letter(text)).unwrap();
        }
        assert_eq!(inbox.take_if(|letter| letter.text == "2"), None);
        assert_eq!(inbox.take_if(|_| true), Some(letter("1")));
        assert_eq!(inbox.take_all(), [letter("2"), letter("3")]);
        assert!(inbox.is_empty());
    }

    #[test]
    fn an_agent_that_ends_reads_what_was_delivered_before_and_nothing_can_come_after() {
        let inbox = Mailbox::default();
        inbox.deliver(letter("1")).unwrap();
        assert_eq!(inbox.take_all_or_close(), [letter("1")]);
        inbox.deliver(letter("2")).unwrap();
        assert_eq!(inbox.take_all_or_close(), [letter("2")]);
        assert_eq!(inbox.take_all_or_close(), []);
        assert_eq!((inbox.deliver(letter("3")), inbox.close()), (Err(NotDelivered::Closed), 0));
        let inbox = Mailbox::default();
        inbox.deliver(letter("1")).unwrap();
        assert_eq!((inbox.close(), inbox.deliver(letter("2"))), (1, Err(NotDelivered::Closed)));
    }

    #[test]
    fn an_inbox_is_bounded_and_says_so() {
        let inbox = Mailbox::default();
        let long = letter(&"x".repeat(AGENT_MESSAGE_MAX_BYTES + 1));
        assert_eq!(inbox.deliver(long), Err(NotDelivered::TooLong { bytes: AGENT_MESSAGE_MAX_BYTES + 1 }));
        for _ in 0..AGENT_INBOX_MAX_ITEMS {
            inbox.deliver(letter("x")).unwrap();
        }
        assert_eq!(inbox.deliver(letter("x")), Err(NotDelivered::Full));
        assert_eq!(inbox.len(), AGENT_INBOX_MAX_ITEMS);
    }
}
