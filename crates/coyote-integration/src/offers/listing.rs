//! The enabled and running servers of a context, and what they list (S5, S14, S44).

use super::for_a_person;
use crate::{app_state::AppState, chat::Tools, context::Scope};
use futures_util::future::join_all;
use mcp_catalog::{CatalogKind, Listing, McpRuntime, Note, NoteKind, PortError, ServerName};
use mcp_meta::{Answer, MetaContext, Verb, visible_listing};
use mcp_prompt_repl::ServerListing;
use mcp_render::{Code, ErrorShape};
use std::{fmt, sync::Arc};
use tokio_util::sync::CancellationToken;

/// The servers of a context as people use them.
#[derive(Clone)]
pub struct ListingView {
    app: Arc<AppState>,
    /// The enabled servers, in order; not all of them run (S5).
    enabled: Vec<ServerName>,
    meta: MetaContext,
}

impl ListingView {
    /// What these tools may use at this moment; `cancel` stops what is asked.
    pub fn of(tools: &Tools, cancel: CancellationToken) -> Self {
        let (scope, _) = Scope::of_layers(&tools.app, tools.ready(), tools.local.as_ref(), &tools.layers);
        let meta = MetaContext { ceiling: tools.ceiling, ..scope.meta(&tools.app, cancel) };
        Self { app: Arc::clone(&tools.app), enabled: tools.enabled.clone(), meta }
    }

    /// The enabled servers, running or not.
    pub fn servers(&self) -> &[ServerName] {
        &self.enabled
    }

    /// The servers that run.
    pub const fn runtime(&self) -> &McpRuntime {
        &self.meta.runtime
    }

    /// What a call works with.
    pub const fn meta(&self) -> &MetaContext {
        &self.meta
    }

    /// Lists a kind of one enabled server, or of all of them at once. A server that does not run, or whose listing fails, is
    /// an entry too; the order is that of the setting.
    pub async fn list(&self, kind: CatalogKind, only: Option<&ServerName>) -> Vec<ServerListing> {
        let asked = self.enabled.iter().filter(|server| only.is_none_or(|only| only == *server));
        let listings = asked.map(|server| async move {
            ServerListing { server: server.clone(), outcome: self.outcome(server, kind).await }
        });
        join_all(listings).await
    }

    /// The prompts of a server. When they cannot be had, a note says why, and a prompt is sent as it was typed (S42).
    pub async fn prompts(&self, server: &ServerName) -> Listing {
        match visible_listing(&self.meta, server, &[CatalogKind::Prompt]).await {
            Ok(listing) => listing,
            Err(_) if self.meta.budget.cancel.is_cancelled() => failed(PortError::Cancelled),
            Err(answer) => failed(PortError::Unsupported { cause: shape_of(&answer).tool_call_error }),
        }
    }

    /// Why nothing can be asked of an enabled server, with the next step.
    pub fn refusal(&self, server: &ServerName) -> Option<ErrorShape> {
        let why = super::status::why_not_running(&self.app, server);
        if self.meta.runtime.get(server).is_some() { None } else { Some(why) }
    }

    async fn outcome(&self, server: &ServerName, kind: CatalogKind) -> Result<Listing, String> {
        if let Some(why) = self.refusal(server) {
            return Err(format!("{}. {}", why.tool_call_error, why.hint));
        }
        let failed = |answer: &Answer| {
            let shape = for_a_person(Verb::Search, server, shape_of(answer));
            // The row names the server already.
            let prefix = format!("`{server}`: ");
            let sentence = shape.tool_call_error.strip_prefix(&prefix).unwrap_or(&shape.tool_call_error);
            format!("{sentence} ({}). {}", shape.code, shape.hint)
        };
        visible_listing(&self.meta, server, &[kind]).await.map_err(|answer| failed(&answer))
    }
}

impl fmt::Debug for ListingView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListingView").field("enabled", &self.enabled).finish_non_exhaustive()
    }
}

fn failed(error: PortError) -> Listing {
    let what = NoteKind::Failed(error);
    Listing { items: Vec::new(), notes: vec![Note { kind: CatalogKind::Prompt, what }] }
}

/// The parts of an error that a model would get (S39).
pub(crate) fn shape_of(answer: &Answer) -> ErrorShape {
    let text = |key: &str| answer.value.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let closest =
        answer.value.get("closest").and_then(serde_json::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    ErrorShape {
        tool_call_error: text("tool_call_error"),
        code: answer.code.unwrap_or(Code::InvalidResponse),
        hint: text("hint"),
        closest: closest.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
    }
}

#[cfg(test)]
mod tests;
