//! Tables of plain text. Cells are foreign text and become one line each; the table fits the width it is given (S46).
//!
//! It knows no stream: what it builds is handed to `report`.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table as Grid, Width, presets};
use mcp_render::shown_line;

/// What stands between two columns.
const GAP: u16 = 2;

/// The head of a description, its blanks and newlines as one blank each, at most `chars` characters.
pub fn head(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shown_line(&line, chars).to_string()
}

/// A name as it is shown: whole, on one line, newlines escaped.
fn cell(text: &str) -> String {
    shown_line(text, usize::MAX).to_string()
}

/// Rows under a header, as lines without trailing blanks. Without a width nothing is wrapped: each row is one line.
pub fn table(header: &[&str], rows: &[Vec<String>], width: Option<u16>) -> String {
    let mut grid = grid(width);
    grid.set_header(header.iter().copied());
    grid.add_rows(rows.iter().map(|row| row.iter().map(|text| cell(text))));
    finish(&mut grid)
}

/// One row in columns of fixed widths, for tables that grow row by row. The last column takes what is left of `width`,
/// and without one what it needs.
pub fn row(cells: &[String], widths: &[u16], width: Option<u16>) -> String {
    let mut grid = grid(width);
    grid.add_row(cells.iter().map(|text| cell(text)));
    for (index, fixed) in widths.iter().enumerate() {
        if let Some(column) = grid.column_mut(index) {
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(fixed + GAP)));
        }
    }
    let taken: u16 = widths.iter().map(|fixed| fixed + GAP).sum();
    if let (Some(width), Some(last)) = (width, grid.column_mut(widths.len())) {
        // Narrower than the other columns: the last one still gets room for a word.
        let left = width.saturating_sub(taken).max(NARROWEST);
        last.set_constraint(ColumnConstraint::Absolute(Width::Fixed(left + GAP)));
    }
    finish(&mut grid)
}

/// The least that the last column gets.
const NARROWEST: u16 = 20;

fn grid(width: Option<u16>) -> Grid {
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING).force_no_tty();
    match width {
        Some(width) => grid.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => grid.set_content_arrangement(ContentArrangement::Disabled),
    };
    grid
}

fn finish(grid: &mut Grid) -> String {
    for column in grid.column_iter_mut() {
        column.set_padding((0, GAP));
        column.set_cell_alignment(CellAlignment::Left);
    }
    grid.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn rows() -> Vec<Vec<String>> {
        vec![
            vec!["tool".to_owned(), "search_issues".to_owned(), "Finds issues by words, labels and people".to_owned()],
            vec!["prompt".to_owned(), "a\nb\u{1b}[2J".to_owned(), "重要な説明 \u{202e} and more".to_owned()],
        ]
    }

    #[test]
    fn without_a_width_each_row_is_one_line() {
        insta::assert_snapshot!(table(&["KIND", "ID", "ABOUT"], &rows(), None));
    }

    #[test]
    fn a_table_fits_its_width_and_holds_nothing_a_terminal_obeys() {
        for width in [40, 60, 80, 120] {
            let text = table(&["KIND", "ID", "ABOUT"], &rows(), Some(width));
            assert!(text.lines().all(|line| line.width() <= usize::from(width)), "{width}:\n{text}");
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        }
        insta::assert_snapshot!(table(&["KIND", "ID", "ABOUT"], &rows(), Some(40)));
    }

    #[test]
    fn rows_printed_one_by_one_stand_in_the_same_columns() {
        let print = |width| {
            let rows = rows();
            rows.iter().map(|cells| row(cells, &[8, 15], width)).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(print(Some(50)));
        assert!(print(Some(50)).lines().all(|line| line.width() <= 50));
        assert_eq!(print(None).lines().count(), 2);
    }

    #[test]
    fn a_head_is_cut_between_characters_and_says_so() {
        assert_eq!(head("kurz", 10), "kurz");
        assert_eq!(head("äöü  \n ß und mehr", 6), "äöü ß…");
    }
}
