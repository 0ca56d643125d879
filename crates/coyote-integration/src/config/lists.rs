//! Lists that enable something: absent, null and empty are three things (host.md "config.yaml").
//!
//! What they name is not looked at here: names are told from aliases where both are known (S5).

use super::yaml::{Node, Yaml};
use std::collections::BTreeMap;

/// A name that stands for several, as `mapping_tools` and `mapping_mcp_servers` define them.
pub type Aliases = BTreeMap<String, Vec<String>>;

/// What a list of one layer says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Chosen {
    /// The key is absent: the next layer decides.
    #[default]
    Unset,
    /// An explicit `null`: no server, no tool; for macros all.
    Null,
    /// These, `all` among them; empty enables nothing.
    Names(Vec<String>),
}

impl Chosen {
    /// The names of a text with commas.
    pub fn of(text: &str) -> Self {
        Self::Names(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Whether the key is absent.
    pub const fn is_unset(&self) -> bool {
        matches!(self, Self::Unset)
    }

    pub(super) fn read(node: &Node) -> Option<Self> {
        match &node.value {
            Yaml::Null => Some(Self::Null),
            // `enabled_tools: true` would be a guess.
            Yaml::Bool(_) => None,
            _ => node.names().map(Self::Names),
        }
    }
}

/// The aliases of a mapping from names to lists.
pub(super) fn aliases(node: &Node) -> Option<Aliases> {
    node.pairs()?.iter().map(|pair| Some((pair.key.trim().to_owned(), pair.node.names()?))).collect()
}
