//! Completion of `.prompt`, `.resource`, `.list` and `.mcp` as a pure function: from the line, the cursor and what is known,
//! to rows or to what is needed (S44, S45, R13, design §5.4).
//!
//! It asks nobody: a host fetches what a [`Need`] names, in the background and under two seconds, keeps it for the life of
//! the line, and calls again. What failed is handed in as known and empty, so that a failure is silent and not repeated.

mod arguments;
mod resource;
mod rows;
mod servers;

use crate::ServerState;
use crate::stage::{Stage, Wanted, stage};
use mcp_catalog::{CatalogItem, CatalogKind, Details, McpServerFeatures, ServerName};
use std::ops::Range;

/// The most rows of one completion (S45).
pub const MAX_ROWS: usize = 100;

/// What is to be known before there are rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// The enabled and running servers: local state, never a request.
    Servers,
    /// The configured servers and how they stand: local state, never a request.
    Configured,
    /// The prompts of a server, if it is enabled and running.
    Prompts(String),
    /// The resources and templates of a server, if it is enabled and running.
    Resources(String),
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

/// A server of the configuration and how it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    /// Its key.
    pub name: ServerName,
    /// How it stands.
    pub state: ServerState,
}

/// What the host knows for this line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The servers that are enabled in the current context and running.
    pub servers: Option<&'a [McpServerFeatures]>,
    /// A server and its prompts; empty when they could not be had.
    pub prompts: Option<(&'a str, &'a [CatalogItem])>,
    /// A server, and its resources and templates; empty when they could not be had.
    pub resources: Option<(&'a str, &'a [CatalogItem])>,
    /// The configured servers, for `.mcp`.
    pub configured: Option<&'a [Configured]>,
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
    let (server, kind) = match &stage.what {
        Wanted::Kind => return servers::kinds(&stage),
        Wanted::Action => return servers::actions(&stage, known),
        Wanted::Configured { action } => return servers::configured(&stage, action, known),
        Wanted::Server { offers } => (None, *offers),
        Wanted::Prompt { server } | Wanted::Key { server, .. } | Wanted::Value { server, .. } => {
            (Some(server), CatalogKind::Prompt)
        }
        Wanted::Uri { server } | Wanted::Variable { server, .. } => (Some(server), CatalogKind::Resource),
    };
    let Some(running) = known.servers else { return Completion::Need(Need::Servers) };
    let mut running = running.iter().filter(|server| offers(server, kind)).map(|server| server.name.as_str());
    let Some(server) = server else { return rows::names(&stage, running.map(|name| (name, None))) };
    // Only a running, enabled server that declared the kind is ever asked (§5.4).
    if !running.any(|name| name == server) {
        return Completion::Rows(Vec::new());
    }
    let (listed, need) = match kind {
        CatalogKind::Prompt => (known.prompts, Need::Prompts(server.clone())),
        _ => (known.resources, Need::Resources(server.clone())),
    };
    match listed {
        Some((name, items)) if name == server => of_items(&stage, items, known),
        _ => Completion::Need(need),
    }
}

/// Completes from what a server lists.
fn of_items(stage: &Stage, items: &[CatalogItem], known: Known<'_>) -> Completion {
    let prompt = match &stage.what {
        Wanted::Prompt { .. } => return rows::names(stage, items.iter().map(|item| (item.id.as_str(), about(item)))),
        Wanted::Key { prompt, .. } | Wanted::Value { prompt, .. } => prompt,
        _ => return resource::resource(stage, items),
    };
    match items.iter().find(|item| item.id == *prompt).map(|item| &item.details) {
        Some(Details::Prompt { arguments }) => arguments::argument(stage, arguments, known),
        _ => Completion::Rows(Vec::new()),
    }
}

const fn offers(server: &McpServerFeatures, kind: CatalogKind) -> bool {
    match kind {
        CatalogKind::Tool => server.tools,
        CatalogKind::Resource | CatalogKind::ResourceTemplate => server.resources,
        CatalogKind::Prompt => server.prompts,
    }
}

fn about(item: &CatalogItem) -> Option<String> {
    item.description.as_deref().or(item.title.as_deref()).map(rows::described)
}

#[cfg(test)]
mod tests;
