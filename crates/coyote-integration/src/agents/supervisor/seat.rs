//! The place of a child: what it knows of the agent above it.

use super::{Family, Mailbox};
use crate::agents::escalation::{Escalated, Matter};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// One child's place.
pub struct Seat {
    id: String,
    up: Arc<Family>,
    inbox: Arc<Mailbox>,
    cancel: CancellationToken,
    /// How long it waits for an answer from above.
    patience: Option<Duration>,
    doing: Mutex<String>,
}

impl Seat {
    pub(super) fn new(id: String, up: Arc<Family>, cancel: CancellationToken, patience: Option<Duration>) -> Self {
        Self { id, up, inbox: Arc::default(), cancel, patience, doing: Mutex::default() }
    }

    /// Its id, unique in the tree.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How deep it is; a child of the agent that the user started is at 1.
    pub fn depth(&self) -> usize {
        self.up.depth() + 1
    }

    /// Cancelled with the child.
    pub const fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Its inbox.
    pub const fn inbox(&self) -> &Arc<Mailbox> {
        &self.inbox
    }

    /// The agent above and its children.
    pub const fn up(&self) -> &Arc<Family> {
        &self.up
    }

    /// Whether somebody sits at the end of the line.
    pub fn reaches_the_user(&self) -> bool {
        self.up.staffed
    }

    /// Asks the agent above, and waits.
    pub async fn escalate(&self, matter: Matter) -> Escalated {
        let told = || self.up.change();
        let escalated = self.up.escalations.ask(&self.id, matter, self.patience, &self.cancel, told).await;
        self.up.change();
        escalated
    }

    /// What it does at the moment.
    pub fn does(&self, what: impl Into<String>) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = what.into();
    }

    /// What it did last.
    pub fn doing(&self) -> String {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat").field("id", &self.id).field("depth", &self.depth()).finish_non_exhaustive()
    }
}
