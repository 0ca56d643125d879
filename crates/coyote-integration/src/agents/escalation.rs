//! What children ask of the agent above them, until it is answered (S40).
//!
//! A request stands in the queue as long as somebody waits for it: a reply, a timeout, a cancellation and the end of the
//! one who asked all remove it. An approval that escalates is still the user's to give: a parent's yes is asked about where
//! the parent's own calls are; only a no is the parent's to say.

use super::{
    desk::{UserAnswer, UserQuestion},
    supervisor::Seat,
};
use crate::functions::{Asked, Asker, Asking, Consent, Question};
use futures_util::future::join_all;
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Matter {
    /// A question to the user.
    User(UserQuestion),
    /// Whether a call may run (S40).
    Approval(Question),
}

/// A request in the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its id, unique in its queue.
    pub id: String,
    /// The id of the child that waits.
    pub from: String,
    /// What it asks.
    pub matter: Matter,
    /// Since when it waits.
    pub since: Instant,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// To a question.
    Answer(UserAnswer),
    /// To an approval.
    Consent(Consent),
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Escalated {
    /// It was answered.
    Replied(Reply),
    /// Nobody answered in this time.
    TimedOut(Duration),
    /// The one who asked was cancelled.
    Cancelled,
}

/// The queue of one agent.
#[derive(Debug, Default)]
pub struct Escalations(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    last: u64,
    waiting: BTreeMap<u64, (Request, oneshot::Sender<Reply>)>,
}

impl Escalations {
    /// Puts a request into the queue and waits; `told` is called once it stands there.
    pub async fn ask(
        &self,
        from: &str,
        matter: Matter,
        limit: Option<Duration>,
        cancel: &CancellationToken,
        told: impl FnOnce(),
    ) -> Escalated {
        let (reply, replied) = oneshot::channel();
        let number = {
            let mut queue = self.queue();
            queue.last += 1;
            let number = queue.last;
            let request = Request { id: id(number), from: from.to_owned(), matter, since: Instant::now() };
            queue.waiting.insert(number, (request, reply));
            number
        };
        // Whatever ends the wait, also dropping it, takes the request out.
        let _waiting = Waiting { queue: self, number };
        told();
        let expired = async {
            match limit {
                Some(limit) => {
                    sleep(limit).await;
                    limit
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Escalated::Cancelled,
            reply = replied => reply.map_or(Escalated::Cancelled, Escalated::Replied),
            limit = expired => Escalated::TimedOut(limit),
        }
    }

    /// The requests that wait, the oldest first.
    pub fn waiting(&self) -> Vec<Request> {
        self.queue().waiting.values().map(|(request, _)| request.clone()).collect()
    }

    /// The request of this id.
    pub fn get(&self, id: &str) -> Option<Request> {
        self.waiting().into_iter().find(|request| request.id == id)
    }

    /// Answers a request and takes it out. False when it does not wait any longer.
    pub fn reply(&self, id: &str, reply: Reply) -> bool {
        let mut queue = self.queue();
        let Some(number) = queue.waiting.iter().find(|(_, (request, _))| request.id == id).map(|(number, _)| *number)
        else {
            return false;
        };
        queue.waiting.remove(&number).is_some_and(|(_, waits)| waits.send(reply).is_ok())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id(number: u64) -> String {
    format!("e{number}")
}

/// A place in the queue.
struct Waiting<'a> {
    queue: &'a Escalations,
    number: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.queue.queue().waiting.remove(&self.number);
    }
}

/// Asks the agent above about the calls of a child.
pub struct EscalatingAsker(Arc<Seat>);

impl EscalatingAsker {
    /// Asks for the child in this seat.
    pub const fn new(seat: Arc<Seat>) -> Self {
        Self(seat)
    }
}

impl Asker for EscalatingAsker {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a> {
        Box::pin(async move {
            // Nobody at the end of the line can say yes, and a model may not.
            if !self.0.reaches_the_user() {
                return Asked::Nobody;
            }
            let asked = questions.iter().map(|question| self.0.escalate(Matter::Approval(question.clone())));
            let mut consents = Vec::with_capacity(questions.len());
            for escalated in join_all(asked).await {
                consents.push(match escalated {
                    Escalated::Replied(Reply::Consent(consent)) => consent,
                    Escalated::Replied(Reply::Answer(_)) | Escalated::TimedOut(_) => Consent::No,
                    Escalated::Cancelled => return Asked::Cancelled,
                });
            }
            Asked::Answered(consents)
        })
    }
}

impl fmt::Debug for EscalatingAsker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EscalatingAsker").field(&self.0.id()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::desk::Wanted;

    fn matter() -> Matter {
        let question = "Which?".to_owned();
        Matter::User(UserQuestion { question, wanted: Wanted::Line, options: Vec::new(), default: None })
    }

    fn text(text: &str) -> Reply {
        Reply::Answer(UserAnswer::Text(text.to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_reply_a_timeout_a_cancellation_and_a_drop_each_remove_the_request() {
        let queue = Arc::new(Escalations::default());
        let never = CancellationToken::new();
        let replied = queue.ask("a-1", matter(), None, &never, || {
            assert_eq!(queue.waiting().len(), 1);
            assert!(queue.reply("e1", text("x")));
        });
        assert_eq!(replied.await, Escalated::Replied(text("x")));
        assert!(queue.waiting().is_empty() && !queue.reply("e1", text("again")));

        let limit = Duration::from_secs(5);
        assert_eq!(queue.ask("a-1", matter(), Some(limit), &never, || ()).await, Escalated::TimedOut(limit));
        assert!(queue.waiting().is_empty());

        let cancel = CancellationToken::new();
        assert_eq!(queue.ask("a-1", matter(), None, &cancel, || cancel.cancel()).await, Escalated::Cancelled);
        assert!(queue.waiting().is_empty());

        let dropped = tokio::time::timeout(limit, queue.ask("a-1", matter(), None, &never, || ())).await;
        assert!(dropped.is_err() && queue.waiting().is_empty());
    }

    #[tokio::test]
    async fn requests_have_ids_of_their_own_and_each_gets_its_own_answer() {
        let queue = Arc::new(Escalations::default());
        let never = CancellationToken::new();
        let one = queue.ask("a-1", matter(), None, &never, || ());
        let two = queue.ask("b-2", matter(), None, &never, || {
            let waiting = queue.waiting();
            let seen: Vec<_> = waiting.iter().map(|request| (request.id.as_str(), request.from.as_str())).collect();
            assert_eq!(seen, [("e1", "a-1"), ("e2", "b-2")]);
            assert!(queue.reply("e2", text("two")) && queue.reply("e1", text("one")));
        });
        let (one, two) = tokio::join!(one, two);
        assert_eq!((one, two), (Escalated::Replied(text("one")), Escalated::Replied(text("two"))));
    }
}
