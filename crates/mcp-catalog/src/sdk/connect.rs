//! The handshake over a byte stream, of either kind (S12, S17).

use super::{SdkPort, raw_lines::RawLines, wire::Wire};
use crate::{PortError, ServerName, deadline, server_text};
use rmcp::{
    model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion},
    service::{ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, serve_client_with_lifecycle},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::oneshot,
    time::timeout,
};

/// How a connection begins (S17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Greeting {
    /// With `initialize`, which nearly every server has.
    #[default]
    Initialize,
    /// With `server/discover`, for the servers that reject `initialize`.
    Discover,
}

impl Greeting {
    pub(super) fn mode(self) -> ClientLifecycleMode {
        let preferred_versions =
            || ProtocolVersion::KNOWN_VERSIONS.iter().filter(|version| !version.has_initialize()).cloned().collect();
        match self {
            Self::Initialize => ClientLifecycleMode::Initialize,
            Self::Discover => ClientLifecycleMode::Discover { preferred_versions: preferred_versions() },
        }
    }

    const fn method(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Discover => "server/discover",
        }
    }
}

/// A handshake that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why; always [`PortError::HandshakeFailed`].
    pub error: PortError,
    /// The server rejected `initialize` as one does that has none: over a new stream, [`Greeting::Discover`] may succeed.
    pub discoverable: bool,
}

impl From<PortError> for Refusal {
    fn from(error: PortError) -> Self {
        Self { error, discoverable: false }
    }
}

/// JSON-RPC's codes of a server that has no `initialize`: unsupported protocol version, method not found (S17).
pub(super) const NO_INITIALIZE: [i64; 2] = [-32022, -32601];

/// How to connect a server.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// The server's key.
    pub server: ServerName,
    /// This client's name, as the server sees it.
    pub client_name: String,
    /// This client's version, as the server sees it.
    pub client_version: String,
    /// How long the handshake may take (S12).
    pub startup_timeout: Duration,
    /// The deadline of calls, reads and prompts that the configuration sets (S12).
    pub tool_timeout: Option<Duration>,
    /// The longest line that is read, in bytes (S16).
    pub frame_limit: usize,
    /// How the connection begins (S17).
    pub greeting: Greeting,
}

impl ConnectOptions {
    /// The house's limits, for a client of this name and version.
    pub fn new(server: ServerName, client_name: impl Into<String>, client_version: impl Into<String>) -> Self {
        Self {
            server,
            client_name: client_name.into(),
            client_version: client_version.into(),
            startup_timeout: deadline::HANDSHAKE,
            tool_timeout: None,
            frame_limit: mcp_render::FRAME_MAX_BYTES,
            greeting: Greeting::default(),
        }
    }

    /// The `initialize` that is sent: no capabilities, and the newest revision that has a handshake (S17).
    pub(super) fn config(&self) -> ClientConfig {
        let own = Implementation::new(self.client_name.as_str(), self.client_version.as_str());
        ClientConfig::new(ClientCapabilities::default(), own)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

/// Connects to the server behind `reader` and `writer`, which may be the pipes of a child process or the ends of a
/// duplex stream of this one. Every failure is [`PortError::HandshakeFailed`].
pub async fn connect_io<R, W>(reader: R, writer: W, options: ConnectOptions) -> Result<SdkPort, PortError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    greet(reader, writer, options).await.map_err(|refusal| refusal.error)
}

/// The same for a caller who can open the stream once more, and so wants to know whether that may help (S17).
pub async fn greet<R, W>(reader: R, writer: W, options: ConnectOptions) -> Result<SdkPort, Refusal>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let wire = Arc::new(Wire::new(options.server.clone()));
    let (refusal, mut refused) = oneshot::channel();
    let transport = RawLines::new(reader, writer, options.frame_limit, refusal, Arc::clone(&wire));
    let serving = serve_client_with_lifecycle(options.config(), transport, options.greeting.mode());
    let served = timeout(options.startup_timeout, serving).await;
    let mut discoverable = false;
    let cause = match served {
        Ok(Ok(running)) => {
            running.set_response_cache_config(ClientCacheConfig::disabled()).await;
            return Ok(SdkPort::new(options.server, options.tool_timeout, wire, running));
        }
        Ok(Err(error)) => match refused.try_recv() {
            Ok(PortError::HandshakeFailed { cause }) => cause,
            Ok(error) => {
                let rejected = matches!(error, PortError::Server { code, .. } if NO_INITIALIZE.contains(&code));
                discoverable = rejected && options.greeting == Greeting::Initialize;
                error.to_string()
            }
            Err(_) => cause(&error, options.greeting),
        },
        Err(_) => format!("no answer in {} s", options.startup_timeout.as_secs_f32()),
    };
    let cause = match wire.stats().noise {
        0 => cause,
        1 => format!("{cause}; stdout held a line that is no MCP message"),
        lines => format!("{cause}; stdout held {lines} lines that are no MCP messages"),
    };
    Err(Refusal { error: PortError::HandshakeFailed { cause }, discoverable })
}

fn cause(error: &ClientInitializeError, greeting: Greeting) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => {
            format!("the server closed the connection before it answered `{}`", greeting.method())
        }
        other => server_text(&other.to_string()),
    }
}
