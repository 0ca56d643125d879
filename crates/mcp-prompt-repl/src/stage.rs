//! What a cursor in a `.prompt` line asks for (S45, design §5.4): servers, prompts, argument keys, or a value.
//!
//! It looks at the line alone. It knows no server and makes no row.

use crate::line::{Line, Word};
use std::ops::Range;

/// What is to be completed, and where the completion goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) what: Wanted,
    /// What is typed of it.
    pub(crate) typed: String,
    /// The bytes of the line that a completion replaces.
    pub(crate) span: Range<usize>,
    /// Whether a blank stands behind the span.
    pub(crate) before_blank: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Stage 1.
    Server,
    /// Stage 2.
    Prompt { server: String },
    /// Stage 3: a key that is not given yet.
    Key { server: String, prompt: String, given: Vec<(String, String)> },
    /// Stage 3, after `key=`.
    Value { server: String, prompt: String, key: String, given: Vec<(String, String)> },
}

/// The stage at `cursor`; `None` in the command's own word.
pub(crate) fn stage(text: &str, cursor: usize) -> Option<Stage> {
    let place = Line::lex(text).at(cursor);
    let words = place.before.get(1..)?;
    let value_of = |index: usize| words.get(index).map(|word| word.value().to_owned());
    let mut typed = place.typed.value().to_owned();
    let mut span = place.typed.span().start..place.word_end;
    let what = match (value_of(0), value_of(1)) {
        (None, _) => Wanted::Server,
        (Some(server), None) => Wanted::Prompt { server },
        (Some(server), Some(prompt)) => {
            let others = words.iter().skip(2).chain(&place.after);
            let given = others.filter_map(Word::pair).map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            if let (Some(start), Some((key, value))) = (place.typed.value_start(), place.typed.pair()) {
                value.clone_into(&mut typed);
                span.start = start;
                Wanted::Value { server, prompt, key: key.to_owned(), given }
            } else {
                span.end = key_end(text, &span, cursor);
                Wanted::Key { server, prompt, given }
            }
        }
    };
    let before_blank = text.get(span.end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    Some(Stage { what, typed, span, before_blank })
}

/// A cursor inside a key completes the key with its `=`, and leaves the value that stands behind it.
fn key_end(text: &str, span: &Range<usize>, cursor: usize) -> usize {
    let word = text.get(span.clone()).unwrap_or_default();
    let line = Line::lex(word);
    let end = line.words().first().and_then(Word::value_start).map(|end| span.start + end);
    end.filter(|end| *end >= cursor).unwrap_or(span.end)
}
