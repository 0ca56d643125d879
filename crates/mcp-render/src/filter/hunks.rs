//! The search loop and ripgrep's format: `12:match`, `10-context`, `--` between hunks (S27).
//!
//! It asks only where a match ends and widens that to the line, so no match start is ever computed.

use super::Filter;
use crate::FILTER_CONTEXT_LINES;
use memchr::{memchr, memrchr};
use std::ops::Range;

/// A window onto a text that is counted but not built.
pub(super) struct Window {
    offset: u64,
    max: usize,
    total: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// A window of at most `max` bytes that begins at `offset`.
    pub(super) fn new(offset: u64, max: usize) -> Self {
        Self { offset, max, total: 0, bytes: Vec::new() }
    }

    /// The window's bytes and how long the whole text is.
    pub(super) fn finish(self) -> (Vec<u8>, u64) {
        (self.bytes, self.total)
    }

    /// Whether something of the next `len` bytes is inside.
    fn wants(&self, len: usize) -> bool {
        self.total + len as u64 > self.offset && self.bytes.len() < self.max
    }

    fn push(&mut self, part: &[u8]) {
        if self.wants(part.len()) {
            let skip = usize::try_from(self.offset.saturating_sub(self.total)).unwrap_or(usize::MAX);
            let part = part.get(skip..).unwrap_or_default();
            let room = self.max - self.bytes.len();
            self.bytes.extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
        }
        self.total += part.len() as u64;
    }

    fn line(&mut self, number: u64, mark: u8, content: &[u8]) {
        let len = number.ilog10() as usize + 1 + 1 + content.len() + 1;
        if self.wants(len) {
            self.push(number.to_string().as_bytes());
            self.push(&[mark]);
            self.push(content);
            self.push(b"\n");
        } else {
            self.total += len as u64;
        }
    }
}

/// Writes the hunks of `text` into `window`.
pub(super) fn write(filter: &Filter, text: &[u8], window: &mut Window) {
    let mut hunks = Hunks { text, window, at: 0, number: 1, trailing: 0 };
    let mut from = 0;
    while let Some(end) = filter.scan.shortest_match_at(text, from) {
        let line = line_around(text, from, end);
        if line.start >= text.len() {
            // An empty match behind the last line end; there is no line.
            break;
        }
        let next = line.end + 1;
        if filter.accepts(text, line.clone()) {
            hunks.matched(line);
        }
        if next >= text.len() {
            break;
        }
        from = next;
    }
    hunks.context_after(text.len());
}

impl Filter {
    /// Whether a line that the scan found matches by itself. Only a CR makes a difference.
    fn accepts(&self, text: &[u8], line: Range<usize>) -> bool {
        memchr(b'\r', text.get(line.clone()).unwrap_or_default()).is_none() || self.line.is_match(content(text, line))
    }
}

/// Where in the text the output is.
struct Hunks<'a, 'w> {
    text: &'a [u8],
    window: &'w mut Window,
    /// The start of the first line that was not written, and its number.
    at: usize,
    number: u64,
    /// Context lines that the last match still wants.
    trailing: usize,
}

impl Hunks<'_, '_> {
    /// Writes the matching line and what stands before it.
    fn matched(&mut self, line: Range<usize>) {
        self.context_after(line.start);
        let start = self.context_before(line.start);
        if start > self.at {
            if self.at > 0 {
                self.window.push(b"--\n");
            }
            self.number += bytecount::count(self.text.get(self.at..start).unwrap_or_default(), b'\n') as u64;
            self.at = start;
        }
        while self.at < line.start {
            self.write_line(b'-');
        }
        self.write_line(b':');
        self.trailing = FILTER_CONTEXT_LINES;
    }

    /// Writes what the last match still wants of the lines before `limit`.
    fn context_after(&mut self, limit: usize) {
        while self.trailing > 0 && self.at < limit {
            self.write_line(b'-');
            self.trailing -= 1;
        }
    }

    /// Where the context of a match in the line at `start` begins.
    fn context_before(&self, start: usize) -> usize {
        let mut begin = start;
        for _ in 0..FILTER_CONTEXT_LINES {
            if begin <= self.at {
                break;
            }
            let before = self.text.get(self.at..begin - 1).unwrap_or_default();
            begin = memrchr(b'\n', before).map_or(self.at, |i| self.at + i + 1);
        }
        begin
    }

    fn write_line(&mut self, mark: u8) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = memchr(b'\n', rest).unwrap_or(rest.len());
        self.window.line(self.number, mark, content(self.text, self.at..self.at + len));
        self.at += len + 1;
        self.number += 1;
    }
}

/// The line, without its `\n`, that holds position `at`; it starts at `from` or later.
fn line_around(text: &[u8], from: usize, at: usize) -> Range<usize> {
    let start = memrchr(b'\n', text.get(from..at).unwrap_or_default()).map_or(from, |i| from + i + 1);
    let end = memchr(b'\n', text.get(at..).unwrap_or_default()).map_or(text.len(), |i| at + i);
    start..end
}

/// The line without the CR of a CRLF; a CR at the very end of the text ends no line.
fn content(text: &[u8], line: Range<usize>) -> &[u8] {
    let ended = line.end < text.len();
    let bytes = text.get(line).unwrap_or_default();
    if ended { bytes.strip_suffix(b"\r").unwrap_or(bytes) } else { bytes }
}
