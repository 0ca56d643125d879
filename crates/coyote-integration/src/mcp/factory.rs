//! One live connection for equal specifications, however many contexts want it (R15, D7).
//!
//! The factory holds connections weakly: a connection lives as long as somebody uses it. Whoever wants a server that is
//! being started waits for that start and shares its end, good or bad.

use super::{
    Lasting, Opener, ParentEnv, ServerEntry, SpecKey, Transport,
    connect::{Client, Connection, Processes, Web},
};
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared, join_all},
};
use mcp_catalog::{PortError, ServerName, ServerPort};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

type Started = Result<Arc<Lasting>, PortError>;
type Starting = BoxFuture<'static, Started>;

/// Makes and shares connections.
pub struct McpFactory {
    start: Arc<Start>,
    shared: Mutex<BTreeMap<SpecKey, Slot>>,
}

/// What a start needs.
struct Start {
    parent: ParentEnv,
    client: Client,
    processes: Processes,
    web: Web,
    embedded: BTreeMap<ServerName, Arc<dyn ServerPort>>,
    /// The program ends: no start begins or goes on.
    ending: CancellationToken,
}

/// One specification: its start while it lasts, its connection while it is used.
struct Slot {
    starting: WeakShared<Starting>,
    live: Weak<Lasting>,
}

impl McpFactory {
    /// A factory whose children inherit from `parent`. `embedded` are the servers of this process.
    pub fn new(parent: ParentEnv, client: Client, embedded: impl IntoIterator<Item = Arc<dyn ServerPort>>) -> Self {
        let embedded = embedded.into_iter().map(|port| (port.name().clone(), port)).collect();
        let processes = Processes::default();
        let web = Web::default();
        let start = Start { parent, client, processes, web, embedded, ending: CancellationToken::new() };
        Self { start: Arc::new(start), shared: Mutex::default() }
    }

    /// The same with what servers behind a URL are reached with. To be called before the first start.
    #[must_use]
    pub fn with_web(mut self, web: Web) -> Self {
        if let Some(start) = Arc::get_mut(&mut self.start) {
            start.web = web;
        }
        self
    }

    /// The connection for `entry`: the one of an equal entry, that which is being started, or a new one. One whose
    /// server has gone connects again when it is used (S15); one that was closed is not handed out again.
    pub async fn acquire(&self, entry: &ServerEntry) -> Started {
        let key = entry.spec_key();
        let starting = match self.find_or_start(key, entry) {
            Found::Live(connection) => return Ok(connection),
            Found::Starting(starting) => starting,
        };
        let connection = starting.clone().await?;
        // Before this start is let go, its connection is known; nobody in between starts a second one.
        if let Some(slot) = self.shared.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&key) {
            slot.live = Arc::downgrade(&connection);
        }
        drop(starting);
        Ok(connection)
    }

    /// The last lines that a server's latest process wrote to stderr, however its start ended; foreign text (S18).
    pub fn stderr(&self, server: &ServerName) -> Vec<String> {
        self.start.processes.stderr(server)
    }

    /// How many server processes run.
    pub fn running(&self) -> usize {
        self.start.processes.running()
    }

    /// Ends every server at once, started or not: each gets its stdin closed, then `grace`, SIGTERM, `grace`, SIGKILL
    /// (S18). Later acquisitions fail with `cancelled`.
    pub async fn shut_down(&self, grace: Duration) {
        self.start.ending.cancel();
        let live: Vec<Arc<Lasting>> = {
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.values().filter_map(|slot| slot.live.upgrade()).collect()
        };
        let closing = join_all(live.iter().map(|connection| connection.close(grace)));
        // Also those that nobody holds any longer and those that never answered.
        tokio::join!(closing, self.start.processes.end_all(grace));
    }

    fn find_or_start(&self, key: SpecKey, entry: &ServerEntry) -> Found {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.retain(|_, slot| slot.live.strong_count() > 0 || slot.starting.upgrade().is_some());
        if let Some(slot) = shared.get(&key) {
            match (slot.live.upgrade(), slot.starting.upgrade()) {
                (Some(connection), _) if !connection.is_ended() => return Found::Live(connection),
                (None, Some(starting)) => return Found::Starting(starting),
                _ => {}
            }
        }
        let starting = start(Arc::clone(&self.start), entry.clone()).boxed().shared();
        if let Some(weak) = starting.downgrade() {
            shared.insert(key, Slot { starting: weak, live: Weak::new() });
        }
        Found::Starting(starting)
    }
}

enum Found {
    Live(Arc<Lasting>),
    Starting(Shared<Starting>),
}

async fn start(start: Arc<Start>, entry: ServerEntry) -> Started {
    let first = open(&start, entry.clone()).await?;
    let opener = opener(start, entry.clone());
    Ok(Arc::new(Lasting::new(entry, first, opener)))
}

fn opener(start: Arc<Start>, entry: ServerEntry) -> Opener<Connection> {
    Arc::new(move || {
        let (start, entry) = (Arc::clone(&start), entry.clone());
        async move { open(&start, entry).await }.boxed()
    })
}

async fn open(start: &Start, entry: ServerEntry) -> Result<Arc<Connection>, PortError> {
    if entry.disabled {
        return Err(PortError::Unsupported { cause: format!("Server `{}` is disabled", entry.name) });
    }
    if entry.transport == Transport::Embedded
        && let Some(port) = start.embedded.get(&entry.name)
    {
        return Ok(Arc::new(Connection::inside(entry, Arc::clone(port))));
    }
    tokio::select! {
        biased;
        () = start.ending.cancelled() => Err(PortError::Cancelled),
        opened = Connection::open(entry, &start.parent, &start.client, &start.processes, &start.web) => opened.map(Arc::new),
    }
}

impl fmt::Debug for McpFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpFactory").field("running", &self.running()).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
