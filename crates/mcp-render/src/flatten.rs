//! Prompt results as one labelled block (D6, S36).
use crate::{Ceiling, Message, Spiller, ReadBack};
use serde_json::Value;
/// A flattened prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flattened { /// The labelled text; empty when the prompt returned nothing.
    pub text: String, /// Bytes of the whole text.
    pub total_bytes: usize, /// Set when `text` is only the head of it.
    pub truncated: bool, /// Where the whole text is kept.
    pub path: Option<String>, /// The SHA-256 of the whole text, when it was spilled.
    pub sha256: Option<String>, /// What there is to say.
    pub note: Option<String> }
/// Flattens messages. Blocking: binaries are spilled.
pub fn flatten(_frame: Vec<u8>, _messages: Vec<Message>, _spiller: &Spiller, _read_back: &ReadBack, _ceiling: Ceiling) -> Flattened { todo!() }
impl Flattened { /// The JSON of S36.
    pub fn to_value(&self) -> Value { todo!() } }
