//! From an entry to a connected server, whatever its transport.
//!
//! A connection is a port: whoever holds it may ask, and when the last holder lets go, the server is ended. It refuses
//! to connect again by itself.

mod command;
mod http;
mod process;
mod stdio;

pub use http::{Web, options};
pub use process::{Exit, Process, Processes};

use super::{ParentEnv, ServerEntry, Transport};
use crate::log;
use mcp_catalog::{
    Asking, Budget, Handshake, PortError, Request, ServerName, ServerPort,
    sdk::{WireStats, http::HttpPort},
};
use std::{fmt, sync::Arc, time::Duration};
use stdio::{Child, Program};

/// This client, as servers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Default for Client {
    fn default() -> Self {
        Self { name: "coyote".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// A connected server.
pub struct Connection {
    entry: ServerEntry,
    link: Link,
}

enum Link {
    Child(Box<Child>),
    Web(Box<HttpPort>),
    Inside(Arc<dyn ServerPort>),
}

impl Connection {
    /// Connects to a server. An embedded one is no matter of transport: see [`Connection::inside`].
    pub async fn open(
        entry: ServerEntry,
        parent: &ParentEnv,
        client: &Client,
        processes: &Processes,
        web: &Web,
    ) -> Result<Self, PortError> {
        let filled_in = entry.filled_in.clone();
        log::hide(&filled_in);
        Self::connect(entry, parent, client, processes, web).await.map_err(|error| filled_in.failure(error))
    }

    async fn connect(
        entry: ServerEntry,
        parent: &ParentEnv,
        client: &Client,
        processes: &Processes,
        web: &Web,
    ) -> Result<Self, PortError> {
        let unsupported = |cause: String| Err(PortError::Unsupported { cause });
        match &entry.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let program = Program { command, args, env, cwd: cwd.as_deref() };
                let child = stdio::connect(&entry, program, parent, client, processes).await?;
                Ok(Self { entry, link: Link::Child(Box::new(child)) })
            }
            Transport::Http { url, headers } => {
                let port = http::connect(&entry, url, headers, client, web).await?;
                Ok(Self { entry, link: Link::Web(Box::new(port)) })
            }
            Transport::Unsupported { reason } => unsupported(reason.clone()),
            Transport::Embedded => unsupported(format!("No embedded server is named `{}`", entry.name)),
        }
    }

    /// A server of this process.
    pub fn inside(entry: ServerEntry, port: Arc<dyn ServerPort>) -> Self {
        Self { entry, link: Link::Inside(port) }
    }

    /// The entry that it was made from.
    pub fn entry(&self) -> &ServerEntry {
        &self.entry
    }

    /// Whether the server is gone.
    pub fn is_closed(&self) -> bool {
        match &self.link {
            Link::Child(child) => child.port.is_closed(),
            Link::Web(port) => port.is_closed(),
            Link::Inside(_) => false,
        }
    }

    /// What the connection has seen; `None` for an embedded server.
    pub fn stats(&self) -> Option<WireStats> {
        match &self.link {
            Link::Child(child) => Some(child.port.stats()),
            Link::Web(port) => Some(port.stats()),
            Link::Inside(_) => None,
        }
    }

    /// The last lines of its stderr; foreign text, for a diagnosis only (S18).
    pub fn stderr(&self) -> Vec<String> {
        match &self.link {
            Link::Child(child) => child.stderr.lines(),
            Link::Web(_) | Link::Inside(_) => Vec::new(),
        }
    }

    /// Its process, if it has one.
    pub fn process(&self) -> Option<&Arc<Process>> {
        match &self.link {
            Link::Child(child) => Some(&child.process.0),
            Link::Web(_) | Link::Inside(_) => None,
        }
    }

    /// Ends the server: closes its stdin, then grace, SIGTERM, grace, SIGKILL (S18). A server behind a URL is told that
    /// the session ends. Requests in flight fail.
    pub async fn close(&self, grace: Duration) {
        match &self.link {
            Link::Child(child) => {
                // Ordered first, so that an end that follows from the closed stdin counts as ordered.
                child.process.0.order_end(grace);
                child.port.close().await;
                child.process.0.gone().await;
            }
            Link::Web(port) => port.close().await,
            Link::Inside(_) => {}
        }
    }

    fn port(&self) -> &dyn ServerPort {
        match &self.link {
            Link::Child(child) => &child.port,
            Link::Web(port) => port.as_ref(),
            Link::Inside(port) => port.as_ref(),
        }
    }
}

impl ServerPort for Connection {
    fn name(&self) -> &ServerName {
        &self.entry.name
    }

    fn handshake(&self) -> Handshake {
        self.port().handshake()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        let asking = self.port().ask(request, budget);
        if self.entry.filled_in.is_empty() {
            return asking;
        }
        // What a server says of its address may hold what was filled into it (S47).
        Box::pin(async move { asking.await.map_err(|error| self.entry.filled_in.failure(error)) })
    }

    fn changes(&self) -> u64 {
        self.port().changes()
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.entry.tool_timeout
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = self.process().and_then(|process| process.id());
        f.debug_struct("Connection")
            .field("server", &self.entry.name)
            .field("process", &process)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
