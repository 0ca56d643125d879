//! Names of meta-functions: the only file that holds a prefix (S1, S2, S3, R11).
//!
//! A name is put together by [`MetaName::of`] and taken apart by [`MetaName::parse`]. It never tells which server is
//! meant: that is the declared set's knowledge, since a server's part of a name may be a hash (S3).

use crate::Verb;
use mcp_catalog::ServerName;
use std::fmt;

/// The five prefixes, in the order of [`Verb::ALL`].
pub const MCP_META_FUNCTION_PREFIXES: [&str; 5] = {
    let [first, second, third, fourth, fifth] = Verb::ALL;
    [prefix(first), prefix(second), prefix(third), prefix(fourth), prefix(fifth)]
};

/// A meta-function's name, taken apart.
///
/// ```
/// use mcp_meta::{MetaName, Verb};
///
/// let name = MetaName::parse("mcp_read_docs").expect("a prefix, `_`, a server part");
/// assert_eq!((name.verb(), name.server_part()), (Verb::Read, "docs"));
/// assert_eq!(name.to_string(), "mcp_read_docs");
/// assert_eq!(MetaName::parse("mcp_reader"), None); // A user's own tool.
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaName {
    verb: Verb,
    server_part: String,
}

impl MetaName {
    /// The name of `verb` for `server` (S3).
    pub fn of(verb: Verb, server: &ServerName) -> Self {
        Self { verb, server_part: server.slug() }
    }

    /// Takes `name` apart: a prefix, `_`, a non-empty server part (S2).
    pub fn parse(name: &str) -> Option<Self> {
        Verb::ALL.into_iter().find_map(|verb| {
            let server_part = name.strip_prefix(prefix(verb))?.strip_prefix('_')?;
            (!server_part.is_empty()).then(|| Self { verb, server_part: server_part.to_owned() })
        })
    }

    /// The verb.
    pub const fn verb(&self) -> Verb {
        self.verb
    }

    /// The server part, which is [`ServerName::slug`] of the server.
    pub fn server_part(&self) -> &str {
        &self.server_part
    }
}

impl fmt::Display for MetaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", prefix(self.verb), self.server_part)
    }
}

/// Whether `name` is a meta-function's (S2).
pub fn is_mcp_meta_function(name: &str) -> bool {
    MetaName::parse(name).is_some()
}

/// All five candidate names of a server, in the order of [`Verb::ALL`].
pub fn mcp_meta_function_names(server: &ServerName) -> Vec<String> {
    Verb::ALL.into_iter().map(|verb| MetaName::of(verb, server).to_string()).collect()
}

/// None of them is the beginning of another, so the order in which they are tried does not matter.
const fn prefix(verb: Verb) -> &'static str {
    match verb {
        Verb::Invoke => "mcp_invoke",
        Verb::Search => "mcp_search",
        Verb::Describe => "mcp_describe",
        Verb::Read => "mcp_read",
        Verb::Prompt => "mcp_prompt",
    }
}

#[cfg(test)]
mod tests;
