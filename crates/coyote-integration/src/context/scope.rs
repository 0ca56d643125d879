//! The servers of one context and what follows from them: declared functions, allowlists (D7, S6, S7).
//!
//! A scope owns no process and starts nothing. Where its ports come from, the registry or the factory, makes no difference
//! to what it declares (R15).

use crate::{
    app_state::AppState,
    functions::{LocalTools, declarations_of},
};
use mcp_catalog::{Budget, McpRuntime, ServerName, deadline};
use mcp_meta::{Allowlist, Declarations, MetaContext};
use mcp_render::Ceiling;
use std::{collections::BTreeMap, sync::Arc};
use tokio_util::sync::CancellationToken;

/// What a context may use.
#[derive(Clone)]
pub struct Scope {
    /// The servers.
    pub runtime: McpRuntime,
    /// What a request of this context declares.
    pub declared: Arc<Declarations>,
    allow: Arc<BTreeMap<ServerName, Allowlist>>,
}

impl Scope {
    /// A scope over these connected servers, limited by their entries' `allowedTools`.
    pub fn new(app: &AppState, runtime: McpRuntime, local: &dyn LocalTools) -> Self {
        let declared = Arc::new(declarations_of(&runtime, local));
        let allow = runtime.ports().filter_map(|port| Some((port.name().clone(), app.allowlist(port.name())?)));
        let allow = Arc::new(allow.collect());
        Self { runtime, declared, allow }
    }

    /// What one reply's calls work with; `cancel` stops them.
    pub fn meta(&self, app: &AppState, cancel: CancellationToken) -> MetaContext {
        MetaContext {
            runtime: self.runtime.clone(),
            declared: Arc::clone(&self.declared),
            allow: Arc::clone(&self.allow),
            snapshots: app.snapshots.clone(),
            offload: app.offload.clone(),
            spills: Arc::clone(&app.spills),
            ceiling: Ceiling::default(),
            // The verbs set their own times; what counts here is who may cancel.
            budget: Budget::new(deadline::CALL).cancelled_by(cancel),
        }
    }
}
