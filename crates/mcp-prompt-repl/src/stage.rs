//! What a cursor in a line of `.prompt`, `.resource`, `.list` or `.mcp` asks for (S44, S45, design §5.4).
//!
//! It looks at the line alone. It knows no server and makes no row.

use crate::line::{Cursor, Line, Word};
use mcp_catalog::CatalogKind;
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
    /// A running server that offers things of this kind; stage 1 of `.prompt`.
    Server { offers: CatalogKind },
    /// Stage 2.
    Prompt { server: String },
    /// Stage 3: a key that is not given yet.
    Key { server: String, prompt: String, given: Vec<(String, String)>, options: bool },
    /// Stage 3, after `key=`.
    Value { server: String, prompt: String, key: String, given: Vec<(String, String)> },
    /// A resource or a template of `.resource`.
    Uri { server: String },
    /// A template's variable that is not given yet, or an option of `.resource`.
    Variable { server: String, uri: String, given: Vec<String> },
    /// What `.list` lists of a server.
    Kind,
    /// What `.mcp` does, or a server.
    Action,
    /// The server that `.mcp` does it to.
    Configured { action: String },
}

/// The options of `.resource` that take a value, and those that take none.
pub(crate) const VALUED: [&str; 3] = ["--pattern", "--offset", "--item"];
pub(crate) const SEND: &str = "--send";

/// The words of `.list` that this crate has a table for.
pub(crate) const LISTED: [(&str, CatalogKind); 3] = [
    ("prompts", CatalogKind::Prompt),
    ("resources", CatalogKind::Resource),
    ("templates", CatalogKind::ResourceTemplate),
];

/// The stage at `cursor`; `None` in the command's own word, and where nothing is known.
pub(crate) fn stage(text: &str, cursor: usize) -> Option<Stage> {
    let place = Line::lex(text).at(cursor);
    let (command, words) = place.before.split_first()?;
    let mut stage = Stage {
        what: Wanted::Kind,
        typed: place.typed.value().to_owned(),
        span: place.typed.span().start..place.word_end,
        before_blank: false,
    };
    match command.value() {
        ".prompt" => prompt(text, cursor, &place, words, &mut stage),
        ".resource" => stage.what = resource(&place, words)?,
        ".list" => stage.what = list(words)?,
        ".mcp" => stage.what = mcp(words)?,
        _ => return None,
    }
    stage.before_blank = text.get(stage.span.end..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    Some(stage)
}

fn value_of(words: &[Word<'_>], index: usize) -> Option<String> {
    words.get(index).map(|word| word.value().to_owned())
}

fn prompt(text: &str, cursor: usize, place: &Cursor<'_>, words: &[Word<'_>], stage: &mut Stage) {
    stage.what = match (value_of(words, 0), value_of(words, 1)) {
        (None, _) => Wanted::Server { offers: CatalogKind::Prompt },
        (Some(server), None) => Wanted::Prompt { server },
        (Some(server), Some(prompt)) => {
            let others = || words.iter().skip(2).chain(&place.after);
            let given =
                others().filter_map(Word::pair).map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            if let (Some(start), Some((key, value))) = (place.typed.value_start(), place.typed.pair()) {
                value.clone_into(&mut stage.typed);
                stage.span.start = start;
                Wanted::Value { server, prompt, key: key.to_owned(), given }
            } else {
                stage.span.end = key_end(text, &stage.span, cursor);
                // `--info` describes and takes no argument, so it is offered before the first one only.
                Wanted::Key { server, prompt, given, options: others().next().is_none() }
            }
        }
    };
}

fn resource(place: &Cursor<'_>, words: &[Word<'_>]) -> Option<Wanted> {
    let (Some(server), uri) = (value_of(words, 0), value_of(words, 1)) else {
        return Some(Wanted::Server { offers: CatalogKind::Resource });
    };
    let Some(uri) = uri else { return Some(Wanted::Uri { server }) };
    // What stands behind `--pattern`, or behind `variable=`, is the person's own.
    let is_value = words.iter().skip(2).next_back().is_some_and(|last| VALUED.iter().any(|one| last.is_option(one)));
    if is_value || place.typed.value_start().is_some() {
        return None;
    }
    let others = words.iter().skip(2).chain(&place.after);
    let given = others.map(|word| word.pair().map_or_else(|| word.value(), |(key, _)| key).to_owned()).collect();
    Some(Wanted::Variable { server, uri, given })
}

fn list(words: &[Word<'_>]) -> Option<Wanted> {
    match words {
        [] => Some(Wanted::Kind),
        [kind] => {
            let (_, offers) = LISTED.into_iter().find(|(word, _)| *word == kind.value())?;
            Some(Wanted::Server { offers })
        }
        _ => None,
    }
}

fn mcp(words: &[Word<'_>]) -> Option<Wanted> {
    match words {
        [] => Some(Wanted::Action),
        [action] => Some(Wanted::Configured { action: action.value().to_owned() }),
        _ => None,
    }
}

/// A cursor inside a key completes the key with its `=`, and leaves the value that stands behind it.
fn key_end(text: &str, span: &Range<usize>, cursor: usize) -> usize {
    let word = text.get(span.clone()).unwrap_or_default();
    let line = Line::lex(word);
    let end = line.words().first().and_then(Word::value_start).map(|end| span.start + end);
    end.filter(|end| *end >= cursor).unwrap_or(span.end)
}
