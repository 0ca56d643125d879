//! A turn as a person sees it: the text on stdout, everything else on stderr (style.md 18).
//!
//! Where stderr is a terminal, what runs is a moving line that is gone when it ends; what stays is the same in both cases,
//! one line a call and one of what the turn cost. Foreign text passes `report` or is escaped here before it reaches a
//! moving line (S46). It decides nothing.

mod live;

use self::live::Live;
use super::{Summary, TurnView};
use crate::{
    functions::{ToolCall, ToolResult},
    model::{ModelError, Usage},
    report::Report,
};
use mcp_catalog::Progress;
use mcp_render::shown_line;
use serde_json::Value;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The longest arguments in a line about a call, in characters.
const ARGUMENTS_SHOWN: usize = 80;
/// The longest function name there.
const NAME_SHOWN: usize = 64;

/// Shows a turn.
pub struct Display {
    report: Arc<Report>,
    live: Live,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The text of the reply so far ended in this character; none before its first.
    last: Option<char>,
    /// Joiners at the end of what came last, whose right neighbour decides how they are shown.
    held: String,
}

impl Display {
    /// A view on the streams of `report`.
    pub fn new(report: Arc<Report>) -> Self {
        let live = Live::new(report.moving_lines());
        Self { report, live, state: Mutex::default() }
    }

    /// Something that runs and has no call: servers that start.
    pub fn waiting(&self, what: &str) {
        self.live.wait(what);
    }

    /// Nothing moves any more.
    pub fn still(&self) {
        self.live.clear();
    }

    /// What the turn cost.
    pub fn spent(&self, usage: Usage) {
        let Usage { input, output } = usage;
        self.still();
        self.report.note(format!("{input} tokens in, {output} out"));
    }

    /// Ends the line of text that stands unfinished on a terminal, so that talk begins on one of its own.
    fn end_text(&self) {
        let mut state = self.state();
        let held = std::mem::take(&mut state.held);
        let last = state.last.take();
        if !held.is_empty() {
            self.report.data(&held);
        }
        if let Some(last) = last {
            self.report.end_of_data(&last.to_string());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnView for Display {
    fn asked(&self, model: &str) {
        self.live.wait(&format!("{} answers", shown_line(model, NAME_SHOWN)));
    }

    fn text(&self, more: &str) {
        self.still();
        let mut state = self.state();
        let mut text = std::mem::take(&mut state.held);
        text.push_str(more);
        let ready = text.trim_end_matches(is_joiner);
        text.get(ready.len()..).unwrap_or_default().clone_into(&mut state.held);
        self.report.data_after(state.last, ready);
        state.last = ready.chars().next_back().or(state.last);
    }

    fn retrying(&self, fault: &ModelError, pause: Duration) {
        self.still();
        self.report.warn(format!("{fault}; trying again in {:.1} s", pause.as_secs_f64()));
    }

    fn replied(&self, _usage: Option<Usage>) {
        self.still();
        self.end_text();
    }

    fn call_started(&self, call: &ToolCall) {
        self.live.begin(&call.id, &shown_line(&call.name, NAME_SHOWN).to_string());
    }

    fn progress(&self, call: &ToolCall, progress: &Progress) {
        let words = progress.message.as_deref().map(|words| shown_line(words, ARGUMENTS_SHOWN).to_string());
        self.live.advance(&call.id, progress.progress, progress.total, words);
    }

    fn call_ended(&self, call: &ToolCall, result: &ToolResult) {
        self.live.end(&call.id);
        self.live.beside(|| self.report.call(&head(call), &Summary::of(result).to_string()));
    }

    fn note(&self, text: &str) {
        self.live.beside(|| self.report.note(text));
    }
}

impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Display").finish_non_exhaustive()
    }
}

/// A call in one line: its name and its arguments, cut.
fn head(call: &ToolCall) -> String {
    let arguments = match &call.arguments {
        Value::Null => String::new(),
        Value::Object(members) if members.is_empty() => String::new(),
        arguments => format!(" {}", shown_line(&arguments.to_string(), ARGUMENTS_SHOWN)),
    };
    format!("{}{arguments}", shown_line(&call.name, NAME_SHOWN))
}

/// What is visible between two visible characters alone (S46).
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests;
