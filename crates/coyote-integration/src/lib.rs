//! `coyote`, a terminal client that uses all of what an MCP server offers, as a library.
//!
//! This floor only wires: what may be seen of a server's content is `mcp-render`'s, how a server is asked `mcp-catalog`'s,
//! what a model's call does `mcp-meta`'s. Here are the user's files, the server processes, both dispatch chains, the
//! embedded server, models, one turn of chat, and the command line, and the REPL.
//!
//! [`run`] is the program; [`command`] describes its command line for help and reference pages.

pub mod agents;
pub mod app_state;
mod asked_line;
pub mod builtin;
pub mod chat;
pub mod cli;
pub mod config;
pub mod context;
mod crash;
pub mod functions;
mod interrupt;
mod log;
pub mod macros;
pub mod mcp;
pub mod model;
pub mod offers;
mod offload;
mod process_group;
mod repl;
pub mod report;
pub mod session;
pub mod table;
mod typed_ahead;

pub use app_state::AppState;
pub use cli::{command, run, runtime};
