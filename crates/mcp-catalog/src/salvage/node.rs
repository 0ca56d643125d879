//! One JSON value of a frame, looked at without being parsed: its shape, its members, its elements.
//!
//! A node is validated JSON text, so a lone surrogate, `1e400` or nesting of 100,000 inside one fails only where a string
//! or a value is really taken out of it (S9, S20). Nothing here knows MCP.

use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, value::RawValue};
use std::{borrow::Cow, fmt};

/// What a JSON value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

/// What is wrong with a value, as the rest of a sentence that begins with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Odd(String);

impl Odd {
    pub(super) fn not(found: Shape, wanted: Shape) -> Self {
        Self(format!("is {found}, not {wanted}"))
    }

    fn unreadable(error: &serde_json::Error) -> Self {
        Self(format!("cannot be read: {error}"))
    }
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A JSON value of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a>(&'a str);

/// A string that borrows from the frame where it has no escapes; `Option<Cow<str>>` never does.
#[derive(Deserialize)]
struct Str<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Node<'a> {
    /// The object that `json` holds. Nothing is looked at yet: what is no JSON shows when its members are visited.
    pub(super) fn object(json: &'a str) -> Self {
        Self(json.trim_ascii())
    }

    /// The value's JSON text.
    pub(super) fn json(self) -> &'a str {
        self.0
    }

    pub(super) fn shape(self) -> Shape {
        match self.json().bytes().next() {
            Some(b'{') => Shape::Object,
            Some(b'[') => Shape::Array,
            Some(b'"') => Shape::String,
            Some(b't' | b'f') => Shape::Boolean,
            Some(b'n') => Shape::Null,
            _ => Shape::Number,
        }
    }

    /// The string that this is, borrowed when it has no escapes.
    pub(super) fn string(self) -> Result<Cow<'a, str>, Odd> {
        if self.shape() != Shape::String {
            return Err(Odd::not(self.shape(), Shape::String));
        }
        // The text between the quotes is the string itself when nothing is escaped: one search instead of a parse.
        let inner = self.json().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if let Some(inner) = inner
            && !inner.contains('\\')
        {
            return Ok(Cow::Borrowed(inner));
        }
        serde_json::from_str::<Str<'a>>(self.json()).map(|text| text.0).map_err(|error| Odd::unreadable(&error))
    }

    /// The whole value, parsed, when it holds no more values than `room`, which it then takes from.
    pub(super) fn value(self, room: &mut usize) -> Result<Value, Odd> {
        let values = self.count_values();
        let left = room.checked_sub(values).ok_or_else(|| Odd(format!("holds too many values ({values})")))?;
        let value = serde_json::from_str(self.json()).map_err(|error| Odd::unreadable(&error))?;
        *room = left;
        Ok(value)
    }

    /// How many values this holds at most, itself included: each is the text itself or stands
    /// after `[`, `,` or `:`.
    fn count_values(self) -> usize {
        let mut count = 1;
        let mut rest = self.json().as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'[' | b',' | b':' => count += 1,
                b'"' => rest = after_string(rest),
                _ => {}
            }
        }
        count
    }

    /// The boolean that this is.
    pub(super) fn boolean(self) -> Option<bool> {
        match self.json() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The size in bytes that this is: a whole number, `5.0` included.
    pub(super) fn size(self) -> Option<u64> {
        /// The largest integer up to which every float is exact.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.shape() != Shape::Number {
            return None;
        }
        if let Ok(whole) = self.json().parse() {
            return Some(whole);
        }
        let number: f64 = self.json().parse().ok()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within range")]
        (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
    }

    /// Whether this is `[]` or `{}`: PHP writes the one for the other, Lua the other for the one (C78).
    pub(super) fn is_empty_container(self) -> bool {
        let inner = match self.shape() {
            Shape::Object => self.json().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')),
            Shape::Array => self.json().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')),
            _ => None,
        };
        inner.is_some_and(|inner| inner.trim_ascii().is_empty())
    }

    /// The members of these names; `null` is absent, of a repeated member the last counts.
    pub(super) fn members<const N: usize>(self, names: [&str; N]) -> Result<[Option<Self>; N], Odd> {
        let mut found = [None; N];
        self.each_member(|key, value| value.keep_as(key, &names, &mut found))?;
        Ok(found)
    }

    /// Keeps this value, read under `key`, in the slot that stands where `key` stands in `names`.
    pub(super) fn keep_as(self, key: &str, names: &[&str], slots: &mut [Option<Self>]) {
        if let Some((_, slot)) = names.iter().zip(slots).find(|(name, _)| **name == key) {
            *slot = (self.shape() != Shape::Null).then_some(self);
        }
    }

    /// Visits every member of an object in order; `[]` has none (S20).
    pub(super) fn each_member(self, mut visit: impl FnMut(&str, Node<'a>)) -> Result<(), Odd> {
        if self.shape() == Shape::Array && self.is_empty_container() {
            return Ok(());
        }
        if self.shape() != Shape::Object {
            return Err(Odd::not(self.shape(), Shape::Object));
        }
        let members = Members(|key: Node<'a>, value| {
            // A key that cannot be read is nobody's name.
            if let Ok(key) = key.string() {
                visit(&key, value);
            }
        });
        let mut json = serde_json::Deserializer::from_str(self.json());
        json.deserialize_map(members).and_then(|()| json.end()).map_err(|error| Odd::unreadable(&error))
    }

    /// Visits every element of an array in order, as it is found.
    pub(super) fn each_element(self, visit: impl FnMut(Node<'a>)) -> Result<(), Odd> {
        if self.shape() != Shape::Array {
            return Err(Odd::not(self.shape(), Shape::Array));
        }
        let mut json = serde_json::Deserializer::from_str(self.json());
        json.deserialize_seq(Elements(visit)).map_err(|error| Odd::unreadable(&error))
    }
}

/// What follows the string that `text` stands inside of.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = text.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        let escaped = text.get(at) == Some(&b'\\');
        text = text.get(at + 1 + usize::from(escaped)..).unwrap_or_default();
        if !escaped {
            return text;
        }
    }
    &[]
}

struct Members<F>(F);

impl<'de, F: FnMut(Node<'de>, Node<'de>)> Visitor<'de> for Members<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        // Keys are taken raw too: a lone surrogate in a foreign key must not lose the object.
        while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
            (self.0)(Node(key.get()), Node(value.get()));
        }
        Ok(())
    }
}

struct Elements<F>(F);

impl<'de, F: FnMut(Node<'de>)> Visitor<'de> for Elements<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while let Some(element) = seq.next_element::<&'de RawValue>()? {
            (self.0)(Node(element.get()));
        }
        Ok(())
    }
}
