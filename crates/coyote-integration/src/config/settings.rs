//! The settings that every layer may have: config, role, agent and session (host.md "Selection").
//!
//! Which layer wins is not known here.

use super::{
    Chosen, Places, Warning,
    app_config::HIDDEN,
    yaml::{Node, Pair, Yaml},
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
/// counts. `whose` names who has such keys: `a role`. `accepts` judges a key alone, so that a wrong entry of a list is found.
pub(super) fn read_keys(
    node: &Node,
    file: &Path,
    whose: &str,
    mut read: impl FnMut(&Pair) -> Option<Result<(), &'static str>>,
    accepts: impl Fn(&Pair) -> bool,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for pair in node.pairs().unwrap_or_default() {
        let (at, key) = (format!("`{}` line {}", file.display(), pair.line), &pair.key);
        match read(pair) {
            Some(Ok(())) => {}
            Some(Err(accepted)) => {
                let instead = if key == "mcp_tools" { HIDDEN } else { "It does not count" };
                warnings.push(wrong(pair, file, accepted, instead, &accepts));
            }
            None => warnings.push(Warning::hint(format!("{at}: {whose} has no key `{key}`"))),
        }
    }
    warnings
}

/// A wrong value of one key: the value, or the first entry of a list or a mapping that is not accepted, each with its line.
pub(super) fn wrong(
    pair: &Pair,
    file: &Path,
    accepted: &str,
    instead: &str,
    accepts: &impl Fn(&Pair) -> bool,
) -> Warning {
    let Pair { key, line, node } = pair;
    let alone = |value: Yaml| accepts(&Pair { key: key.clone(), line: *line, node: Node { line: node.line, value } });
    let items = node.items().unwrap_or_default().iter();
    let mut entries = items.map(|item| (item, Yaml::List(vec![item.clone()])));
    let pairs = node.pairs().unwrap_or_default().iter();
    let mut values = pairs.map(|pair| (&pair.node, Yaml::Map(vec![pair.clone()])));
    // A list that is not accepted with any entry, or with none, is itself what is wrong.
    let is_taken = entries.len() + values.len() > 0 && !takes_no_list(node, &alone);
    let entry = entries.find(|(_, alone_in)| !alone(alone_in.clone()));
    let entry = entry.or_else(|| values.find(|(_, alone_in)| !alone(alone_in.clone()))).filter(|_| is_taken);
    let (node, has) = entry.map_or((node, ""), |(entry, _)| (entry, "has an entry that "));
    let (file, line, given) = (file.display(), node.line, node.given());
    Warning::hint(format!("`{file}` line {line}: `{key}` {has}is {given}; accepted is {accepted}. {instead}"))
}

/// Whether a list or a mapping is refused even when it is empty.
fn takes_no_list(node: &Node, accepts: &impl Fn(Yaml) -> bool) -> bool {
    !accepts(if node.items().is_some() { Yaml::List(Vec::new()) } else { Yaml::Map(Vec::new()) })
}
