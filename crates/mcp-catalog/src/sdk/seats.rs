//! Who waits for which answer.
//!
//! The asking side puts a [`Ticket`] into its request; when the SDK hands the request to the transport, the ticket
//! becomes a seat. A seat ends with its answer, with the cancellation of its request, or with the connection. A seat
//! whose asker has gone takes no answer, so a late frame is dropped where it was read.

use super::envelope::Id;
use crate::{PortError, Progress, RawResult};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{mpsc, oneshot};

/// How many progress notifications may wait for an asker; more are dropped, and its clock has restarted anyway.
const PROGRESS_WAITING: usize = 64;

/// What an asker gets.
pub(super) type Answer = Result<RawResult, PortError>;

/// The asker's end.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The answer.
    pub(super) answer: oneshot::Receiver<Answer>,
    /// Progress until then.
    pub(super) progress: mpsc::Receiver<Progress>,
}

/// Travels with a request through the SDK, which wants to be able to clone what it carries.
#[derive(Debug, Clone)]
pub(super) struct Ticket(Arc<Mutex<Option<Caller>>>);

impl Ticket {
    /// A ticket and the end on which to wait.
    pub(super) fn new() -> (Self, Waiting) {
        let (answer, answered) = oneshot::channel();
        let (progress, reported) = mpsc::channel(PROGRESS_WAITING);
        let caller = Caller { answer, progress };
        (Self(Arc::new(Mutex::new(Some(caller)))), Waiting { answer: answered, progress: reported })
    }

    /// Turns the ticket into the transport's end, once.
    pub(super) fn redeem(&self) -> Option<Caller> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The transport's end.
#[derive(Debug)]
pub(super) struct Caller {
    answer: oneshot::Sender<Answer>,
    progress: mpsc::Sender<Progress>,
}

impl Caller {
    /// Hands over the answer; `false` when nobody waits for it.
    pub(super) fn answer(self, answer: Answer) -> bool {
        self.answer.send(answer).is_ok()
    }
}

/// A request in flight.
#[derive(Debug)]
pub(super) enum Seat {
    /// One that somebody asked.
    Call {
        /// Who.
        caller: Caller,
        /// The progress token that was sent with it.
        token: Option<Id>,
    },
    /// `initialize`: the SDK itself waits for it.
    Greeting,
    /// `server/discover`, which some servers have in its place: likewise (S17).
    Discovery,
}

impl Seat {
    fn taken(&self) -> bool {
        match self {
            Self::Call { caller, .. } => !caller.answer.is_closed(),
            Self::Greeting | Self::Discovery => true,
        }
    }
}

/// The requests in flight.
#[derive(Debug, Default)]
pub(super) struct Seats(BTreeMap<Id, Seat>);

impl Seats {
    /// Opens a seat; seats that were left are cleared away.
    pub(super) fn open(&mut self, id: Id, seat: Seat) {
        self.0.retain(|_, seat| seat.taken());
        self.0.insert(id, seat);
    }

    /// Closes a seat.
    pub(super) fn close(&mut self, id: Id) -> Option<Seat> {
        self.0.remove(&id)
    }

    /// Closes all of them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The request in flight, if there is exactly one (S10).
    pub(super) fn only(&self) -> Option<Id> {
        let mut taken = self.0.iter().filter(|(_, seat)| seat.taken());
        match (taken.next(), taken.next()) {
            (Some((id, _)), None) => Some(*id),
            _ => None,
        }
    }

    /// Reports progress to the request that carries `token`.
    pub(super) fn report(&self, token: Id, progress: Progress) {
        let mut callers = self.0.values().filter_map(|seat| match seat {
            Seat::Call { caller, token: Some(own) } if *own == token => Some(caller),
            _ => None,
        });
        if let Some(caller) = callers.next() {
            // Full or gone: the asker has unread progress, or waits no longer.
            let _ = caller.progress.try_send(progress);
        }
    }
}
