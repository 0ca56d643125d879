//! What a connection counts, and whether it still stands.

use crate::ServerName;
use mcp_render::{QUOTED_JSON_MAX_BYTES, shown};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use tokio_util::sync::CancellationToken;

/// Counts of one connection, for a diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WireStats {
    /// Lines that were no MCP message and were passed over (S10).
    pub noise: u64,
    /// Replies that could not be read (S10).
    pub broken: u64,
    /// Lines over the limit (S16).
    pub oversized: u64,
    /// Answers that nobody waits for: to a cancelled request, or a second time.
    pub unclaimed: u64,
    /// Notifications.
    pub notifications: u64,
    /// The longest line that was kept, in bytes.
    pub longest_line: usize,
}

/// Shared by the transport, which counts, and the port, which tells.
#[derive(Debug)]
pub(super) struct Wire {
    server: ServerName,
    /// The stream from the server has ended.
    pub(super) closed: CancellationToken,
    /// This side wants to end.
    pub(super) closing: CancellationToken,
    /// The stream to the server is closed, by this side or because nobody reads it.
    pub(super) written: CancellationToken,
    changes: AtomicU64,
    noise: AtomicU64,
    broken: AtomicU64,
    oversized: AtomicU64,
    unclaimed: AtomicU64,
    notifications: AtomicU64,
    longest_line: AtomicUsize,
}

impl Wire {
    pub(super) fn new(server: ServerName) -> Self {
        Self {
            server,
            closed: CancellationToken::new(),
            closing: CancellationToken::new(),
            written: CancellationToken::new(),
            changes: AtomicU64::new(0),
            noise: AtomicU64::new(0),
            broken: AtomicU64::new(0),
            oversized: AtomicU64::new(0),
            unclaimed: AtomicU64::new(0),
            notifications: AtomicU64::new(0),
            longest_line: AtomicUsize::new(0),
        }
    }

    pub(super) fn stats(&self) -> WireStats {
        WireStats {
            noise: self.noise.load(Relaxed),
            broken: self.broken.load(Relaxed),
            oversized: self.oversized.load(Relaxed),
            unclaimed: self.unclaimed.load(Relaxed),
            notifications: self.notifications.load(Relaxed),
            longest_line: self.longest_line.load(Relaxed),
        }
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Relaxed)
    }

    pub(super) fn saw_line(&self, length: usize) {
        self.longest_line.fetch_max(length, Relaxed);
    }

    /// Counts a stray line; the first is logged, the others are only counted (S10).
    pub(super) fn saw_noise(&self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if self.noise.fetch_add(1, Relaxed) == 0 {
            let start = String::from_utf8_lossy(super::envelope::first(line, QUOTED_JSON_MAX_BYTES));
            tracing::info!(
                server = %shown(self.server.as_str()),
                line = %shown(&start),
                "Stdout holds lines that are no MCP messages; they are passed over, this is the first"
            );
        }
    }

    pub(super) fn saw_broken(&self, cause: &str) {
        self.broken.fetch_add(1, Relaxed);
        tracing::warn!(server = %shown(self.server.as_str()), cause, "Reply cannot be read");
    }

    pub(super) fn saw_oversized(&self) {
        self.oversized.fetch_add(1, Relaxed);
        tracing::warn!(server = %shown(self.server.as_str()), "Line is over the limit and is discarded");
    }

    pub(super) fn saw_unclaimed(&self) {
        self.unclaimed.fetch_add(1, Relaxed);
    }

    pub(super) fn saw_notification(&self) {
        self.notifications.fetch_add(1, Relaxed);
    }

    pub(super) fn saw_change(&self) {
        self.changes.fetch_add(1, Relaxed);
    }
}
