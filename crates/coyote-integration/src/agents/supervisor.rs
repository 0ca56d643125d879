//! The Supervisor: the children of one agent, from their spawn to the end of what they answered.
//!
//! Children run at once and are cancelled with their parent, whatever ends it: dropping a [`Supervisor`] ends them. It knows
//! neither model nor server; a [`Launcher`] makes an agent run. What a child answered is kept whole until it is pushed out
//! by others (S25 bounds what one call of it shows).

mod child;
mod family;
mod seat;

pub use child::{Ended, Outcome, Running};
pub use family::{Family, Looked};
pub use seat::Seat;

use super::{desk::Desk, escalation::Escalations, mailbox::Mailbox};
use crate::config::{AgentVariable, Spawning};
use child::Child;
use futures_util::{FutureExt, future::BoxFuture};
use mcp_catalog::deadline::HANDING_BACK;
use mcp_render::ErrorShape;
use std::{
    collections::BTreeMap,
    fmt,
    ops::Deref,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// What a parent wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The agent's name.
    pub agent: String,
    /// What it is told.
    pub task: String,
    /// Values of its variables.
    pub variables: BTreeMap<String, String>,
}

/// An agent that may be spawned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it wants to be told.
    pub variables: Vec<AgentVariable>,
}

/// An agent that is ready to run.
pub struct Launch {
    /// Its own `escalation_timeout`.
    pub escalation_timeout: Option<Duration>,
    /// Runs it in its seat.
    pub run: Box<dyn FnOnce(Arc<Seat>) -> BoxFuture<'static, Outcome> + Send>,
}

/// Makes agents run.
pub trait Launcher: Send + Sync {
    /// The agents that there are, by name.
    fn listed(&self) -> Vec<Listed>;

    /// Reads what an order needs and starts nothing: what cannot work is refused here. `parent_model` is taken by an agent
    /// that names none.
    fn launch(&self, order: &Order, parent_model: &str) -> Result<Launch, ErrorShape>;
}

/// The owner of an agent's children: they end when it is dropped.
pub struct Supervisor {
    family: Arc<Family>,
    _ends: DropGuard,
}

impl Supervisor {
    /// The supervisor of an agent that a user started: depth 0.
    pub fn root(launcher: Arc<dyn Launcher>, spawning: Spawning, model: String, desk: &dyn Desk) -> Self {
        Self::new(Family {
            place: None,
            staffed: desk.is_staffed(),
            spawning,
            model,
            launcher,
            numbers: Arc::default(),
            inbox: Arc::default(),
            escalations: Escalations::default(),
            children: Mutex::default(),
            changed: watch::Sender::new(0),
            cancel: CancellationToken::new(),
        })
    }

    /// The supervisor of a child. No child goes deeper than any agent above it allows.
    pub fn of_child(seat: &Arc<Seat>, spawning: Spawning, model: String) -> Self {
        let up = seat.up();
        let depth = spawning.depth.min(up.spawning.depth);
        Self::new(Family {
            place: Some(Arc::clone(seat)),
            staffed: up.staffed,
            spawning: Spawning { depth, ..spawning },
            model,
            launcher: Arc::clone(&up.launcher),
            numbers: Arc::clone(&up.numbers),
            inbox: Arc::clone(seat.inbox()),
            escalations: Escalations::default(),
            children: Mutex::default(),
            changed: watch::Sender::new(0),
            cancel: seat.cancel().child_token(),
        })
    }

    fn new(family: Family) -> Self {
        let ends = family.cancel.clone().drop_guard();
        Self { family: Arc::new(family), _ends: ends }
    }

    /// Starts a child and gives its id. A limit is an error that names it.
    pub fn spawn(&self, order: Order) -> Result<String, ErrorShape> {
        let family = &self.family;
        family.admits(&order)?;
        let Launch { escalation_timeout, run } = family.launcher.launch(&order, &family.model)?;
        let seat = family.seat(order, escalation_timeout)?;
        let running = run(Arc::clone(&seat));
        let family = Arc::clone(family);
        let id = seat.id().to_owned();
        tokio::spawn(async move {
            let mut outcome = tokio::select! {
                biased;
                done = AssertUnwindSafe(running).catch_unwind() => done.unwrap_or_else(|_| Outcome::defect()),
                // It had its time to end by itself.
                () = given_up(&seat) => Outcome::cancelled(),
            };
            // From here on its sender is told.
            let unread = seat.inbox().close();
            if unread > 0 {
                outcome.notes.push(format!("{unread} messages came too late to be read"));
            }
            family.end(seat.id(), outcome);
        });
        Ok(id)
    }
}

impl Deref for Supervisor {
    type Target = Family;

    fn deref(&self) -> &Family {
        &self.family
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor").field("running", &self.running()).finish_non_exhaustive()
    }
}

/// A cancelled child, and the time it has to end by itself.
async fn given_up(seat: &Seat) {
    seat.cancel().cancelled().await;
    tokio::time::sleep(HANDING_BACK * 2).await;
}

#[cfg(test)]
mod tests;
