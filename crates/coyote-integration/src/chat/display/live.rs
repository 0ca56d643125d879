//! What moves on a terminal: a line for what is waited for and one a call, or all of it in one line beside a prompt.
//!
//! Where there is no terminal nothing moves. What is written beside them is written while they are hidden, since stdout and
//! stderr are one screen. It gets text that is safe to show (S46).

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use mcp_catalog::deadline::TICK;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Parts of a bar's length; progress may be fractions of one.
const PARTS: u64 = 1_000;

/// One line beside a prompt that tells what is waited for.
pub trait StatusLine: Send + Sync {
    /// Shows this, which is safe to show, or nothing any more.
    fn show(&self, status: Option<&str>);
}

/// What moves.
pub(super) struct Live {
    lines: MultiProgress,
    status: Option<Arc<dyn StatusLine>>,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    waiting: Option<(String, ProgressBar)>,
    calls: BTreeMap<String, Call>,
}

/// A call that runs.
struct Call {
    name: String,
    /// How far it is.
    progress: String,
    line: ProgressBar,
}

impl Live {
    pub(super) fn new(lines: MultiProgress, status: Option<Arc<dyn StatusLine>>) -> Self {
        Self { lines, status, running: Mutex::default() }
    }

    /// Shows what is waited for, in place of what was.
    pub(super) fn wait(&self, what: &str) {
        let line = self.line(what);
        let mut running = self.running();
        if let Some((_, before)) = running.waiting.replace((what.to_owned(), line)) {
            before.finish_and_clear();
        }
        self.tell(&running);
    }

    /// Shows a call.
    pub(super) fn begin(&self, id: &str, name: &str) {
        let call = Call { name: name.to_owned(), progress: String::new(), line: self.line(name) };
        let mut running = self.running();
        if let Some(before) = running.calls.insert(id.to_owned(), call) {
            before.line.finish_and_clear();
        }
        self.tell(&running);
    }

    /// How far a call is: a bar when the end is known, else a number.
    pub(super) fn advance(&self, id: &str, done: f64, total: Option<f64>, words: Option<String>) {
        let mut running = self.running();
        let Some(Call { name, progress, line }) = running.calls.get_mut(id) else { return };
        let words = words.map(|words| format!(" {words}")).unwrap_or_default();
        if let Some(position) = total.and_then(|total| position(done, total)) {
            line.set_style(bar());
            line.set_length(PARTS);
            line.set_position(position);
            line.set_message(format!("{name}{words}"));
            *progress = format!(" {}%{words}", position * 100 / PARTS);
        } else {
            line.set_message(format!("{name} {done}{words}"));
            *progress = format!(" {done}{words}");
        }
        self.tell(&running);
    }

    /// A call has ended.
    pub(super) fn end(&self, id: &str) {
        let mut running = self.running();
        if let Some(call) = running.calls.remove(id) {
            call.line.finish_and_clear();
        }
        self.tell(&running);
    }

    /// Nothing runs.
    pub(super) fn clear(&self) {
        let mut running = self.running();
        let Running { waiting, calls } = std::mem::take(&mut *running);
        for line in waiting.into_iter().map(|(_, line)| line).chain(calls.into_values().map(|call| call.line)) {
            line.finish_and_clear();
        }
        self.tell(&running);
    }

    /// Writes while the lines are hidden.
    pub(super) fn beside(&self, write: impl FnOnce()) {
        self.lines.suspend(write);
    }

    /// The line beside the prompt: the calls, else what is waited for.
    fn tell(&self, running: &Running) {
        let Some(status) = &self.status else { return };
        let call = running.calls.values().next().map(|call| format!("{}{}", call.name, call.progress));
        let more = running.calls.len().saturating_sub(1);
        let call = call.map(|call| if more > 0 { format!("{call}, {more} more") } else { call });
        status.show(call.as_deref().or(running.waiting.as_ref().map(|(what, _)| what.as_str())));
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

    #[derive(Default)]
    struct Shown(Mutex<Vec<Option<String>>>);

    impl StatusLine for Shown {
        fn show(&self, status: Option<&str>) {
            self.0.lock().unwrap().push(status.map(str::to_owned));
        }
    }

    #[test]
    fn beside_a_prompt_the_calls_stand_in_one_line_and_what_is_waited_for_when_none_runs() {
        let shown = Arc::new(Shown::default());
        let hidden = MultiProgress::with_draw_target(indicatif::ProgressDrawTarget::hidden());
        let live = Live::new(hidden, Some(Arc::clone(&shown) as _));
        live.wait("m answers");
        live.begin("1", "add");
        live.advance("1", 1.0, Some(4.0), Some("a quarter".to_owned()));
        live.begin("2", "sub");
        live.end("1");
        live.advance("2", 3.0, None, None);
        live.end("2");
        live.clear();
        let told = shown.0.lock().unwrap().clone();
        let told: Vec<&str> = told.iter().map(|told| told.as_deref().unwrap_or("-")).collect();
        let wanted =
            ["m answers", "add", "add 25% a quarter", "add 25% a quarter, 1 more", "sub", "sub 3", "m answers", "-"];
        assert_eq!(told, wanted);
    }

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
