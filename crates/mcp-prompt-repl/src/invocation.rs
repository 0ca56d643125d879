//! `.prompt <server> <name> [key=value …] [--info]`, checked before anything is asked (S42).
//!
//! It asks no server: what a prompt declares comes from a listing that the caller has, and a prompt that no listing knows
//! is sent as it was typed.

use crate::line::{Line, Word, column, quote, quote_key};
use crate::{Question, ReplError};
use mcp_catalog::{NameError, PromptArgument, PromptName, ServerName, closest};
use serde_json::{Map, Value};

const SUBJECT: Subject = Subject { command: ".prompt", what: "the name of a prompt", list: ".list prompts" };
const INFO: &str = "--info";

/// A line that makes sense, as far as the line alone can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The server.
    pub server: ServerName,
    /// The prompt.
    pub prompt: PromptName,
    /// Keys and values, in the order they were typed.
    pub arguments: Vec<(String, String)>,
    /// Whether the prompt is to be described, not run.
    pub info: bool,
}

impl Invocation {
    /// Reads a whole line; its first word is the command. `servers` are those enabled in the current context.
    pub fn parse(line: &str, servers: &[ServerName]) -> Result<Self, ReplError> {
        let line = Line::lex(line);
        let (server, prompt, words) = SUBJECT.read(&line, servers, PromptName::new)?;
        let info = words.iter().any(|word| word.is_option(INFO));
        let pairs = words.iter().filter(|word| !word.is_option(INFO));
        Ok(Self { server, prompt, arguments: arguments(line.text(), pairs)?, info })
    }

    /// Checks the keys against what the prompt declares.
    pub fn check(&self, declared: &[PromptArgument]) -> Result<(), ReplError> {
        let is_declared = |key: &String| declared.iter().any(|argument| argument.name == *key);
        let keys: Vec<String> =
            self.arguments.iter().map(|(key, _)| key.clone()).filter(|key| !is_declared(key)).collect();
        let Some(first) = keys.first() else { return Ok(()) };
        let closest = closest(first, declared.iter().map(|argument| argument.name.as_str())).into_iter().next();
        let declared = declared.iter().map(|argument| argument.name.clone()).collect();
        Err(ReplError::UnknownKeys { prompt: self.prompt.to_string(), keys, closest, declared })
    }

    /// The required arguments that are not given, in declared order. `key=` is given, with an empty value.
    pub fn missing(&self, declared: &[PromptArgument]) -> Vec<Question> {
        let given = |name: &str| self.arguments.iter().any(|(key, _)| key == name);
        declared.iter().filter(|one| one.required && !given(&one.name)).map(Question::of).collect()
    }

    /// What is sent: an object, even an empty one, when the prompt declares arguments (S38, C06), or when it is unknown
    /// what it declares and some were given.
    pub fn to_send(&self, declared: Option<&[PromptArgument]>) -> Option<Map<String, Value>> {
        let given = self.arguments.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())));
        let wanted = declared.map_or(!self.arguments.is_empty(), |declared| !declared.is_empty());
        wanted.then(|| given.collect())
    }
}

/// What stands after the command: a server, and something that it offers.
pub(crate) struct Subject {
    /// The command with its dot.
    pub(crate) command: &'static str,
    /// What is named.
    pub(crate) what: &'static str,
    /// The command that shows what there is.
    pub(crate) list: &'static str,
}

impl Subject {
    /// The server, the name, and the words after them. An open quote is an error, and nothing is sent (S41).
    pub(crate) fn read<'w, 'a, T>(
        &self,
        line: &'w Line<'a>,
        servers: &[ServerName],
        name: impl FnOnce(&'w str) -> Result<T, NameError>,
    ) -> Result<(ServerName, T, &'w [Word<'a>]), ReplError> {
        if let Some(open) = line.open_quote() {
            return Err(ReplError::OpenQuote { quote: open.quote, column: open.column });
        }
        let words = line.words().get(1..).unwrap_or_default();
        let (server, words) = named_server(self.command, words, servers)?;
        let named = words.split_first().and_then(|(word, rest)| Some((name(word.value()).ok()?, rest)));
        let (name, rest) = named.ok_or_else(|| ReplError::Incomplete {
            command: self.command,
            server: server.to_string(),
            what: self.what,
            list: self.list,
        })?;
        Ok((server, name, rest))
    }
}

/// The server that the first word names, and the words after it.
pub(crate) fn named_server<'w, 'a>(
    command: &'static str,
    words: &'w [Word<'a>],
    servers: &[ServerName],
) -> Result<(ServerName, &'w [Word<'a>]), ReplError> {
    let known = || servers.iter().map(ToString::to_string).collect();
    let Some((word, rest)) = words.split_first() else {
        return Err(ReplError::NoServer { command, servers: known() });
    };
    match servers.iter().find(|server| server.as_str() == word.value()) {
        Some(server) => Ok((server.clone(), rest)),
        None => Err(ReplError::UnknownServer {
            command,
            word: word.value().to_owned(),
            closest: closest(word.value(), servers.iter().map(ServerName::as_str)),
            servers: known(),
        }),
    }
}

/// The pairs of the line: every word is one, no key is empty, none is repeated.
pub(crate) fn arguments<'w, 'a: 'w>(
    text: &str,
    words: impl Iterator<Item = &'w Word<'a>>,
) -> Result<Vec<(String, String)>, ReplError> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let at = || column(text, word.span().start);
        match word.pair() {
            None => {
                let more = std::iter::from_fn(|| words.next_if(|word| word.pair().is_none())).map(Word::value);
                let value = [word.value()].into_iter().chain(more).collect::<Vec<_>>().join(" ");
                let instead =
                    pairs.last().map(|(key, head)| format!("{}={}", quote_key(key), quote(&format!("{head} {value}"))));
                return Err(ReplError::Stray { word: word.value().to_owned(), column: at(), instead });
            }
            Some(("", _)) => return Err(ReplError::EmptyKey { column: at() }),
            Some((key, _)) if pairs.iter().any(|(known, _)| known == key) => {
                return Err(ReplError::RepeatedKey { key: key.to_owned() });
            }
            Some((key, value)) => pairs.push((key.to_owned(), value.to_owned())),
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests;
