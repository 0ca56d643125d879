//! Agents and the Supervisor (host.md "Agents and the Supervisor"; R15, S14, S40).
//!
//! An agent is a conversation with instructions, servers and functions of its own. One that may spawn others supervises
//! them: they run at once, each with connections of its own from the factory, and end with it. Nothing here knows a
//! terminal or a verb; how a child talks to its model is `spawn`'s, everything else is decided without one.

mod agent;
mod desk;
mod escalation;
mod functions;
mod mailbox;
mod spawn;
mod supervisor;
mod turn;

pub use agent::{AgentWish, use_agent};
pub use desk::{Answering, Desk, NobodyAtTheDesk, Told, UserAnswer, UserQuestion, Wanted};
pub use escalation::{Escalated, EscalatingAsker, Escalations, Matter, Reply, Request};
pub use functions::{AGENT_FUNCTIONS, AgentFunctions, Voice};
pub use mailbox::{Letter, Mailbox, NotDelivered};
pub use spawn::AgentLauncher;
pub use supervisor::{Ended, Family, Launch, Launcher, Listed, Looked, Order, Outcome, Running, Seat, Supervisor};
pub(crate) use turn::take_with_children;
