//! Where moving lines are drawn: stderr, without the blanks that would fill a line to its end.
//!
//! The library fills each line so that the next one begins below it. Behind the last line that only harms: what the
//! terminal itself writes there, the `^C` of a user who has enough, would begin a new line and leave the moving one
//! standing.

use indicatif::{ProgressDrawTarget, TermLike};
use std::{
    io, mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How often lines are drawn in a second, at most.
const DRAWN_PER_SECOND: u8 = 20;
/// What a terminal that does not know its size is taken for.
const USUAL_SIZE: (u16, u16) = (80, 24);

/// Writes to the terminal.
type Write = fn(&str) -> io::Result<()>;

/// The terminal that stderr is.
#[derive(Debug)]
pub(super) struct Moving {
    write: Write,
    drawing: Mutex<Drawing>,
}

#[derive(Debug, Default)]
struct Drawing {
    text: String,
    /// Blanks that are written when something follows them.
    blanks: String,
}

impl Moving {
    /// Lines drawn by `write`.
    pub(super) fn target(write: Write) -> ProgressDrawTarget {
        ProgressDrawTarget::term_like_with_hz(Box::new(Self::new(write)), DRAWN_PER_SECOND)
    }

    fn new(write: Write) -> Self {
        Self { write, drawing: Mutex::default() }
    }

    fn draw(&self, text: &str) {
        let mut drawing = self.drawing();
        let blanks = mem::take(&mut drawing.blanks);
        drawing.text.push_str(&blanks);
        drawing.text.push_str(text);
    }

    fn moves(&self, by: usize, to: char) {
        if by > 0 {
            self.draw(&format!("\u{1b}[{by}{to}"));
        }
    }

    fn drawing(&self) -> MutexGuard<'_, Drawing> {
        self.drawing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TermLike for Moving {
    fn width(&self) -> u16 {
        size().0
    }

    fn height(&self) -> u16 {
        size().1
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.moves(lines, 'A');
        Ok(())
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.moves(lines, 'B');
        Ok(())
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.moves(columns, 'C');
        Ok(())
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.moves(columns, 'D');
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.draw(&format!("{text}\n"));
        Ok(())
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        if !text.is_empty() && text.bytes().all(|byte| byte == b' ') {
            self.drawing().blanks.push_str(text);
        } else {
            self.draw(text);
        }
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.draw("\r\u{1b}[2K");
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let Drawing { text, .. } = mem::take(&mut *self.drawing());
        (self.write)(&text)
    }
}

fn size() -> (u16, u16) {
    crossterm::terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0).unwrap_or(USUAL_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_between_two_lines_are_written_and_those_at_the_end_are_not() {
        let moving = Moving::new(|_| Ok(()));
        for text in ["one", "  ", "two", "   "] {
            moving.write_str(text).unwrap();
        }
        moving.move_cursor_up(0).unwrap();
        assert_eq!(moving.drawing().text, "one  two");
    }
}
