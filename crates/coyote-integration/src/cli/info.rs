//! `coyote --info`: where the files are, and what of them is not in use. It shows no content of theirs, and no secret.

use super::{exit::Status, host::Host};
use crate::{
    config::{AppConfig, DeadLink, Trust, WorkspaceFile, workspace_file, workspace_places},
    mcp::Transport,
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
    let config = &host.app.config;
    let rows: [(&str, &Path, &str); 14] = [
        ("configuration", &paths.config_dir, ""),
        ("config.yaml", &paths.config_file, if config.fault.is_some() { "not usable" } else { "" }),
        ("roles", &paths.roles_dir, ""),
        ("agents", &paths.agents_dir, ""),
        ("sessions", &paths.sessions_dir, ""),
        ("macros", &paths.macros_dir, ""),
        ("functions", &paths.functions_dir, ""),
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
            let state = match DeadLink::at(path) {
                Some(link) if link.link == **path => "a link that leads nowhere",
                Some(_) | None if path.exists() => remark,
                Some(_) | None => "not there",
            };
            vec![(*what).to_owned(), path.display().to_string(), state.to_owned()]
        })
        .collect();
    host.report.print(&table(&["WHAT", "WHERE", ""], &rows, None));
    if let Some(model) = &config.settings.model {
        host.report.print(&format!("model: {model}"));
    }
    for line in not_in_use(host) {
        host.report.print(&line);
    }
    if let Some(line) = ignored(config) {
        host.report.print(&line);
    }
    host.warn(None);
    Status::Done
}

/// What is configured and cannot be used: a line each.
fn not_in_use(host: &Host) -> Vec<String> {
    let app = &host.app;
    let servers = app.servers.iter().filter_map(|server| match (server.startable(), &server.entry.transport) {
        (Err(why), _) => Some(why.to_string()),
        (Ok(entry), Transport::Unsupported { reason }) => {
            Some(format!("Server `{}` cannot be used: {reason}", entry.name))
        }
        (Ok(_), _) => None,
    });
    let clients = app.config.clients.iter().filter_map(|client| {
        let missing = app.config.missing_secret(&client.name, &app.environment)?;
        Some(format!("Client `{}` cannot be used: {missing}", client.name))
    });
    servers.chain(clients).collect()
}

/// The keys of config.yaml that are not read, in one line.
fn ignored(config: &AppConfig) -> Option<String> {
    let keys = config.ignored.iter().map(|key| format!("`{}` (line {}: {})", key.name, key.line, key.why));
    let keys = keys.collect::<Vec<_>>().join(", ");
    (!keys.is_empty()).then(|| format!("ignored keys of config.yaml: {keys}"))
}

/// Whether the workspace's mcp.json may be used.
fn workspace_state(host: &Host, dir: &Path) -> &'static str {
    let Some(Ok(file)) = WorkspaceFile::find(dir) else { return "not usable" };
    match Trust::read(&host.app.paths) {
        Ok(trust) if trust.covers(&file) => "trusted",
        _ => "not trusted: `coyote mcp trust` shows it, and asks",
    }
}
