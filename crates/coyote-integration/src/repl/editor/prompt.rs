//! The prompt as the line editor asks for it, and the one moment at which something is printed above it.
//!
//! The line editor prints foreign lines above its prompt, but it guesses where the prompt begins: it knows neither how wide
//! the prompt is nor where in the text the cursor stands, and would write over what stands above. It asks for the right
//! prompt once before it prints so, without asking for the left one first; at that moment the prompt is wiped away here and
//! the cursor set so that the guess comes out right. The tests in a pseudo-terminal hold this.

use super::geometry::Painted;
use crate::repl::printer::raw;
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

/// What the prompt shows; changed from anywhere, read by the editor's thread at its next paint.
#[derive(Debug, Clone, Default)]
pub(super) struct Face(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    prompt: String,
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
        let painting = std::mem::take(&mut self.0.state().painting);
        if !painting {
            self.0.make_room();
        }
        "".into()
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
pub(super) struct Painter<H> {
    pub(super) face: Face,
    pub(super) colours: H,
}

impl<H: Fn(&str) -> StyledText + Send> Highlighter for Painter<H> {
    fn highlight(&self, line: &str, cursor: usize) -> StyledText {
        let mut state = self.face.state();
        line.clone_into(&mut state.painted.buffer);
        state.painted.cursor = cursor;
        drop(state);
        (self.colours)(line)
    }
}
