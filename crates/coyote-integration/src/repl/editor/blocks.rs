//! Texts of several lines: `:::` opens a block and `:::` closes it.
//!
//! A block is always said to the model, whatever its lines look like: a pasted `!rm` or `.exit` in it runs nothing.

use reedline::{ValidationResult, Validator};

const FENCE: &str = ":::";

/// What a submitted text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Submitted<'a> {
    /// A line, to be read as command, shell line or chat.
    Line(&'a str),
    /// What stands in a block.
    Block(&'a str),
}

/// Takes a text apart.
pub(crate) fn submitted(text: &str) -> Submitted<'_> {
    let block = text.trim().strip_prefix(FENCE).map(|rest| rest.strip_suffix(FENCE).unwrap_or(rest));
    block.map_or(Submitted::Line(text), |block| Submitted::Block(inside(block)))
}

/// The lines between the fences; the indent of the first one is theirs.
fn inside(block: &str) -> &str {
    let block = block.trim_end();
    match block.split_once('\n') {
        Some((first, rest)) if first.trim().is_empty() => rest,
        _ => block.trim_start(),
    }
}

/// Enter in an open block begins a line.
pub(super) struct Blocks;

impl Validator for Blocks {
    fn validate(&self, line: &str) -> ValidationResult {
        if is_open(line) { ValidationResult::Incomplete } else { ValidationResult::Complete }
    }
}

fn is_open(text: &str) -> bool {
    let text = text.trim();
    text.strip_prefix(FENCE).is_some_and(|rest| !rest.ends_with(FENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_open_until_its_second_fence() {
        for open in [":::", "::: ", ":::one", ":::\none\ntwo", "  :::\nx"] {
            assert!(is_open(open), "{open:?}");
        }
        for closed in ["", "one", ":::\none\n:::", "::: one :::", "::::::", "one :::"] {
            assert!(!is_open(closed), "{closed:?}");
        }
    }

    #[test]
    fn a_block_is_what_stands_between_the_fences_and_is_never_a_command() {
        assert_eq!(submitted(":::\n.exit\n!rm x\n:::"), Submitted::Block(".exit\n!rm x"));
        assert_eq!(submitted("::: one :::"), Submitted::Block("one"));
        assert_eq!(submitted(":::\n  indented\n:::"), Submitted::Block("  indented"));
        assert_eq!(submitted(".exit"), Submitted::Line(".exit"));
    }
}
