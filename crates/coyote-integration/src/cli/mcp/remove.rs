//! `coyote mcp remove`: one entry less in an mcp.json. The server itself is left alone, and so is the rest of the file.

use super::{add::WorkspaceTrust, edit_fault};
use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
};
use crate::{builtin, config::McpFile};
use mcp_catalog::closest;
use mcp_render::{Code, ErrorShape};
use serde_json::json;
use std::path::Path;

/// Remove a server from mcp.json
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RemoveArgs {
    /// The server's key
    name: String,

    /// From the working directory's mcp.json, not your own
    #[arg(long)]
    workspace: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl RemoveArgs {
    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) fn run(self, host: &Host) -> Result<Status, Failed> {
        let dir = if self.workspace { Some(super::working_dir()?) } else { None };
        Ok(self.write(host, dir.as_deref())?)
    }

    pub(super) fn write(&self, host: &Host, workspace: Option<&Path>) -> Result<Status, Failure> {
        let file = match workspace {
            Some(dir) => McpFile::workspace(dir),
            None => McpFile::user(&host.app.paths),
        };
        let file = file.map_err(edit_fault)?;
        let keys = file.keys();
        if !keys.contains(&self.name) {
            return Err(absent(&self.name, &keys, file.path()));
        }
        let trusted = workspace.map(|dir| WorkspaceTrust::before(host, dir, &file));
        file.remove(&self.name).map_err(edit_fault)?;
        let path = file.path().display().to_string();
        if self.json {
            host.report.json(&json!({"removed": self.name, "file": path}), true);
        } else {
            host.report.print(&format!("Removed `{}` from `{path}`", self.name));
        }
        if let Some(trusted) = trusted {
            trusted.after(host);
        }
        Ok(Status::Done)
    }
}

/// No entry of this key stands in the file.
pub(super) fn absent(name: &str, keys: &[String], file: &Path) -> Failure {
    let hint = if name == builtin::name().as_str() {
        "It is built into coyote; an entry `{\"command\": \"coyote\", \"disabled\": true}` of this key switches it off"
    } else {
        "`coyote mcp list` shows the servers; `--workspace` takes the working directory's mcp.json"
    };
    Failure::start(ErrorShape {
        tool_call_error: format!("No server `{name}` stands in `{}`", file.display()),
        code: Code::NotFound,
        hint: hint.to_owned(),
        closest: closest(name, keys.iter().map(String::as_str)),
    })
}
