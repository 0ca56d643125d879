//! Servers over HTTP that behave, and ones that do not (S9, S12, S13, S16, S17, S19).

mod calls;
mod handshakes;
mod logins;
mod refusals;
mod server;

use super::*;
use crate::{Budget, CatalogKind, RawResult, Request, ServerName, ServerPort};
use serde_json::{Value, json};
use server::{Asked, Reply, Server};
use std::time::Duration;

/// Long enough for a busy machine, short enough for a test.
const SOON: Duration = Duration::from_secs(20);

fn client() -> HttpClient {
    let _ = rustls::crypto::ring::default_provider().install_default();
    http_client().unwrap()
}

fn options(server: &Server) -> HttpOptions {
    let name = ServerName::new("docs").unwrap();
    HttpOptions::new(ConnectOptions::new(name, "coyote", "1.0"), server.url())
}

async fn connect(server: &Server) -> HttpPort {
    connect_http(client(), options(server)).await.unwrap()
}

fn tools() -> Request {
    Request::List { kind: CatalogKind::Tool, cursor: None }
}

async fn ask(port: &HttpPort) -> Result<RawResult, PortError> {
    port.ask(tools(), Budget::new(SOON)).await
}

/// The answer of a server that behaves.
fn good(asked: &Asked) -> Reply {
    Reply::json(&asked.result(&json!({"tools": []})))
}
