//! A block as the parser gets it: safe, and so written that the parser drops nothing (S46).
//!
//! Markdown knows text that is not shown: definitions of links, and cells of a table beyond its header. A reader of a
//! reply wants to see both.

use mcp_render::shown;
use std::borrow::Cow;

/// Stands where a definition would be one; the text is escaped before, so it occurs nowhere else.
const GUARD: char = '\u{1a}';

/// The source of a block for the parser.
pub(super) fn guarded(text: &str) -> String {
    let safe = shown(text).to_string();
    let safe = if safe.contains("]:") { safe.replace("]:", &format!("]{GUARD}:")) } else { safe };
    match wider_tables(&safe) {
        Cow::Borrowed(_) => safe,
        Cow::Owned(wider) => wider,
    }
}

/// Text that the parser found, without the guard. What an entity stood for is escaped as well (S46).
pub(super) fn clean(text: &str) -> String {
    if text.contains(GUARD) { shown(&text.replace(GUARD, "")).to_string() } else { shown(text).to_string() }
}

/// Gives the header of a table as many cells as its widest row has.
fn wider_tables(text: &str) -> Cow<'_, str> {
    if !text.contains('|') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut added = vec![""; lines.len()];
    let mut missing = vec![0; lines.len()];
    // From the end, so that each row is counted once.
    let mut widest = 0;
    for (at, pair) in lines.windows(2).enumerate().rev() {
        let [header, below] = pair else { continue };
        widest = if below.trim().is_empty() { 0 } else { widest.max(cells(below)) };
        let own = cells(header);
        if is_delimiter(below) && widest > own {
            for (line, cell) in [(at, " |"), (at + 1, "-|")] {
                if let (Some(added), Some(missing)) = (added.get_mut(line), missing.get_mut(line)) {
                    (*added, *missing) = (cell, widest - own);
                }
            }
        }
    }
    if missing.iter().all(|more| *more == 0) {
        return Cow::Borrowed(text);
    }
    let mut wider = String::with_capacity(text.len() * 2);
    for ((line, cell), more) in lines.into_iter().zip(added).zip(missing) {
        let row = line.trim_end();
        wider.push_str(row);
        // A bar at the end of a row begins no cell.
        if more > 0 && !ends_with_bar(row) {
            wider.push('|');
        }
        wider.push_str(&cell.repeat(more));
        wider.push_str(line.get(row.len()..).unwrap_or_default());
    }
    Cow::Owned(wider)
}

/// How many cells a row has.
fn cells(line: &str) -> usize {
    let row = row(line);
    let mut escaped = false;
    let mut bars = 0;
    for byte in row.bytes() {
        bars += usize::from(byte == b'|' && !escaped);
        escaped = byte == b'\\' && !escaped;
    }
    bars + 1 - usize::from(bars > 0 && ends_with_bar(row))
}

/// A row without the bar it begins with, and without the quote or the item it stands in.
fn row(line: &str) -> &str {
    let line = line.trim_end().trim_start_matches([' ', '\t', '>', '-', '+', '*']);
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = if digits.len() < line.len() && digits.starts_with(['.', ')']) {
        digits.get(1..).unwrap_or_default().trim_start()
    } else {
        line
    };
    line.strip_prefix('|').unwrap_or(line)
}

fn ends_with_bar(row: &str) -> bool {
    let Some(before) = row.strip_suffix('|') else { return false };
    before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
}

/// Whether a line may divide the header of a table from its rows.
fn is_delimiter(line: &str) -> bool {
    line.contains('-') && line.trim_end().chars().all(|c| matches!(c, '|' | ':' | '-' | ' ' | '\t' | '>' | '+' | '*'))
}
