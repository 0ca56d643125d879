//! Prompt results as one labelled block (D6, S36).
//!
//! All messages become one user message with `[user]` and `[assistant]` labels, also when there is only one, and no text
//! of a server can forge a label. Nothing is dropped silently and nothing but label look-alikes is altered.

mod label;

use crate::fit::{escaped_prefix, json_len, metadata_max};
use crate::line::{Link, embedded_line, unknown_line};
use crate::marker::{FullCopy, Place};
use crate::response::failed;
use crate::tool_result::inherit;
use crate::{Block, BlockBody, Body, Ceiling, Content, ItemFault, Message, ReadBack, Settled, Spiller, settle};
use label::{Labels, label};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A flattened prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flattened {
    /// The labelled text; empty when the prompt returned nothing.
    pub text: String,
    /// Bytes of the whole text.
    pub total_bytes: usize,
    /// Set when `text` is only the head of it.
    pub truncated: bool,
    /// Where the whole text is kept.
    pub path: Option<String>,
    /// The SHA-256 of the whole text, when it was spilled.
    pub sha256: Option<String>,
    /// What there is to say.
    pub note: Option<String>,
}

impl Flattened {
    /// The JSON of S36.
    pub fn to_value(&self) -> Value {
        let mut object = self.head();
        object.insert("text".into(), self.text.as_str().into());
        Value::Object(object)
    }

    /// Everything but the text, which comes last.
    fn head(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("truncated".into(), self.truncated.into());
        object.insert("total_bytes".into(), self.total_bytes.into());
        if self.truncated {
            object.insert("shown_bytes".into(), self.text.len().into());
        }
        for (key, value) in [("path", &self.path), ("sha256", &self.sha256), ("note", &self.note)] {
            if let Some(value) = value {
                object.insert(key.into(), value.as_str().into());
            }
        }
        object
    }

    fn whole(text: String, note: Option<String>) -> Self {
        Self { total_bytes: text.len(), text, truncated: false, path: None, sha256: None, note }
    }
}

/// Flattens messages. Blocking: binaries are spilled, and so is a text whose JSON would be over `ceiling`.
pub fn flatten(
    frame: Vec<u8>,
    messages: Vec<Message>,
    spiller: &Spiller,
    read_back: &ReadBack,
    ceiling: Ceiling,
) -> Flattened {
    if messages.is_empty() {
        return Flattened::whole(String::new(), Some("The prompt returned no messages".into()));
    }
    let place = Place { spiller, read_back, ceiling };
    let bodies = bodies(frame, messages, &place);
    if bodies.iter().all(|(_, body)| body.is_empty()) {
        return Flattened::whole(String::new(), Some("The prompt returned only empty messages".into()));
    }
    let labels = Labels::of(bodies.iter().map(|(label, _)| label.as_str()));
    let mut text = String::new();
    for (label, body) in &bodies {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(label);
        text.push('\n');
        labels.escape(body, &mut text);
    }
    bounded(text, &place)
}

/// The text whole, or its head with a full copy on disk.
fn bounded(text: String, place: &Place<'_>) -> Flattened {
    let whole = Flattened::whole(text, None);
    let room = place.ceiling.bytes();
    // Escaping never shortens, so most texts that are too long are not serialised to know it.
    if whole.text.len() <= room && json_len(&whole.to_value()) <= room {
        return whole;
    }
    let mut text = whole.text;
    let copy = FullCopy::keep(text.as_bytes(), "txt", "Only the head is shown", place);
    let mut cut = Flattened {
        text: String::new(),
        total_bytes: text.len(),
        truncated: true,
        path: copy.path().map(Cow::into_owned),
        sha256: Some(copy.sha256().to_owned()),
        note: Some(copy.note().to_owned()),
    };
    let digits = text.len().to_string().len();
    let used = json_len(&cut.head()) + digits + r#","text":"""#.len();
    text.truncate(escaped_prefix(&text, room.saturating_sub(used)));
    cut.text = text;
    cut
}

/// What a block becomes inside the body of its message.
enum Piece {
    Settled { kind: &'static str },
    Line(String),
}

/// Each message's label and body.
fn bodies(frame: Vec<u8>, messages: Vec<Message>, place: &Place<'_>) -> Vec<(String, String)> {
    let max = metadata_max(place.ceiling);
    let mut contents = Vec::new();
    let plans: Vec<(String, Vec<Piece>)> = messages
        .into_iter()
        .map(|Message { role, blocks }| {
            let pieces = blocks.into_iter().map(|block| piece(block, &mut contents, place.read_back, max));
            (label(&role), pieces.collect())
        })
        .collect();
    let mut settled = settle(frame, contents, place.spiller).into_iter();
    let mut text = |piece| match piece {
        Piece::Line(line) => line,
        Piece::Settled { kind } => settled.next().map(|settled| body(settled, kind, max)).unwrap_or_default(),
    };
    let bodies = plans.into_iter().map(|(label, pieces)| {
        let parts: Vec<_> = pieces.into_iter().map(&mut text).collect();
        (label, parts.join("\n\n"))
    });
    bodies.collect()
}

fn piece(block: Block, contents: &mut Vec<Content>, read_back: &ReadBack, max: usize) -> Piece {
    let Block { audience, body } = block;
    let anonymous = |mime_type, body| Content { uri: String::new(), mime_type, audience: audience.clone(), body };
    let (kind, content) = match body {
        BlockBody::Text(text) => ("text", anonymous(None, Body::Text(text))),
        BlockBody::Image { mime_type, data } => ("image", anonymous(mime_type, Body::Blob(data))),
        BlockBody::Audio { mime_type, data } => ("audio", anonymous(mime_type, Body::Blob(data))),
        BlockBody::Resource(content) => ("resource", inherit(content, audience)),
        BlockBody::ResourceLink { uri, name, mime_type, description, size } => {
            return Piece::Line(Link { uri, name, mime_type, description, size }.line(read_back, max));
        }
        BlockBody::Unknown { type_name, bytes } => return Piece::Line(unknown_line(&type_name, bytes)),
        BlockBody::Broken(ItemFault { code, sentence }) => {
            let error = crate::cut(&sentence, max);
            return Piece::Line(json!({"type": "error", "error": error, "code": code.as_str()}).to_string());
        }
    };
    contents.push(content);
    Piece::Settled { kind }
}

/// A settled block as text: itself, or one line of metadata.
fn body(settled: Settled, kind: &str, max: usize) -> String {
    match settled {
        Settled::Text(item) if kind == "text" => item.text.as_str().to_owned(),
        Settled::Text(item) => {
            let head = embedded_line(kind, &item.uri, item.mime_type.as_deref(), max);
            format!("{head}\n{}", item.text.as_str())
        }
        Settled::Spilled(spilled) => metadata_line(kind, Value::Object(spilled.object(max))),
        Settled::Failed { uri, mime_type, fault } => {
            metadata_line(kind, failed(&uri, mime_type.as_deref(), &fault, max))
        }
    }
}

/// JSON has no line breaks of its own, so this is one line.
fn metadata_line(kind: &str, object: Value) -> String {
    let mut typed = Map::from_iter([("type".to_owned(), Value::from(kind))]);
    if let Value::Object(object) = object {
        typed.extend(object);
    }
    Value::Object(typed).to_string()
}

#[cfg(test)]
mod tests;
