//! Which servers a setting enables: the one expansion that starting, offering, completion, listing and delegates share (S5).
use crate::ServerName;
use std::collections::BTreeMap;
/// What a setting enables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enabled { /// The servers, in order, each once.
    pub servers: Vec<ServerName>, /// Entries that name no server and no alias, each once.
    pub unknown: Vec<String> }
/// Expands `setting` (`None`: every server of `all`) against the known servers and the aliases of `mapping_mcp_servers`
/// (comma strings). `known` is every configured server; `members_of_all` those that `all` stands for.
pub fn expand_enabled(_setting: Option<&[String]>, _known: &[ServerName], _members_of_all: &[ServerName], _aliases: &BTreeMap<String, Vec<String>>) -> Enabled { todo!() }
