//! `.list prompts|resources|templates [server]` and `.mcp …` as lines (S44). Nothing is asked here.

use crate::ReplError;
use crate::invocation::named_server;
use crate::line::{Line, Word};
use crate::stage::LISTED;
use mcp_catalog::{CatalogKind, ServerName};

const KINDS: &str = "`prompts`, `resources`, `templates`, each with at most one server";
const ACTIONS: &str = "`.mcp`, `.mcp <server>`, `.mcp reconnect|auth|enable|disable <server>`, `.mcp reload`";

/// `.list` of what servers offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLine {
    /// What is listed.
    pub kind: CatalogKind,
    /// Of this server only.
    pub server: Option<ServerName>,
}

/// What `.mcp` is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpLine {
    /// Show all servers.
    Table,
    /// Show one.
    Page(ServerName),
    /// Connect to it anew.
    Reconnect(ServerName),
    /// Log in at it.
    Auth(ServerName),
    /// Enable it for the session.
    Enable(ServerName),
    /// Disable it for the session.
    Disable(ServerName),
    /// Read mcp.json again.
    Reload,
}

impl ListLine {
    /// Reads a whole line; `None` when its second word is nothing that servers offer, so that the list is the host's own.
    /// `servers` are those enabled in the current context.
    ///
    /// ```
    /// use mcp_catalog::{CatalogKind, ServerName};
    /// use mcp_prompt_repl::ListLine;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let servers = [ServerName::new("docs")?];
    /// let line = ListLine::parse(".list templates docs", &servers)?;
    /// assert_eq!(line, Some(ListLine { kind: CatalogKind::ResourceTemplate, server: Some(servers[0].clone()) }));
    /// assert_eq!(ListLine::parse(".list roles", &servers)?, None);
    /// # Ok(()) }
    /// ```
    pub fn parse(line: &str, servers: &[ServerName]) -> Result<Option<Self>, ReplError> {
        let line = Line::lex(line);
        let Some((word, rest)) = line.words().get(1..).and_then(<[Word<'_>]>::split_first) else { return Ok(None) };
        let Some((_, kind)) = LISTED.into_iter().find(|(name, _)| *name == word.value()) else { return Ok(None) };
        closed(&line)?;
        if rest.is_empty() {
            return Ok(Some(Self { kind, server: None }));
        }
        let (server, rest) = named_server(".list", rest, servers)?;
        nothing_more(".list", rest, KINDS)?;
        Ok(Some(Self { kind, server: Some(server) }))
    }
}

impl McpLine {
    /// Reads a whole line. `servers` are the configured ones. A server with the name of an action is written in quotes.
    ///
    /// ```
    /// use mcp_catalog::ServerName;
    /// use mcp_prompt_repl::McpLine;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let servers = [ServerName::new("my docs")?, ServerName::new("reload")?];
    /// assert_eq!(McpLine::parse(".mcp", &servers)?, McpLine::Table);
    /// assert_eq!(McpLine::parse(".mcp reconnect 'my docs'", &servers)?, McpLine::Reconnect(servers[0].clone()));
    /// assert_eq!(McpLine::parse(".mcp reload", &servers)?, McpLine::Reload);
    /// assert_eq!(McpLine::parse(".mcp 'reload'", &servers)?, McpLine::Page(servers[1].clone()));
    /// # Ok(()) }
    /// ```
    pub fn parse(line: &str, servers: &[ServerName]) -> Result<Self, ReplError> {
        let line = Line::lex(line);
        closed(&line)?;
        let words = line.words().get(1..).unwrap_or_default();
        let Some((first, rest)) = words.split_first() else { return Ok(Self::Table) };
        let (command, action): (_, fn(ServerName) -> Self) = match first.value() {
            "reload" if !first.is_quoted() => return nothing_more(".mcp reload", rest, ACTIONS).map(|()| Self::Reload),
            "reconnect" if !first.is_quoted() => (".mcp reconnect", Self::Reconnect),
            "auth" if !first.is_quoted() => (".mcp auth", Self::Auth),
            "enable" if !first.is_quoted() => (".mcp enable", Self::Enable),
            "disable" if !first.is_quoted() => (".mcp disable", Self::Disable),
            _ => (".mcp", Self::Page),
        };
        let words = if command == ".mcp" { words } else { rest };
        let (server, rest) = named_server(command, words, servers)?;
        nothing_more(command, rest, ACTIONS)?;
        Ok(action(server))
    }
}

fn closed(line: &Line<'_>) -> Result<(), ReplError> {
    line.open_quote().map_or(Ok(()), |open| Err(ReplError::OpenQuote { quote: open.quote, column: open.column }))
}

fn nothing_more(command: &str, rest: &[Word<'_>], accepted: &'static str) -> Result<(), ReplError> {
    let Some(word) = rest.first() else { return Ok(()) };
    let sentence = format!("`{command}` has no use for `{}`", crate::error::name(word.value()));
    Err(ReplError::BadOption { sentence, accepted })
}

#[cfg(test)]
mod tests {
    use super::{ListLine, McpLine};
    use crate::ReplError;
    use mcp_catalog::ServerName;
    use rstest::rstest;

    fn servers() -> Vec<ServerName> {
        ["docs", "old docs"].map(|name| ServerName::new(name).unwrap()).to_vec()
    }

    fn told<T: std::fmt::Debug>(read: Result<T, ReplError>) -> String {
        let error = read.unwrap_err();
        format!("{error}. {}", error.hint())
    }

    #[rstest]
    #[case(
        ".list prompts dcos",
        "`dcos` is no server that is enabled here. Did you mean `docs`? Enabled are `docs`, `old docs`"
    )]
    #[case(
        ".list prompts docs x",
        "`.list` has no use for `x`. Accepted: `prompts`, `resources`, `templates`, each with at most one server"
    )]
    #[case(
        ".list resources 'docs",
        "The quote ' at column 17 is not closed. Close it with ', or quote the value with the other kind"
    )]
    fn a_wrong_list_says_what_is_accepted_s44(#[case] line: &str, #[case] message: &str) {
        assert_eq!(told(ListLine::parse(line, &servers())), message);
    }

    #[rstest]
    #[case(
        ".mcp dcos",
        "`dcos` is no server that is configured. Did you mean `docs`? Configured are `docs`, `old docs`"
    )]
    #[case(
        ".mcp enable",
        "`.mcp enable` needs a server. Write `.mcp enable <server>`. Configured are `docs`, `old docs`"
    )]
    #[case(".mcp reload docs", "`.mcp reload` has no use for `docs`. Accepted: `.mcp`")]
    #[case(".mcp old docs", "`old` is no server that is configured")]
    fn a_wrong_mcp_says_what_is_accepted_s44(#[case] line: &str, #[case] message: &str) {
        let told = told(McpLine::parse(line, &servers()));
        assert!(told.starts_with(message), "{told}");
    }
}
