//! The line filter over any pattern and text, against a reference that tries each line by itself (S27).
//!
//! The first line is the pattern, the rest is the text. How fast it is, is no law here.

use super::pages::{all_pages, text_item};
use mcp_render::{FILTER_CONTEXT_LINES, Filter, PageRequest};
use regex::bytes::Regex;
use std::fmt::Write;

/// What the filter lets through is what the reference prints, and its pages are the same text.
pub fn filter(bytes: &[u8]) {
    let given = String::from_utf8_lossy(bytes);
    let (pattern, text) = given.split_once('\n').unwrap_or((&given, ""));
    let Ok(filter) = Filter::parse(pattern) else { return };
    let filtered = filter.apply(text);
    let Ok(line) = Regex::new(pattern) else { return };
    assert_eq!(filtered, reference(&line, text), "pattern {pattern:?}");
    let page = PageRequest { max_bytes: 7, filter: Some(filter), ..PageRequest::default() };
    if filtered.len() < 2_000 {
        assert_eq!(all_pages(&text_item(text), page), filtered, "pages of pattern {pattern:?}");
    }
}

fn reference(pattern: &Regex, text: &str) -> String {
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
    let hits: Vec<bool> = lines.iter().map(|line| pattern.is_match(line.as_bytes())).collect();
    let mut out = String::new();
    let mut next = 0;
    for (at, line) in lines.iter().enumerate() {
        let around = at.saturating_sub(FILTER_CONTEXT_LINES)..hits.len().min(at + FILTER_CONTEXT_LINES + 1);
        if !hits.get(around).is_some_and(|near| near.contains(&true)) {
            continue;
        }
        if !out.is_empty() && next < at {
            out.push_str("--\n");
        }
        next = at + 1;
        let mark = if hits.get(at) == Some(&true) { ':' } else { '-' };
        writeln!(out, "{next}{mark}{line}").expect("a string takes everything");
    }
    out
}
