//! One child in its parent's book: what it was told, whether it runs, what it came to.

use super::{Mailbox, Order, Seat};
use mcp_render::HeldText;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What an agent came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// `done`, `failed` or `cancelled`.
    pub status: &'static str,
    /// What it answered, whole; where it failed, what there was by then.
    pub output: HeldText,
    /// Why it failed, and the next step.
    pub reason: Option<(String, String)>,
    /// What its parent should know: servers that are missing, settings that name nothing.
    pub notes: Vec<String>,
}

impl Outcome {
    /// It has answered.
    pub const DONE: &'static str = "done";
    /// It could not.
    pub const FAILED: &'static str = "failed";
    /// It was stopped.
    pub const CANCELLED: &'static str = "cancelled";

    /// It has answered this.
    pub fn done(output: impl Into<HeldText>) -> Self {
        Self { status: Self::DONE, output: output.into(), reason: None, notes: Vec::new() }
    }

    /// It could not, for this reason.
    pub fn failed(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status: Self::FAILED, reason: Some((reason.into(), hint.into())), ..Self::done("") }
    }

    /// It was stopped.
    pub fn cancelled() -> Self {
        Self { status: Self::CANCELLED, ..Self::done("") }
    }

    /// A defect of ours ended it.
    pub(super) fn defect() -> Self {
        Self::failed(
            "The agent ended by a defect of coyote",
            "coyote's log has the details; spawn it again or do without",
        )
    }
}

/// A child that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its id.
    pub id: String,
    /// The agent's name.
    pub agent: String,
    /// What it was told.
    pub task: String,
    /// What it does at the moment.
    pub doing: String,
    /// How long it has run.
    pub took: Duration,
}

/// A child that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its id.
    pub id: String,
    /// The agent's name.
    pub agent: String,
    /// What it came to.
    pub outcome: Outcome,
    /// How long it ran.
    pub took: Duration,
}

/// A child in the book.
pub(super) struct Child {
    id: String,
    order: Order,
    begun: Instant,
    inbox: Arc<Mailbox>,
    cancel: CancellationToken,
    state: State,
    collected: bool,
}

enum State {
    /// Its seat is let go at its end, and with it the way up.
    Runs(Arc<Seat>),
    Ended(Outcome, Duration),
}

impl Child {
    pub(super) fn new(seat: &Arc<Seat>, order: Order) -> Self {
        Self {
            id: seat.id().to_owned(),
            order,
            begun: Instant::now(),
            inbox: Arc::clone(seat.inbox()),
            cancel: seat.cancel().clone(),
            state: State::Runs(Arc::clone(seat)),
            collected: false,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn inbox(&self) -> Arc<Mailbox> {
        Arc::clone(&self.inbox)
    }

    pub(super) fn running(&self) -> Option<Running> {
        let State::Runs(seat) = &self.state else { return None };
        Some(Running {
            id: self.id.clone(),
            agent: self.order.agent.clone(),
            task: self.order.task.clone(),
            doing: seat.doing(),
            took: self.begun.elapsed(),
        })
    }

    pub(super) fn ended(&self) -> Option<Ended> {
        let State::Ended(outcome, took) = &self.state else { return None };
        let (id, agent) = (self.id.clone(), self.order.agent.clone());
        Some(Ended { id, agent, outcome: outcome.clone(), took: *took })
    }

    pub(super) const fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended(..))
    }

    pub(super) const fn is_collected(&self) -> bool {
        self.collected
    }

    pub(super) const fn collect(&mut self) {
        self.collected = true;
    }

    /// The place of a child that runs.
    #[cfg(test)]
    pub(super) fn seat(&self) -> Option<Arc<Seat>> {
        match &self.state {
            State::Runs(seat) => Some(Arc::clone(seat)),
            State::Ended(..) => None,
        }
    }

    pub(super) fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(super) fn end(&mut self, outcome: Outcome) {
        self.state = State::Ended(outcome, self.begun.elapsed());
    }
}
