//! The command line (contracts.md §7): what may be typed, what it does, and how it ends.
//!
//! A command decides in pure functions and writes through `report`. Its format does not depend on the terminal: `functions`
//! and `call` print JSON, the others with `--json`. It asks one question, about a workspace's file, and only where somebody
//! can answer it.

mod args;
mod chat;
mod completions;
mod exit;
mod hints;
mod host;
mod info;
mod mcp;
mod out_file;
mod pairs;
mod question;
mod run;
mod session;
mod trust_statement;
mod words;
mod workspace_gate;

pub use args::command;
pub use exit::{Failed, Failure, Phase, Status};
pub(crate) use hints::start as start_failure;
pub(crate) use mcp::auth::log_in;
pub use run::{run, runtime};
