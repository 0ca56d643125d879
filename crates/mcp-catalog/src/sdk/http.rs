//! A server behind a URL: streamable HTTP (S9, S12, S13, S16, S17, S19).
//!
//! [`connect_http`] shakes hands over one HTTP client that the host shares among its servers and hands back an
//! [`HttpPort`]. Results are the SDK's, with the `CustomResult` fallback (S9): an item with both `text` and `blob`
//! arrives as text. What the SDK cannot parse is read as over stdio, so that one odd item costs itself only. Nothing
//! here starts a login or opens a browser: a server that wants one is [`PortError::AuthRequired`], and what it said is
//! kept for whoever logs in ([`super::login`]).

mod aside;
mod channel;
mod events;
pub(super) mod failure;
mod listener;
mod pace;
mod port;
mod sse;

pub use port::HttpPort;
/// The HTTP client that hosts share among servers.
pub use reqwest::Client as HttpClient;

use super::{
    ConnectOptions, Greeting,
    connect::NO_INITIALIZE,
    login::{self, OwnClient, TokenStore},
    wire::Wire,
};
use crate::PortError;
use channel::Channel;
use http::{HeaderName, HeaderValue, header};
use listener::Listener;
use mcp_render::shown;
use rmcp::{
    RoleClient,
    service::{
        ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
    },
    transport::{
        StreamableHttpClientTransport,
        auth::AuthClient,
        streamable_http_client::{StreamableHttpClient, StreamableHttpClientTransportConfig},
    },
};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::time::timeout;

/// How many requests of one server may wait for their answer's head at once; more of them queue.
const REQUESTS_AT_ONCE: usize = 64;
/// How many redirects within an origin are followed.
const REDIRECTS: usize = 10;
/// Headers that the transport writes itself.
const RESERVED: [&str; 4] = ["accept", "mcp-session-id", "mcp-protocol-version", "last-event-id"];

/// The HTTP client of the house: no idle connections, and redirects within the origin only, as the SDK's own client has
/// it. Proxies are taken from the environment. The TLS provider must have been installed by the host.
pub fn http_client() -> Result<reqwest::Client, PortError> {
    let policy = reqwest::redirect::Policy::custom(|attempt| {
        // Any other status would turn a POST into a GET without the message.
        let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
        let same_origin =
            attempt.previous().first().is_some_and(|original| original.origin() == attempt.url().origin());
        match attempt.previous().len() {
            0..=REDIRECTS if keeps_body && same_origin => attempt.follow(),
            _ => attempt.stop(),
        }
    });
    // An idle connection whose last body was not read to its end stalls the next request.
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).redirect(policy).build();
    client.map_err(|error| PortError::Unsupported { cause: format!("No HTTP client: {}", failure::root(&error)) })
}

/// A server's endpoint and how to be let in.
#[derive(Clone)]
pub struct HttpOptions {
    /// What holds for every connection. `frame_limit` bounds a JSON body and an event alike (S16).
    pub connect: ConnectOptions,
    /// The endpoint.
    pub url: String,
    /// Headers of every request. Values may be secrets.
    pub headers: Vec<(String, String)>,
    /// Where the tokens of earlier logins are; without it, and beside an own `Authorization` header, none are sent.
    pub tokens: Option<Arc<dyn TokenStore>>,
    /// The client that those logins used, where it was registered by hand.
    pub client: Option<OwnClient>,
    /// Filled with what the server asks of a login.
    pub challenge: Challenge,
}

impl HttpOptions {
    /// An endpoint without headers or tokens.
    pub fn new(connect: ConnectOptions, url: impl Into<String>) -> Self {
        Self {
            connect,
            url: url.into(),
            headers: Vec::new(),
            tokens: None,
            client: None,
            challenge: Challenge::default(),
        }
    }
}

impl fmt::Debug for HttpOptions {
    /// Names of headers only, and no URL: both may hold secrets (S47).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpOptions").field("connect", &self.connect).field("headers", &names).finish_non_exhaustive()
    }
}

/// The last `WWW-Authenticate` of a server. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Challenge(Arc<Mutex<Option<String>>>);

impl Challenge {
    /// What the server said last.
    pub fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, said: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = said;
    }
}

/// Connects to a server over `client`. One that rejects `initialize` because it has none is asked what it has (S17). A
/// server that asks for a login is [`PortError::AuthRequired`]; every other failure is [`PortError::HandshakeFailed`].
pub async fn connect_http(client: reqwest::Client, options: HttpOptions) -> Result<HttpPort, PortError> {
    let headers = headers(&options.headers).map_err(|cause| PortError::HandshakeFailed { cause })?;
    let limit = options.connect.startup_timeout;
    let server = options.connect.server.clone();
    let tool_timeout = options.connect.tool_timeout;
    let wire = Arc::new(Wire::new(server.clone()));
    let greeting = Box::pin(greet_either_way(client, options, headers, Arc::clone(&wire)));
    match timeout(limit, greeting).await {
        Ok(Ok((running, listener))) => Ok(HttpPort::new(server, tool_timeout, wire, running, listener)),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(PortError::HandshakeFailed { cause: format!("no answer in {} s", limit.as_secs_f32()) }),
    }
}

/// With `initialize`, or else with `server/discover`, within one deadline.
async fn greet_either_way(
    client: reqwest::Client,
    options: HttpOptions,
    headers: HashMap<HeaderName, HeaderValue>,
    wire: Arc<Wire>,
) -> Result<Greeted, PortError> {
    let initialize = options.connect.greeting == Greeting::Initialize;
    let discover = HttpOptions {
        connect: ConnectOptions { greeting: Greeting::Discover, ..options.connect.clone() },
        ..options.clone()
    };
    let rejected = match greet(client.clone(), options, headers.clone(), Arc::clone(&wire)).await {
        Err(PortError::Server { code, message }) if initialize && NO_INITIALIZE.contains(&code) => {
            PortError::Server { code, message }
        }
        other => return other.map_err(failure::of_start),
    };
    tracing::info!(server = %shown(discover.connect.server.as_str()), "`initialize` was rejected; trying `server/discover`");
    greet(client, discover, headers, wire).await.map_err(|second| match failure::of_start(second) {
        PortError::HandshakeFailed { cause } => {
            PortError::HandshakeFailed { cause: format!("{rejected}; then, to `server/discover`: {cause}") }
        }
        login => login,
    })
}

type Greeted = (RunningService<RoleClient, Listener>, Listener);

async fn greet(
    client: reqwest::Client,
    options: HttpOptions,
    headers: HashMap<HeaderName, HeaderValue>,
    wire: Arc<Wire>,
) -> Result<Greeted, PortError> {
    let limit = options.connect.frame_limit;
    let mut config = StreamableHttpClientTransportConfig::with_uri(options.url.as_str())
        .max_concurrent_requests(REQUESTS_AT_ONCE)
        .max_json_response_size(limit)
        .max_sse_event_size(limit);
    let own_login = headers.contains_key(&header::AUTHORIZATION);
    config = config.custom_headers(headers);
    let listener = Listener::new(options.connect.config(), Arc::clone(&wire));
    let channel = Channel::new(client, wire, options.challenge);
    let manager = match options.tokens.filter(|_| !own_login) {
        Some(store) => login::stored(&options.url, store, options.client).await?,
        None => None,
    };
    let mode = options.connect.greeting.mode();
    let running = match manager {
        Some(manager) => serve(AuthClient::new(channel, manager), config, listener.clone(), mode).await,
        None => serve(channel, config, listener.clone(), mode).await,
    };
    let running = running.map_err(|error| failure::of_handshake(&error))?;
    running.set_response_cache_config(ClientCacheConfig::disabled()).await;
    Ok((running, listener))
}

async fn serve<C: StreamableHttpClient + Sync>(
    client: C,
    config: StreamableHttpClientTransportConfig,
    listener: Listener,
    mode: ClientLifecycleMode,
) -> Result<RunningService<RoleClient, Listener>, ClientInitializeError> {
    let transport = StreamableHttpClientTransport::with_client(client, config);
    serve_client_with_lifecycle(listener, transport, mode).await
}

/// The entry's headers as HTTP has them. A message names a header, never its value (S47).
fn headers(given: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let mut headers = HashMap::new();
    for (name, value) in given {
        let Ok(key) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(format!("`{name}` cannot be the name of a header; write letters, digits and `-`"));
        };
        if RESERVED.contains(&key.as_str()) {
            return Err(format!("header `{name}` is written by the transport itself; remove it from `headers`"));
        }
        let Ok(mut value) = HeaderValue::from_str(value) else {
            return Err(format!("the value of header `{name}` holds a character that HTTP does not allow"));
        };
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests;
