//! The process's MCP servers: how one is started, kept and ended.
//!
//! It refuses to know what a server offers or how an answer is rendered (mcp-catalog, mcp-render); it reads no
//! configuration file. Rules: S12, S14, S15, S18.

mod child_env;
mod connect;
mod entry;
mod factory;
mod filled_in;
mod lasting;
mod login;
mod registry;
mod stderr;

pub use child_env::{ChildEnv, ParentEnv};
pub use connect::{Client, Connection, Exit, Process, Processes, Web, options};
pub use entry::{OAuth, Origin, ServerEntry, SpecKey, Transport};
pub use factory::McpFactory;
pub use filled_in::FilledIn;
pub use lasting::{Lasting, Link, Opener};
pub use login::Landing;
pub use registry::{McpRegistry, ServerState, Settled, Settling};
pub use stderr::StderrTail;

#[cfg(test)]
#[cfg(unix)]
mod testing;
