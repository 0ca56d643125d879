//! `coyote mcp get`: one entry as it stands in its file, secrets unresolved (S47).
//!
//! It shows what the file says, whether it is usable or not, and starts nothing.

use super::{edit_fault, remove::absent};
use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
};
use crate::{
    builtin,
    config::{McpFile, Trust, WorkspaceFile},
    mcp::Origin,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Show a server's entry in mcp.json
///
/// The one that counts: a trusted workspace file comes before your own. `{{NAME}}` is shown as it is written.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct GetArgs {
    /// The server's key
    name: String,

    /// From the working directory's mcp.json, trusted or not
    #[arg(long)]
    workspace: bool,

    /// Print the entry with where it stands
    #[arg(long)]
    json: bool,
}

/// An entry and where it stands.
struct Found {
    origin: Origin,
    file: Option<PathBuf>,
    entry: Value,
}

impl GetArgs {
    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) fn run(self, host: &Host) -> Result<Status, Failed> {
        let dir = super::working_dir()?;
        Ok(self.show(host, &dir)?)
    }

    pub(super) fn show(&self, host: &Host, dir: &Path) -> Result<Status, Failure> {
        let Found { origin, file, entry } = self.find(host, dir)?;
        let file = file.map(|file| file.display().to_string());
        if self.json {
            let value = json!({"name": self.name, "origin": origin.as_str(), "file": file, "entry": entry});
            host.report.json(&value, true);
            return Ok(Status::Done);
        }
        match file {
            Some(file) => {
                host.report.note(format!("From `{file}`"));
                host.report.json(&json!({ self.name.as_str(): entry }), true);
            }
            None => host.report.print(&format!("`{}` is built into coyote; it has no entry", self.name)),
        }
        Ok(Status::Done)
    }

    fn find(&self, host: &Host, dir: &Path) -> Result<Found, Failure> {
        let found = |file: &McpFile, origin: Origin| {
            let entry = file.entry(&self.name)?;
            Some(Found { origin, file: Some(file.path().to_owned()), entry })
        };
        if self.workspace || trusted(host, dir) {
            let file = McpFile::workspace(dir).map_err(edit_fault)?;
            match found(&file, Origin::Workspace) {
                Some(found) => return Ok(found),
                None if self.workspace => return Err(absent(&self.name, &file.keys(), file.path())),
                None => {}
            }
        }
        let file = McpFile::user(&host.app.paths).map_err(edit_fault)?;
        match found(&file, Origin::User) {
            Some(found) => Ok(found),
            None if self.name == builtin::name().as_str() => {
                Ok(Found { origin: Origin::Embedded, file: None, entry: Value::Null })
            }
            None => Err(absent(&self.name, &file.keys(), file.path())),
        }
    }
}

/// Whether the workspace's file counts in this run, `--no-workspace-mcp` included.
fn trusted(host: &Host, dir: &Path) -> bool {
    let covered = || match (WorkspaceFile::find(dir), Trust::read(&host.app.paths)) {
        (Some(Ok(file)), Ok(trust)) => trust.covers(&file),
        _ => false,
    };
    host.workspace && covered()
}
