//! Completion of `.list` and `.mcp`: words of ours, and servers of the configuration (S44). It asks nobody.

use super::rows::{names, word};
use super::{Completion, Configured, Known, Need};
use crate::ServerState;
use crate::stage::{LISTED, Stage};

/// What `.mcp` does to a server. `reload` takes none.
const ACTIONS: [(&str, &str); 5] = [
    ("reconnect", "Connect to a server anew"),
    ("auth", "Log in at a server"),
    ("enable", "Enable a server for this session"),
    ("disable", "Disable a server for this session"),
    ("reload", "Read mcp.json again"),
];

pub(super) fn kinds(stage: &Stage) -> Completion {
    let rows =
        LISTED.iter().filter_map(|(name, kind)| word(stage, name, &format!("What servers offer as {}", kind.plural())));
    Completion::Rows(rows.collect())
}

pub(super) fn actions(stage: &Stage, known: Known<'_>) -> Completion {
    let Some(configured) = known.configured else { return Completion::Need(Need::Configured) };
    let mut rows: Vec<_> = ACTIONS.iter().filter_map(|(name, about)| word(stage, name, about)).collect();
    if let Completion::Rows(servers) = servers(stage, configured, |_| true) {
        rows.extend(servers);
    }
    rows.truncate(super::MAX_ROWS);
    Completion::Rows(rows)
}

/// The servers that the action makes sense for.
pub(super) fn configured(stage: &Stage, action: &str, known: Known<'_>) -> Completion {
    let fits: fn(ServerState) -> bool = match action {
        "reconnect" | "disable" => |state| state != ServerState::Disabled,
        "enable" => |state| state == ServerState::Disabled,
        "auth" => |_| true,
        _ => return Completion::Rows(Vec::new()),
    };
    known.configured.map_or(Completion::Need(Need::Configured), |known| servers(stage, known, fits))
}

fn servers(stage: &Stage, configured: &[Configured], fits: impl Fn(ServerState) -> bool) -> Completion {
    let fitting = configured.iter().filter(|server| fits(server.state));
    names(stage, fitting.map(|server| (server.name.as_str(), Some(server.state.to_string()))))
}
