//! A server that a host has already connected by itself: the host's own [`Peer`] as a port (S9).
//!
//! The host's transport parses results before this port sees them, so a result that the SDK knows arrives as the SDK
//! wrote it again: unknown members are gone, and a content with both `text` and `blob` arrives as text. A result that
//! the SDK does not know arrives whole. Progress restarts the clock; where it is shown is the host's own matter.

use super::{convert, waiting::Asked};
use crate::{Asking, Budget, Handshake, PortError, RawResult, Request, ServerName, ServerPort, deadline};
use rmcp::{
    RoleClient,
    model::{CustomResult, ServerResult},
    service::{Peer, PeerRequestOptions, ServiceError},
};
use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};
use tokio::time::timeout;

/// A host's own connection.
#[derive(Debug)]
pub struct PeerPort {
    name: ServerName,
    peer: Peer<RoleClient>,
    tool_timeout: Option<Duration>,
    changes: AtomicU64,
}

impl PeerPort {
    /// Wraps a connected peer.
    pub fn new(name: ServerName, peer: Peer<RoleClient>) -> Self {
        Self { name, peer, tool_timeout: None, changes: AtomicU64::new(0) }
    }

    /// The same with a deadline for calls, reads and prompts (S12).
    #[must_use]
    pub fn with_tool_timeout(mut self, tool_timeout: Option<Duration>) -> Self {
        self.tool_timeout = tool_timeout;
        self
    }

    /// To be called from the host's client handler when the server says that one of its lists changed (S17).
    pub fn note_change(&self) {
        self.changes.fetch_add(1, Relaxed);
    }

    async fn put(&self, request: Request, budget: Budget) -> Result<RawResult, PortError> {
        if self.peer.is_transport_closed() {
            return Err(PortError::ConnectionClosed { retry_in: None });
        }
        let method = request.method();
        let options = PeerRequestOptions::with_timeout(budget.idle)
            .reset_timeout_on_progress()
            .with_max_total_timeout(budget.total);
        let sent = self.peer.send_cancellable_request(convert::client_request(request), options).await;
        let handle = sent.map_err(convert::port_error)?;
        let asked = Asked::new(&self.peer, handle.id.clone());
        // The SDK keeps the deadlines, but tells the server before it tells us, and waits until that is written.
        let patience = budget.total.saturating_add(deadline::QUICK);
        let told = tokio::select! {
            biased;
            told = timeout(patience, handle.await_response()) => told,
            () = budget.cancel.cancelled() => {
                asked.give_up("cancelled by the user").await;
                return Err(PortError::Cancelled);
            }
        };
        asked.over();
        match told {
            Ok(Ok(result)) => raw(result),
            Ok(Err(ServiceError::Timeout { timeout })) => Err(PortError::Timeout { method, after: timeout }),
            Ok(Err(error)) => Err(convert::port_error(error)),
            Err(_) => Err(PortError::Timeout { method, after: budget.total }),
        }
    }
}

/// The result's JSON again.
pub(super) fn raw(result: ServerResult) -> Result<RawResult, PortError> {
    let json = match result {
        ServerResult::CustomResult(CustomResult(value)) => serde_json::to_vec(&value),
        known => serde_json::to_vec(&known),
    };
    json.map(RawResult::whole).map_err(|error| PortError::InvalidResponse { cause: error.to_string() })
}

impl ServerPort for PeerPort {
    fn name(&self) -> &ServerName {
        &self.name
    }

    fn handshake(&self) -> Handshake {
        super::handshake_of(&self.peer)
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        Box::pin(self.put(request, budget))
    }

    fn changes(&self) -> u64 {
        self.changes.load(Relaxed)
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.tool_timeout
    }
}
