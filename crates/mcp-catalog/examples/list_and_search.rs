//! Lists and searches a server: `cargo run -p mcp-catalog --example list_and_search -- [WORDS] [-- COMMAND ARGS…]`.
//!
//! With a command it starts that server over stdio; without one it asks a small server of its own, inside the process.

use mcp_catalog::{
    Budget, Capabilities, CatalogKind, Handshake, LocalPort, SearchQuery, ServerName, ServerPort, catalog_items,
    deadline,
    sdk::{ConnectOptions, connect_io},
    search,
};
use serde_json::json;
use std::{env, error::Error, process::Stdio, sync::Arc};
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let mut parts = arguments.splitn(2, |word| word == "--");
    let words = parts.next().unwrap_or_default().join(" ");
    let Some((program, rest)) = parts.next().and_then(<[String]>::split_first) else {
        return show(&inside()?, &words).await;
    };
    // How a server is started is the host's matter: environment, working directory, process group. It must end with us.
    let mut child =
        Command::new(program).args(rest).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
        return Err("The server has no pipes".into());
    };
    let port =
        connect_io(stdout, stdin, ConnectOptions::new(ServerName::new("example")?, "list_and_search", "1.0")).await?;
    show(&port, &words).await?;
    port.close().await;
    child.wait().await?;
    Ok(())
}

async fn show(port: &dyn ServerPort, words: &str) -> Result<(), Box<dyn Error>> {
    // Every declared kind at once, to its end or to its bound; what had to be left out is a note.
    let listing = catalog_items(port, &CatalogKind::ALL, &Budget::new(deadline::LISTING)).await;
    println!("{} offers {} items", mcp_render::shown(port.name().as_str()), listing.items.len());
    for note in &listing.notes {
        println!("note: {}", mcp_render::shown(&note.to_string()));
    }
    // No index: one pass over what was listed, names before descriptions.
    let found = search(&listing, &SearchQuery { query: words.to_owned(), ..SearchQuery::default() });
    for item in &found.items {
        println!("{}", mcp_render::json_for_terminal(&item.to_search_value(), false));
    }
    Ok(())
}

/// A server that is a function.
fn inside() -> Result<LocalPort, Box<dyn Error>> {
    let declared = Handshake::of(Capabilities { tools: true, resources: true, ..Capabilities::default() });
    Ok(LocalPort::new(
        ServerName::new("tracker")?,
        declared,
        Arc::new(|request| {
            Ok(match request.method() {
                "tools/list" => json!({"tools": [
                    {"name": "search_issues", "description": "Find issues by words", "inputSchema": {"type": "object"}},
                    {"name": "broken"},
                ]}),
                "resources/list" => json!({"resources": [{"uri": "tracker://board", "name": "Board"}]}),
                _ => json!({"resourceTemplates": [{"uriTemplate": "tracker://issue/{id}", "name": "One issue"}]}),
            })
        }),
    ))
}
