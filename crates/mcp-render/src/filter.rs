//! The line filter (D4, S27): matching lines with their context and numbers, in ripgrep's format.
//!
//! The whole buffer is searched at once and only the wanted window of the result is built: `total_bytes` is counted, not
//! written (performance.md C.4). A match never spans lines, because the compiled pattern cannot match a line end.

mod hunks;
mod line_safe;

use crate::PATTERN_MAX_BYTES;
use crate::slice::{Extract, SLACK};
use hunks::Window;
use regex::bytes::Regex;
use std::borrow::Cow;
use thiserror::Error;

/// A compiled, line-safe pattern.
///
/// ```
/// let filter = mcp_render::Filter::parse("b.d$").unwrap();
/// assert_eq!(filter.apply("abc\nbad\r\nbide\n"), "1-abc\n2:bad\n3-bide\n");
/// ```
#[derive(Debug, Clone)]
pub struct Filter {
    /// Over the whole buffer. It may also match at a lone CR, where `line` decides.
    scan: Regex,
    /// Over one line without its end: what S27 means.
    line: Regex,
    /// The pattern asks for a line end inside the line, which no line has.
    spans_lines: bool,
}

/// Why a pattern is refused; code `invalid_arguments`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct FilterError {
    /// What is wrong, with the parser's own words.
    pub sentence: String,
}

impl Filter {
    /// Compiles `pattern` within the limits of S27.
    pub fn parse(pattern: &str) -> Result<Self, FilterError> {
        if pattern.len() > PATTERN_MAX_BYTES {
            let len = pattern.len();
            return Err(FilterError {
                sentence: format!(
                    "`pattern` has {len} bytes; the limit is {PATTERN_MAX_BYTES} bytes. Use a shorter one"
                ),
            });
        }
        line_safe::compile(pattern)
    }

    /// Everything that the filter lets through. Pages are cut from it without building it.
    pub fn apply(&self, text: &str) -> String {
        let extract = self.extract(text.as_bytes(), 0, usize::MAX - SLACK);
        String::from_utf8_lossy(&extract.bytes).into_owned()
    }

    /// The bytes of the filtered text from `offset` on.
    pub(crate) fn extract(&self, text: &[u8], offset: u64, max_bytes: usize) -> Extract<'static> {
        let mut window = Window::new(offset, max_bytes.saturating_add(SLACK));
        hunks::write(self, text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text), &mut window);
        let (bytes, total) = window.finish();
        Extract { bytes: Cow::Owned(bytes), at: offset.min(total), total }
    }

    /// What to say when no line matched.
    pub(crate) fn no_match_note(&self) -> &'static str {
        if self.spans_lines {
            "No line matches `pattern`; lines are matched one by one, so a pattern that holds a line end matches nothing"
        } else {
            "No line matches `pattern`"
        }
    }
}

#[cfg(test)]
mod tests;
