//! A conversation: what was said, one turn of it, and how a turn is shown (host.md "A turn").
//!
//! Nothing here knows the command line. A turn works over ports: a model, what may be called, and a view that is told what
//! happens; the one-shot run and a REPL differ in the view alone.

mod consent;
pub mod conversation;
pub mod display;
pub mod input;
pub mod markdown;
mod summary;
mod toolbox;
mod transcript;
pub mod turn;
mod user_desk;

pub use consent::TerminalAsker;
pub(crate) use consent::{ANSWERS, answers, statement};
pub use conversation::{AgentPart, Change, Conversation, Opening, Refusal, RoleOf, StateFlags};
pub use summary::Summary;
pub use toolbox::Tools;
pub use transcript::Transcript;
pub use turn::{Round, Running, Sampling, Taken, Toolbox, Turn, TurnEnd, TurnView};
pub use user_desk::{Hush, HushedAsker, TerminalDesk};
pub(crate) use user_desk::{question_prompt, question_statement};
