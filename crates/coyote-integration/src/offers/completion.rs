//! What completion asks servers for (S45, R13, design §5.4).
//!
//! Only servers that are enabled and run are asked, each request under two seconds. Every failure is an empty answer: a key
//! never shows an error, never starts a server, never starts a login, and never waits for a lock.

use super::server_state;
use crate::{app_state::AppState, mcp::ServerState};
use mcp_catalog::{
    Budget, CatalogItem, CatalogKind, McpServerFeatures, PromptName, Request, ServerName, ServerPort, catalog_items,
    deadline,
};
use mcp_prompt_repl::{Configured, Need};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{fmt, sync::Arc, time::Duration};

/// The enabled servers of a context, as completion sees them.
#[derive(Clone)]
pub struct CompletionView {
    app: Arc<AppState>,
    enabled: Vec<ServerName>,
    limit: Duration,
}

/// What came of a [`Need`].
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// Prompts, or resources and templates; empty when they could not be had.
    Items(Vec<CatalogItem>),
    /// Values of an argument; empty likewise.
    Values(Vec<String>),
}

impl CompletionView {
    /// A view of these servers.
    pub const fn new(app: Arc<AppState>, enabled: Vec<ServerName>) -> Self {
        Self { app, enabled, limit: deadline::QUICK }
    }

    /// The servers that are enabled here and run, with what they declared: what they said once, and no request.
    pub fn features(&self) -> Vec<McpServerFeatures> {
        self.running().map(|port| McpServerFeatures::of(port.name().clone(), &port.handshake())).collect()
    }

    /// Every configured server and how it stands: no request.
    pub fn configured(&self) -> Vec<Configured> {
        let servers = self.app.servers.iter();
        let standing = servers.map(|server| Configured {
            name: server.entry.name.clone(),
            state: server_state(&self.app, &self.enabled, server),
        });
        standing.collect()
    }

    /// Asks a server for what a completion needs. What cannot be had is empty.
    pub async fn fetch(&self, need: &Need) -> Answered {
        let budget = Budget { idle: self.limit, total: self.limit, ..Budget::new(self.limit) };
        match need {
            Need::Prompts(server) => Answered::Items(self.items(server, &[CatalogKind::Prompt], &budget).await),
            Need::Resources(server) => {
                let kinds = [CatalogKind::Resource, CatalogKind::ResourceTemplate];
                Answered::Items(self.items(server, &kinds, &budget).await)
            }
            Need::Completion { server, prompt, argument, value, context } => {
                let context = context.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
                let typed = Typed { prompt, argument, value, context };
                Answered::Values(self.values(server, typed, budget).await.unwrap_or_default())
            }
            // These need no server.
            Need::Servers | Need::Configured => Answered::Items(Vec::new()),
        }
    }

    async fn items(&self, server: &str, kinds: &[CatalogKind], budget: &Budget) -> Vec<CatalogItem> {
        let Some(port) = self.port(server) else { return Vec::new() };
        // The pager's own time bounds each kind; this one bounds a port that answers to nothing at all.
        let listing = tokio::time::timeout(self.limit, catalog_items(port.as_ref(), kinds, budget));
        listing.await.map(|listing| listing.items).unwrap_or_default()
    }

    async fn values(&self, server: &str, typed: Typed<'_>, budget: Budget) -> Option<Vec<String>> {
        let port = self.port(server)?;
        if !port.handshake().capabilities.is_some_and(|declared| declared.completions) {
            return None;
        }
        let request = Request::Complete {
            prompt: PromptName::new(typed.prompt).ok()?,
            argument: typed.argument.to_owned(),
            value: typed.value.to_owned(),
            context: typed.context,
        };
        let raw = tokio::time::timeout(self.limit, port.ask(request, budget)).await.ok()?.ok()?;
        Some(raw.parse::<Completed>().ok()?.completion.values)
    }

    /// The port of a server that is enabled, runs and has not lost its connection: asking it connects to nothing anew.
    fn port(&self, server: &str) -> Option<Arc<dyn ServerPort>> {
        self.running().find(|port| port.name().as_str() == server)
    }

    fn running(&self) -> impl Iterator<Item = Arc<dyn ServerPort>> + '_ {
        self.enabled.iter().filter_map(|server| match self.app.registry.state(server)? {
            ServerState::Ready(connection) if !connection.is_closed() => Some(connection as Arc<dyn ServerPort>),
            _ => None,
        })
    }
}

/// What is typed of an argument.
struct Typed<'a> {
    prompt: &'a str,
    argument: &'a str,
    value: &'a str,
    context: Map<String, Value>,
}

/// The part of `completion/complete` that is used. Some servers answer `null`, which is no answer.
#[derive(Deserialize)]
struct Completed {
    completion: Values,
}

#[derive(Deserialize)]
struct Values {
    values: Vec<String>,
}

impl fmt::Debug for CompletionView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompletionView").field("enabled", &self.enabled).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
