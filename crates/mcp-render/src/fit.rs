//! How long things are as JSON, and how they are cut to fit (S25).
//!
//! The ceiling counts serialised bytes, so a newline costs two and a control character six. Nothing is ever cut inside
//! a character.

use crate::{Ceiling, METADATA_STRING_MAX_BYTES};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::io;

/// How many bytes `value` has as compact JSON, without building it.
///
/// ```
/// assert_eq!(mcp_render::json_len(&serde_json::json!({"text": "a\n"})), r#"{"text":"a\n"}"#.len());
/// ```
pub fn json_len<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut counter = Counter(0);
    // The counter takes every byte; a value of ours always serialises.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// The head of `text` that has at most `max_bytes`, with `…` at its end when something was cut.
///
/// ```
/// assert_eq!(mcp_render::cut("résumé", 100), "résumé");
/// assert_eq!(mcp_render::cut("résumé", 5), "r…");
/// ```
pub fn cut(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(max_bytes.saturating_sub(ELLIPSIS.len()));
    let head = text.get(..end).unwrap_or_default();
    Cow::Owned(if max_bytes < ELLIPSIS.len() { head.to_owned() } else { format!("{head}{ELLIPSIS}") })
}

const ELLIPSIS: &str = "…";

/// How many bytes `byte` of a UTF-8 text takes inside a JSON string as `serde_json` writes it. Without a branch, so that
/// a page is measured many bytes at a time.
const fn escaped_width(byte: u8) -> u8 {
    let control = (byte < 0x20) as u8;
    let named = (byte == b'\n' || byte == b'\r' || byte == b'\t' || byte == 0x08 || byte == 0x0c) as u8;
    let sign = (byte == b'"' || byte == b'\\') as u8;
    1 + 5 * control - 4 * named + sign
}

/// Bytes whose widths can be summed in one byte.
const MEASURED: usize = 32;

/// How many bytes a stretch of at most [`MEASURED`] bytes takes.
fn stretch_width(stretch: &[u8]) -> usize {
    stretch.iter().map(|byte| escaped_width(*byte)).sum::<u8>().into()
}

/// How many bytes `text` takes inside a JSON string, without the quotes.
pub(crate) fn escaped_len(text: &str) -> usize {
    text.as_bytes().chunks(MEASURED).map(stretch_width).sum()
}

/// How many bytes of `text` fit into `max_escaped` bytes of a JSON string; never inside a character.
pub(crate) fn escaped_prefix(text: &str, max_escaped: usize) -> usize {
    let (mut end, mut left) = (0, max_escaped);
    for stretch in text.as_bytes().chunks(MEASURED) {
        let Some(rest) = left.checked_sub(stretch_width(stretch)) else {
            let fits = |byte: &&u8| {
                let rest = left.checked_sub(escaped_width(**byte).into());
                left = rest.unwrap_or(0);
                rest.is_some()
            };
            end += stretch.iter().take_while(fits).count();
            break;
        };
        (end, left) = (end + stretch.len(), rest);
    }
    text.floor_char_boundary(end)
}

/// The longest metadata string within `ceiling`, counted as it is sent: several of them and a page must fit together.
pub(crate) fn metadata_max(ceiling: Ceiling) -> usize {
    METADATA_STRING_MAX_BYTES.min(ceiling.bytes() / 16)
}

/// A metadata string as JSON, cut so that it takes at most `max_escaped` bytes of a JSON string.
pub(crate) fn metadata(text: &str, max_escaped: usize) -> Value {
    if text.len() <= max_escaped && escaped_len(text) <= max_escaped {
        return Value::from(text);
    }
    let head = text.get(..escaped_prefix(text, max_escaped.saturating_sub(ELLIPSIS.len()))).unwrap_or_default();
    Value::from(format!("{head}{ELLIPSIS}"))
}

/// Metadata strings as JSON, together within `max_escaped` bytes; `None` when there are none.
pub(crate) fn metadata_list(texts: &[String], max_escaped: usize) -> Option<Value> {
    let mut left = max_escaped;
    let mut list = Vec::new();
    for text in texts {
        let Some(room) = left.checked_sub(16) else { break };
        let value = metadata(text, room);
        left = left.saturating_sub(json_len(&value) + 1);
        list.push(value);
    }
    (!list.is_empty()).then(|| Value::from(list))
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_escaped_length_is_what_serde_json_writes(text in any::<String>()) {
            prop_assert_eq!(escaped_len(&text) + 2, json_len(&text));
        }

        #[test]
        fn an_escaped_prefix_is_the_longest_that_fits(text in any::<String>(), max in 0usize..64) {
            let end = escaped_prefix(&text, max);
            prop_assert!(escaped_len(&text[..end]) <= max);
            if let Some(next) = text[end..].chars().next() {
                prop_assert!(escaped_len(&text[..end + next.len_utf8()]) > max);
            }
        }

        #[test]
        fn a_metadata_string_stays_within_its_bound(text in any::<String>(), max in 3usize..64) {
            prop_assert!(json_len(&metadata(&text, max)) <= max + 2);
        }

        #[test]
        fn a_metadata_list_stays_within_its_bound(texts in prop::collection::vec(any::<String>(), 0..20), max in 16usize..200) {
            let length = metadata_list(&texts, max).map_or(0, |list| json_len(&list));
            prop_assert!(length <= max + 4, "{} of {}", length, max);
        }

        #[test]
        fn a_cut_is_a_head_within_its_bound(text in any::<String>(), max in 0usize..64) {
            let short = cut(&text, max);
            prop_assert!(short.len() <= max);
            prop_assert!(short == text.as_str() || text.starts_with(short.trim_end_matches('…')));
        }
    }

    #[test]
    fn metadata_is_bounded_at_every_ceiling() {
        assert_eq!(metadata_max(Ceiling::default()), METADATA_STRING_MAX_BYTES);
        assert_eq!(metadata_max(Ceiling::new(0)), 256);
    }
}
