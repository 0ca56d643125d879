//! How each configured server stands: what `.mcp` shows (S44).
//!
//! Counts are asked of all running servers at once and under two seconds; who is late has none. Nothing is started.

use super::hint::log_in;
use crate::{
    app_state::AppState,
    config::ConfiguredServer,
    mcp::{Lasting, ServerState as Registered},
};
use futures_util::future::join_all;
use mcp_catalog::{Budget, CatalogKind, Listing, NoteKind, PortError, ServerName, ServerPort, catalog_items, deadline};
use mcp_prompt_repl::{Counts, ServerState, ServerStatus, quote};
use mcp_render::{Code, ErrorShape, shown_line};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// All configured servers, or one of them; `enabled` are those of the context. `cancel` ends the counting.
pub async fn statuses(
    app: &AppState,
    enabled: &[ServerName],
    only: Option<&ServerName>,
    cancel: &CancellationToken,
) -> Vec<ServerStatus> {
    let servers = app.servers.iter().filter(|server| only.is_none_or(|only| *only == server.entry.name));
    join_all(servers.map(|server| status(app, enabled, server, cancel))).await
}

/// How a server stands, as far as it is known without asking it.
pub fn server_state(app: &AppState, enabled: &[ServerName], server: &ConfiguredServer) -> ServerState {
    let is_enabled = enabled.contains(&server.entry.name);
    match app.registry.state(&server.entry.name) {
        _ if !is_enabled => ServerState::Disabled,
        Some(Registered::Ready(connection)) if connection.is_closed() => ServerState::Failed,
        Some(Registered::Ready(_)) => ServerState::Running,
        Some(Registered::Failed(PortError::AuthRequired)) => ServerState::NeedsLogin,
        Some(Registered::Failed(_)) => ServerState::Failed,
        Some(Registered::Disabled) => ServerState::Disabled,
        None if server.startable().is_err() => ServerState::Failed,
        // It is enabled, and whoever enabled it is about to start it.
        Some(Registered::Starting) | None => ServerState::Starting,
    }
}

/// Why an enabled server cannot be asked, with the next step.
pub(super) fn why_not_running(app: &AppState, server: &ServerName) -> ErrorShape {
    let name = shown_line(&quote(server.as_str()), 80).to_string();
    let retry = format!("`.mcp reconnect {name}` tries again");
    let shape = |code: Code, sentence: String, hint: String| ErrorShape {
        tool_call_error: sentence,
        code,
        hint,
        closest: Vec::new(),
    };
    let configured = app.servers.get(server.as_str()).and_then(|server| server.startable().map_err(|why| why.shape()));
    match app.registry.state(server) {
        Some(Registered::Failed(PortError::AuthRequired)) => {
            shape(Code::AuthRequired, format!("`{name}` asks for a login"), log_in(server))
        }
        Some(Registered::Failed(error)) => shape(error.code(), format!("`{name}` does not run: {error}"), retry),
        Some(Registered::Starting) => {
            shape(Code::HandshakeFailed, format!("`{name}` is still starting"), "Try again in a moment".to_owned())
        }
        _ => match configured {
            Err(why) => why,
            Ok(_) => shape(Code::HandshakeFailed, format!("`{name}` does not run"), retry),
        },
    }
}

async fn status(
    app: &AppState,
    enabled: &[ServerName],
    server: &ConfiguredServer,
    cancel: &CancellationToken,
) -> ServerStatus {
    let state = server_state(app, enabled, server);
    let registered = app.registry.state(&server.entry.name);
    let mut status = ServerStatus {
        server: server.entry.name.clone(),
        state,
        protocol: None,
        counts: Counts::default(),
        skipped: 0,
        last_error: None,
    };
    match registered {
        Some(Registered::Ready(connection)) => {
            status.protocol = Some(connection.handshake().protocol).filter(|protocol| !protocol.is_empty());
            if state == ServerState::Running {
                count(&connection, cancel, &mut status).await;
            } else if state == ServerState::Failed {
                let last = connection.stderr().pop();
                status.last_error = Some(
                    last.map_or_else(|| "Connection closed".to_owned(), |line| format!("Connection closed: {line}")),
                );
            }
        }
        Some(Registered::Failed(error)) => status.last_error = Some(error.to_string()),
        _ if state != ServerState::Disabled => status.last_error = server.startable().err().map(|why| why.to_string()),
        _ => {}
    }
    status
}

/// Counts what a server lists, each kind by itself.
async fn count(connection: &Arc<Lasting>, cancel: &CancellationToken, status: &mut ServerStatus) {
    let limit = deadline::QUICK;
    let budget = Budget { total: limit, ..Budget::new(limit) }.cancelled_by(cancel.clone());
    let listing = catalog_items(connection.as_ref(), &CatalogKind::ALL, &budget).await;
    let of = |kind| counted(&listing, kind);
    status.counts = Counts {
        tools: of(CatalogKind::Tool),
        resources: of(CatalogKind::Resource),
        templates: of(CatalogKind::ResourceTemplate),
        prompts: of(CatalogKind::Prompt),
    };
    for note in &listing.notes {
        match &note.what {
            NoteKind::Skipped { count, .. } | NoteKind::Duplicates { count, .. } => status.skipped += count,
            NoteKind::Failed(_) | NoteKind::Partial { .. } => status.last_error = Some(note.to_string()),
            _ => {}
        }
    }
}

/// How many of a kind were listed; `None` where nobody could look.
fn counted(listing: &Listing, kind: CatalogKind) -> Option<usize> {
    let blind =
        |what: &NoteKind| matches!(what, NoteKind::NotDeclared | NoteKind::NotImplemented | NoteKind::Failed(_));
    if listing.notes.iter().any(|note| note.kind == kind && blind(&note.what)) {
        return None;
    }
    Some(listing.items.iter().filter(|item| item.kind() == kind).count())
}

#[cfg(test)]
mod tests;
