//! The moving lines of a terminal: one for what is waited for, one a call.
//!
//! Where there is no terminal nothing moves. What is written beside them is written while they are hidden, since stdout and
//! stderr are one screen. It gets text that is safe to show (S46).

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use mcp_catalog::deadline::TICK;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Parts of a bar's length; progress may be fractions of one.
const PARTS: u64 = 1_000;

/// What moves.
pub(super) struct Live {
    lines: MultiProgress,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    waiting: Option<ProgressBar>,
    calls: BTreeMap<String, (String, ProgressBar)>,
}

impl Live {
    pub(super) fn new(lines: MultiProgress) -> Self {
        Self { lines, running: Mutex::default() }
    }

    /// Shows what is waited for, in place of what was.
    pub(super) fn wait(&self, what: &str) {
        let line = self.line(what);
        if let Some(before) = self.running().waiting.replace(line) {
            before.finish_and_clear();
        }
    }

    /// Shows a call.
    pub(super) fn begin(&self, id: &str, name: &str) {
        let line = self.line(name);
        if let Some((_, before)) = self.running().calls.insert(id.to_owned(), (name.to_owned(), line)) {
            before.finish_and_clear();
        }
    }

    /// How far a call is: a bar when the end is known, else a number.
    pub(super) fn advance(&self, id: &str, done: f64, total: Option<f64>, words: Option<String>) {
        let running = self.running();
        let Some((name, line)) = running.calls.get(id) else { return };
        let words = words.map(|words| format!(" {words}")).unwrap_or_default();
        if let Some(position) = total.and_then(|total| position(done, total)) {
            line.set_style(bar());
            line.set_length(PARTS);
            line.set_position(position);
            line.set_message(format!("{name}{words}"));
        } else {
            line.set_message(format!("{name} {done}{words}"));
        }
    }

    /// A call has ended.
    pub(super) fn end(&self, id: &str) {
        if let Some((_, line)) = self.running().calls.remove(id) {
            line.finish_and_clear();
        }
    }

    /// Nothing runs.
    pub(super) fn clear(&self) {
        let Running { waiting, calls } = std::mem::take(&mut *self.running());
        for line in waiting.into_iter().chain(calls.into_values().map(|(_, line)| line)) {
            line.finish_and_clear();
        }
    }

    /// Writes while the lines are hidden.
    pub(super) fn beside(&self, write: impl FnOnce()) {
        self.lines.suspend(write);
    }

    fn line(&self, text: &str) -> ProgressBar {
        let line = self.lines.add(ProgressBar::no_length());
        line.set_style(spinner());
        line.set_message(text.to_owned());
        if !line.is_hidden() {
            line.enable_steady_tick(TICK);
        }
        line
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much of a bar is full. What a server says is a number of its own; nothing of it may be wrong here.
fn position(done: f64, total: f64) -> Option<u64> {
    let share = done / total;
    if !share.is_finite() || total <= 0.0 {
        return None;
    }
    let parts = (1..=PARTS).take_while(|part| {
        let part = u32::try_from(*part).map_or(f64::INFINITY, f64::from);
        part / 1_000.0 <= share
    });
    Some(parts.last().unwrap_or(0))
}

fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn bar() -> ProgressStyle {
    ProgressStyle::with_template("{bar:20} {percent:>3}% {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_never_more_than_full_and_a_strange_number_is_no_bar() {
        assert_eq!(
            [(0.0, 4.0), (1.0, 4.0), (4.0, 4.0), (9.0, 4.0), (-1.0, 4.0)].map(|(done, total)| position(done, total)),
            [Some(0), Some(250), Some(1_000), Some(1_000), Some(0)]
        );
        assert_eq!(
            [(1.0, 0.0), (1.0, -3.0), (f64::NAN, 4.0), (1.0, f64::NAN), (f64::INFINITY, 4.0)]
                .map(|(done, total)| position(done, total)),
            [None; 5]
        );
    }
}
