//! The process's servers: started at once, each with a state of its own (S14).
//!
//! One bad server is one failed state; nothing waits for it but who asks for it. The registry holds what it started, so
//! that contexts find it running.

use super::{Lasting, McpFactory, ServerEntry};
use mcp_catalog::{McpRuntime, McpServerFeatures, PortError, ServerName, ServerPort};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, timeout},
};

/// The process's servers.
pub struct McpRegistry {
    factory: Arc<McpFactory>,
    servers: Mutex<BTreeMap<ServerName, Server>>,
    starts: Mutex<JoinSet<()>>,
    /// Changes whenever a server is no longer starting.
    settled: watch::Sender<u64>,
}

#[derive(Debug)]
struct Server {
    state: ServerState,
    /// Tells a start from an earlier one of the same name.
    turn: u64,
}

/// What has become of a server.
#[derive(Debug, Clone)]
pub enum ServerState {
    /// It is disabled in its file, and is not started.
    Disabled,
    /// It has not answered yet.
    Starting,
    /// It was connected; when it goes, it is connected again (S15).
    Ready(Arc<Lasting>),
    /// It could not be started.
    Failed(PortError),
}

/// A server that is no longer starting.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The server.
    pub name: ServerName,
    /// Its state; never [`ServerState::Starting`].
    pub state: ServerState,
    /// How long that took.
    pub took: Duration,
}

/// The servers of one [`McpRegistry::start`], each as soon as it is settled.
#[derive(Debug)]
pub struct Settling(mpsc::UnboundedReceiver<Settled>);

impl Settling {
    /// The next one; `None` when all are told.
    pub async fn next(&mut self) -> Option<Settled> {
        self.0.recv().await
    }
}

impl McpRegistry {
    /// A registry without servers.
    pub fn new(factory: Arc<McpFactory>) -> Self {
        Self { factory, servers: Mutex::default(), starts: Mutex::default(), settled: watch::Sender::new(0) }
    }

    /// The factory, for contexts with servers of their own.
    pub fn factory(&self) -> &Arc<McpFactory> {
        &self.factory
    }

    /// Starts servers concurrently and returns at once. A server that is already known by name is replaced. Must be
    /// called within a tokio runtime.
    pub fn start(self: &Arc<Self>, entries: impl IntoIterator<Item = ServerEntry>) -> Settling {
        let (told, settling) = mpsc::unbounded_channel();
        let begun = Instant::now();
        for entry in entries {
            let turn = self.begin(&entry);
            let (registry, told) = (Arc::clone(self), told.clone());
            let start = async move {
                let state = registry.outcome(&entry).await;
                registry.settle(&entry.name, turn, state.clone());
                // The caller may not care.
                let _ = told.send(Settled { name: entry.name, state, took: begun.elapsed() });
            };
            let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
            while starts.try_join_next().is_some() {}
            starts.spawn(start);
        }
        Settling(settling)
    }

    /// Waits until no server is starting, but no longer than `limit`; those that still are.
    pub async fn wait(&self, limit: Duration) -> Vec<ServerName> {
        let mut settled = self.settled.subscribe();
        // The sender lives as long as the registry.
        let _ = timeout(limit, settled.wait_for(|_| self.starting().is_empty())).await;
        self.starting()
    }

    /// The state of a server.
    pub fn state(&self, server: &ServerName) -> Option<ServerState> {
        self.lock().get(server).map(|server| server.state.clone())
    }

    /// The states of all servers, by name.
    pub fn states(&self) -> Vec<(ServerName, ServerState)> {
        self.lock().iter().map(|(name, server)| (name.clone(), server.state.clone())).collect()
    }

    /// The connected servers, as a context owns them.
    pub fn runtime(&self) -> McpRuntime {
        McpRuntime::new(self.states().into_iter().filter_map(|(_, state)| match state {
            ServerState::Ready(connection) => Some(connection as Arc<dyn ServerPort>),
            ServerState::Disabled | ServerState::Starting | ServerState::Failed(_) => None,
        }))
    }

    /// What decides which functions exist (D7): the registry's own view of [`McpRuntime::server_features`].
    pub fn server_features(&self) -> Vec<McpServerFeatures> {
        self.runtime().server_features()
    }

    /// Lets go of these servers: a connection that nobody else uses ends. They can be started again.
    pub fn release(&self, servers: &[ServerName]) {
        let mut known = self.lock();
        let released: Vec<Option<Server>> = servers.iter().map(|server| known.remove(server)).collect();
        drop(known);
        // Not under the lock: the last holder of a connection ends it.
        drop(released);
    }

    /// Ends every server at once (S18), those included that other contexts have acquired.
    pub async fn shut_down(&self, grace: Duration) {
        // Dropped starts close the stdin of their children.
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        self.factory.shut_down(grace).await;
        self.lock().clear();
        self.settled.send_modify(|turn| *turn += 1);
    }

    async fn outcome(&self, entry: &ServerEntry) -> ServerState {
        if entry.disabled {
            return ServerState::Disabled;
        }
        match self.factory.acquire(entry).await {
            Ok(connection) => ServerState::Ready(connection),
            Err(error) => ServerState::Failed(error),
        }
    }

    fn begin(&self, entry: &ServerEntry) -> u64 {
        let mut servers = self.lock();
        let turn = servers.get(&entry.name).map_or(0, |server| server.turn + 1);
        servers.insert(entry.name.clone(), Server { state: ServerState::Starting, turn });
        turn
    }

    fn settle(&self, name: &ServerName, turn: u64, state: ServerState) {
        if let Some(server) = self.lock().get_mut(name).filter(|server| server.turn == turn) {
            server.state = state;
        }
        self.settled.send_modify(|turn| *turn += 1);
    }

    fn starting(&self) -> Vec<ServerName> {
        let servers = self.lock();
        let starting = servers.iter().filter(|(_, server)| matches!(server.state, ServerState::Starting));
        starting.map(|(name, _)| name.clone()).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<ServerName, Server>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for McpRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.states().into_iter().map(|(name, state)| (name, state_word(&state)))).finish()
    }
}

fn state_word(state: &ServerState) -> &'static str {
    match state {
        ServerState::Disabled => "disabled",
        ServerState::Starting => "starting",
        ServerState::Ready(_) => "ready",
        ServerState::Failed(_) => "failed",
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
