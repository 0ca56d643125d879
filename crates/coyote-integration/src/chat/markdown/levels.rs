//! What stands before each line of a nested block: the marks and indentation of its items and quotes.
//!
//! It knows no Markdown and writes nothing. Deeper than [`MARKDOWN_DEPTH`] nothing is indented any more, so that hostile
//! nesting costs neither width nor time.

use super::run::Run;
use mcp_render::MARKDOWN_DEPTH;
use unicode_width::UnicodeWidthStr;

/// The least room that text has beside its indentation.
const NARROWEST: usize = 16;

/// One item or quote.
pub(super) struct Level {
    /// Before its first line only.
    pub(super) first: Option<Run>,
    /// Before every other line.
    pub(super) rest: Run,
}

/// The levels that are open, the outermost first.
#[derive(Default)]
pub(super) struct Levels {
    open: Vec<Level>,
    /// Levels that are not indented.
    flat: usize,
}

impl Levels {
    /// Opens a level. The mark of one that is too deep is given back, to stand in the text.
    pub(super) fn enter(&mut self, level: Level) -> Option<Run> {
        if self.open.len() < MARKDOWN_DEPTH {
            self.open.push(level);
            return None;
        }
        self.flat += 1;
        level.first
    }

    /// Closes the innermost level.
    pub(super) fn leave(&mut self) {
        if self.flat > 0 {
            self.flat -= 1;
        } else {
            self.open.pop();
        }
    }

    /// Whether the innermost level has had no line yet, so that its mark has not been seen.
    pub(super) fn awaits_first_line(&self) -> bool {
        self.flat == 0 && self.open.last().is_some_and(|level| level.first.is_some())
    }

    /// What stands before the next line.
    pub(super) fn before_line(&mut self) -> Vec<Run> {
        self.open.iter_mut().map(|Level { first, rest }| first.take().unwrap_or_else(|| rest.clone())).collect()
    }

    /// What stands on a blank line: the marks of quotes, and no blanks at its end.
    pub(super) fn before_blank_line(&self) -> Vec<Run> {
        let mut before: Vec<Run> = self.open.iter().map(|level| level.rest.clone()).collect();
        while let Some(last) = before.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                break;
            }
            before.pop();
        }
        before
    }

    /// The columns that are left of so many.
    pub(super) fn room_in(&self, columns: usize) -> usize {
        let taken: usize = self.open.iter().map(|level| level.rest.text.width()).sum();
        columns.saturating_sub(taken).max(NARROWEST)
    }
}
