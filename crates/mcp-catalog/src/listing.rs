//! A listing: what was read, and what there is to say about the rest. The good part is never lost (D1, S11, S20).

use crate::{CatalogItem, CatalogKind, PortError};
use std::fmt;

/// Items in the server's order, kind by kind, and notes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// The items.
    pub items: Vec<CatalogItem>,
    /// What is partial, failed or skipped (S22).
    pub notes: Vec<Note>,
}

/// One thing to say about a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The kind it is about.
    pub kind: CatalogKind,
    /// What happened.
    pub what: NoteKind,
}

/// What a note says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NoteKind {
    /// The server did not declare the kind, so it was not asked (S4).
    NotDeclared,
    /// The server declared the kind but does not implement its listing (C29).
    NotImplemented,
    /// The listing failed before anything was read.
    Failed(PortError),
    /// The listing stopped early; what was read stays (S11).
    Partial {
        /// How many items were read.
        read: usize,
        /// Why it stopped.
        why: String,
    },
    /// Entries that could not be used (S20).
    Skipped {
        /// How many.
        count: usize,
        /// The first reasons, each naming its entry.
        reasons: Vec<String>,
    },
    /// Entries that repeat an earlier one (S21).
    Duplicates {
        /// How many.
        count: usize,
        /// The first ids.
        ids: Vec<String>,
    },
    /// Malformed optional parts that were dropped or mended (S20, C78).
    Mended {
        /// How many.
        count: usize,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = self.kind.plural();
        match &self.what {
            NoteKind::NotDeclared => write!(f, "{plural}: not declared by the server"),
            NoteKind::NotImplemented => {
                write!(f, "{plural}: declared, but the server does not implement their listing")
            }
            NoteKind::Failed(error) => write!(f, "{plural}: listing failed ({}): {error}", error.code()),
            NoteKind::Partial { read, why } => {
                write!(f, "{plural}: listing is partial after {}: {why}", counted(*read, "item"))
            }
            NoteKind::Skipped { count, reasons } => {
                write!(f, "{plural}: {count} skipped: {}", reasons.join("; "))
            }
            NoteKind::Duplicates { count, ids } => {
                write!(f, "{plural}: {count} repeated, the first of each is kept: {}", ids.join(", "))
            }
            NoteKind::Mended { count } => {
                write!(f, "{plural}: {} dropped", counted(*count, "malformed optional field"))
            }
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{Note, NoteKind};
    use crate::{CatalogKind, PortError};
    use rstest::rstest;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[rstest]
    #[case(NoteKind::NotDeclared, "prompts: not declared by the server")]
    #[case(NoteKind::NotImplemented, "prompts: declared, but the server does not implement their listing")]
    #[case(NoteKind::Failed(PortError::Cancelled), "prompts: listing failed (cancelled): Cancelled")]
    #[case(NoteKind::Partial { read: 2, why: "late".to_owned() }, "prompts: listing is partial after 2 items: late")]
    #[case(NoteKind::Partial { read: 1, why: "late".to_owned() }, "prompts: listing is partial after 1 item: late")]
    #[case(NoteKind::Skipped { count: 9, reasons: texts(&["a", "b"]) }, "prompts: 9 skipped: a; b")]
    #[case(NoteKind::Duplicates { count: 2, ids: texts(&["`a`", "`b`"]) }, "prompts: 2 repeated, the first of each is kept: `a`, `b`")]
    #[case(NoteKind::Mended { count: 1 }, "prompts: 1 malformed optional field dropped")]
    #[case(NoteKind::Mended { count: 3 }, "prompts: 3 malformed optional fields dropped")]
    fn a_note_says_what_happened_to_which_kind(#[case] what: NoteKind, #[case] sentence: &str) {
        assert_eq!(Note { kind: CatalogKind::Prompt, what }.to_string(), sentence);
    }
}
