//! Errors as sentences with a next step: every failure as the shape of S39.
//!
//! The reader is a model that has only the functions it was given, and a user behind it. So a hint names a function, a
//! parameter or what to tell the user, never a setting of a host that this crate does not know.

use crate::error::{MetaError, listed};
use crate::{MetaName, Verb};
use mcp_catalog::{CatalogKind, PortError, ServerName, closest};
use mcp_render::{CLOSEST_ITEMS, Code, ErrorShape, RenderError};
use std::time::Duration;

/// What a model can do after a failure of this code, when nothing more is known than which function of which server
/// failed.
pub fn next_step(code: Code, verb: Verb, server: &ServerName) -> String {
    let function = |verb| MetaName::of(verb, server);
    match code {
        Code::SpawnFailed => {
            "Go on without this server and tell the user that its command could not be started".to_owned()
        }
        Code::HandshakeFailed => "Go on without this server and tell the user that it did not come up".to_owned(),
        Code::AuthRequired => "Ask the user to log in to this server, then repeat the call".to_owned(),
        Code::Timeout => match verb {
            Verb::Search | Verb::Describe => "Repeat the call with `kind`, so that less is listed".to_owned(),
            Verb::Invoke | Verb::Read | Verb::Prompt => {
                "Ask for less in one call, or tell the user that the server is slow; its time limit is a setting"
                    .to_owned()
            }
        },
        Code::Cancelled => "The user stopped this call: ask before repeating it".to_owned(),
        Code::ConnectionClosed => "Repeat the call: the next use connects again".to_owned(),
        Code::FrameTooLarge => {
            "Ask for less in one call: a narrower query, a part of the resource, fewer results".to_owned()
        }
        Code::ProtocolError | Code::InvalidResponse => {
            "The fault is the server's: repeat the call once at most, then go on without it and tell the user"
                .to_owned()
        }
        Code::InputRequired => {
            "Give what the server asks for in the arguments of a new call, or ask the user for it".to_owned()
        }
        Code::NotFound => format!("`{}` lists what there is", function(Verb::Search)),
        Code::MethodNotFound => {
            format!("The server cannot do this; `{}` lists what it offers", function(Verb::Search))
        }
        Code::InvalidArguments => format!("Accepted: {}", accepted(verb)),
        Code::ServerError => server_error(verb, server),
        Code::Denied => "Do not repeat the call; ask the user what to do in its place".to_owned(),
        Code::TooLarge => "Ask the server for a smaller part".to_owned(),
        Code::SpillFailed => {
            "Go on with what the answer shows and tell the user that the cache directory cannot be written".to_owned()
        }
        Code::Unsupported => "Go on without it and tell the user; a repeated call gives the same answer".to_owned(),
    }
}

impl MetaError {
    /// The code (S19).
    pub(crate) const fn code(&self) -> Code {
        match self {
            Self::Undeclared { .. } | Self::NotDeclared { .. } => Code::Unsupported,
            Self::NoServer { .. } | Self::NotFound { .. } | Self::NoSpill { .. } => Code::NotFound,
            Self::NoArguments { .. }
            | Self::UnknownParameter { .. }
            | Self::MissingParameter { .. }
            | Self::WrongType { .. }
            | Self::NoChoice { .. }
            | Self::Misplaced { .. }
            | Self::Pattern { .. }
            | Self::Template { .. }
            | Self::TemplateUnfilled { .. }
            | Self::Page { .. }
            | Self::SpillId { .. }
            | Self::NoStrings { .. }
            | Self::UnknownPromptArguments { .. }
            | Self::MissingPromptArguments { .. } => Code::InvalidArguments,
            Self::Port { source, .. } => source.code(),
            Self::Lost { .. } => Code::InvalidResponse,
            Self::Denied { .. } => Code::Denied,
        }
    }

    /// The shape that a model gets.
    pub(crate) fn to_shape(&self) -> ErrorShape {
        let mut closest = self.closest();
        closest.truncate(CLOSEST_ITEMS);
        ErrorShape { tool_call_error: self.to_string(), code: self.code(), hint: self.hint(), closest }
    }

    fn closest(&self) -> Vec<String> {
        match self {
            Self::Undeclared { closest, .. } | Self::NoServer { closest, .. } | Self::NotFound { closest, .. } => {
                closest.clone()
            }
            Self::UnknownParameter { verb, name } => closest(name, names(*verb)).into_iter().take(1).collect(),
            Self::NoChoice { given, choices, .. } => {
                closest(given, choices.iter().copied()).into_iter().take(1).collect()
            }
            Self::UnknownPromptArguments { unknown, declared, .. } => nearest(unknown, declared),
            _ => Vec::new(),
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::Undeclared { verb, declared, .. } => undeclared(*verb, declared),
            Self::NoServer { .. } => "Use a function of a server that is here".to_owned(),
            Self::NotDeclared { server, kind } => not_declared(server, *kind),
            Self::NoArguments { verb, .. }
            | Self::UnknownParameter { verb, .. }
            | Self::MissingParameter { verb, .. }
            | Self::WrongType { verb, .. } => format!("Accepted: {}", accepted(*verb)),
            Self::NoChoice { parameter, .. } | Self::Misplaced { parameter } => {
                format!("Leave `{parameter}` out, or give what is accepted")
            }
            Self::Pattern { .. } => {
                "Mend the regular expression (syntax of Rust's `regex`: no look-around, no back-references), or leave \
                 `pattern` out"
                    .to_owned()
            }
            Self::Template { source } => source.hint.clone(),
            Self::TemplateUnfilled { variables_of, .. } => unfilled(variables_of),
            Self::Page { source: RenderError::ItemOutOfRange { .. } } => "Leave `item` out to get every item".to_owned(),
            Self::SpillId { .. } => "Take the id from the answer that named the spill".to_owned(),
            Self::NoStrings { .. } => "Give each value as one string".to_owned(),
            Self::UnknownPromptArguments { declared, .. } => declared_arguments(declared),
            Self::MissingPromptArguments { .. } => {
                "Call again with a string for each in `arguments`; ask the user for what is not known".to_owned()
            }
            Self::Port { server, verb, source } => port_error(server, *verb, source),
            Self::NotFound { server, closest, .. } => not_found(server, closest),
            Self::NoSpill { .. } => {
                "Repeat the call that named it: old files are removed when the store is full, and another server's are not \
                 read"
                    .to_owned()
            }
            Self::Lost { server } => next_step(self.code(), Verb::Search, server),
            Self::Denied { server, .. } => next_step(self.code(), Verb::Invoke, server),
        }
    }
}

/// JSON-RPC's "invalid params".
const INVALID_PARAMS: i64 = -32602;

fn port_error(server: &ServerName, verb: Verb, error: &PortError) -> String {
    match error {
        PortError::ConnectionClosed { retry_in: Some(left) } => {
            format!("Go on without this server, or repeat the call in {} s", seconds(*left))
        }
        PortError::Server { code: INVALID_PARAMS, .. } => server_error(verb, server),
        other => next_step(other.code(), verb, server),
    }
}

fn seconds(left: Duration) -> u64 {
    left.as_secs().max(1)
}

fn server_error(verb: Verb, server: &ServerName) -> String {
    let describe = MetaName::of(Verb::Describe, server);
    match verb {
        Verb::Invoke => {
            format!("The message is the server's own; compare the arguments with the schema that `{describe}` shows")
        }
        Verb::Prompt => {
            format!(
                "The message is the server's own; compare the arguments with those that `{describe}` with kind \"prompt\" shows"
            )
        }
        Verb::Search | Verb::Describe | Verb::Read => {
            "The message is the server's own; tell the user when it is nothing that another call can mend".to_owned()
        }
    }
}

fn undeclared(verb: Verb, declared: &[String]) -> String {
    if declared.is_empty() {
        return format!("No {verb} function is declared; use a function of this request");
    }
    format!("Declared {verb} functions: {}", listed(declared))
}

fn not_declared(server: &ServerName, kind: CatalogKind) -> String {
    let search = MetaName::of(Verb::Search, server);
    format!(
        "There is nothing of that kind to ask for; `{search}` lists what the server offers beside {}",
        kind.plural()
    )
}

fn not_found(server: &ServerName, closest: &[String]) -> String {
    let search = MetaName::of(Verb::Search, server);
    if closest.is_empty() {
        return format!("`{search}` lists what there is");
    }
    format!("Use one of `closest`, byte for byte, or see what there is with `{search}`")
}

fn unfilled(variables: &[(String, bool)]) -> String {
    if variables.iter().all(|(_name, supported)| *supported) {
        return "Give `arguments` with a value for each variable, or pass the expanded URI as `uri`".to_owned();
    }
    "Expand the template yourself and pass the whole URI as `uri`".to_owned()
}

fn declared_arguments(declared: &[String]) -> String {
    if declared.is_empty() {
        return "The prompt takes no arguments: leave `arguments` out".to_owned();
    }
    format!("Declared arguments: {}", listed(declared))
}

/// The closest declared name of each of the first unknown ones.
fn nearest(unknown: &[String], declared: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for unknown in unknown.iter().take(CLOSEST_ITEMS) {
        let near = closest(unknown, declared.iter().map(String::as_str)).into_iter().next();
        names.extend(near.filter(|near| !names.contains(near)));
    }
    names
}

fn names(verb: Verb) -> impl Iterator<Item = &'static str> {
    verb.parameters().iter().map(|parameter| parameter.name)
}

/// The parameters of a verb, the optional ones marked as in a usage line.
fn accepted(verb: Verb) -> String {
    let parameters = verb.parameters().iter().map(|parameter| {
        let mark = if parameter.required { "" } else { "?" };
        format!("`{}`{mark} ({})", parameter.name, parameter.kind.as_str())
    });
    parameters.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
