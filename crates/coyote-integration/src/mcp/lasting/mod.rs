//! A connection that outlives the server behind it (S15).
//!
//! It keeps what the server said of itself, so that functions stay while there is no server, and connects again when it
//! is next used. It refuses to repeat a request: the one that was under way when the server went fails, since nobody
//! knows how much of it was done.

mod backoff;
mod link;

pub use link::Link;

use super::{Connection, Process, ServerEntry};
use backoff::Backoff;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use mcp_catalog::{
    Asking, Budget, Handshake, PortError, RawResult, Request, ServerName, ServerPort, deadline, sdk::WireStats,
};
use mcp_render::shown;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

type Opened<L> = Result<Arc<L>, PortError>;

/// Makes another connection to the same server.
pub type Opener<L> = Arc<dyn Fn() -> BoxFuture<'static, Opened<L>> + Send + Sync>;

/// How many of a server's last lines go to the log once more.
const LAST_LINES: usize = 10;

/// A server, connected or about to be.
pub struct Lasting<L: Link = Connection> {
    inner: Arc<Inner<L>>,
    /// Ends a try whose result nobody would get.
    _dropped: DropGuard,
}

struct Inner<L> {
    entry: ServerEntry,
    open: Opener<L>,
    dropped: CancellationToken,
    state: Mutex<State<L>>,
}

struct State<L> {
    /// The connection that was made last, until it is seen to have ended.
    current: Option<Arc<L>>,
    /// The try that is being made, which everybody waits for.
    trying: Option<Shared<BoxFuture<'static, Opened<L>>>>,
    /// What the server said when it was last connected.
    handshake: Handshake,
    backoff: Backoff,
    /// The changes of connections that are gone, and one for each connection after the first.
    changes: u64,
    /// What the last server that has gone wrote to stderr.
    last_words: Vec<String>,
    /// This side wants no server any longer.
    ended: bool,
}

/// What a use finds.
enum Found<L> {
    Live(Arc<L>),
    Trying(Shared<BoxFuture<'static, Opened<L>>>),
}

impl<L: Link> Lasting<L> {
    /// Keeps `first`, and makes another one with `open` when its server has gone.
    pub fn new(entry: ServerEntry, first: Arc<L>, open: Opener<L>) -> Self {
        let dropped = CancellationToken::new();
        let state = State {
            handshake: first.handshake(),
            current: Some(first),
            trying: None,
            backoff: Backoff::default(),
            changes: 0,
            last_words: Vec::new(),
            ended: false,
        };
        let guard = dropped.clone().drop_guard();
        Self { inner: Arc::new(Inner { entry, open, dropped, state: Mutex::new(state) }), _dropped: guard }
    }

    /// The entry that it is made from.
    pub fn entry(&self) -> &ServerEntry {
        &self.inner.entry
    }

    /// The living connection, if there is one at the moment.
    pub fn current(&self) -> Option<Arc<L>> {
        self.inner.lock().current.clone().filter(|link| !link.is_closed())
    }

    /// Whether there is no server at the moment. The next use tries to change that.
    pub fn is_closed(&self) -> bool {
        self.current().is_none()
    }

    /// Whether it was closed for good.
    pub fn is_ended(&self) -> bool {
        self.inner.lock().ended
    }

    /// Connects anew, whether or not there is a connection and whatever pause is due. A server that still runs is ended
    /// first, and what it was asked fails. A try that is being made is waited for instead.
    pub async fn reconnect(&self) -> Result<(), PortError> {
        let trying = self.inner.force()?;
        trying.await.map(drop)
    }

    /// Ends the server for good (S18): later uses fail with `connection_closed`.
    pub async fn close(&self, grace: Duration) {
        let current = {
            let mut state = self.inner.lock();
            state.ended = true;
            state.current.clone()
        };
        self.inner.dropped.cancel();
        if let Some(link) = current {
            link.close(grace).await;
        }
    }

    async fn put(&self, request: Request, budget: Budget) -> Result<RawResult, PortError> {
        let link = match self.inner.find(Instant::now())? {
            Found::Live(link) => link,
            Found::Trying(trying) => wait(trying, request.method(), &budget).await?,
        };
        let answer = link.ask(request, budget).await;
        if matches!(answer, Err(PortError::ConnectionClosed { .. })) {
            self.inner.lost(&link);
        }
        answer
    }
}

impl Lasting {
    /// What the present connection has seen; `None` without one, and for an embedded server.
    pub fn stats(&self) -> Option<WireStats> {
        self.current()?.stats()
    }

    /// The last lines of the server's stderr, or of the one that was here before; foreign text (S18).
    pub fn stderr(&self) -> Vec<String> {
        match self.current() {
            Some(connection) => connection.stderr(),
            None => self.inner.lock().last_words.clone(),
        }
    }

    /// The server's process, if it has one.
    pub fn process(&self) -> Option<Arc<Process>> {
        self.inner.lock().current.as_ref().and_then(|connection| connection.process().cloned())
    }
}

impl<L: Link> Inner<L> {
    /// The connection, or the try to wait for, which is begun when one is due.
    fn find(self: &Arc<Self>, now: Instant) -> Result<Found<L>, PortError> {
        let mut state = self.lock();
        if state.ended {
            return Err(PortError::ConnectionClosed { retry_in: None });
        }
        if let Some(trying) = state.trying() {
            return Ok(Found::Trying(trying));
        }
        match &state.current {
            Some(link) if !link.is_closed() => return Ok(Found::Live(Arc::clone(link))),
            Some(_) => self.lose(&mut state),
            None => {}
        }
        state.backoff.refusal(now).map_or_else(|| Ok(Found::Trying(self.begin(&mut state, None))), Err)
    }

    fn force(self: &Arc<Self>) -> Result<Shared<BoxFuture<'static, Opened<L>>>, PortError> {
        let mut state = self.lock();
        if state.ended {
            return Err(PortError::ConnectionClosed { retry_in: None });
        }
        if let Some(trying) = state.trying() {
            return Ok(trying);
        }
        let old = state.current.take();
        state.changes += old.as_ref().map_or(0, |link| link.changes());
        Ok(self.begin(&mut state, old))
    }

    /// A use has seen that `link` is gone.
    fn lost(self: &Arc<Self>, link: &Arc<L>) {
        let mut state = self.lock();
        if !state.ended && state.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, link)) {
            self.lose(&mut state);
        }
    }

    fn lose(self: &Arc<Self>, state: &mut State<L>) {
        let Some(link) = state.current.take() else { return };
        state.changes += link.changes();
        let inner = Arc::downgrade(self);
        tokio::spawn(async move {
            let lines = link.last_words().await;
            log_end(link.name(), &lines);
            if let Some(inner) = inner.upgrade() {
                inner.lock().last_words = lines;
            }
        });
    }

    /// The try is a task of its own: a user who goes away takes nothing from the others.
    fn begin(self: &Arc<Self>, state: &mut State<L>, old: Option<Arc<L>>) -> Shared<BoxFuture<'static, Opened<L>>> {
        let inner = Arc::clone(self);
        let task = tokio::spawn(async move {
            let opened = tokio::select! {
                biased;
                () = inner.dropped.cancelled() => Err(PortError::Cancelled),
                opened = open(&inner.open, old) => opened,
            };
            inner.settle(opened, Instant::now())
        });
        // A task that is gone was ended with the program, or by a defect that was told elsewhere.
        let trying = task.map(|ended| ended.unwrap_or(Err(PortError::ConnectionClosed { retry_in: None })));
        let trying = trying.boxed().shared();
        state.trying = Some(trying.clone());
        trying
    }

    fn settle(&self, opened: Opened<L>, now: Instant) -> Opened<L> {
        let opened = match opened {
            Ok(link) if link.is_closed() => Err(PortError::ConnectionClosed { retry_in: None }),
            opened => opened,
        };
        let mut state = self.lock();
        state.trying = None;
        match &opened {
            Ok(_) if state.ended => return Err(PortError::Cancelled),
            Ok(link) => {
                state.handshake = link.handshake();
                state.changes += 1;
                state.backoff.succeeded();
                state.current = Some(Arc::clone(link));
                tracing::info!(server = %shown(link.name().as_str()), "Connected again");
            }
            Err(PortError::Cancelled) => {}
            Err(error) => {
                state.backoff.failed(now, error);
                let (server, error) = (self.entry.name.as_str(), error.to_string());
                tracing::warn!(server = %shown(server), error = %shown(&error), "Could not be connected again");
            }
        }
        opened
    }

    fn lock(&self) -> MutexGuard<'_, State<L>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<L> State<L> {
    /// The try that is being made. One that ended without a word, by a defect, is none.
    fn trying(&self) -> Option<Shared<BoxFuture<'static, Opened<L>>>> {
        self.trying.clone().filter(|trying| trying.peek().is_none())
    }
}

async fn open<L: Link>(open: &Opener<L>, old: Option<Arc<L>>) -> Opened<L> {
    if let Some(old) = old {
        old.close(deadline::GRACE).await;
    }
    open().await
}

/// Waits for a try as long as the request itself may take; the try goes on when nobody waits.
async fn wait<L>(trying: Shared<BoxFuture<'static, Opened<L>>>, method: &'static str, budget: &Budget) -> Opened<L> {
    tokio::select! {
        biased;
        () = budget.cancel.cancelled() => Err(PortError::Cancelled),
        tried = timeout(budget.idle, trying) => {
            tried.unwrap_or(Err(PortError::Timeout { method, after: budget.idle }))
        }
    }
}

fn log_end(server: &ServerName, lines: &[String]) {
    let server = server.as_str();
    tracing::warn!(server = %shown(server), lines = lines.len(), "Connection closed; the last lines of stderr follow");
    for line in lines.iter().skip(lines.len().saturating_sub(LAST_LINES)) {
        tracing::warn!(server = %shown(server), "{}", shown(line));
    }
}

impl<L: Link> ServerPort for Lasting<L> {
    fn name(&self) -> &ServerName {
        &self.inner.entry.name
    }

    /// What the server said when it was last connected, also while it is not.
    fn handshake(&self) -> Handshake {
        self.inner.lock().handshake.clone()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        Box::pin(self.put(request, budget))
    }

    /// Never falls: another connection is a change of every list.
    fn changes(&self) -> u64 {
        let state = self.inner.lock();
        state.changes + state.current.as_ref().map_or(0, |link| link.changes())
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.inner.entry.tool_timeout
    }
}

impl<L: Link> fmt::Debug for Lasting<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lasting")
            .field("server", &self.inner.entry.name)
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
