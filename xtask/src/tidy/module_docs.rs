//! Every file opens with `//!` and says something there (style.md 3).
//!
//! Whether it says what the file is, what it refuses to do and which rule it serves is for a reader to judge; a line of
//! less than four words cannot.

use crate::finding::Finding;
use crate::tree::{Source, Tree};

#[cfg(test)]
mod tests;

/// The shortest opening that can say what a file is.
const WORDS: usize = 4;
/// How a crate's root may say instead that its README is its documentation.
const README: &str = "#![doc = include_str!(\"../README.md\")]";
const INSTEAD: &str = "Open the file with `//!`: what it is, what it refuses to do, which rule it serves";

/// Every file that does not open with its documentation.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().iter().filter_map(opening).collect()
}

fn opening(source: &Source) -> Option<Finding> {
    if source.stem() == "lib" && source.text.starts_with(README) {
        return None;
    }
    let lines = source.text.lines().map_while(|line| line.trim_start().strip_prefix("//!"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let what = match words.as_slice() {
        [] => "No module documentation (style.md 3)".to_owned(),
        few if few.len() < WORDS => {
            format!("The module documentation says no more than `{}` (style.md 3)", few.join(" "))
        }
        _ => return None,
    };
    Some(Finding::new(&source.path, 1, what, INSTEAD))
}
