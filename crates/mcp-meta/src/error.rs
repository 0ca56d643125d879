//! Why a call gave no result, as typed data: one variant a thing that can be wrong (S19, S39).
//!
//! Here are the sentences; the next step beside each stands in `teach.rs`. A code is never chosen by matching message
//! text. Names and values from a model or a server are cut before they enter a sentence.

use crate::{ParameterType, Verb};
use mcp_catalog::{CatalogKind, PortError, ServerName, TemplateError};
use mcp_render::{DESCRIPTION_MAX_BYTES, FilterError, QUOTED_NAME_MAX_BYTES, RenderError, SERVER_TEXT_MAX_BYTES, cut};
use thiserror::Error;

/// A failed call.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum MetaError {
    #[error("Function `{}` is not declared in this request", short(name))]
    Undeclared { name: String, verb: Verb, declared: Vec<String>, closest: Vec<String> },
    #[error("There is no server `{}` here", short(server.as_str()))]
    NoServer { server: ServerName, closest: Vec<String> },
    #[error("Server `{}` did not declare {}", short(server.as_str()), kind.plural())]
    NotDeclared { server: ServerName, kind: CatalogKind },

    #[error("The arguments of {verb} are {given}; an object is accepted")]
    NoArguments { verb: Verb, given: &'static str },
    #[error("`{}` is no parameter of {verb}", short(name))]
    UnknownParameter { verb: Verb, name: String },
    #[error("`{parameter}` is {}; {verb} needs it", if *empty { "empty" } else { "missing" })]
    MissingParameter { verb: Verb, parameter: &'static str, empty: bool },
    #[error("`{parameter}` is {given}; {} is accepted", accepts(*accepted))]
    WrongType { verb: Verb, parameter: &'static str, given: String, accepted: ParameterType },
    #[error("`{parameter}` is \"{}\"; one of {} is accepted", short(given), quoted(choices))]
    NoChoice { parameter: &'static str, given: String, choices: &'static [&'static str] },
    #[error("`{parameter}` goes only with `kind` \"spill\"; an item is described whole")]
    Misplaced { parameter: &'static str },
    #[error("{}", cut(&source.sentence, SERVER_TEXT_MAX_BYTES))]
    Pattern { source: FilterError },
    #[error("{}", cut(&source.sentence, SERVER_TEXT_MAX_BYTES))]
    Template { source: TemplateError },
    #[error(
        "`uri` is the template `{}`, and `arguments` are missing; its variables are {}",
        short(uri),
        variables(variables_of)
    )]
    TemplateUnfilled { uri: String, variables_of: Vec<(String, bool)> },
    #[error("{source}")]
    Page { source: RenderError },
    #[error("`{parameter}` is `{}`; the id of a spill is 64 hexadecimal digits", short(given))]
    SpillId { parameter: &'static str, given: String },

    #[error("Arguments of a prompt are strings; {} of `{}` {} not", listed(keys), short(prompt), are(keys))]
    NoStrings { prompt: String, keys: Vec<String> },
    #[error("Prompt `{}` has no {} {}", short(prompt), arguments(unknown), listed(unknown))]
    UnknownPromptArguments { prompt: String, unknown: Vec<String>, declared: Vec<String> },
    #[error("Prompt `{}` needs {}: {}", short(prompt), arguments(missing), described(missing))]
    MissingPromptArguments { prompt: String, missing: Vec<(String, Option<String>)> },

    #[error("`{}`: {source}", short(server.as_str()))]
    Port { server: ServerName, verb: Verb, source: PortError },
    #[error("Server `{}` has no {what} `{}`{}", short(server.as_str()), short(id), detail(said.as_deref()))]
    NotFound { server: ServerName, what: &'static str, id: String, closest: Vec<String>, said: Option<String> },
    #[error("Nothing of server `{}` is kept under `spill:{sha256}`", short(server.as_str()))]
    NoSpill { server: ServerName, sha256: String },
    #[error("The answer of server `{}` could not be processed", short(server.as_str()))]
    Lost { server: ServerName },

    #[error("The call of tool `{}` of server `{}` was refused by the user or by policy", short(tool), short(server.as_str()))]
    Denied { server: ServerName, tool: String },
}

/// The most names in one sentence.
const LISTED_MAX: usize = 20;

/// A foreign name, short enough for a sentence.
pub(crate) fn short(text: &str) -> std::borrow::Cow<'_, str> {
    cut(text, QUOTED_NAME_MAX_BYTES)
}

/// Names in backticks, the first twenty of them and a count of the others.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    joined(names.iter().map(|name| format!("`{}`", short(name.as_ref()))))
}

/// Choices in quotes, as a JSON string is written.
pub(crate) fn quoted(choices: &[&str]) -> String {
    joined(choices.iter().map(|choice| format!("\"{choice}\"")))
}

fn joined(mut parts: impl ExactSizeIterator<Item = String>) -> String {
    let first = parts.by_ref().take(LISTED_MAX).collect::<Vec<_>>().join(", ");
    match parts.len() {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn described(arguments: &[(String, Option<String>)]) -> String {
    joined(arguments.iter().map(|(name, description)| match description {
        Some(description) => format!("`{}` ({})", short(name), cut(description, DESCRIPTION_MAX_BYTES)),
        None => format!("`{}`", short(name)),
    }))
}

fn variables(variables: &[(String, bool)]) -> String {
    joined(variables.iter().map(|(name, supported)| {
        let beyond = if *supported { "" } else { " (in an expression beyond level 1 of RFC 6570)" };
        format!("`{}`{beyond}", short(name))
    }))
}

const fn accepts(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::String => "a string",
        ParameterType::Integer => "a whole number from 0",
        ParameterType::Object => "an object",
    }
}

const fn are(keys: &[String]) -> &'static str {
    if keys.len() == 1 { "is" } else { "are" }
}

const fn arguments<T>(of: &[T]) -> &'static str {
    if of.len() == 1 { "argument" } else { "arguments" }
}

/// What else is known, after a semicolon: the server's own words, or how much of the listing was seen.
fn detail(said: Option<&str>) -> String {
    said.map(|said| format!("; {}", cut(said, SERVER_TEXT_MAX_BYTES))).unwrap_or_default()
}
