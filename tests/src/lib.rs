//! What the acceptance tests stand on: a scripted MCP server, a model stand-in, a host to run the binary in, a terminal
//! to watch it at, and filters for snapshots.
//!
//! The fixture server speaks raw JSON-RPC and knows nothing of the crates under test, so that no mistake of theirs can
//! hide in it. [`fixture::Script`] is its language; `fixture-server <script.json>` runs one over stdio,
//! [`fixture::in_process`] over a duplex pipe.

pub mod filters;
pub mod fixture;
pub mod functions;
pub mod host;
pub mod hostile;
pub mod laws;
pub mod model_server;
#[cfg(unix)]
pub mod terminal;
pub mod transcript;
