//! The settings that every layer may have: config, role, agent and session (host.md "Selection").
//!
//! Which layer wins is not known here.

use super::{Chosen, yaml::Node};
use mcp_meta::Allowlist;
use std::collections::BTreeMap;

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
}

/// The globs by server; a broken one makes the whole value wrong, since leaving it out would hide or show something else.
pub(super) fn globs(node: &Node) -> Option<BTreeMap<String, Vec<String>>> {
    let pairs = node.pairs()?.iter().map(|pair| Some((pair.key.trim().to_owned(), pair.node.names()?)));
    let globs: BTreeMap<String, Vec<String>> = pairs.collect::<Option<_>>()?;
    globs.values().all(|globs| Allowlist::default().narrow(globs).is_ok()).then_some(globs)
}
