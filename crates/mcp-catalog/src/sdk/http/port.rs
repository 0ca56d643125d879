//! A connected server behind a URL.

use super::{aside::Aside, failure, listener::Listener};
use crate::{
    Asking, Budget, Handshake, PortError, RawResult, Request, ServerName, ServerPort, deadline,
    sdk::{
        convert, handshake_of,
        peer_port::raw,
        waiting::{self, Told},
        wire::{Wire, WireStats},
    },
};
use rmcp::{
    RoleClient,
    model::GetExtensions,
    service::{Peer, PeerRequestOptions, RunningService},
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::mpsc;

/// How many progress notifications may wait for an asker.
const PROGRESS_WAITING: usize = 64;

/// A server that is asked by POST. There is no connection that could be seen to end: a server that has gone is noticed
/// by the next request, and a lost session is renewed once by that request itself. Dropping the port ends the session's
/// streams; [`close`](Self::close) also tells the server.
#[derive(Debug)]
pub struct HttpPort {
    name: ServerName,
    handshake: Handshake,
    tool_timeout: Option<Duration>,
    peer: Peer<RoleClient>,
    wire: Arc<Wire>,
    listener: Listener,
    running: Mutex<Option<RunningService<RoleClient, Listener>>>,
}

impl HttpPort {
    pub(super) fn new(
        name: ServerName,
        tool_timeout: Option<Duration>,
        wire: Arc<Wire>,
        running: RunningService<RoleClient, Listener>,
        listener: Listener,
    ) -> Self {
        let peer = running.peer().clone();
        let handshake = handshake_of(&peer);
        Self { name, handshake, tool_timeout, peer, wire, listener, running: Mutex::new(Some(running)) }
    }

    /// What the connection has seen so far; `longest_line` is the longest body or event.
    pub fn stats(&self) -> WireStats {
        self.wire.stats()
    }

    /// Whether this side has closed the session, or the SDK has given it up.
    pub fn is_closed(&self) -> bool {
        self.wire.closed.is_cancelled() || self.peer.is_transport_closed()
    }

    /// Ends the session, and tells the server so. Requests in flight fail with `connection_closed`.
    pub async fn close(&self) {
        self.wire.closed.cancel();
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut running) = running {
            let _ = running.close_with_timeout(deadline::GRACE_AT_SIGNAL.saturating_mul(2)).await;
        }
    }

    async fn put(&self, request: Request, budget: Budget) -> Result<RawResult, PortError> {
        if self.is_closed() {
            return Err(PortError::ConnectionClosed { retry_in: None });
        }
        let method = request.method();
        let aside = Aside::default();
        let mut request = convert::client_request(request);
        request.extensions_mut().insert(aside.clone());
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(failure::of_call)?;
        let (progress, reported) = mpsc::channel(PROGRESS_WAITING);
        self.listener.hear(handle.progress_token.clone(), progress);
        let settle = |told| settle(told, &aside);
        waiting::until_told(handle, reported, &self.wire.closed, method, budget, settle).await
    }
}

/// What went aside counts before what the SDK says of it.
fn settle(told: Told, aside: &Aside) -> Result<RawResult, PortError> {
    match (aside.take(), told) {
        (Some(answer), _) => answer,
        (None, Ok(Ok(result))) => raw(result),
        (None, Ok(Err(error))) => Err(failure::of_call(error)),
        (None, Err(_)) => Err(PortError::ConnectionClosed { retry_in: None }),
    }
}

impl ServerPort for HttpPort {
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
