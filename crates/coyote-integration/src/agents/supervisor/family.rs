//! One agent and its children, as both see it: who runs, who has ended, who waits, who may be written to.
//!
//! It starts nothing and runs nothing, and refuses what is beyond the limits of number and depth; the [`super::Supervisor`]
//! spawns and ends. No lock is held across an await.

use super::{
    super::{
        escalation::{Escalations, Request},
        mailbox::{Letter, Mailbox, NotDelivered},
    },
    Child, Ended, Launcher, Listed, Order, Outcome, Running, Seat,
};
use crate::config::Spawning;
use mcp_catalog::{closest, deadline::HANDING_BACK};
use mcp_render::{AGENTS_KEPT_MAX_ITEMS, Code, ErrorShape, QUOTED_NAME_MAX_BYTES, cut};
use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What a look at a child, or waiting for it, came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Looked {
    /// It has ended.
    Ended(Ended),
    /// It runs, and first something else wants an answer: requests of children, messages.
    Wanted(Vec<Request>, Vec<Letter>),
    /// It runs.
    Runs(Running),
    /// The user stopped the wait.
    Cancelled,
}

/// An agent and its children, as both see it.
pub struct Family {
    /// The agent's own place, if it is a child.
    pub(super) place: Option<Arc<Seat>>,
    /// Somebody sits at the end of the line.
    pub(super) staffed: bool,
    pub(super) spawning: Spawning,
    /// The model of the agent.
    pub(super) model: String,
    pub(super) launcher: Arc<dyn Launcher>,
    /// Numbers for ids, which are unique in the whole tree.
    pub(super) numbers: Arc<AtomicU64>,
    pub(super) inbox: Arc<Mailbox>,
    pub(super) escalations: Escalations,
    pub(super) children: Mutex<Vec<Child>>,
    /// Counts whatever a parent may wait for.
    pub(super) changed: watch::Sender<u64>,
    pub(super) cancel: CancellationToken,
}

impl Family {
    /// How deep the agent itself is.
    pub fn depth(&self) -> usize {
        self.place.as_ref().map_or(0, |seat| seat.depth())
    }

    /// The agents that may be spawned.
    pub fn available(&self) -> Vec<Listed> {
        self.launcher.listed().into_iter().filter(|listed| self.may_spawn(&listed.name)).collect()
    }

    /// The children that run, the oldest first.
    pub fn running(&self) -> Vec<Running> {
        self.children().iter().filter_map(Child::running).collect()
    }

    /// The children that have ended and whose answer nobody asked for, the oldest first.
    pub fn uncollected(&self) -> Vec<Ended> {
        self.children().iter().filter(|child| !child.is_collected()).filter_map(Child::ended).collect()
    }

    /// What children wait for.
    pub const fn escalations(&self) -> &Escalations {
        &self.escalations
    }

    /// The agent's inbox.
    pub fn inbox(&self) -> &Mailbox {
        &self.inbox
    }

    /// What is known of a child now.
    pub fn look(&self, id: &str) -> Result<Looked, ErrorShape> {
        let children = self.children();
        let child = children.iter().find(|child| child.id() == id).ok_or_else(|| Self::unknown(id, &children))?;
        Ok(match (child.ended(), child.running()) {
            (Some(ended), _) => Looked::Ended(ended),
            (None, running) => running.map_or(Looked::Cancelled, Looked::Runs),
        })
    }

    /// Waits until a child has ended, or something else wants an answer first. Messages are taken out of the inbox.
    pub async fn wait(&self, id: &str, cancel: &CancellationToken) -> Result<Looked, ErrorShape> {
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            match self.look(id)? {
                Looked::Runs(_) => {}
                looked => {
                    self.children().iter_mut().filter(|child| child.id() == id).for_each(Child::collect);
                    return Ok(looked);
                }
            }
            let (requests, letters) = (self.escalations.waiting(), self.inbox.take_all());
            if !requests.is_empty() || !letters.is_empty() {
                return Ok(Looked::Wanted(requests, letters));
            }
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Ok(Looked::Cancelled),
                // The sender lives as long as this.
                _ = changed.changed() => {}
            }
        }
    }

    /// Cancels a child and waits for its end.
    pub async fn cancel(&self, id: &str) -> Result<Ended, ErrorShape> {
        if let Looked::Ended(ended) = self.look(id)? {
            return Ok(ended);
        }
        self.children().iter().filter(|child| child.id() == id).for_each(Child::cancel);
        self.until(|family| family.look(id).is_ok_and(|looked| matches!(looked, Looked::Ended(_)))).await;
        self.children().iter_mut().filter(|child| child.id() == id).for_each(Child::collect);
        match self.look(id)? {
            Looked::Ended(ended) => Ok(ended),
            _ => Err(ErrorShape {
                tool_call_error: format!("`{}` has not ended in time", cut(id, QUOTED_NAME_MAX_BYTES)),
                code: Code::Timeout,
                hint: "`agent__check` tells when it has".to_owned(),
                closest: Vec::new(),
            }),
        }
    }

    /// Cancels all children and waits for their end.
    pub async fn cancel_all(&self) {
        self.children().iter().for_each(Child::cancel);
        self.until(|family| family.running().is_empty()).await;
    }

    /// Writes to a child, to `parent`, or to another child of the parent.
    pub fn send(&self, to: &str, text: String) -> Result<(), ErrorShape> {
        let from = self.place.as_ref().map_or("parent", |seat| seat.id()).to_owned();
        let (family, box_, from) = match &self.place {
            _ if self.knows(to) => (self, self.inbox_of(to)?, "parent".to_owned()),
            Some(seat) if to == "parent" => (&**seat.up(), Arc::clone(&seat.up().inbox), from),
            Some(seat) if seat.up().knows(to) => (&**seat.up(), seat.up().inbox_of(to)?, from),
            None if to == "parent" => return Err(no_parent()),
            _ => return Err(Self::unknown(to, &self.children())),
        };
        box_.deliver(Letter { from, text }).map_err(|fault| ErrorShape {
            tool_call_error: format!("Nothing was sent to `{}`: {fault}", cut(to, QUOTED_NAME_MAX_BYTES)),
            code: if fault == NotDelivered::Closed { Code::NotFound } else { Code::TooLarge },
            hint: fault.hint().to_owned(),
            closest: Vec::new(),
        })?;
        family.change();
        Ok(())
    }

    /// What the agent has left open: what its model is reminded of when it ends its turn.
    pub fn left_open(&self) -> Vec<String> {
        let running = self.running().into_iter().map(|running| format!("agent `{}` still runs", running.id));
        let ended =
            self.uncollected().into_iter().map(|ended| format!("agent `{}` has ended; nobody collected it", ended.id));
        let waiting = self.escalations.waiting().into_iter();
        let waiting =
            waiting.map(|request| format!("`{}` of agent `{}` waits for your reply", request.id, request.from));
        let letters = self.inbox.len();
        let unread = (letters > 0).then(|| format!("{letters} messages in your inbox are not read"));
        running.chain(ended).chain(waiting).chain(unread).collect()
    }

    /// Something changed that a parent may wait for.
    pub(super) fn change(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Waits for `done`, as long as an end of a child may take.
    async fn until(&self, done: impl Fn(&Self) -> bool) {
        let mut changed = self.changed.subscribe();
        let waited = changed.wait_for(|_| done(self));
        // Whatever has not ended by then is about to: its task drops it.
        drop(tokio::time::timeout(HANDING_BACK * 4, waited).await);
    }

    fn knows(&self, id: &str) -> bool {
        self.children().iter().any(|child| child.id() == id)
    }

    pub(super) fn inbox_of(&self, id: &str) -> Result<Arc<Mailbox>, ErrorShape> {
        let children = self.children();
        let child = children.iter().find(|child| child.id() == id).ok_or_else(|| Self::unknown(id, &children))?;
        child.running().map(|_| child.inbox()).ok_or_else(|| ErrorShape {
            tool_call_error: format!("Agent `{}` has ended and reads no messages", cut(id, QUOTED_NAME_MAX_BYTES)),
            code: Code::NotFound,
            hint: "Spawn the agent again and tell it the whole task".to_owned(),
            closest: Vec::new(),
        })
    }

    fn may_spawn(&self, agent: &str) -> bool {
        self.spawning.agents.as_ref().is_none_or(|agents| agents.iter().any(|name| name == agent || name == "all"))
    }

    /// Whether an order is within the limits that need no count.
    pub(super) fn admits(&self, order: &Order) -> Result<(), ErrorShape> {
        let limit = self.spawning.depth;
        if self.depth() >= limit {
            return Err(ErrorShape {
                tool_call_error: format!(
                    "No agent is spawned at depth {}: the limit is {limit} (`max_agent_depth`)",
                    self.depth() + 1
                ),
                code: Code::Denied,
                hint: "Do the task yourself, or say in your answer what is left to do".to_owned(),
                closest: Vec::new(),
            });
        }
        if self.may_spawn(&order.agent) {
            return Ok(());
        }
        let names: Vec<String> = self.available().into_iter().map(|listed| listed.name).collect();
        let hint = if names.is_empty() {
            "No agent may be spawned from here; do the task yourself".to_owned()
        } else {
            "`agent__list_available` names those that may be spawned (`spawnable_agents`)".to_owned()
        };
        Err(ErrorShape {
            tool_call_error: format!(
                "Agent `{}` may not be spawned from here",
                cut(&order.agent, QUOTED_NAME_MAX_BYTES)
            ),
            code: Code::Denied,
            hint,
            closest: closest(&order.agent, names.iter().map(String::as_str)),
        })
    }

    /// A place for a child, unless as many run as may.
    pub(super) fn seat(
        self: &Arc<Self>,
        order: Order,
        escalation_timeout: Option<Duration>,
    ) -> Result<Arc<Seat>, ErrorShape> {
        let mut children = self.children();
        let running: Vec<&str> = children.iter().filter(|child| !child.has_ended()).map(Child::id).collect();
        let limit = self.spawning.concurrent;
        if running.len() >= limit {
            let names: Vec<String> = running.iter().map(|id| format!("`{id}`")).collect();
            return Err(ErrorShape {
                tool_call_error: format!(
                    "{} agents run already, {}; the limit is {limit} (`max_concurrent_agents`)",
                    running.len(),
                    names.join(", ")
                ),
                code: Code::Denied,
                hint: "Collect one with `agent__collect` or end one with `agent__cancel`, then spawn again".to_owned(),
                closest: Vec::new(),
            });
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let id = format!("{}-{number}", order.agent);
        let limits = [escalation_timeout, self.spawning.escalation_timeout];
        let patience = limits.into_iter().flatten().min();
        let seat = Arc::new(Seat::new(id, Arc::clone(self), self.cancel.child_token(), patience));
        children.push(Child::new(&seat, order));
        while children.iter().filter(|child| child.has_ended()).count() > AGENTS_KEPT_MAX_ITEMS {
            let collected = children.iter().position(|child| child.is_collected() && child.has_ended());
            let oldest = || children.iter().position(Child::has_ended);
            match collected.or_else(oldest) {
                Some(at) => drop(children.remove(at)),
                None => break,
            }
        }
        Ok(seat)
    }

    pub(super) fn end(&self, id: &str, outcome: Outcome) {
        if let Some(child) = self.children().iter_mut().find(|child| child.id() == id) {
            child.end(outcome);
        }
        self.change();
    }

    fn unknown(id: &str, children: &[Child]) -> ErrorShape {
        let hint = if children.is_empty() {
            "Spawn one with `agent__spawn`, which answers its id".to_owned()
        } else {
            "Give the id that `agent__spawn` answered; `agent__list_running` names those that run".to_owned()
        };
        ErrorShape {
            tool_call_error: format!("There is no agent with the id `{}`", cut(id, QUOTED_NAME_MAX_BYTES)),
            code: Code::NotFound,
            hint,
            closest: closest(id, children.iter().map(Child::id)),
        }
    }

    pub(super) fn children(&self) -> MutexGuard<'_, Vec<Child>> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Family").field("depth", &self.depth()).finish_non_exhaustive()
    }
}

fn no_parent() -> ErrorShape {
    ErrorShape {
        tool_call_error: "There is no agent above you: the user started you".to_owned(),
        code: Code::NotFound,
        hint: "Say it in your answer, which the user reads".to_owned(),
        closest: Vec::new(),
    }
}
