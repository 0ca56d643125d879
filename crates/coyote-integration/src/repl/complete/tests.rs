//! What is offered for a line; `|` is the cursor.

use super::*;
use proptest::prelude::*;

fn rows(marked: &str, items: &[&str]) -> Vec<(String, std::ops::Range<usize>, bool)> {
    let cursor = marked.find('|').unwrap();
    let line = marked.replace('|', "");
    offer(&line, cursor, items.iter().map(|item| Item::new(*item, "about")))
        .into_iter()
        .map(|row| (row.value, row.span, row.append_space))
        .collect()
}

#[test]
fn rows_replace_the_word_under_the_cursor_the_best_first_and_are_quoted_where_needed() {
    let row = |value: &str, span, blank| (value.to_owned(), span, blank);
    assert_eq!(rows(".role |", &["b", "a c"]), [row("b", 6..6, true), row("'a c'", 6..6, true)]);
    assert_eq!(rows(".role sh|", &["cash", "shell"]), [row("shell", 6..8, true), row("cash", 6..8, true)]);
    assert_eq!(rows(".role s|hx rest", &["shell"]), [row("shell", 6..9, false)]);
    assert_eq!(rows(".role 'a |", &["a c"]), [row("'a c'", 6..9, true)]);
    assert_eq!(rows(".role sl|", &["shell", "slow"]), [row("slow", 6..8, true)]);
    assert_eq!(rows(".role sl|", &["shell"]), [row("shell", 6..8, true)]);
    assert_eq!(rows(".role q|", &["a", "b"]), []);
}

#[test]
fn a_name_that_the_terminal_would_obey_is_not_offered_s46() {
    assert_eq!(rows(".role |", &["a\u{1b}[2J", "b\u{202e}", "", "c"]).len(), 1);
}

#[test]
fn no_more_than_a_hundred_rows_are_offered_s45() {
    let names: Vec<String> = (0..500).map(|n| format!("name{n}")).collect();
    let items: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(rows(".role |", &items).len(), MAX_ROWS);
}

#[test]
fn a_directory_is_no_whole_word_yet() {
    let row = &offer(".file s", 7, [Item::new("src/", "").open()])[0];
    assert_eq!((row.value.as_str(), row.append_space), ("src/", false));
}

proptest! {
    #[test]
    fn a_row_replaces_bytes_of_the_line_at_characters(line in "\\.[a-zé'\" =]{0,30}", cursor in 0..40_usize) {
        for row in offer(&line, cursor, [Item::new("alpha", ""), Item::new("é b", "")]) {
            prop_assert!(line.get(row.span).is_some());
        }
    }
}
