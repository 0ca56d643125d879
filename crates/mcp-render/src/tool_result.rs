//! Tool results (S31, S35): every block is text, the metadata of a spilled binary, or one line; all of it is bounded.
//!
//! Base64 never gets through, a link is never followed, and what had to be cut is kept whole in the spill store.

mod mirror;
mod share;

use crate::fit::{escaped_len, json_len, metadata, metadata_list, metadata_max};
use crate::line::{Link, unknown_line};
use crate::marker::{FullCopy, Place, bounded};
use crate::response::{failed, fitting};
use crate::slice::Extract;
use crate::{
    BLOCK_SHARE_MIN_BYTES, Block, BlockBody, Body, CEILING_BYTES, Ceiling, Content, HeldText, ItemFault,
    OMITTED_RESERVE_BYTES, ReadBack, Settled, Spiller, settle,
};
use serde_json::{Map, Value, json};
use share::{Need, Shares};

/// A tool's result, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// `isError`.
    pub is_error: bool,
    /// The blocks in order.
    pub blocks: Vec<Block>,
    /// `structuredContent`.
    pub structured: Option<Value>,
}

/// Renders a tool result: `{isError?, content, structuredContent?, note?}` (S35). Never longer than `ceiling` when
/// serialised. Blocking: binaries and oversized text are spilled.
pub fn tool_result(
    frame: Vec<u8>,
    outcome: ToolOutcome,
    spiller: &Spiller,
    read_back: &ReadBack,
    ceiling: Ceiling,
) -> Value {
    let ToolOutcome { is_error, blocks, structured } = outcome;
    let place = Place { spiller, read_back, ceiling };
    let empty = blocks.is_empty() && structured.is_none();
    let mut parts = parts(frame, blocks, &place);
    // A failing tool keeps all its blocks.
    if let (Some(structured), false) = (&structured, is_error) {
        parts.retain(|part| !part.mirrors(structured));
    }
    let mut answer = Map::new();
    if is_error {
        answer.insert("isError".into(), true.into());
    }
    answer.insert("content".into(), json!([]));
    if empty {
        answer.insert("note".into(), "The tool returned no content".into());
    }
    let mut room = ceiling.bytes() - json_len(&answer);
    if let Some(structured) = structured {
        room -= r#","structuredContent":"#.len();
        // The blocks have a quarter of the answer for themselves, if they need it; under a low ceiling that would not hold
        // one share and the marker of what is omitted.
        let least = (OMITTED_RESERVE_BYTES + BLOCK_SHARE_MIN_BYTES).max(room / 4);
        let blocks = parts.iter().map(Part::size).sum::<usize>().min(least);
        let structured = bounded(structured, room.saturating_sub(blocks), &place);
        room -= json_len(&structured);
        answer.insert("structuredContent".into(), structured);
    }
    answer.insert("content".into(), Value::from(content(parts, room, &place)));
    Value::Object(answer)
}

/// One block on its way out.
enum Part {
    /// Text, which can be cut. `head` are the keys before it.
    Text { head: Map<String, Value>, text: HeldText },
    /// Anything else: small, and whole or not at all.
    Fixed(Value),
}

impl Part {
    /// Its length as JSON, with the comma after it; at least so much when that is over every ceiling.
    fn size(&self) -> usize {
        1 + match self {
            Self::Text { text, .. } if text.len() > CEILING_BYTES => text.len(),
            Self::Text { head, text } => json_len(head) + r#","text":"""#.len() + escaped_len(text),
            Self::Fixed(value) => json_len(value),
        }
    }

    /// Whether this is a text that says the same as `structured` (C49).
    fn mirrors(&self, structured: &Value) -> bool {
        matches!(self, Self::Text { text, .. } if mirror::mirrors(text.as_bytes(), structured))
    }

    fn into_value(self) -> Value {
        match self {
            Self::Text { mut head, text } => {
                head.insert("text".into(), text.as_str().into());
                Value::Object(head)
            }
            Self::Fixed(value) => value,
        }
    }
}

/// What becomes of a block: settled like the items of a read, or a line of its own.
enum Plan {
    Settle { kind: &'static str },
    Part(Part),
}

fn parts(frame: Vec<u8>, blocks: Vec<Block>, place: &Place<'_>) -> Vec<Part> {
    let max = metadata_max(place.ceiling) / 2;
    let mut contents = Vec::new();
    let plans: Vec<_> = blocks.into_iter().map(|block| plan(block, &mut contents, place.read_back, max)).collect();
    let mut settled = settle(frame, contents, place.spiller).into_iter();
    let finish = |plan| match plan {
        Plan::Part(part) => Some(part),
        Plan::Settle { kind } => settled.next().map(|settled| part(settled, kind, max)),
    };
    plans.into_iter().filter_map(finish).collect()
}

fn plan(block: Block, contents: &mut Vec<Content>, read_back: &ReadBack, max: usize) -> Plan {
    let Block { audience, body } = block;
    let anonymous = |mime_type, body| Content { uri: String::new(), mime_type, audience: audience.clone(), body };
    let (kind, content) = match body {
        BlockBody::Text(piece) => ("text", anonymous(None, Body::Text(piece))),
        BlockBody::Image { mime_type, data } => ("image", anonymous(mime_type, Body::Blob(data))),
        BlockBody::Audio { mime_type, data } => ("audio", anonymous(mime_type, Body::Blob(data))),
        BlockBody::Resource(content) => ("resource", inherit(content, audience)),
        BlockBody::ResourceLink { uri, name, mime_type, description, size } => {
            let link = Link { uri, name, mime_type, description, size };
            return Plan::Part(line(&link.line(read_back, max)));
        }
        BlockBody::Unknown { type_name, bytes } => {
            return Plan::Part(line(&unknown_line(&type_name, bytes)));
        }
        BlockBody::Broken(ItemFault { code, sentence }) => {
            let error = metadata(&sentence, max);
            return Plan::Part(Part::Fixed(json!({"type": "error", "error": error, "code": code.as_str()})));
        }
    };
    contents.push(content);
    Plan::Settle { kind }
}

/// A resource without an audience of its own has its block's.
pub(crate) fn inherit(mut content: Content, audience: Vec<String>) -> Content {
    if content.audience.is_empty() {
        content.audience = audience;
    }
    content
}

fn line(text: &str) -> Part {
    Part::Fixed(json!({"type": "text", "text": text}))
}

fn part(settled: Settled, kind: &'static str, max: usize) -> Part {
    match settled {
        Settled::Text(item) => {
            let mut head = Map::from_iter([("type".into(), "text".into())]);
            if !item.uri.is_empty() {
                head.insert("uri".into(), metadata(&item.uri, max));
            }
            if let Some(mime) = &item.mime_type {
                head.insert("mime_type".into(), metadata(mime, max));
            }
            if let Some(audience) = metadata_list(&item.audience, max) {
                head.insert("audience".into(), audience);
            }
            Part::Text { head, text: item.text }
        }
        Settled::Spilled(spilled) => Part::Fixed(typed(kind, spilled.object(max))),
        Settled::Failed { uri, mime_type, fault } => match failed(&uri, mime_type.as_deref(), &fault, max) {
            Value::Object(object) => Part::Fixed(typed(kind, object)),
            other => Part::Fixed(other),
        },
    }
}

fn typed(kind: &str, object: Map<String, Value>) -> Value {
    let mut typed = Map::from_iter([("type".to_owned(), Value::from(kind))]);
    typed.extend(object);
    Value::Object(typed)
}

/// The blocks within `room` bytes: whole if they fit, else the texts cut to a fair share each, so that a short hint
/// behind a long log is still read (C56); and what does not even fit so is named and kept.
fn content(mut parts: Vec<Part>, room: usize, place: &Place<'_>) -> Vec<Value> {
    let needs: Vec<_> =
        parts.iter().map(|part| Need { size: part.size(), fixed: matches!(part, Part::Fixed(_)) }).collect();
    let Shares { kept, text_max } = share::shares(&needs, room, OMITTED_RESERVE_BYTES);
    let omitted = parts.split_off(kept);
    let sizes = needs.iter().map(|need| need.size);
    let mut content: Vec<_> = parts
        .into_iter()
        .zip(sizes)
        .map(|(part, size)| match part {
            Part::Text { head, text } if size > text_max => cut_text(head, &text, text_max.saturating_sub(1), place),
            part => part.into_value(),
        })
        .collect();
    if !omitted.is_empty() {
        content.push(omitted_marker(omitted, kept, place));
    }
    content
}

/// The head of `text` behind its marker (S31), within `room` bytes.
fn cut_text(mut head: Map<String, Value>, text: &HeldText, room: usize, place: &Place<'_>) -> Value {
    let copy = FullCopy::keep(text.as_bytes(), "txt", "Only the head is shown", place);
    let keys = room.saturating_sub(r#","text":"""#.len());
    copy.mark(&mut head, text.len(), keys);
    let extract = Extract::of(text.as_bytes(), 0, room);
    let page = extract.page(room, keys.saturating_sub(json_len(&head)));
    head.insert("shown_bytes".into(), page.text.len().into());
    head.insert("text".into(), page.text.into());
    Value::Object(head)
}

/// The last element: the blocks that did not fit, kept together as JSON (S30, S31).
fn omitted_marker(omitted: Vec<Part>, from: usize, place: &Place<'_>) -> Value {
    let count = omitted.len();
    let blocks: Vec<_> = omitted.into_iter().map(Part::into_value).collect();
    let json = serde_json::to_vec(&blocks).unwrap_or_default();
    let copy = FullCopy::keep(&json, "json", &format!("{count} more blocks are left out"), place);
    let mut marker = Map::from_iter([
        ("truncated".to_owned(), true.into()),
        ("omitted_items".to_owned(), count.into()),
        ("omitted".to_owned(), json!([])),
    ]);
    copy.mark(&mut marker, 0, OMITTED_RESERVE_BYTES);
    marker.shift_remove("shown_bytes");
    let list = blocks.iter().enumerate().map(|(i, block)| json!({"index": from + i, "bytes": json_len(block)}));
    let list = fitting(list, OMITTED_RESERVE_BYTES.saturating_sub(json_len(&marker)));
    marker.insert("omitted".into(), list.into());
    Value::Object(marker)
}

#[cfg(test)]
mod tests;
