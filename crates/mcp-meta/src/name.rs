//! Names of meta-functions: the only file that holds a prefix (S1, S2, S3, R11).

use crate::Verb;
use mcp_catalog::ServerName;

/// The five prefixes, in the order of [`Verb::ALL`].
pub const MCP_META_FUNCTION_PREFIXES: [&str; 5] = ["mcp_invoke", "mcp_search", "mcp_describe", "mcp_read", "mcp_prompt"];

/// A meta-function's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaName {
    verb: Verb,
    server_part: String,
}

impl MetaName {
    /// The name of `verb` for `server` (S3).
    pub fn of(_verb: Verb, _server: &ServerName) -> Self { todo!() }
    /// Takes `name` apart: a prefix, `_`, a non-empty server part (S2).
    pub fn parse(_name: &str) -> Option<Self> { todo!() }
    /// The verb.
    pub const fn verb(&self) -> Verb { self.verb }
    /// The server part, which is [`ServerName::slug`] of the server.
    pub fn server_part(&self) -> &str { &self.server_part }
}

impl std::fmt::Display for MetaName { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }

/// Whether `name` is a meta-function's (S2).
pub fn is_mcp_meta_function(name: &str) -> bool { MetaName::parse(name).is_some() }

/// All five candidate names of a server, in the order of [`Verb::ALL`].
pub fn mcp_meta_function_names(server: &ServerName) -> Vec<String> { Verb::ALL.into_iter().map(|verb| MetaName::of(verb, server).to_string()).collect() }
