//! Where the cursor stands below the first row of the prompt, worked out as a terminal does it.
//!
//! The line editor knows it and does not tell. It is needed to print above a prompt of several rows, whose text may be
//! wider than the screen and whose cursor may stand anywhere in it (S45: no key waits, so the prompt is always there).

use unicode_width::UnicodeWidthChar;

/// What was painted last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Painted {
    /// The prompt before the first line, colours included.
    pub(super) prompt: String,
    /// What stands before each further line.
    pub(super) indicator: String,
    /// The text.
    pub(super) buffer: String,
    /// The cursor's byte in it.
    pub(super) cursor: usize,
    /// How wide is what stands at the right end of the first row, if anything does.
    pub(super) status: Option<u16>,
}

impl Painted {
    /// How many rows the cursor is below the first row of the prompt.
    pub(super) fn rows_to_cursor(&self, columns: u16) -> u16 {
        let before = self.buffer.get(..self.cursor).unwrap_or(&self.buffer);
        let before = before.replace('\n', &format!("\n{}", self.indicator));
        rows(&[&self.prompt, &before], columns)
    }

    /// How many rows the end of the text is below the first row of the prompt.
    pub(super) fn rows_to_end(&self, columns: u16) -> u16 {
        Self { cursor: self.buffer.len(), ..self.clone() }.rows_to_cursor(columns)
    }

    /// How many columns of the first row are taken by the prompt and what is typed.
    pub(super) fn first_row(&self, columns: u16) -> u16 {
        let text = without_escapes(&format!("{}{}", self.prompt, self.buffer));
        width(text.lines().next().unwrap_or_default()).min(columns)
    }

    /// How many rows above the cursor the line editor believes that the prompt begins, by a rule of its own that knows
    /// neither the prompt nor where in the text the cursor is.
    pub(super) fn rows_believed(&self, columns: u16) -> u16 {
        const PROMPT: usize = 3;
        let columns = usize::from(columns.max(1));
        let mut rows = 0_u16;
        for (index, line) in self.buffer.lines().enumerate() {
            let bytes = line.len() + if index == 0 { PROMPT } else { 0 };
            let bytes = bytes % (usize::from(u16::MAX) + 1);
            rows = rows.saturating_add(u16::try_from(bytes / columns + 1).unwrap_or(u16::MAX));
        }
        rows.saturating_sub(1)
    }
}

/// How many columns a text without colours takes.
pub(super) fn width(text: &str) -> u16 {
    let width: usize = text.chars().filter_map(UnicodeWidthChar::width).sum();
    u16::try_from(width).unwrap_or(u16::MAX)
}

/// The row of the cursor after these were printed one after the other, from column 0 of row 0. A full row wraps when the
/// next character comes; a cursor that rests behind one is on the next row.
fn rows(pieces: &[&str], columns: u16) -> u16 {
    let columns = usize::from(columns.max(1));
    let (mut row, mut column) = (0_usize, 0_usize);
    for piece in pieces {
        for c in without_escapes(piece).chars() {
            if c == '\n' {
                (row, column) = (row + 1, 0);
                continue;
            }
            let width = c.width().unwrap_or(0);
            if column + width > columns {
                (row, column) = (row + 1, 0);
            }
            column += width;
        }
    }
    u16::try_from(if column >= columns { row + 1 } else { row }).unwrap_or(u16::MAX)
}

/// The text without its colours: the only sequences that a prompt of ours holds.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = escape.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(prompt: &str, buffer: &str, cursor: usize) -> Painted {
        Painted {
            prompt: prompt.to_owned(),
            indicator: ". ".to_owned(),
            buffer: buffer.to_owned(),
            cursor,
            status: None,
        }
    }

    #[test]
    fn what_the_first_row_leaves_free_and_where_the_text_ends() {
        for (prompt, buffer, taken, rows) in [
            ("> ", "", 2, 0),
            ("\u{1b}[32m>\u{1b}[0m ", "123", 5, 0),
            ("> ", "one\ntwo", 5, 1),
            ("a\n> ", "one", 1, 1),
            ("> ", "12345678901", 10, 1),
        ] {
            let painted = painted(prompt, buffer, 0);
            assert_eq!((painted.first_row(10), painted.rows_to_end(10)), (taken, rows), "{prompt}{buffer}");
        }
    }

    #[test]
    fn rows_are_counted_as_a_terminal_wraps() {
        for (prompt, buffer, cursor, expected) in [
            ("> ", "", 0, 0),
            ("> ", "12345678", 8, 1),
            ("> ", "1234567", 7, 0),
            ("> ", "12345678901234567", 17, 1),
            ("> ", "12345678901234567", 3, 0),
            ("\u{1b}[32m>\u{1b}[0m ", "1234567", 7, 0),
            ("a\n> ", "", 0, 1),
            ("> ", "one\ntwo\nthree", 13, 2),
            ("> ", "one\ntwo\nthree", 5, 1),
            // A wide character does not fit into the last column.
            ("> ", "1234567日", 10, 1),
            ("> ", "日日日日", 12, 1),
        ] {
            assert_eq!(painted(prompt, buffer, cursor).rows_to_cursor(10), expected, "{prompt}{buffer} at {cursor}");
        }
    }

    #[test]
    fn a_cursor_outside_the_text_is_at_its_end() {
        assert_eq!(painted("> ", "é", 1).rows_to_cursor(10), 0);
        assert_eq!(painted("> ", "one\ntwo", 99).rows_to_cursor(10), 1);
        assert_eq!(painted("", "x", 1).rows_to_cursor(0), 1);
    }
}
