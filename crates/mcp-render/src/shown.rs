//! Text that is safe to show (S46): the one type that foreign text passes before a terminal or a log.
//!
//! Controls, escape sequences, bidi overrides and invisible characters are shown as `\u{…}`. Newline and tab stay, and so
//! do the joiners inside words and emoji. What goes to servers, models, files and pipes never passes here.

use serde_json::Value;
use std::fmt::{self, Write};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Foreign text, escaped when displayed.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a>(&'a str);

/// Wraps foreign text for a terminal or a log.
///
/// ```
/// assert_eq!(mcp_render::shown("a\u{1b}[2Jb\tc").to_string(), "a\\u{1b}[2Jb\tc");
/// ```
pub fn shown(text: &str) -> Shown<'_> {
    Shown(text)
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_safe(self.0, f, Surroundings::Text, |out, c| write!(out, "{}", c.escape_default()))
    }
}

/// Foreign text for one line of at most so many characters, escaped and cut when displayed.
#[derive(Debug, Clone, Copy)]
pub struct ShownLine<'a> {
    text: &'a str,
    max_chars: usize,
}

/// Wraps foreign text for a table cell or a list: newlines and tabs are escaped too, and what is longer than `max_chars`
/// displayed characters ends in `…`.
///
/// ```
/// assert_eq!(mcp_render::shown_line("one\ntwo", 80).to_string(), "one\\ntwo");
/// assert_eq!(mcp_render::shown_line("one\ntwo", 6).to_string(), "one\\n…");
/// ```
pub fn shown_line(text: &str, max_chars: usize) -> ShownLine<'_> {
    ShownLine { text, max_chars }
}

impl fmt::Display for ShownLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Cut { out: f, left: self.max_chars, waiting: String::new() };
        // An error here is only the cut's way to say that it has enough.
        match write_safe(self.text, &mut line, Surroundings::Line, |out, c| write!(out, "{}", c.escape_default())) {
            Ok(()) => line.finish(),
            Err(_) if self.max_chars == 0 => Ok(()),
            Err(_) => f.write_str("…"),
        }
    }
}

/// JSON whose strings hold no character that S46 escapes: they are written as `\u` escapes, equal as a value.
///
/// ```
/// let value = serde_json::json!({"name": "evil\u{202e}gnp"});
/// assert_eq!(mcp_render::json_for_terminal(&value, false), r#"{"name":"evil\u202egnp"}"#);
/// ```
pub fn json_for_terminal(value: &Value, pretty: bool) -> String {
    let json = if pretty { format!("{value:#}") } else { value.to_string() };
    let mut safe = String::with_capacity(json.len());
    // Writing to a `String` does not fail.
    let _ = write_safe(&json, &mut safe, Surroundings::Json, |out, c| {
        c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
    });
    safe
}

/// Whether `c` is a control, format or otherwise invisible character: one that is never shown as it is, but for newline
/// and tab in a text and a joiner or an emoji's variation selector at its place (S46).
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    match c {
        // Arabic, Syriac and Kaithi number signs are format characters that can be seen.
        '\u{600}'..='\u{605}'
        | '\u{6dd}'
        | '\u{70f}'
        | '\u{890}'
        | '\u{891}'
        | '\u{8e2}'
        | '\u{110bd}'
        | '\u{110cd}' => false,
        // Hangul and Khmer fillers, Mongolian and other selectors, the grapheme joiner, tags: no format characters, or not
        // all of them, but they take no room.
        '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => matches!(
            c.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::Surrogate
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        ),
    }
}

/// What a text stands in, which decides what is plain beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surroundings {
    /// Newline and tab stay.
    Text,
    /// One line: they do not.
    Line,
    /// Serialised JSON, where a quote may be the end of a string.
    Json,
}

impl Surroundings {
    fn is_plain(self, c: char) -> bool {
        self != Self::Line && matches!(c, '\n' | '\t')
    }

    fn is_visible(self, c: char) -> bool {
        !(is_hidden(c) || c.is_whitespace() || (self == Self::Json && c == '"'))
    }

    /// Whether a hidden character stays after `before` and in front of `after`.
    fn stays(self, before: Option<char>, c: char, after: Option<char>) -> bool {
        match c {
            // Emoji, Persian and Hindi are spelled with these.
            '\u{200c}' | '\u{200d}' => {
                // A selector that stayed belongs to the character before it.
                let joined = before.is_some_and(|c| self.is_visible(c) || is_selector(c));
                joined && after.is_some_and(|c| self.is_visible(c))
            }
            _ if is_selector(c) => before.is_some_and(|c| self.is_visible(c)),
            _ => false,
        }
    }
}

const fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Writes `text` in runs of what may be shown, and the rest through `escape`.
fn write_safe<W: Write>(
    text: &str,
    out: &mut W,
    surroundings: Surroundings,
    escape: impl Fn(&mut W, char) -> fmt::Result,
) -> fmt::Result {
    if text.bytes().all(|b| matches!(b, b' '..=b'~') || surroundings.is_plain(char::from(b))) {
        return out.write_str(text);
    }
    let mut run = 0;
    // The character before, unless it was escaped.
    let mut before = None;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let after = || text.get(next..).and_then(|rest| rest.chars().next());
        if !is_hidden(c) || surroundings.is_plain(c) || surroundings.stays(before, c, after()) {
            before = Some(c);
            continue;
        }
        out.write_str(text.get(run..at).unwrap_or_default())?;
        escape(out, c)?;
        (run, before) = (next, None);
    }
    out.write_str(text.get(run..).unwrap_or_default())
}

/// Writes at most `left` characters more, and refuses what is over.
struct Cut<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    left: usize,
    /// The last character that fits, held back until it is known whether `…` takes its place.
    waiting: String,
}

impl Cut<'_, '_> {
    fn finish(self) -> fmt::Result {
        self.out.write_str(&self.waiting)
    }
}

impl Write for Cut<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match self.left {
                0 => return Err(fmt::Error),
                1 => self.waiting.push(c),
                _ => self.out.write_char(c)?,
            }
            self.left -= 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
