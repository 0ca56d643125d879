//! Lines of any length out of a byte stream, in bounded memory (S16).
//!
//! A line over the limit is never kept: its first and last 4 KiB are handed on, the rest is thrown away while it
//! streams. It knows nothing of JSON. Every step is safe to cancel, since the SDK polls it inside a `select!`.

use super::envelope::{first, last};
use mcp_render::{FRAME_GLIMPSE_BYTES, STREAM_BUFFER_BYTES};
use std::mem;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// One step of reading.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line has passed the limit; its first bytes.
    Long(Vec<u8>),
    /// That line ended, or passed twice the limit; its last bytes so far.
    LongEnd(Vec<u8>),
}

/// Reads lines.
#[derive(Debug)]
pub(super) struct LineReader<R> {
    input: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    over: Over,
}

/// What is kept of a line that passed the limit.
#[derive(Debug)]
enum Over {
    /// The current line is within the limit.
    No,
    /// It is not; its length and its last bytes.
    Streaming { length: usize, tail: Vec<u8> },
    /// Its end was reported already; the rest is thrown away.
    Reported,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads `input`; lines longer than `limit` bytes are discarded.
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self { input: BufReader::with_capacity(STREAM_BUFFER_BYTES, input), limit, line: Vec::new(), over: Over::No }
    }

    /// The next step; `None` at the end of the stream. A last line without an end is a line.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let chunk = match self.input.fill_buf().await {
                Ok(chunk) if !chunk.is_empty() => chunk,
                Ok(_) => return self.finish(),
                Err(error) => {
                    tracing::debug!(%error, "stream ended with an error");
                    return self.finish();
                }
            };
            let newline = memchr::memchr(b'\n', chunk);
            let part = first(chunk, newline.unwrap_or(chunk.len()));
            let step = keep(&mut self.line, &mut self.over, self.limit, part);
            // What passes the limit is reported before its newline is looked at, so that the newline is seen again.
            let consumed = if step.is_some() { part.len() } else { part.len() + usize::from(newline.is_some()) };
            self.input.consume(consumed);
            if step.is_some() {
                return step;
            }
            if newline.is_some()
                && let Some(line) = self.end()
            {
                return Some(line);
            }
        }
    }

    /// The end of a line.
    fn end(&mut self) -> Option<Line> {
        match mem::replace(&mut self.over, Over::No) {
            Over::No => Some(Line::Whole(mem::take(&mut self.line))),
            Over::Streaming { tail, .. } => Some(Line::LongEnd(tail)),
            Over::Reported => None,
        }
    }

    fn finish(&mut self) -> Option<Line> {
        if matches!(self.over, Over::No) && self.line.is_empty() { None } else { self.end() }
    }
}

/// Adds a part of a line.
fn keep(line: &mut Vec<u8>, over: &mut Over, limit: usize, part: &[u8]) -> Option<Line> {
    match over {
        Over::No if line.len().saturating_add(part.len()) <= limit => {
            grow(line, part.len());
            line.extend_from_slice(part);
            None
        }
        Over::No => {
            let line = mem::take(line);
            let mut head = first(&line, FRAME_GLIMPSE_BYTES).to_vec();
            let missing = FRAME_GLIMPSE_BYTES.saturating_sub(head.len());
            head.extend_from_slice(first(part, missing));
            let mut tail = last(&line, FRAME_GLIMPSE_BYTES).to_vec();
            slide(&mut tail, part);
            *over = Over::Streaming { length: line.len().saturating_add(part.len()), tail };
            Some(Line::Long(head))
        }
        Over::Streaming { length, tail } => {
            *length = length.saturating_add(part.len());
            slide(tail, part);
            if *length <= limit.saturating_mul(2) {
                return None;
            }
            let tail = mem::take(tail);
            *over = Over::Reported;
            Some(Line::LongEnd(tail))
        }
        Over::Reported => None,
    }
}

/// A frame of many MiB grows by a quarter, not by half of what it will need: the rest would count as used memory.
fn grow(line: &mut Vec<u8>, more: usize) {
    let needed = line.len().saturating_add(more);
    if needed > line.capacity() {
        let target = needed.max(line.capacity().saturating_add(line.capacity() / 4));
        line.reserve_exact(target.saturating_sub(line.len()));
    }
}

fn slide(tail: &mut Vec<u8>, part: &[u8]) {
    tail.extend_from_slice(last(part, FRAME_GLIMPSE_BYTES));
    let surplus = tail.len().saturating_sub(FRAME_GLIMPSE_BYTES);
    tail.drain(..surplus);
}

#[cfg(test)]
mod tests;
