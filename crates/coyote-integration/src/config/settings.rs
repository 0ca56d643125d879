//! The settings that every layer may have: config, role, agent and session (host.md "Selection").
//!
//! Which layer wins is not known here.

use super::{
    Chosen, Places, Warning,
    app_config::HIDDEN,
    yaml::{Node, Pair},
};
use mcp_meta::Allowlist;
use std::{collections::BTreeMap, path::Path};

/// What stands for every server.
const ALL: &str = "all";

/// The settings of one layer. What is absent is the next layer's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// `client:model`.
    pub model: Option<String>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// The local tools.
    pub enabled_tools: Chosen,
    /// The servers.
    pub enabled_mcp_servers: Chosen,
    /// The macros.
    pub enabled_macros: Chosen,
    /// The globs of the tools that may be seen, by server or alias (S7).
    pub mcp_tools: BTreeMap<String, Vec<String>>,
    /// Where these stand.
    pub places: Places,
}

impl Settings {
    /// Reads the globs by server; `None` when some are not accepted. These allow no tool of their server: a limit that is
    /// not understood must not be none.
    pub(super) fn read_mcp_tools(&mut self, node: &Node) -> Option<()> {
        self.mcp_tools.clear();
        if node.is_null() {
            return Some(());
        }
        let Some(pairs) = node.pairs() else {
            self.mcp_tools.insert(ALL.to_owned(), Vec::new());
            return None;
        };
        let mut all_accepted = true;
        for pair in pairs {
            let globs = pair.node.names().filter(|globs| Allowlist::default().narrow(globs).is_ok());
            all_accepted &= globs.is_some();
            self.mcp_tools.insert(pair.key.trim().to_owned(), globs.unwrap_or_default());
        }
        all_accepted.then_some(())
    }
}

/// Reads each key of a file with `read`, which does not know every key: what is wrong or unknown is a warning, and the rest
/// counts. `whose` names who has such keys: `a role`.
pub(super) fn read_keys(
    node: &Node,
    file: &Path,
    whose: &str,
    mut read: impl FnMut(&Pair) -> Option<Result<(), &'static str>>,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for pair in node.pairs().unwrap_or_default() {
        let (at, key) = (format!("`{}` line {}", file.display(), pair.line), &pair.key);
        match read(pair) {
            Some(Ok(())) => {}
            Some(Err(accepted)) => {
                let instead = if key == "mcp_tools" { HIDDEN } else { "It does not count" };
                let given = pair.node.given();
                warnings.push(Warning::hint(format!("{at}: `{key}` is {given}; accepted is {accepted}. {instead}")));
            }
            None => warnings.push(Warning::hint(format!("{at}: {whose} has no key `{key}`"))),
        }
    }
    warnings
}
