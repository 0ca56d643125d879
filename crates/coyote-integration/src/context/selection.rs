//! What a request declares, selected from what there is (host.md "Selection", design §4.6, S5).
//!
//! Two pools that never mix: `enabled_tools` picks local tools and no meta-function, so it strips none;
//! `enabled_mcp_servers` picks meta-functions and nothing else. Nothing is started here.

use crate::config::{Aliases, Chosen, Servers};
use mcp_catalog::{Enabled, ServerName, expand_enabled};
use mcp_meta::{Declaration, Declarations, MetaName, Verb, is_mcp_meta_function, mcp_meta_function_names};
use std::collections::BTreeSet;

/// The word that stands for everything.
const ALL: &str = "all";

/// The local tools that a setting enables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnabledTools {
    /// Their names, in the order of the setting, each once.
    pub names: Vec<String>,
    /// Entries that name no tool and no alias, each once.
    pub unknown: Vec<String>,
}

/// The servers that a setting enables: the one expansion (S5). Absent is every one, null none.
pub fn expand_servers(chosen: &Chosen, servers: &Servers, mapping: &Aliases) -> Enabled {
    let known: Vec<ServerName> = servers.iter().map(|server| server.entry.name.clone()).collect();
    let members = servers.iter().filter(|server| !server.entry.disabled).map(|server| server.entry.name.clone());
    expand_names(chosen, &known, &members.collect::<Vec<_>>(), mapping)
}

/// The same over names.
pub fn expand_names(chosen: &Chosen, known: &[ServerName], members: &[ServerName], mapping: &Aliases) -> Enabled {
    match chosen {
        Chosen::Unset => expand_enabled(None, known, members, mapping),
        Chosen::Null => Enabled::default(),
        Chosen::Names(names) => expand_enabled(Some(names), known, members, mapping),
    }
}

/// The local tools that `enabled_tools` enables. Absent and null are none. A meta-function is never among them, even when
/// the setting names one.
pub fn select_enabled_functions<'a>(
    chosen: &Chosen,
    tools: impl IntoIterator<Item = &'a str>,
    mapping: &Aliases,
) -> EnabledTools {
    let tools: Vec<&str> = tools.into_iter().filter(|name| !is_mcp_meta_function(name)).collect();
    let mut selection = Selection { tools: &tools, mapping, used: BTreeSet::new(), enabled: EnabledTools::default() };
    if let Chosen::Names(names) = chosen {
        for name in names {
            selection.entry(name);
        }
    }
    selection.enabled
}

/// The meta-functions of these servers and nothing else, in the servers' order. A server is there when its search function
/// is declared, which every server has that is connected (D7): one that has only resources stays (R12).
pub fn select_enabled_mcp_servers(servers: &[ServerName], declared: &Declarations) -> Vec<Declaration> {
    let offered = |server: &&ServerName| declared.get(&MetaName::of(Verb::Search, server).to_string()).is_some();
    let names = servers.iter().filter(offered).flat_map(mcp_meta_function_names);
    names.filter_map(|name| declared.get(&name).cloned()).collect()
}

/// The names that `.list tools` shows: exactly those that are no meta-function (S2).
pub fn concrete_tool_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    names.into_iter().filter(|name| !is_mcp_meta_function(name)).collect()
}

struct Selection<'a> {
    tools: &'a [&'a str],
    mapping: &'a Aliases,
    /// The aliases that were expanded: each once, so that a cycle ends.
    used: BTreeSet<&'a str>,
    enabled: EnabledTools,
}

impl Selection<'_> {
    /// A tool's name first, then an alias, then `all`, then the name of the tool's script.
    fn entry(&mut self, entry: &str) {
        let entry = entry.trim();
        if entry.is_empty() {
            return;
        }
        if self.tools.contains(&entry) {
            self.tool(entry);
        } else if let Some((alias, members)) = self.mapping.get_key_value(entry) {
            if self.used.insert(alias) {
                for member in members {
                    self.entry(member);
                }
            }
        } else if entry == ALL {
            self.tools.iter().for_each(|tool| self.tool(tool));
        } else if let Some((tool, _)) = entry.rsplit_once('.').filter(|(tool, _)| self.tools.contains(tool)) {
            self.tool(tool);
        } else if !self.enabled.unknown.iter().any(|known| known == entry) {
            self.enabled.unknown.push(entry.to_owned());
        }
    }

    fn tool(&mut self, name: &str) {
        if !self.enabled.names.iter().any(|known| known == name) {
            self.enabled.names.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
