//! The command line (contracts.md §7): what may be typed, what it does, and how it ends.
//!
//! A command decides in pure functions and writes through `report`. It asks nothing of the terminal, and its format does
//! not depend on one: `functions` and `call` print JSON, the others with `--json`.

mod args;
mod exit;
mod hints;
mod host;
mod info;
mod mcp;
mod out_file;
mod pairs;
mod run;
mod session;

pub use args::command;
pub use exit::{Failed, Failure, Phase, Status};
pub use run::{run, runtime};
