//! A server behind a byte stream: a child process, or a task of this one.

use super::{
    convert,
    seats::Ticket,
    waiting,
    wire::{Wire, WireStats},
};
use crate::{Asking, Budget, Handshake, PortError, RawResult, Request, ServerName, ServerPort, deadline};
use rmcp::{
    RoleClient,
    model::{ClientConfig, GetExtensions},
    service::{Peer, PeerRequestOptions, RunningService},
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// A connected server that hands results over as it wrote them. Dropping it closes the stream; [`close`](Self::close)
/// also waits for that.
#[derive(Debug)]
pub struct SdkPort {
    name: ServerName,
    handshake: Handshake,
    tool_timeout: Option<Duration>,
    peer: Peer<RoleClient>,
    wire: Arc<Wire>,
    running: Mutex<Option<RunningService<RoleClient, ClientConfig>>>,
}

impl SdkPort {
    pub(super) fn new(
        name: ServerName,
        tool_timeout: Option<Duration>,
        wire: Arc<Wire>,
        running: RunningService<RoleClient, ClientConfig>,
    ) -> Self {
        let peer = running.peer().clone();
        let handshake = super::handshake_of(&peer);
        Self { name, handshake, tool_timeout, peer, wire, running: Mutex::new(Some(running)) }
    }

    /// What the connection has seen so far.
    pub fn stats(&self) -> WireStats {
        self.wire.stats()
    }

    /// Whether nothing more can be asked: the server's stream has ended, the server has closed its own end of the stream
    /// to it, or this side has closed. What is in flight may still be answered in the second case.
    pub fn is_closed(&self) -> bool {
        self.wire.closed.is_cancelled() || self.wire.written.is_cancelled()
    }

    /// Resolves when [`is_closed`](Self::is_closed) becomes true.
    pub async fn closed(&self) {
        tokio::select! {
            () = self.wire.closed.cancelled() => {}
            () = self.wire.written.cancelled() => {}
        }
    }

    /// Ends the connection: what was sent is written, then the stream to the server is closed. Requests in flight fail
    /// with `connection_closed`.
    pub async fn close(&self) {
        self.wire.closing.cancel();
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut running) = running {
            let _ = running.close_with_timeout(deadline::GRACE_AT_SIGNAL.saturating_mul(2)).await;
        }
        self.wire.written.cancelled().await;
    }

    async fn put(&self, request: Request, budget: Budget) -> Result<RawResult, PortError> {
        if self.is_closed() {
            return Err(PortError::ConnectionClosed { retry_in: None });
        }
        let method = request.method();
        let (ticket, waiting) = Ticket::new();
        let mut request = convert::client_request(request);
        request.extensions_mut().insert(ticket);
        // Queueing takes no time: the SDK's loop never waits for the server.
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        waiting::answer(sent.map_err(convert::port_error)?, waiting, &self.wire.closed, method, budget).await
    }
}

impl ServerPort for SdkPort {
    fn name(&self) -> &ServerName {
        &self.name
    }

    fn handshake(&self) -> Handshake {
        self.handshake.clone()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        Box::pin(self.put(request, budget))
    }

    fn changes(&self) -> u64 {
        self.wire.changes()
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.tool_timeout
    }
}
