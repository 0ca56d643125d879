//! What can be wrong with a line, each with the next step. Nothing of it was sent to a server.
//!
//! Names are shown safely (S46): they are foreign text or were typed from it.

use crate::quote;
use mcp_render::shown_line;
use thiserror::Error;

/// The most characters of a name in a message.
const NAME_CHARS: usize = 80;

/// A line that cannot be run, or a prompt that could not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReplError {
    /// A quote is never closed (S41).
    #[error("The quote {quote} at column {column} is not closed")]
    OpenQuote {
        /// The quote.
        quote: char,
        /// Its column, from 1.
        column: usize,
    },
    /// The command needs a server.
    #[error("`{command}` needs a server")]
    NoServer {
        /// The command with its dot.
        command: &'static str,
        /// The servers that can be meant: those enabled here, for `.mcp` the configured ones.
        servers: Vec<String>,
    },
    /// The first word is no server that is enabled here.
    #[error("`{}` is no server that is {}", name(word), if of_the_configuration(command) { "configured" } else { "enabled here" })]
    UnknownServer {
        /// The command with its dot.
        command: &'static str,
        /// The word.
        word: String,
        /// The closest servers, best first.
        closest: Vec<String>,
        /// The servers that can be meant: those enabled here, for `.mcp` the configured ones.
        servers: Vec<String>,
    },
    /// The command needs one more name.
    #[error("`{command} {}` needs {what}", name(server))]
    Incomplete {
        /// The command with its dot.
        command: &'static str,
        /// The server that was named.
        server: String,
        /// What is missing: `the name of a prompt`, `a URI`.
        what: &'static str,
        /// The command that shows what there is.
        list: &'static str,
    },
    /// A word that belongs to nothing (S42).
    #[error("`{}` at column {column} is no `key=value`", name(word))]
    Stray {
        /// The word.
        word: String,
        /// Its column, from 1.
        column: usize,
        /// How the pair before it is written when the word belongs to it.
        instead: Option<String>,
    },
    /// `=value` without a key.
    #[error("The key before `=` at column {column} is empty")]
    EmptyKey {
        /// The column, from 1.
        column: usize,
    },
    /// A key that is given twice.
    #[error("`{}` is given more than once", name(key))]
    RepeatedKey {
        /// The key.
        key: String,
    },
    /// Keys that the prompt does not declare.
    #[error("`{}` takes no {}", name(prompt), names(keys))]
    UnknownKeys {
        /// The prompt.
        prompt: String,
        /// The keys.
        keys: Vec<String>,
        /// The closest declared name of the first of them.
        closest: Option<String>,
        /// What it declares.
        declared: Vec<String>,
    },
    /// Required arguments are missing, and there is nobody to ask (S42, C13).
    #[error("`{}` needs {}", name(prompt), names(missing))]
    Missing {
        /// The prompt.
        prompt: String,
        /// What is missing, in declared order.
        missing: Vec<String>,
    },
    /// An option that the command does not have, or that lacks its value or has a wrong one.
    #[error("{sentence}")]
    BadOption {
        /// What is wrong.
        sentence: String,
        /// What is accepted.
        accepted: &'static str,
    },
    /// `--info` on a prompt that is not in the listing.
    #[error("`{}` is not in the listing of `{}`", name(prompt), name(server))]
    NotListed {
        /// The server.
        server: String,
        /// The prompt.
        prompt: String,
        /// The closest names.
        closest: Vec<String>,
    },
}

impl ReplError {
    /// The next step, if one is known.
    pub fn hint(&self) -> String {
        match self {
            Self::OpenQuote { quote, .. } => format!("Close it with {quote}, or quote the value with the other kind"),
            Self::NoServer { command, servers } => {
                let more = if of_the_configuration(command) { "" } else { " …" };
                format!("Write `{command} <server>{more}`. {}", there_are(command, servers))
            }
            Self::UnknownServer { command, closest, servers, .. } => unknown_server(command, closest, servers),
            Self::Incomplete { list, server, .. } => format!("`{list} {}` shows what there is", name(&quote(server))),
            Self::Stray { instead: Some(instead), .. } => {
                format!("If it belongs to the value before it, quote the value: `{}`", name(instead))
            }
            Self::Stray { instead: None, .. } => {
                "Arguments are written `key=value`, and `key='a b'` when the value holds blanks".to_owned()
            }
            Self::EmptyKey { .. } => "Write `key=value`".to_owned(),
            Self::RepeatedKey { key } => format!("Keep one `{}=…`", name(key)),
            Self::UnknownKeys { closest, declared, .. } => {
                let meant = closest.as_ref().map(|near| format!("Did you mean `{}`? ", name(near)));
                let takes = if declared.is_empty() { "no arguments".to_owned() } else { names(declared) };
                format!("{}It takes {takes}", meant.unwrap_or_default())
            }
            Self::Missing { missing, .. } => {
                let pairs: Vec<_> = missing.iter().map(|key| format!("{}=…", name(key))).collect();
                format!("Add `{}`", pairs.join(" "))
            }
            Self::BadOption { accepted, .. } => format!("Accepted: {accepted}"),
            Self::NotListed { closest, server, .. } if closest.is_empty() => {
                format!("`.list prompts {}` shows its prompts", name(&quote(server)))
            }
            Self::NotListed { closest, .. } => format!("The closest are {}", names(closest)),
        }
    }
}

/// `.prompt` set a role in other programs; who writes prose after it is shown where that went (S43).
fn unknown_server(command: &str, closest: &[String], servers: &[String]) -> String {
    let meant = match closest.first() {
        Some(near) => format!("Did you mean `{}`? ", name(near)),
        None => String::new(),
    };
    let role = if command == ".prompt" { ". For a role of one session use `.temp-role <text>`" } else { "" };
    format!("{meant}{}{role}", there_are(command, servers))
}

/// `.mcp` knows every server of the configuration; the other commands those that are enabled.
fn of_the_configuration(command: &str) -> bool {
    command.starts_with(".mcp")
}

fn there_are(command: &str, servers: &[String]) -> String {
    match (servers.is_empty(), of_the_configuration(command)) {
        (true, true) => "No server is configured".to_owned(),
        (true, false) => "No server is enabled here".to_owned(),
        (false, true) => format!("Configured are {}", names(servers)),
        (false, false) => format!("Enabled are {}", names(servers)),
    }
}

/// A name, on one line and safe to show.
pub(crate) fn name(text: &str) -> String {
    shown_line(text, NAME_CHARS).to_string()
}

/// Names in backticks with commas between them.
pub(crate) fn names(texts: &[String]) -> String {
    texts.iter().map(|text| format!("`{}`", name(text))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
