//! The prompt as the line editor asks for it, and the one moment at which something is printed above it.
//!
//! The line editor prints foreign lines above its prompt, but it guesses where the prompt begins: it knows neither how wide
//! the prompt is nor where in the text the cursor stands, and would write over what stands above. It asks for the right
//! prompt once before it prints so, without asking for the left one first; at that moment the prompt is wiped away here and
//! the cursor set so that the guess comes out right. The tests in a pseudo-terminal hold this.

use super::geometry::{Painted, width};
use crate::repl::{complete::Completions, highlight::coloured, printer::raw};
use mcp_render::shown_line;
use reedline::{
    Highlighter, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, PromptViMode, StyledText,
};
use std::{
    borrow::Cow,
    fmt::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What stands before every further line of a text.
const FURTHER: &str = "… ";
/// How wide an indicator is, which is not known yet when the right prompt is asked for.
const INDICATOR: u16 = 2;
/// What turns beside what is waited for.
const TURNING: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// How many turns pass before it is seen: what is done at once is not told.
const UNSEEN: usize = 2;

/// What the prompt shows; changed from anywhere, read by the editor's thread at its next paint.
#[derive(Debug, Clone, Default)]
pub(super) struct Face(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    prompt: String,
    /// What is waited for; safe to show.
    status: Option<String>,
    /// How often that has turned.
    turns: usize,
    /// Whether what is typed is coloured.
    highlight: bool,
    painted: Painted,
    /// The left prompt was asked for, so that a paint is under way.
    painting: bool,
}

impl Face {
    /// Shows another prompt from the next paint on; whether it is another one.
    pub(super) fn set(&self, prompt: String) -> bool {
        let mut state = self.state();
        let changed = state.prompt != prompt;
        state.prompt = prompt;
        changed
    }

    /// Shows what is waited for beside the prompt, once that takes longer than a moment; whether something is to be painted.
    pub(super) fn wait(&self, status: Option<&str>) -> bool {
        let mut state = self.state();
        if state.status.is_none() {
            state.turns = 0;
        }
        state.status = status.map(str::to_owned);
        status.is_none() && state.turns > UNSEEN
    }

    /// Turns what turns; whether there is something.
    pub(super) fn turn(&self) -> bool {
        let mut state = self.state();
        state.turns += usize::from(state.status.is_some());
        state.status.is_some() && state.turns > UNSEEN
    }

    /// Whether what is typed is coloured from the next paint on.
    pub(super) fn highlight(&self, on: bool) {
        self.state().highlight = on;
    }

    /// Takes what was waited for off a row that was submitted or given up, on which the line editor leaves it. The cursor
    /// stands at the start of the row below the text.
    pub(super) fn wipe_status(&self) {
        let mut state = self.state();
        let Some(width) = state.painted.status.take() else { return };
        let columns = columns();
        let (start, rows) = (columns.saturating_sub(width), state.painted.rows_to_end(columns) + 1);
        drop(state);
        raw(&format!("\u{1b}[{rows}A\u{1b}[{}G\u{1b}[K\u{1b}[{rows}B\r", start + 1));
    }

    /// Wipes the prompt and its text off the screen, and leaves the cursor where they began.
    pub(super) fn wipe(&self) {
        raw(&format!("{}\u{1b}[J", self.to_first_row()));
    }

    fn to_first_row(&self) -> String {
        match self.state().painted.rows_to_cursor(columns()) {
            0 => "\r".to_owned(),
            rows => format!("\r\u{1b}[{rows}A"),
        }
    }

    /// Wipes the prompt, and sets the cursor as many rows below as the editor will go up.
    fn make_room(&self) {
        let mut text = format!("{}\u{1b}[J", self.to_first_row());
        for _ in 0..self.state().painted.rows_believed(columns()) {
            text.push('\n');
        }
        raw(&text);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What is waited for, at most half a row of it.
    fn waiting(&self, columns: u16) -> String {
        let Some(status) = self.status.as_deref().filter(|_| self.turns > UNSEEN) else { return String::new() };
        let turning = TURNING.get(self.turns % TURNING.len()).copied().unwrap_or_default();
        format!("{turning} {}", shown_line(status, usize::from(columns / 2)))
    }
}

fn columns() -> u16 {
    crossterm::terminal::size().map_or(80, |(columns, _)| columns)
}

/// The prompt.
pub(super) struct FacePrompt(pub(super) Face);

impl Prompt for FacePrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        let mut state = self.0.state();
        state.painting = true;
        let State { prompt, painted, .. } = &mut *state;
        painted.prompt.clone_from(prompt);
        FURTHER.clone_into(&mut state.painted.indicator);
        state.prompt.clone().into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        let mut state = self.0.state();
        let painting = std::mem::take(&mut state.painting);
        if !painting {
            drop(state);
            self.0.make_room();
            return "".into();
        }
        let columns = columns();
        let status = state.waiting(columns);
        let width = width(&status);
        let fits = width > 0 && state.painted.first_row(columns) + INDICATOR <= columns.saturating_sub(width);
        state.painted.status = fits.then_some(width);
        if fits { status.into() } else { "".into() }
    }

    fn render_prompt_indicator(&self, mode: PromptEditMode) -> Cow<'_, str> {
        let indicator = match mode {
            PromptEditMode::Vi(PromptViMode::Normal) => ": ",
            PromptEditMode::Vi(PromptViMode::Visual) => "v ",
            _ => "",
        };
        self.0.state().painted.prompt.push_str(indicator);
        indicator.into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        FURTHER.into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let what = match search.status {
            PromptHistorySearchStatus::Passing => "search",
            PromptHistorySearchStatus::Failing => "no hit",
        };
        let indicator = format!("({what}: {}) ", search.term);
        let mut state = self.0.state();
        // What is found is not told; the cursor stands behind it, on the same row unless it is long.
        state.painted.buffer.clear();
        let _ = write!(state.painted.prompt, "{indicator}");
        indicator.into()
    }

    fn get_prompt_color(&self) -> reedline::Color {
        reedline::Color::Default
    }

    fn get_prompt_right_color(&self) -> reedline::Color {
        reedline::Color::DarkGray
    }

    fn get_indicator_color(&self) -> reedline::Color {
        reedline::Color::Default
    }

    fn get_prompt_multiline_color(&self) -> nu_ansi_term::Color {
        nu_ansi_term::Color::DarkGray
    }
}

/// Nothing at all: for the moment in which the editor gives the terminal away.
pub(super) struct NoPrompt;

impl Prompt for NoPrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_history_search_indicator(&self, _search: PromptHistorySearch) -> Cow<'_, str> {
        "".into()
    }
}

/// Colours the text, and remembers what is painted.
pub(super) struct Painter {
    pub(super) face: Face,
    /// Whether there are colours at all.
    pub(super) colours: bool,
    pub(super) completions: Completions,
}

impl Highlighter for Painter {
    fn highlight(&self, line: &str, cursor: usize) -> StyledText {
        let mut state = self.face.state();
        line.clone_into(&mut state.painted.buffer);
        state.painted.cursor = cursor;
        let on = self.colours && state.highlight;
        drop(state);
        coloured(line, on, |name| self.completions.knows(name))
    }
}
