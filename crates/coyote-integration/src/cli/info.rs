//! `coyote --info`: where the files are. It shows no content of theirs, and no secret.

use super::{exit::Status, host::Host};
use crate::{
    config::{Trust, WorkspaceFile, workspace_file, workspace_places},
    table::table,
};
use std::path::Path;

/// Prints the paths and what is there.
pub(super) fn run(host: &Host) -> Status {
    let paths = &host.app.paths;
    let [expected, _] = paths.mcp_json();
    let servers = host.app.servers.file().unwrap_or(&expected).to_owned();
    let (log, spills) = (paths.log_file(), paths.spill_dir());
    let dir = std::env::current_dir().unwrap_or_default();
    let [first, ..] = workspace_places(&dir);
    let workspace = workspace_file(&dir).unwrap_or(first);
    let rows: [(&str, &Path, &str); 9] = [
        ("configuration", &paths.config_dir, ""),
        ("config.yaml", &paths.config_file, "not read by this version"),
        ("mcp.json", &servers, ""),
        ("workspace", &workspace, workspace_state(host, &dir)),
        ("trust", &paths.trust_file(), ""),
        (".env", &paths.env_file, ""),
        ("cache", &paths.cache_dir, ""),
        ("log", &log, ""),
        ("spills", &spills, ""),
    ];
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|(what, path, remark)| {
            let state = if path.exists() { *remark } else { "not there" };
            vec![(*what).to_owned(), path.display().to_string(), state.to_owned()]
        })
        .collect();
    host.report.print(&table(&["WHAT", "WHERE", ""], &rows, None));
    host.warn(None);
    Status::Done
}

/// Whether the workspace's mcp.json may be used.
fn workspace_state(host: &Host, dir: &Path) -> &'static str {
    let Some(Ok(file)) = WorkspaceFile::find(dir) else { return "not usable" };
    match Trust::read(&host.app.paths) {
        Ok(trust) if trust.covers(&file) => "trusted",
        _ => "not trusted: `coyote mcp trust` shows it, and asks",
    }
}
