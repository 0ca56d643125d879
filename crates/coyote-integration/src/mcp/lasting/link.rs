//! What a lasting connection wants of the connections that it goes through.

use crate::mcp::{Connection, Process};
use futures_util::{FutureExt, future::BoxFuture};
use mcp_catalog::{ServerPort, deadline};
use std::time::Duration;
use tokio::time::timeout;

/// One connection, from its handshake to its end. It never connects again.
pub trait Link: ServerPort + 'static {
    /// Whether the server is gone.
    fn is_closed(&self) -> bool;

    /// Ends the server, with this grace.
    fn close(&self, grace: Duration) -> BoxFuture<'_, ()>;

    /// What a server that has gone wrote last to stderr: foreign text.
    fn last_words(&self) -> BoxFuture<'_, Vec<String>>;
}

impl Link for Connection {
    fn is_closed(&self) -> bool {
        self.is_closed()
    }

    fn close(&self, grace: Duration) -> BoxFuture<'_, ()> {
        self.close(grace).boxed()
    }

    fn last_words(&self) -> BoxFuture<'_, Vec<String>> {
        async move {
            // A stream ends before its process does, and the process before the last of its stderr is read.
            if let Some(process) = self.process() {
                let _ = timeout(deadline::HANG_UP, Process::gone(process)).await;
            }
            self.stderr()
        }
        .boxed()
    }
}
