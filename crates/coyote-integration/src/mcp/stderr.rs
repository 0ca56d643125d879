//! What a server writes to stderr: into the log, and the last lines into a ring for a diagnosis (S18, S46).
//!
//! It never reaches the terminal or a model. Lines are cut at 4 KiB and a flood is counted in place of being logged, so
//! a server can fill neither the memory nor the disk. A value that coyote filled in is shown as `{{NAME}}` (S47).

use super::FilledIn;
use mcp_catalog::ServerName;
use mcp_render::{SERVER_TEXT_MAX_BYTES, shown};
use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    time::Instant,
};

/// How many lines are kept.
const KEPT_LINES: usize = 50;
/// How many lines a server may log at once.
const BURST_LINES: u32 = 200;
/// How many more become due in a second.
const LINES_A_SECOND: u32 = 50;

/// The last lines of a server's stderr; foreign text.
#[derive(Debug, Clone, Default)]
pub struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    filled_in: FilledIn,
}

impl StderrTail {
    /// None yet, of a server whose entry was filled in so.
    pub(super) fn new(filled_in: FilledIn) -> Self {
        Self { lines: Arc::default(), filled_in }
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn push(&self, line: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Reads `stderr` to its end.
pub(super) async fn drain(mut stderr: impl AsyncRead + Unpin, server: ServerName, tail: StderrTail) {
    let mut log = Log { server, tail, rate: Rate::new(Instant::now()), suppressed: 0 };
    let mut lines = Lines::default();
    let mut chunk = vec![0; 8 << 10];
    loop {
        match stderr.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(count) => {
                for line in lines.split(chunk.get(..count).unwrap_or_default()) {
                    log.line(line, Instant::now());
                }
            }
        }
    }
    if let Some(line) = lines.rest() {
        log.line(line, Instant::now());
    }
    log.tell_suppressed();
}

/// Splits a stream into lines of bounded length.
#[derive(Debug, Default)]
struct Lines(Vec<u8>);

impl Lines {
    /// The lines that end in `chunk`.
    fn split(&mut self, chunk: &[u8]) -> Vec<String> {
        let mut ended = Vec::new();
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |text| (text, true));
            let room = SERVER_TEXT_MAX_BYTES.saturating_sub(self.0.len());
            self.0.extend_from_slice(text.get(..room).unwrap_or(text));
            if ends {
                ended.extend(self.rest());
            }
        }
        ended
    }

    /// What stands after the last line end. A blank line is none.
    fn rest(&mut self) -> Option<String> {
        let bytes = mem::take(&mut self.0);
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[derive(Debug)]
struct Log {
    server: ServerName,
    tail: StderrTail,
    rate: Rate,
    suppressed: u64,
}

impl Log {
    fn line(&mut self, line: String, now: Instant) {
        let line = if self.tail.filled_in.is_empty() { line } else { self.tail.filled_in.redacted(&line) };
        if self.rate.allows(now) {
            self.tell_suppressed();
            tracing::info!(target: "coyote::stderr", server = %shown(self.server.as_str()), "{}", shown(&line));
        } else {
            self.suppressed += 1;
        }
        self.tail.push(line);
    }

    fn tell_suppressed(&mut self) {
        if self.suppressed > 0 {
            let lines = mem::take(&mut self.suppressed);
            tracing::info!(target: "coyote::stderr", server = %shown(self.server.as_str()), lines, "Lines not logged");
        }
    }
}

/// A bucket of lines that fills with time.
#[derive(Debug)]
struct Rate {
    due: u32,
    filled: Instant,
}

impl Rate {
    fn new(now: Instant) -> Self {
        Self { due: BURST_LINES, filled: now }
    }

    fn allows(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.filled).saturating_mul(LINES_A_SECOND).as_secs();
        let more = u32::try_from(passed).unwrap_or(BURST_LINES).min(BURST_LINES);
        if more > 0 {
            self.due = self.due.saturating_add(more).min(BURST_LINES);
            self.filled = now;
        }
        let allowed = self.due > 0;
        self.due = self.due.saturating_sub(1);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    async fn tail_of(bytes: &[u8]) -> Vec<String> {
        let tail = StderrTail::default();
        drain(bytes, ServerName::new("docs").unwrap(), tail.clone()).await;
        tail.lines()
    }

    #[tokio::test]
    async fn the_last_fifty_lines_are_kept_and_blank_ones_are_not() {
        let text: String = (0..60).flat_map(|n| [n.to_string(), "\r\n\n".to_owned()]).collect();
        let lines = tail_of((text + "end").as_bytes()).await;
        assert_eq!((lines.len(), lines[0].as_str(), lines[49].as_str()), (50, "11", "end"));
    }

    #[tokio::test]
    async fn a_line_is_cut_and_bytes_that_are_no_text_are_replaced() {
        let lines = tail_of(&[b"x".repeat(100_000).as_slice(), b"\nb\xFFd\n"].concat()).await;
        assert_eq!((lines[0].len(), lines[1].as_str()), (SERVER_TEXT_MAX_BYTES, "b\u{fffd}d"));
    }

    #[test]
    fn lines_do_not_depend_on_how_the_stream_is_cut() {
        let mut lines = Lines::default();
        let split: Vec<String> = b"one\ntwo\n\nthree\n".chunks(2).flat_map(|chunk| lines.split(chunk)).collect();
        assert_eq!(split, ["one", "two", "three"]);
        assert_eq!(lines.rest(), None);
    }

    #[test]
    fn a_flood_is_not_logged_and_calm_is() {
        let start = Instant::now();
        let mut rate = Rate::new(start);
        let flood = (0..10_000).filter(|_| rate.allows(start)).count();
        assert_eq!(flood, usize::try_from(BURST_LINES).unwrap());
        let calm = (1..100).filter(|turn| rate.allows(start + Duration::from_secs(1) * *turn / LINES_A_SECOND)).count();
        assert_eq!(calm, 99);
    }
}
