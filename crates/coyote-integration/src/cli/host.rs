//! What every command works with: the state of the process, where it writes, and the user's wish to stop.

use super::{exit::Failure, hints, session::Session};
use crate::{
    app_state::AppState,
    config::NotStartable,
    mcp::{ServerState, Settled},
    report::Report,
};
use mcp_catalog::{PortError, ServerName, ServerPort};
use mcp_render::ErrorShape;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The surroundings of a command.
#[derive(Debug, Clone)]
pub(super) struct Host {
    /// The state of the process.
    pub(super) app: Arc<AppState>,
    /// Where it writes.
    pub(super) report: Arc<Report>,
    /// Cancelled by a signal.
    pub(super) cancel: CancellationToken,
    /// Whether the workspace's file may be used.
    pub(super) workspace: bool,
}

impl Host {
    /// Says what is wrong with the files: all of it, or what concerns one server.
    pub(super) fn warn(&self, server: Option<&str>) {
        let warnings = self.app.warnings().filter(|warning| warning.concerns(server));
        warnings.for_each(|warning| self.report.warn(warning));
    }

    /// Finds and starts one server, and no other (S6).
    pub(super) async fn open(&self, key: &str) -> Result<Session, Failure> {
        self.warn(Some(key));
        let server = self.app.servers.get(key).map_err(Failure::start)?;
        let entry = server.startable().map_err(|why| Failure::start(why.shape()))?;
        let mut settling = self.app.start([entry.clone()]);
        match self.until_cancelled(settling.next()).await? {
            Some(Settled { name, state, .. }) => self.connected(&name, state).map(|port| Session::new(self, port)),
            None => Err(Failure::cancelled()),
        }
    }

    /// Starts these servers at once and waits until each is ready or has failed. One that fails is a warning, and the rest
    /// work (S14).
    pub(super) async fn start(&self, servers: &[ServerName]) -> Result<(), Failure> {
        let tell = |shape: &ErrorShape| self.report.warn(format!("{} ({})", shape.tool_call_error, shape.code));
        let mut entries = Vec::new();
        for server in servers.iter().filter_map(|name| self.app.servers.get(name.as_str()).ok()) {
            match server.startable() {
                Ok(entry) => entries.push(entry.clone()),
                Err(why) => tell(&why.shape()),
            }
        }
        let mut settling = self.app.start(entries);
        while let Some(settled) = self.until_cancelled(settling.next()).await? {
            if let Err(failure) = self.connected(&settled.name, settled.state) {
                tell(&failure.shape);
            }
        }
        Ok(())
    }

    /// The port of a server that has settled, or why there is none.
    pub(super) fn connected(&self, server: &ServerName, state: ServerState) -> Result<Arc<dyn ServerPort>, Failure> {
        let error = match state {
            ServerState::Ready(connection) => return Ok(connection),
            ServerState::Failed(error) => error,
            ServerState::Disabled => return Err(Failure::start(NotStartable::Disabled(server.clone()).shape())),
            ServerState::Starting => PortError::Cancelled,
        };
        match error {
            PortError::Cancelled => Err(Failure::cancelled()),
            error => Err(Failure::start(hints::start(server, &error, &self.app))),
        }
    }

    /// The result of `work`, unless the user stops it first. Dropping the work cancels it at the servers (S13).
    pub(super) async fn until_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Failure::cancelled()),
            done = work => Ok(done),
        }
    }
}
