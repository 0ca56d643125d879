//! When a workspace's servers may be used: the user trusted that path and that content, or does so now (host.md "Workspace
//! files").
//!
//! It asks when a command would first start such a server and never otherwise; without a terminal the file is skipped
//! with a warning. What is refused is asked again by the next command; `--no-workspace-mcp` stops that.

use super::{
    exit::{Failed, Failure},
    question::Answer,
    trust_statement::statement,
};
use crate::{
    app_state::AppState,
    config::{McpJson, Trust, WorkspaceFile},
    mcp::ServerEntry,
    report::Report,
};
use mcp_meta::MetaName;
use std::path::Path;

/// Which servers a command may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need<'a> {
    /// None: a trusted file counts, another is not mentioned.
    Nothing,
    /// This one.
    Server(&'a str),
    /// The one that this function belongs to (S3).
    Function(&'a str),
    /// All.
    All,
}

impl Need<'_> {
    fn concerns(self, file: &McpJson) -> bool {
        let mut entries = file.servers.iter().map(|server| &server.entry).filter(|entry| !entry.disabled);
        match self {
            Self::Nothing => false,
            Self::Server(key) => entries.any(|entry| entry.name.as_str() == key),
            Self::Function(name) => {
                MetaName::parse(name).is_some_and(|name| entries.any(|entry| entry.name.slug() == name.server_part()))
            }
            Self::All => entries.next().is_some(),
        }
    }
}

/// What is asked about a file.
pub(super) const QUESTION: &str = "Trust this file?";

/// The state with the workspace's servers in it, if they may be used. `ask` shows a statement and asks [`QUESTION`].
pub(super) async fn admit(
    app: AppState,
    dir: &Path,
    need: Need<'_>,
    report: &Report,
    ask: impl AsyncFnOnce(&str) -> Answer,
) -> Result<AppState, Failed> {
    let file = match WorkspaceFile::find(dir) {
        None => return Ok(app),
        Some(Ok(file)) => file,
        Some(Err(why)) => {
            if need != Need::Nothing {
                report.warn(why);
            }
            return Ok(app);
        }
    };
    let said = file.servers();
    let trust = Trust::read(&app.paths);
    if trust.as_ref().is_ok_and(|trust| trust.covers(&file)) {
        return Ok(app.with_workspace(said));
    }
    if !need.concerns(&said) {
        return Ok(app.without_workspace(&said));
    }
    let mut trust = match trust {
        Ok(trust) => trust,
        Err(why) => {
            report.warn(why);
            return Ok(app.without_workspace(&said));
        }
    };
    let entries: Vec<&ServerEntry> = said.servers.iter().map(|server| &server.entry).collect();
    match ask(&statement(&file, &entries, &app.servers)).await {
        Answer::Yes => {
            if let Err(why) = trust.add(&file) {
                report.warn(format!("{why}. The file is trusted for this command alone"));
            }
            Ok(app.with_workspace(said))
        }
        Answer::No => {
            report.note("The workspace file is not used (`--no-workspace-mcp` does not ask)");
            Ok(app.without_workspace(&said))
        }
        Answer::Nobody => {
            report.warn(skipped(&file, trust.knows(file.path())));
            Ok(app.without_workspace(&said))
        }
        Answer::Cancelled => Err(Failed::from(Failure::cancelled())),
    }
}

fn skipped(file: &WorkspaceFile, was_trusted: bool) -> String {
    let why = if was_trusted { "it has changed since you trusted it" } else { "you have not trusted it" };
    format!(
        "The workspace file `{}` is skipped: {why}, and there is no terminal to ask at. `coyote mcp trust` shows what it \
         would run; `--no-workspace-mcp` silences this",
        file.path().display()
    )
}

#[cfg(test)]
mod tests;
