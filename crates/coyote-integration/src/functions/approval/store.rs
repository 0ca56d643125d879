//! `<config>/approvals.json`: tools that the user approved for good (S40, S47).
//!
//! A server's tool is bound to the SHA-256 of the server's entry as it is written, so an entry that was changed and a
//! namesake inherit nothing. The file holds no secret: names, and hashes of entries with `{{NAME}}` unfilled. What is in a
//! file that coyote did not write approves nothing, and the file stays as it is.

use crate::{
    config::{Access, read_bytes, replace_file},
    mcp::SpecKey,
};
use mcp_catalog::ServerName;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

/// The file, as it was read last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalStore {
    path: PathBuf,
    approved: Approved,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approved {
    /// By the hash of the server's entry.
    servers: BTreeMap<String, Tools>,
    /// Tools on this machine.
    local: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    /// For the reader of the file; nothing is decided by it.
    server: String,
    tools: BTreeSet<String>,
}

impl ApprovalStore {
    /// Reads the file at `path`. The second part says why nothing in it counts, if that is so.
    pub fn read(path: PathBuf) -> (Self, Option<String>) {
        match read(&path) {
            Ok(approved) => (Self { path, approved }, None),
            Err(why) => {
                let why = format!("{why}, so no tool counts as approved; remove it to start over");
                (Self { path, approved: Approved::default() }, Some(why))
            }
        }
    }

    /// Whether a tool of the server with this entry is approved.
    pub(super) fn has(&self, spec: &SpecKey, tool: &str) -> bool {
        self.approved.servers.get(&spec.to_string()).is_some_and(|approved| approved.tools.contains(tool))
    }

    /// Whether a tool on this machine is approved.
    pub(super) fn has_local(&self, tool: &str) -> bool {
        self.approved.local.contains(tool)
    }

    /// Approves a server's tool for good.
    pub(super) fn add(&mut self, spec: &SpecKey, server: &ServerName, tool: &str) -> Result<(), String> {
        self.change(|approved| {
            let tools = approved.servers.entry(spec.to_string()).or_default();
            server.as_str().clone_into(&mut tools.server);
            tools.tools.insert(tool.to_owned());
        })
    }

    /// Approves a tool on this machine for good.
    pub(super) fn add_local(&mut self, tool: &str) -> Result<(), String> {
        self.change(|approved| {
            approved.local.insert(tool.to_owned());
        })
    }

    /// Changes what the file holds now: another process may have written since it was read.
    fn change(&mut self, change: impl FnOnce(&mut Approved)) -> Result<(), String> {
        let not_kept = |why: String| format!("The approval counts until coyote ends, and is not kept: {why}");
        self.approved = read(&self.path).map_err(not_kept)?;
        change(&mut self.approved);
        let mut text = serde_json::to_string_pretty(&self.approved).map_err(|error| not_kept(error.to_string()))?;
        text.push('\n');
        replace_file(&self.path, text.as_bytes(), Access::Private)
            .map_err(|error| not_kept(format!("`{}` could not be written: {error}", self.path.display())))
    }
}

fn read(path: &Path) -> Result<Approved, String> {
    match read_bytes(path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|_| format!("`{}` is not what coyote writes", path.display()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Approved::default()),
        Err(error) => Err(format!("`{}` could not be read: {error}", path.display())),
    }
}
