//! A turn as a person sees it: the text on stdout, everything else on stderr (style.md 18).
//!
//! Where stderr is a terminal, what runs is a moving line that is gone when it ends; what stays is the same in both cases,
//! one line a call and one of what the turn cost. Foreign text passes `report` or is escaped here before it reaches a
//! moving line (S46). On a terminal the text comes in whole lines, laid out as Markdown where there are colours; a pipe gets
//! its bytes as they come. It decides nothing.

mod live;

pub use self::live::StatusLine;

use self::live::Live;
use super::{
    Summary, TurnView,
    markdown::{MarkdownStream, Painted, Style},
};
use crate::{
    config::Wrap,
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
/// The width of a terminal that does not know its own.
const USUAL_COLUMNS: usize = 80;

/// Shows a turn.
pub struct Display {
    report: Arc<Report>,
    live: Live,
    /// Paints the text; none where stdout is no terminal.
    text: Option<Mutex<MarkdownStream>>,
}

/// How the user wants text to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Where lines are broken.
    pub wrap: Wrap,
    /// Whether code is coloured.
    pub highlight: bool,
}

impl Look {
    /// The style of text on the terminal that stdout is, `None` when it is none.
    pub fn style(self, report: &Report) -> Option<Style> {
        if !report.is_terminal() {
            return None;
        }
        let width = columns(report);
        let Self { wrap, highlight } = self;
        let colour = report.has_colour();
        Some(Style { width, rendered: colour, colour, wrap, highlight })
    }
}

impl Display {
    /// A view on the streams of `report`.
    pub fn new(report: Arc<Report>, look: Look) -> Self {
        Self::beside(report, look, None)
    }

    /// The same where a prompt stands, beside which one line tells what is waited for.
    pub fn beside(report: Arc<Report>, look: Look, status: Option<Arc<dyn StatusLine>>) -> Self {
        let live = Live::new(report.moving_lines(), status);
        let text = look.style(&report).map(|style| Mutex::new(MarkdownStream::new(style)));
        Self { report, live, text }
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

    fn painted(&self, lines: &Painted) {
        if !lines.is_empty() {
            self.live.beside(|| self.report.painted(lines));
        }
    }
}

impl TurnView for Display {
    fn asked(&self, model: &str) {
        self.live.wait(&format!("{} answers", shown_line(model, NAME_SHOWN)));
    }

    fn text(&self, more: &str) {
        let Some(text) = &self.text else {
            self.still();
            return self.report.data(more);
        };
        // What moves stays while a block comes in, since nothing else shows that it does.
        let mut text = lock(text);
        text.resize(columns(&self.report));
        self.painted(&text.push(more));
    }

    fn retrying(&self, fault: &ModelError, pause: Duration) {
        self.still();
        self.report.warn(format!("{fault}; trying again in {:.1} s", pause.as_secs_f64()));
    }

    fn replied(&self, _usage: Option<Usage>) {
        self.still();
        if let Some(text) = &self.text {
            self.painted(&lock(text).finish());
        }
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

/// The width of the terminal; some do not know theirs.
fn columns(report: &Report) -> usize {
    report.width().filter(|width| *width > 0).map_or(USUAL_COLUMNS, usize::from)
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
