//! A table within the width of the terminal: cells are broken into lines, and where that does not do, each row is a list.

use super::run::{Ink, Run, width, wrap, wrap_hard};
use pulldown_cmark::Alignment;

/// The narrowest column.
const NARROWEST: usize = 4;
/// What stands between two columns.
const BETWEEN: &str = " │ ";
const BETWEEN_COLUMNS: usize = 3;
const CROSSING: &str = "─┼─";

/// The cells of a row.
type Row = Vec<Vec<Run>>;
/// The runs of one line.
type Line = Vec<Run>;

/// What has been read of a table.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub(super) alignments: Vec<Alignment>,
    pub(super) rows: Vec<Row>,
}

impl Grid {
    /// Its lines, at most `room` columns wide; `rule` is how what divides the cells looks.
    pub(super) fn lines(mut self, room: usize, rule: Ink) -> Vec<Line> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let room_for_cells = room.saturating_sub(columns.saturating_sub(1) * BETWEEN_COLUMNS);
        if columns == 0 || room_for_cells < columns * NARROWEST {
            return self.records(room, rule);
        }
        let widths = fitting(&self.natural_widths(columns), room_for_cells);
        let mut lines = Vec::new();
        let mut rows = std::mem::take(&mut self.rows).into_iter();
        if let Some(header) = rows.next() {
            lines.extend(self.row(&header, &widths, rule));
            let bars: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(vec![Run::new(bars.join(CROSSING), rule)]);
        }
        for row in rows {
            lines.extend(self.row(&row, &widths, rule));
        }
        lines
    }

    fn natural_widths(&self, columns: usize) -> Vec<usize> {
        let mut widths = vec![1; columns];
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                let lines = wrap(cell, Some(usize::MAX));
                *widest = lines.iter().map(|line| width(line)).max().unwrap_or_default().max(*widest);
            }
        }
        widths
    }

    /// The lines of one row.
    fn row(&self, row: &Row, widths: &[usize], rule: Ink) -> Vec<Line> {
        let mut cells: Vec<_> =
            widths.iter().enumerate().map(|(at, width)| cell_lines(row.get(at), *width).into_iter()).collect();
        let height = cells.iter().map(ExactSizeIterator::len).max().unwrap_or_default().max(1);
        let mut lines = Vec::with_capacity(height);
        for _ in 0..height {
            let mut line = Vec::new();
            for (at, (cell, width)) in cells.iter_mut().zip(widths).enumerate() {
                if at > 0 {
                    line.push(Run::new(BETWEEN.to_owned(), rule));
                }
                let is_last = at + 1 == widths.len();
                let alignment = self.alignments.get(at).copied().unwrap_or(Alignment::None);
                place(cell.next().unwrap_or_default(), *width, alignment, is_last, &mut line);
            }
            lines.push(line);
        }
        lines
    }

    /// Each row as a list of its cells, for a table of more columns than fit.
    fn records(self, room: usize, rule: Ink) -> Vec<Line> {
        let mut rows = self.rows.into_iter();
        let header = rows.next().unwrap_or_default();
        let mut lines = Vec::new();
        if rows.len() == 0 {
            for name in header.iter().filter(|name| !name.is_empty()) {
                lines.extend(wrap_hard(name, room));
            }
        }
        for (number, row) in rows.enumerate() {
            if number > 0 {
                lines.push(vec![Run::new("─".repeat(room.min(BETWEEN_COLUMNS)), rule)]);
            }
            // An empty cell says nothing, unless its name would be nowhere.
            let says = |(at, cell): &(usize, &Vec<Run>)| !cell.is_empty() || (number == 0 && header.get(*at).is_some());
            for (at, cell) in row.iter().enumerate().filter(says) {
                let mut entry = header.get(at).cloned().unwrap_or_default();
                if !entry.is_empty() {
                    entry.push(Run::plain(": "));
                }
                entry.extend(cell.iter().cloned());
                lines.extend(wrap_hard(&entry, room));
            }
        }
        lines
    }
}

fn cell_lines(cell: Option<&Vec<Run>>, width: usize) -> Vec<Line> {
    cell.map(|cell| wrap_hard(cell, width)).unwrap_or_default()
}

/// Puts the line of a cell into its column.
fn place(cell: Line, column: usize, alignment: Alignment, is_last: bool, line: &mut Line) {
    let room = column.saturating_sub(width(&cell));
    let before = match alignment {
        Alignment::Right => room,
        Alignment::Center => room / 2,
        Alignment::Left | Alignment::None => 0,
    };
    line.push(Run::plain(" ".repeat(before)));
    line.extend(cell);
    if !is_last {
        line.push(Run::plain(" ".repeat(room - before)));
    }
}

/// The widths of columns that take `room` together: what is narrow keeps its width, the rest share what is left.
fn fitting(natural: &[usize], room: usize) -> Vec<usize> {
    let mut sorted = natural.to_vec();
    sorted.sort_unstable();
    let (mut left, mut columns) = (room, sorted.len());
    let mut most = usize::MAX;
    for width in sorted {
        if width.saturating_mul(columns) > left {
            most = left / columns;
            break;
        }
        left -= width;
        columns -= 1;
    }
    natural.iter().map(|width| *width.min(&most)).collect()
}
