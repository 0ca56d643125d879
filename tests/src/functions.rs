//! A model's functions over connected servers: everything between its JSON and a server's bytes but the host.
//!
//! It connects nothing. Blocking work runs where it stands, and nothing limits which tools are seen.

use mcp_catalog::{Budget, Inline, LruSnapshots, McpRuntime, ServerPort, deadline};
use mcp_meta::{MetaContext, declare};
use mcp_render::{Ceiling, SpillStore};
use std::{path::Path, sync::Arc};

/// Functions over these servers; spilled files go below `cache`.
pub fn functions_over(ports: impl IntoIterator<Item = Arc<dyn ServerPort>>, cache: &Path) -> MetaContext {
    let runtime = McpRuntime::new(ports);
    let declared = Arc::new(declare(&runtime.server_features(), &[]));
    MetaContext {
        runtime,
        declared,
        allow: Arc::default(),
        snapshots: Arc::new(LruSnapshots::default()),
        offload: Arc::new(Inline),
        spills: Arc::new(SpillStore::new(cache.join("mcp-resources"))),
        ceiling: Ceiling::default(),
        budget: Budget::new(deadline::READ),
    }
}
