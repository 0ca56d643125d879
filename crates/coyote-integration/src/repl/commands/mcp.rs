//! `.mcp`: how the servers stand, and what is done to one of them for this session (S15, S44, S47).
//!
//! Nothing is written to a file: what is enabled or disabled here is so until the REPL ends. A login is begun here and in
//! `coyote mcp auth`, and nowhere else.

use super::{Command, Completes, Outcome, Pace, Running, offered};
use crate::{
    chat::Refusal,
    cli::log_in,
    mcp::ServerState,
    offers::{not_logged_in, not_started, statuses},
    repl::{complete::offers, context::Context},
};
use mcp_catalog::{PortError, ServerName};
use mcp_prompt_repl::{CommandLine, McpLine, ServerStatus, mcp_table, quote};
use mcp_render::shown_line;
use std::sync::Arc;

pub(super) const MCP: Command = Command {
    name: "mcp",
    usage: "[server] | reconnect|auth|enable|disable <server> | reload",
    about: "How the servers stand; connect, log in, enable and disable",
    help: "Without a word, a table of all servers; with a server, its page. `enable` and `disable` last for this session. \
           `reload` reads mcp.json again: new servers start, changed ones start anew.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Own(offers),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let servers: Vec<ServerName> =
            context.conversation.app().servers.iter().map(|server| server.entry.name.clone()).collect();
        match McpLine::parse(line.text(), &servers)? {
            McpLine::Table => show_servers(context).await,
            McpLine::Page(server) => {
                let pages: Vec<String> =
                    standing(context, Some(&server)).await.iter().map(ServerStatus::page).collect();
                context.report.print(&pages.join("\n"));
            }
            McpLine::Reconnect(server) => reconnect(context, &server).await?,
            McpLine::Auth(server) => auth(context, &server).await?,
            McpLine::Enable(server) => enable(context, &server)?,
            McpLine::Disable(server) => disable(context, &server)?,
            McpLine::Reload => reload(context).await?,
        }
        Ok(Outcome::Done)
    })
}

/// The table of all servers.
pub(super) async fn show_servers(context: &Context) {
    let table = mcp_table(&standing(context, None).await, offered::look(context));
    offered::show_table(context, &table);
}

async fn standing(context: &Context, only: Option<&ServerName>) -> Vec<ServerStatus> {
    let conversation = &context.conversation;
    statuses(conversation.app(), conversation.enabled_servers(), only, &context.cancel).await
}

/// Connects anew, or starts what does not run; waits for the end of it, which Ctrl-C shortens.
async fn reconnect(context: &Context, server: &ServerName) -> Result<(), Refusal> {
    let app = context.conversation.app();
    if !context.conversation.enabled_servers().contains(server) {
        let configured = app.servers.get(server.as_str()).map_err(|shape| offered::failed(&shape))?;
        return Err(offered::not_in_use(&configured.entry));
    }
    let ended = match app.registry.state(server) {
        Some(ServerState::Ready(connection)) if !connection.is_ended() => connection.reconnect().await,
        _ => start(context, server).await?,
    };
    match ended {
        Ok(()) => {
            context.report.note(format!("`{}` is connected", written(server)));
            Ok(())
        }
        Err(error) => Err(offered::failed(&not_started(server, &error, app))),
    }
}

/// Starts one server and waits for it.
async fn start(context: &Context, server: &ServerName) -> Result<Result<(), PortError>, Refusal> {
    let app = context.conversation.app();
    let configured = app.servers.get(server.as_str()).map_err(|shape| offered::failed(&shape))?;
    let entry = configured.startable().map_err(|why| offered::failed(&why.shape()))?;
    let mut settling = app.start([entry.clone()]);
    Ok(match settling.next().await.map(|settled| settled.state) {
        Some(ServerState::Ready(_)) => Ok(()),
        Some(ServerState::Failed(error)) => Err(error),
        Some(ServerState::Disabled | ServerState::Starting) | None => Err(PortError::Cancelled),
    })
}

/// Logs in, then connects with the new token.
async fn auth(context: &Context, server: &ServerName) -> Result<(), Refusal> {
    let app = Arc::clone(context.conversation.app());
    log_in(app, Arc::clone(&context.report), context.cancel.clone(), server.as_str())
        .await
        .map_err(|shape| offered::failed(&not_logged_in(server, shape)))?;
    if context.conversation.enabled_servers().contains(server) { reconnect(context, server).await } else { Ok(()) }
}

fn enable(context: &mut Context, server: &ServerName) -> Result<(), Refusal> {
    if context.conversation.enabled_servers().contains(server) {
        context.report.note(format!("`{}` is enabled already", written(server)));
        return Ok(());
    }
    let change = context.conversation.enable_server(server)?;
    context.apply(change);
    context.report.note(format!("`{}` is enabled for this session", written(server)));
    Ok(())
}

fn disable(context: &mut Context, server: &ServerName) -> Result<(), Refusal> {
    if !context.conversation.enabled_servers().contains(server) {
        context.report.note(format!("`{}` is not enabled here", written(server)));
        return Ok(());
    }
    let change = context.conversation.disable_server(server)?;
    context.apply(change);
    context.conversation.app().registry.release(std::slice::from_ref(server));
    context.report.note(format!("`{}` is disabled for this session", written(server)));
    Ok(())
}

/// Reads mcp.json again. A server whose entry is gone or has changed is let go; what is enabled and does not run, starts.
async fn reload(context: &mut Context) -> Result<(), Refusal> {
    let old = Arc::clone(context.conversation.app());
    let dir = std::env::current_dir().unwrap_or_default();
    let (new, warnings) = tokio::task::spawn_blocking({
        let old = Arc::clone(&old);
        move || old.reread(&dir)
    })
    .await
    .map_err(|_| Refusal::outside("mcp.json could not be read", "coyote's log shows why"))?;
    if let Some(fault) = new.servers.fault() {
        return Err(Refusal::outside(fault, "Mend it, then `.mcp reload`. What was read before counts"));
    }
    let changed: Vec<ServerName> = old
        .servers
        .iter()
        .filter(|before| new.servers.iter().all(|now| now.entry.name != before.entry.name || now.entry != before.entry))
        .map(|server| server.entry.name.clone())
        .collect();
    let count = new.servers.iter().count();
    let mut change = context.conversation.reload(Arc::new(new))?;
    old.registry.release(&changed);
    for server in &changed {
        if context.conversation.enabled_servers().contains(server) && !change.enabled.contains(server) {
            change.enabled.push(server.clone());
        }
    }
    change.warnings.extend(warnings);
    context.apply(change);
    context.report.note(format!("mcp.json was read again: {count} servers, {} changed or gone", changed.len()));
    Ok(())
}

/// A server's name as it is typed, safe to show.
fn written(server: &ServerName) -> String {
    shown_line(&quote(server.as_str()), 80).to_string()
}
