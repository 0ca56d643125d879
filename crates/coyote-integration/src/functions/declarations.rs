//! From a context's servers to the functions a model is told of (D7, S3, S6).
//!
//! The features come from the context's own [`McpRuntime`], never from the registry: the servers of a delegate agent are
//! in no registry (R15). Every context calls this one function.

use super::LocalTools;
use mcp_catalog::McpRuntime;
use mcp_meta::{Declarations, declare};

/// The meta-functions of a context. Local tools come first: a meta-function of the same name is skipped with a warning.
pub fn declarations_of(runtime: &McpRuntime, local: &dyn LocalTools) -> Declarations {
    let names = local.names();
    let taken: Vec<&str> = names.iter().map(String::as_str).collect();
    declare(&runtime.server_features(), &taken)
}

#[cfg(test)]
mod tests;
