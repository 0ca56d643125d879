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
        login::TokenStore,
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
    HttpOptions { headers: headers.to_vec(), ..HttpOptions::new(connect, url) }
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
