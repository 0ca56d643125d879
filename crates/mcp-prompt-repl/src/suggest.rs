//! Completion of `.prompt` as a pure function: from the line, the cursor and what is known, to rows or to what is needed
//! (S45, R13, design §5.4).
//!
//! It asks nobody: a host fetches what a [`Need`] names, in the background and under two seconds, keeps it for the life of
//! the line, and calls again. What failed is handed in as known and empty, so that a failure is silent and not repeated.

use crate::line::{quote, quote_key};
use crate::stage::{Stage, Wanted, stage};
use mcp_catalog::{CatalogItem, Details, McpServerFeatures, PromptArgument};
use mcp_render::shown_line;
use std::ops::Range;

/// The most rows of one completion (S45).
pub const MAX_ROWS: usize = 100;
/// The most characters of a row's name and of its description.
const NAME_CHARS: usize = 60;
const DESCRIPTION_CHARS: usize = 200;

/// What is to be known before there are rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// The enabled and running servers: local state, never a request.
    Servers,
    /// The prompts of a server, if it is enabled and running.
    Prompts(String),
    /// The server's values for an argument (`completion/complete`), if it declares completions.
    Completion {
        /// The server.
        server: String,
        /// The prompt.
        prompt: String,
        /// The argument.
        argument: String,
        /// What is typed of the value.
        value: String,
        /// The other arguments of the line (C14).
        context: Vec<(String, String)>,
    },
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completion {
    /// Fetch this and call again.
    Need(Need),
    /// At most [`MAX_ROWS`] rows; none is an answer too.
    Rows(Vec<Row>),
}

/// One row of a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What goes into the line, quoted where needed.
    pub value: String,
    /// What the menu shows: unquoted, safe to show (S46).
    pub display: String,
    /// What the menu says of it, safe to show.
    pub description: Option<String>,
    /// The bytes of the line it replaces.
    pub span: Range<usize>,
    /// Whether a blank is to follow.
    pub append_space: bool,
}

/// What the host knows for this line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The servers that are enabled in the current context and running.
    pub servers: Option<&'a [McpServerFeatures]>,
    /// A server and its prompts; empty when they could not be had.
    pub prompts: Option<(&'a str, &'a [CatalogItem])>,
    /// The answer to the last [`Need::Completion`], with the need itself; empty when there was none.
    pub values: Option<(&'a Need, &'a [String])>,
}

/// Completes `line` at the byte `cursor`. The line's first word is the command.
///
/// ```
/// use mcp_catalog::{McpServerFeatures, ServerName};
/// use mcp_prompt_repl::{Completion, Known, Need, complete};
///
/// # fn main() -> Result<(), mcp_catalog::NameError> {
/// let name = ServerName::new("my docs")?;
/// let servers = [McpServerFeatures { name, tools: true, resources: false, prompts: true, instructions: None }];
/// let known = Known { servers: Some(&servers), ..Known::default() };
/// let Completion::Rows(rows) = complete(".prompt m", 9, known) else { return Ok(()) };
/// assert_eq!((rows[0].value.as_str(), rows[0].display.as_str(), rows[0].span.clone()), ("'my docs'", "my docs", 8..9));
///
/// let line = ".prompt 'my docs' ";
/// assert_eq!(complete(line, line.len(), known), Completion::Need(Need::Prompts("my docs".to_owned())));
/// # Ok(()) }
/// ```
pub fn complete(line: &str, cursor: usize, known: Known<'_>) -> Completion {
    let Some(stage) = stage(line, cursor) else { return Completion::Rows(Vec::new()) };
    let Some(servers) = known.servers else { return Completion::Need(Need::Servers) };
    let servers = || servers.iter().filter(|server| server.prompts);
    let (server, prompt) = match &stage.what {
        Wanted::Server => return names(&stage, servers().map(|server| (server.name.as_str(), None))),
        Wanted::Prompt { server } => (server, None),
        Wanted::Key { server, prompt, .. } | Wanted::Value { server, prompt, .. } => (server, Some(prompt)),
    };
    // Only a running, enabled server that declared prompts is ever asked (§5.4).
    if !servers().any(|known| known.name.as_str() == server) {
        return Completion::Rows(Vec::new());
    }
    let items = match known.prompts {
        Some((name, items)) if name == server => items,
        _ => return Completion::Need(Need::Prompts(server.clone())),
    };
    let Some(prompt) = prompt else {
        return names(&stage, items.iter().map(|item| (item.id.as_str(), about(item))));
    };
    match items.iter().find(|item| item.id == *prompt).map(|item| &item.details) {
        Some(Details::Prompt { arguments }) => argument(&stage, arguments, known.values),
        _ => Completion::Rows(Vec::new()),
    }
}

/// Stage 3.
fn argument(stage: &Stage, declared: &[PromptArgument], known: Option<(&Need, &[String])>) -> Completion {
    match &stage.what {
        Wanted::Key { given, .. } => keys(stage, declared, given),
        Wanted::Value { server, prompt, key, given } => {
            if !declared.iter().any(|argument| argument.name == *key) {
                return Completion::Rows(Vec::new());
            }
            let need = Need::Completion {
                server: server.clone(),
                prompt: prompt.clone(),
                argument: key.clone(),
                value: stage.typed.clone(),
                context: given.clone(),
            };
            match known {
                // The server has filtered already, by rules of its own.
                Some((answered, values)) if *answered == need => {
                    let values = values.iter().filter(|value| can_be_typed(value)).take(MAX_ROWS);
                    Completion::Rows(values.map(|value| row(stage, value, None)).collect())
                }
                _ => Completion::Need(need),
            }
        }
        Wanted::Server | Wanted::Prompt { .. } => Completion::Rows(Vec::new()),
    }
}

/// Names that match what is typed, the best matches first, each rank in the given order.
fn names<'a>(stage: &Stage, names: impl Iterator<Item = (&'a str, Option<String>)>) -> Completion {
    let ranked = names.filter(|(name, _)| can_be_typed(name)).filter_map(|(name, about)| {
        let rank = rank(&stage.typed, name)?;
        Some((rank, name, about))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, ..)| *rank);
    ranked.truncate(MAX_ROWS);
    Completion::Rows(ranked.into_iter().map(|(_, name, about)| row(stage, name, about)).collect())
}

/// `key=` for each argument that is not given yet: the required ones first, then the others, in declared order.
fn keys(stage: &Stage, declared: &[PromptArgument], given: &[(String, String)]) -> Completion {
    let left = |required: bool| declared.iter().filter(move |argument| argument.required == required);
    let fits = |argument: &&PromptArgument| {
        let is_given = given.iter().any(|(key, _)| *key == argument.name);
        !is_given && can_be_typed(&argument.name) && rank(&stage.typed, &argument.name).is_some()
    };
    let rows = left(true).chain(left(false)).filter(fits).take(MAX_ROWS).map(|argument| Row {
        value: format!("{}=", quote_key(&argument.name)),
        display: format!("{}=", shown_line(&argument.name, NAME_CHARS)),
        description: key_about(argument),
        span: stage.span.clone(),
        append_space: false,
    });
    Completion::Rows(rows.collect())
}

fn key_about(argument: &PromptArgument) -> Option<String> {
    let text = argument.description.as_deref().or(argument.title.as_deref()).map(described);
    match (argument.required, text) {
        (true, Some(text)) => Some(format!("(required) {text}")),
        (true, None) => Some("(required)".to_owned()),
        (false, text) => text,
    }
}

fn about(item: &CatalogItem) -> Option<String> {
    item.description.as_deref().or(item.title.as_deref()).map(described)
}

fn described(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shown_line(&line, DESCRIPTION_CHARS).to_string()
}

fn row(stage: &Stage, name: &str, description: Option<String>) -> Row {
    Row {
        value: quote(name),
        display: shown_line(name, NAME_CHARS).to_string(),
        description,
        span: stage.span.clone(),
        append_space: !stage.before_blank,
    }
}

/// Whether a name can stand in the line as it is. A control or invisible character would reach the terminal through the
/// editor (S46); such a name is seen, escaped, in `.list` only.
fn can_be_typed(name: &str) -> bool {
    !name.is_empty() && shown_line(name, usize::MAX).to_string() == name
}

/// How well `typed` fits: at the start, inside, or its characters in order. `None` when it does not.
fn rank(typed: &str, name: &str) -> Option<u8> {
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

#[cfg(test)]
mod tests;
