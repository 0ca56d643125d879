//! Rows of a menu: what matches, in which order, and how it is written into the line (S45, S46).
//!
//! It decides what can be typed; it does not know what the rows are.

use super::{Completion, MAX_ROWS, Row};
use crate::line::quote;
use crate::stage::Stage;
use mcp_render::shown_line;

/// The most characters of a row's name and of its description.
pub(super) const NAME_CHARS: usize = 60;
const DESCRIPTION_CHARS: usize = 200;

/// Names that match what is typed, the best matches first, each rank in the given order.
pub(super) fn names<'a>(stage: &Stage, names: impl Iterator<Item = (&'a str, Option<String>)>) -> Completion {
    let ranked = names.filter(|(name, _)| can_be_typed(name)).filter_map(|(name, about)| {
        let rank = rank(&stage.typed, name)?;
        Some((rank, name, about))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, ..)| *rank);
    ranked.truncate(MAX_ROWS);
    Completion::Rows(ranked.into_iter().map(|(_, name, about)| row(stage, name, about)).collect())
}

/// A word of ours that matches what is typed.
pub(super) fn word(stage: &Stage, word: &str, about: &str) -> Option<Row> {
    rank(&stage.typed, word).map(|_| row(stage, word, Some(about.to_owned())))
}

pub(super) fn row(stage: &Stage, name: &str, description: Option<String>) -> Row {
    Row {
        value: quote(name),
        display: shown_line(name, NAME_CHARS).to_string(),
        description,
        span: stage.span.clone(),
        append_space: !stage.before_blank,
    }
}

pub(super) fn described(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shown_line(&line, DESCRIPTION_CHARS).to_string()
}

/// Whether a name can stand in the line as it is. A control or invisible character would reach the terminal through the
/// editor (S46); such a name is seen, escaped, in `.list` only.
pub(super) fn can_be_typed(name: &str) -> bool {
    !name.is_empty() && shown_line(name, usize::MAX).to_string() == name
}

/// How well `typed` fits: at the start, inside, or its characters in order. `None` when it does not.
pub(super) fn rank(typed: &str, name: &str) -> Option<u8> {
    let (typed, name) = (typed.to_lowercase(), name.to_lowercase());
    if name.starts_with(&typed) {
        return Some(0);
    }
    if name.contains(&typed) {
        return Some(1);
    }
    let mut rest = name.chars();
    typed.chars().all(|wanted| rest.any(|c| c == wanted)).then_some(2)
}
