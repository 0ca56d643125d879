//! How much memory this process took at most (S16).

use std::fs;

/// The high-water mark since a moment.
pub(super) struct Mark {
    before: u64,
}

impl Mark {
    /// Begins anew, now.
    pub(super) fn set() -> Self {
        // Where the kernel does not allow it, the mark is only less sharp.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self { before: status_kib("VmRSS:") }
    }

    /// How many MiB more than at the beginning were in use at once.
    pub(super) fn mebibytes(&self) -> u64 {
        status_kib("VmHWM:").saturating_sub(self.before) / 1024
    }
}

fn status_kib(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|figure| figure.parse().ok()).unwrap_or_default()
}
