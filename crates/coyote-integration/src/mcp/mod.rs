//! The process's MCP servers: how one is started, kept and ended.
//!
//! It refuses to know what a server offers or how an answer is rendered (mcp-catalog, mcp-render); it reads no
//! configuration file. Rules: S12, S14, S18.

mod entry;

pub use entry::{Origin, ServerEntry, SpecKey, Transport};
