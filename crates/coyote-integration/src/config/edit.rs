//! One member of an `mcp.json` added or removed in its text: every other byte stays as its user wrote it, order, unknown
//! keys, blanks and line ends included.
//!
//! It reads and writes no file. It works on text that `serde_json` has accepted as an object; on any other it gives
//! [`Fault`].

use super::ordered::Ordered;
use serde::Serialize;
use serde_json::{Value, ser::PrettyFormatter};
use std::ops::Range;

/// The key of the object that holds the servers.
const SERVERS: &str = "mcpServers";

/// Why a text cannot be edited: a sentence about it that follows "the file".
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault(pub(super) String);

/// A file's text that may be edited.
#[derive(Debug)]
pub(super) struct Document<'a> {
    text: &'a str,
    root: Object,
    servers: Option<Object>,
}

/// An object's place in the text.
#[derive(Debug)]
struct Object {
    /// The brace that opens it.
    open: usize,
    /// The brace that closes it.
    close: usize,
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    key: String,
    /// From the key's first quote to the end of the value.
    place: Range<usize>,
    value: Range<usize>,
}

impl<'a> Document<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Fault> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        serde_json::from_str::<Ordered<'_>>(body).map_err(|error| Fault(format!("is no JSON object: {error}")))?;
        let odd = || Fault("is not understood".to_owned());
        let start = text.find('{').ok_or_else(odd)?;
        let root = object(text, start).ok_or_else(odd)?;
        let servers = match root.members.iter().find(|member| member.key == SERVERS) {
            None => None,
            Some(member) if text.get(member.value.clone()).is_some_and(|value| value.starts_with('{')) => {
                Some(object(text, member.value.start).ok_or_else(odd)?)
            }
            Some(_) => return Err(Fault(format!("has an `{SERVERS}` that is no object"))),
        };
        Ok(Self { text, root, servers })
    }

    /// The keys of the servers, in order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().flat_map(|servers| servers.members.iter().map(|member| member.key.as_str()))
    }

    /// The text of the first entry of this key.
    pub(super) fn entry(&self, key: &str) -> Option<&'a str> {
        let member = self.servers.as_ref()?.members.iter().find(|member| member.key == key)?;
        self.text.get(member.value.clone())
    }

    /// The text with one entry more, at the end.
    pub(super) fn with(&self, key: &str, entry: &Value) -> Option<String> {
        match &self.servers {
            Some(servers) => self.insert(servers, key, entry),
            None => self.insert(&self.root, SERVERS, &serde_json::json!({ key: entry })),
        }
    }

    /// The text without the entries of this key.
    pub(super) fn without(&self, key: &str) -> Option<String> {
        let mut text = self.text.to_owned();
        loop {
            let next = {
                let document = Document::read(&text).ok()?;
                match document.servers.and_then(|servers| cut(&servers, key)) {
                    None => return Some(text),
                    Some(range) => [text.get(..range.start)?, text.get(range.end..)?].concat(),
                }
            };
            text = next;
        }
    }

    fn insert(&self, object: &Object, key: &str, value: &Value) -> Option<String> {
        let line_end = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let step = self.step();
        let (from, to, before, after) =
            if let (Some(first), Some(last)) = (object.members.first(), object.members.last()) {
                // What stands before the first key stands before the new one.
                let gap = self.text.get(object.open + 1..first.place.start)?;
                (last.place.end, last.place.end, format!(",{gap}"), String::new())
            } else {
                let outer = self.indent_of(object.open);
                let (before, after) = (format!("{line_end}{outer}{step}"), format!("{line_end}{outer}"));
                (object.open + 1, object.close, before, after)
            };
        let key = Value::from(key);
        let member = match before.rsplit_once('\n') {
            Some((_, indent)) => {
                let lines = pretty(value, &step)?;
                let lines: Vec<String> = lines.split('\n').map(str::to_owned).collect();
                format!("{key}: {}", lines.join(&format!("{line_end}{indent}")))
            }
            None => format!("{key}: {value}"),
        };
        Some([self.text.get(..from)?, &before, &member, &after, self.text.get(to..)?].concat())
    }

    /// One step of indentation, as the file has it.
    fn step(&self) -> String {
        let first = self.root.members.first().and_then(|first| self.text.get(self.root.open + 1..first.place.start));
        let indent = first.and_then(|gap| gap.rsplit_once('\n')).map(|(_, indent)| indent);
        indent.filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned()
    }

    /// The blanks at the start of the line on which `at` stands.
    fn indent_of(&self, at: usize) -> &str {
        let line = self.text.get(..at).map_or("", |before| before.rsplit('\n').next().unwrap_or_default());
        let line = line.trim_start_matches('\u{feff}');
        line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
    }
}

/// What is cut out so that the first member of this key is gone.
fn cut(object: &Object, key: &str) -> Option<Range<usize>> {
    let number = object.members.iter().position(|member| member.key == key)?;
    let member = object.members.get(number)?;
    let before = number.checked_sub(1).and_then(|before| object.members.get(before));
    Some(match (before, object.members.get(number + 1)) {
        (Some(before), _) => before.place.end..member.place.end,
        (None, Some(after)) => member.place.start..after.place.start,
        (None, None) => object.open + 1..object.close,
    })
}

fn pretty(value: &Value, step: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(step.as_bytes()));
    value.serialize(&mut serializer).ok()?;
    String::from_utf8(bytes).ok()
}

/// The object that opens at `open`.
fn object(text: &str, open: usize) -> Option<Object> {
    let bytes = text.as_bytes();
    let (mut at, mut members) = (open + 1, Vec::new());
    loop {
        at = skip(bytes, at, |byte| byte.is_ascii_whitespace() || byte == b',');
        match bytes.get(at)? {
            b'}' => return Some(Object { open, close: at, members }),
            b'"' => {
                let end = string_end(bytes, at)?;
                let key = serde_json::from_str(text.get(at..end)?).ok()?;
                let value = skip(bytes, end, |byte| byte.is_ascii_whitespace() || byte == b':');
                let value = value..value_end(bytes, value)?;
                let place = at..value.end;
                at = value.end;
                members.push(Member { key, place, value });
            }
            _ => return None,
        }
    }
}

fn skip(bytes: &[u8], from: usize, over: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| over(**byte)).count()
}

/// Behind the string that opens at `open`.
fn string_end(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Behind the value that begins at `start`.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return Some(if depth == 1 { at + 1 } else { at }),
            b'}' | b']' => depth -= 1,
            b',' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests;
