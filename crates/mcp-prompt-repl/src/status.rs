//! What `.mcp` shows of a server (S44). The host knows it; here it becomes words, safe to show (S46).

use crate::error::name;
use mcp_catalog::ServerName;
use mcp_render::shown_line;
use std::fmt;

/// The most characters of an error in a table, and in the page of one server.
const ERROR_CHARS: usize = 120;
const PAGE_CHARS: usize = 1_000;

/// How a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerState {
    /// It is starting.
    Starting,
    /// It is connected.
    Running,
    /// Its connection is lost or its start failed.
    Failed,
    /// It wants a login: `.mcp auth <server>`.
    NeedsLogin,
    /// It is configured and not enabled here.
    Disabled,
}

/// How many things of each kind a server offers; `None` where nobody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Tools.
    pub tools: Option<usize>,
    /// Resources.
    pub resources: Option<usize>,
    /// Templates.
    pub templates: Option<usize>,
    /// Prompts.
    pub prompts: Option<usize>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// The server.
    pub server: ServerName,
    /// How it stands.
    pub state: ServerState,
    /// The protocol's version of the handshake.
    pub protocol: Option<String>,
    /// What it offers.
    pub counts: Counts,
    /// Entries that its listings lost.
    pub skipped: usize,
    /// The last thing that went wrong; foreign text.
    pub last_error: Option<String>,
}

impl fmt::Display for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::NeedsLogin => "needs login",
            Self::Disabled => "disabled",
        })
    }
}

impl ServerStatus {
    /// The row of `.mcp`.
    pub(crate) fn row(&self) -> Vec<String> {
        let Counts { tools, resources, templates, prompts } = self.counts;
        let mut row = vec![name(self.server.as_str()), self.state.to_string(), self.version()];
        row.extend([tools, resources, templates, prompts].map(counted));
        row.extend([self.skipped.to_string(), self.error(ERROR_CHARS)]);
        row
    }

    /// The row of `.mcp` on a narrow screen: what is known, as words that wrap.
    pub(crate) fn narrow_row(&self) -> Vec<String> {
        let Counts { tools, resources, templates, prompts } = self.counts;
        let kinds = [(tools, "tool"), (resources, "resource"), (templates, "template"), (prompts, "prompt")];
        let said = kinds.iter().filter_map(|(count, kind)| {
            let count = (*count)?;
            Some(format!("{count} {kind}{}", if count == 1 { "" } else { "s" }))
        });
        let mut said: Vec<_> = said.collect();
        if self.skipped > 0 {
            said.push(format!("{} skipped", self.skipped));
        }
        if self.last_error.is_some() {
            said.push(format!("last error: {}", self.error(ERROR_CHARS)));
        }
        vec![name(self.server.as_str()), self.state.to_string(), self.version(), said.join(", ")]
    }

    /// The page of `.mcp <server>`, with the next step where there is one.
    pub fn page(&self) -> String {
        let Counts { tools, resources, templates, prompts } = self.counts;
        let mut lines = vec![
            format!("{}: {}", name(self.server.as_str()), self.state),
            format!("protocol   {}", self.version()),
            format!("tools      {}", counted(tools)),
            format!("resources  {}", counted(resources)),
            format!("templates  {}", counted(templates)),
            format!("prompts    {}", counted(prompts)),
            format!("skipped    {}", self.skipped),
        ];
        if self.last_error.is_some() {
            lines.push(format!("last error {}", self.error(PAGE_CHARS)));
        }
        let server = name(&crate::quote(self.server.as_str()));
        lines.extend(match self.state {
            ServerState::Failed => Some(format!("`.mcp reconnect {server}` tries again")),
            ServerState::NeedsLogin => Some(format!("`.mcp auth {server}` logs in")),
            ServerState::Disabled => Some(format!("`.mcp enable {server}` enables it for this session")),
            ServerState::Starting | ServerState::Running => None,
        });
        lines.join("\n")
    }

    fn version(&self) -> String {
        self.protocol.as_deref().map_or_else(|| "-".to_owned(), name)
    }

    fn error(&self, chars: usize) -> String {
        let text = self.last_error.as_deref().unwrap_or_default();
        shown_line(&text.split_whitespace().collect::<Vec<_>>().join(" "), chars).to_string()
    }
}

fn counted(count: Option<usize>) -> String {
    count.map_or_else(|| "-".to_owned(), |count| count.to_string())
}
