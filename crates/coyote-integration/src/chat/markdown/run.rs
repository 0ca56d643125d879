//! Stretches of text of one look, and how they are broken into lines.
//!
//! The text has passed `shown` before it comes here (S46). A style never reaches over the end of a line, so that each line
//! can be printed alone.

use std::{fmt::Write, mem};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How text looks.
pub(super) type Ink = nu_ansi_term::Style;

/// Text of one look. A newline in it ends a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) ink: Ink,
}

impl Run {
    pub(super) const fn new(text: String, ink: Ink) -> Self {
        Self { text, ink }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::new(text.into(), Ink::new())
    }
}

/// The columns that runs of one line take.
pub(super) fn width(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.text.width()).sum()
}

/// Writes one line.
pub(super) fn paint(line: &[Run], out: &mut String) {
    for Run { text, ink } in line.iter().filter(|run| !run.text.is_empty()) {
        // Writing to a string does not fail.
        let _ = write!(out, "{}", ink.paint(text.as_str()));
    }
    out.push('\n');
}

/// Lines of at most `width` columns; without a width, the lines that are there. A word that is wider is broken, but for an
/// address, which a terminal recognises only when it is whole.
pub(super) fn wrap(runs: &[Run], width: Option<usize>) -> Vec<Vec<Run>> {
    let mut lines = Lines { width: width.map(|width| width.max(1)), ..Lines::default() };
    for run in runs {
        lines.run(run);
    }
    lines.end()
}

/// The same, and no word is wider, an address neither.
pub(super) fn wrap_hard(runs: &[Run], width: usize) -> Vec<Vec<Run>> {
    let mut lines = Lines { width: Some(width.max(1)), hard: true, ..Lines::default() };
    for run in runs {
        lines.run(run);
    }
    lines.end()
}

#[derive(Default)]
struct Lines {
    width: Option<usize>,
    hard: bool,
    done: Vec<Vec<Run>>,
    line: Vec<Run>,
    column: usize,
    /// The word that is being read, which may reach over several runs.
    word: Vec<Run>,
    word_width: usize,
    /// A blank stands before the word.
    blank: Option<Ink>,
}

impl Lines {
    fn run(&mut self, run: &Run) {
        for (number, line) in run.text.split('\n').enumerate() {
            if number > 0 {
                self.break_line();
            }
            if self.width.is_none() {
                push(&mut self.line, line, run.ink);
                continue;
            }
            for piece in line.split_word_bounds() {
                if piece.chars().all(char::is_whitespace) {
                    self.word_ended();
                    self.blank = Some(run.ink);
                    continue;
                }
                push(&mut self.word, piece, run.ink);
                let columns = piece.width();
                self.word_width += columns;
                // Scripts without blanks may be broken after each of their characters.
                if columns == 2 && piece.chars().count() == 1 {
                    self.word_ended();
                }
            }
        }
    }

    fn word_ended(&mut self) {
        let word = mem::take(&mut self.word);
        let columns = mem::take(&mut self.word_width);
        if word.is_empty() {
            return;
        }
        let width = self.width.unwrap_or(usize::MAX);
        let blank = self.blank.take().filter(|_| self.column > 0);
        if self.column > 0 && self.column + usize::from(blank.is_some()) + columns > width {
            self.next_line();
        } else if let Some(ink) = blank {
            push(&mut self.line, " ", ink);
            self.column += 1;
        }
        if columns > width && (self.hard || !word.iter().any(|run| run.text.contains("://"))) {
            return self.break_word(&word, width);
        }
        self.column += columns;
        for run in word {
            push(&mut self.line, &run.text, run.ink);
        }
    }

    /// A word that is wider than a line.
    fn break_word(&mut self, word: &[Run], width: usize) {
        for run in word {
            for character in run.text.graphemes(true) {
                let columns = character.width();
                if self.column > 0 && self.column + columns > width {
                    self.next_line();
                }
                push(&mut self.line, character, run.ink);
                self.column += columns;
            }
        }
    }

    fn break_line(&mut self) {
        self.word_ended();
        self.blank = None;
        self.next_line();
    }

    fn next_line(&mut self) {
        self.done.push(mem::take(&mut self.line));
        self.column = 0;
    }

    fn end(mut self) -> Vec<Vec<Run>> {
        self.word_ended();
        if !self.line.is_empty() {
            self.done.push(self.line);
        }
        self.done
    }
}

/// Adds text, to the run before it where that looks the same.
fn push(runs: &mut Vec<Run>, text: &str, ink: Ink) {
    match runs.last_mut() {
        Some(last) if last.ink == ink => last.text.push_str(text),
        _ if text.is_empty() => {}
        _ => runs.push(Run::new(text.to_owned(), ink)),
    }
}
