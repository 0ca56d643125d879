//! `coyote mcp …`: one command a file, each with its arguments, `json` (whether it prints JSON) and `run`; what is shown
//! is made by pure functions beside them.
//!
//! Only the servers that a command needs are started (S6).

pub(super) mod auth;
pub(super) mod call;
pub(super) mod conformance;
pub(super) mod describe;
pub(super) mod functions;
pub(super) mod invoke;
pub(super) mod list;
pub(super) mod prompt;
pub(super) mod read;
pub(super) mod search;

mod counts;
mod item;
mod readable;

#[cfg(test)]
mod fake_host;
#[cfg(test)]
mod tests;
