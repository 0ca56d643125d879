//! What the entries of every listing share: required names, optional fields that may be dropped, annotations (S20).

use super::node::{Node, Odd, Shape};
use mcp_render::{JSON_VALUES_MAX, METADATA_STRING_MAX_BYTES};
use serde_json::{Map, Value};

/// The most audience values that are kept of one entry.
const AUDIENCE_MAX: usize = 16;

/// Counts the malformed optional parts that were dropped or mended (C78), and the values that may still be built.
#[derive(Debug)]
pub(super) struct Mending {
    /// How many parts.
    pub(super) count: usize,
    /// How many values.
    pub(super) room: usize,
}

impl Default for Mending {
    fn default() -> Self {
        Self { count: 0, room: JSON_VALUES_MAX }
    }
}

/// What an `annotations` object told.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    /// The audience, unknown values as given.
    pub(super) audience: Vec<String>,
    /// The whole object.
    pub(super) whole: Option<Value>,
}

impl Mending {
    /// An optional string; anything else is dropped and counted.
    pub(super) fn string(&mut self, field: Option<Node<'_>>) -> Option<String> {
        let text = field?.string();
        self.keep(text.ok().map(std::borrow::Cow::into_owned))
    }

    /// An optional size.
    pub(super) fn size(&mut self, field: Option<Node<'_>>) -> Option<u64> {
        let size = field?.size();
        self.keep(size)
    }

    /// An optional boolean; anything else is `false`.
    pub(super) fn boolean(&mut self, field: Option<Node<'_>>) -> bool {
        let Some(field) = field else { return false };
        self.keep(field.boolean()).unwrap_or_default()
    }

    /// An optional object as a value, `[]` as `{}`.
    pub(super) fn object(&mut self, field: Option<Node<'_>>) -> Option<Value> {
        let parsed = self.required_object(field?);
        self.keep(parsed.ok().map(Value::Object))
    }

    /// An object, `[]` as `{}`, or what is wrong with it.
    pub(super) fn required_object(&mut self, node: Node<'_>) -> Result<Map<String, Value>, Odd> {
        if node.shape() == Shape::Array && node.is_empty_container() {
            self.count += 1;
            return Ok(Map::new());
        }
        match node.value(&mut self.room)? {
            Value::Object(object) => Ok(object),
            _ => Err(Odd::not(node.shape(), Shape::Object)),
        }
    }

    /// The audience and the whole of an `annotations` object. An object too long for an answer is not kept whole.
    pub(super) fn annotations(&mut self, field: Option<Node<'_>>) -> Annotations {
        let Some(node) = field else { return Annotations::default() };
        let audience = node.members(["audience"]).ok().and_then(|[audience]| audience);
        let audience = audience.map(|audience| self.audience(audience)).unwrap_or_default();
        let short = node.json().len() <= METADATA_STRING_MAX_BYTES;
        let whole = if short { self.object(Some(node)) } else { self.keep(None) };
        Annotations { audience, whole }
    }

    /// The strings of an audience; a bare string is a list of one.
    fn audience(&mut self, node: Node<'_>) -> Vec<String> {
        let mut values = Vec::new();
        if node.shape() == Shape::String {
            self.count += 1;
            values.extend(node.string().ok().map(std::borrow::Cow::into_owned));
            return values;
        }
        let read = node.each_element(|value| {
            if values.len() < AUDIENCE_MAX {
                values.extend(self.string(Some(value)));
            }
        });
        self.count += usize::from(read.is_err() && !node.is_empty_container());
        values
    }

    /// Counts a part that is not there.
    pub(super) fn keep<T>(&mut self, part: Option<T>) -> Option<T> {
        self.count += usize::from(part.is_none());
        part
    }
}

/// The audience of an `annotations` member, as given; for contents, which have no count of mended parts.
pub(super) fn audience(annotations: Option<Node<'_>>) -> Vec<String> {
    let audience = annotations.and_then(|node| node.members(["audience"]).ok()).and_then(|[audience]| audience);
    audience.map(|audience| Mending::default().audience(audience)).unwrap_or_default()
}

/// The string an entry is known by: required, not empty, and short enough to be repeated by a model (§4).
pub(super) fn required_id(field: &str, node: Option<Node<'_>>) -> Result<String, String> {
    let node = node.ok_or_else(|| format!("`{field}` is missing"))?;
    let text = node.string().map_err(|odd| format!("`{field}` {odd}"))?;
    if text.is_empty() {
        return Err(format!("`{field}` is empty"));
    }
    if text.len() > METADATA_STRING_MAX_BYTES {
        return Err(format!("`{field}` is {} bytes long; the limit is {METADATA_STRING_MAX_BYTES}", text.len()));
    }
    Ok(text.into_owned())
}
