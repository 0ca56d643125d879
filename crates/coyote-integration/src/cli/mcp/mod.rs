//! `coyote mcp …`: one command a file, each with its arguments, `json` (whether it prints JSON) and `run`; what is shown
//! is made by pure functions beside them.
//!
//! Only the servers that a command needs are started (S6).

use super::exit::Failure;
use crate::config::FileFault;
use mcp_render::{Code, ErrorShape};
use std::path::PathBuf;

pub(super) mod add;
pub(crate) mod auth;
pub(super) mod call;
pub(super) mod conformance;
pub(super) mod describe;
pub(super) mod doctor;
pub(super) mod functions;
pub(super) mod get;
pub(super) mod invoke;
pub(super) mod list;
pub(super) mod prompt;
pub(super) mod read;
pub(super) mod remove;
pub(super) mod search;
pub(super) mod trust;

mod counts;
mod item;
mod readable;

#[cfg(test)]
mod fake_host;
#[cfg(test)]
mod tests;

/// The working directory, for a command about its file.
pub(super) fn working_dir() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("The working directory is not usable: {error}"), "Run the command in another directory")
    })
}

/// A file that could not be edited.
fn edit_fault(fault: FileFault) -> Failure {
    let FileFault { sentence, hint } = fault;
    Failure::call(ErrorShape { tool_call_error: sentence, code: Code::Denied, hint, closest: Vec::new() })
}
