//! A server behind a URL (S12, S47): one HTTP client for all of them, made when the first is connected.
//!
//! Proxies come from the environment of `coyote` itself. It never starts a login: a server that wants one is
//! `auth_required`, and `coyote mcp auth` is the only place that gives it one.

use super::Client;
use crate::mcp::ServerEntry;
use mcp_catalog::{
    PortError, deadline,
    sdk::{
        ConnectOptions,
        http::{HttpClient, HttpOptions, HttpPort, connect_http, http_client},
        login::{OwnClient, TokenStore},
    },
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// What servers behind a URL are reached with.
#[derive(Clone, Default)]
pub struct Web {
    client: Arc<OnceLock<Result<HttpClient, PortError>>>,
    tokens: Option<Arc<dyn TokenStore>>,
}

impl Web {
    /// With the tokens of earlier logins.
    pub fn new(tokens: Arc<dyn TokenStore>) -> Self {
        Self { client: Arc::default(), tokens: Some(tokens) }
    }

    /// The shared client.
    pub fn client(&self) -> Result<HttpClient, PortError> {
        self.client
            .get_or_init(|| {
                // Somebody else may have installed one: then that one is used.
                let _ = rustls::crypto::ring::default_provider().install_default();
                http_client()
            })
            .clone()
    }
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Web").field("tokens", &self.tokens.is_some()).finish_non_exhaustive()
    }
}

/// How a server behind `url` is connected, without tokens.
pub fn options(entry: &ServerEntry, url: &str, headers: &[(String, String)], client: &Client) -> HttpOptions {
    let connect = ConnectOptions {
        startup_timeout: entry.startup_timeout.unwrap_or(deadline::HANDSHAKE),
        tool_timeout: entry.tool_timeout,
        ..ConnectOptions::new(entry.name.clone(), client.name.as_str(), client.version.as_str())
    };
    let oauth = entry.oauth.clone().unwrap_or_default();
    let client = oauth.client_id.map(|id| OwnClient { id, secret: oauth.client_secret });
    HttpOptions { headers: headers.to_vec(), client, ..HttpOptions::new(connect, url) }
}

/// Shakes hands within the entry's start deadline.
pub(super) async fn connect(
    entry: &ServerEntry,
    url: &str,
    headers: &[(String, String)],
    client: &Client,
    web: &Web,
) -> Result<HttpPort, PortError> {
    let options = HttpOptions { tokens: web.tokens.clone(), ..options(entry, url, headers, client) };
    connect_http(web.client()?, options).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::{McpFactory, ParentEnv, Transport};
    use mcp_catalog::{ServerName, ServerPort};
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    /// Greets, or answers every POST with this status.
    async fn server(status: Option<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut bytes = vec![0; 65_536];
                let (mut length, mut body) = (0, Value::Null);
                while body.is_null() && length < bytes.len() {
                    match stream.read(&mut bytes[length..]).await {
                        Ok(read) if read > 0 => length += read,
                        _ => break,
                    }
                    let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                    if text.starts_with("GET") || text.starts_with("DELETE") {
                        break;
                    }
                    body = text
                        .split_once("\r\n\r\n")
                        .and_then(|(_, body)| serde_json::from_str(body).ok())
                        .unwrap_or_default();
                }
                let greeting = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}});
                let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": greeting}).to_string();
                let (status, answer) = match (status, body["method"] == "initialize") {
                    (Some(status), _) => (status, String::new()),
                    (None, true) => ("200 OK", answer),
                    (None, false) => ("202 Accepted", String::new()),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    answer.len()
                );
                // A client that has gone wants no answer; what it asked is told all the same.
                let _ = stream.write_all((head + &answer).as_bytes()).await;
            }
        });
        url
    }

    fn entry(name: &str, url: String) -> ServerEntry {
        ServerEntry::new(ServerName::new(name).unwrap(), Transport::Http { url, headers: Vec::new() })
    }

    fn factory() -> McpFactory {
        McpFactory::new(ParentEnv::inherited(), Client::default(), [])
    }

    #[tokio::test]
    async fn a_server_behind_a_url_is_shared_like_any_other_and_has_no_process() {
        let (factory, entry) = (factory(), entry("docs", server(None).await));
        let first = factory.acquire(&entry).await.unwrap();
        let second = factory.acquire(&entry).await.unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.handshake().protocol, "2025-06-18");
        assert!(first.process().is_none() && first.stats().is_some() && !first.is_closed());
        factory.shut_down(deadline::GRACE_AT_EXIT).await;
        assert!(first.is_closed());
    }

    /// S47: starting a server is no reason to log in.
    #[tokio::test]
    async fn a_server_that_wants_a_login_fails_its_start_with_auth_required() {
        let entry = entry("docs", server(Some("401 Unauthorized")).await);
        assert_eq!(factory().acquire(&entry).await.unwrap_err(), PortError::AuthRequired);
    }
}
