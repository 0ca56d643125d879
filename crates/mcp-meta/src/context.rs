//! What a call may use: the context's servers, the stores and the ceiling. The host builds one per context.
//!
//! It holds no state of a call. Everything in it is shared, so a clone is cheap and calls of one reply run side by side.

use crate::{Allowlist, Declarations};
use mcp_catalog::{Budget, McpRuntime, Offload, ServerName, SnapshotStore};
use mcp_render::{Ceiling, SpillStore};
use std::{collections::BTreeMap, sync::Arc};

/// Everything a meta-function works with.
#[derive(Clone)]
pub struct MetaContext {
    /// The servers.
    pub runtime: McpRuntime,
    /// What the request declared (S6).
    pub declared: Arc<Declarations>,
    /// Tools that may be seen and called, by server (S7); a missing server has no limit.
    pub allow: Arc<BTreeMap<ServerName, Allowlist>>,
    /// Page snapshots (S28).
    pub snapshots: Arc<dyn SnapshotStore>,
    /// Where blocking work runs.
    pub offload: Arc<dyn Offload>,
    /// Where blobs go.
    pub spills: Arc<SpillStore>,
    /// The ceiling of one answer (S25).
    pub ceiling: Ceiling,
    /// Cancellation and progress of this call; deadlines are the verbs' own (S12).
    pub budget: Budget,
}
