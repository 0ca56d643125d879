//! The servers of one context and what follows from them: declared functions, allowlists (D7, S6, S7).
//!
//! A scope owns no process and starts nothing. Where its ports come from, the registry or the factory, makes no difference
//! to what it declares (R15).

use super::{
    Layers,
    selection::{EnabledTools, expand_names, expand_servers, select_enabled_functions, select_enabled_mcp_servers},
};
use crate::{
    app_state::AppState,
    config::Chosen,
    functions::{LocalTools, declarations_of},
};
use mcp_catalog::{Budget, Enabled, McpRuntime, ServerName, deadline};
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

    /// A scope over those of the connected servers and local tools that the layers enable; `runtime` may hold more. With it,
    /// the local tools that a request declares.
    pub fn of_layers(
        app: &AppState,
        runtime: McpRuntime,
        local: &dyn LocalTools,
        layers: &Layers,
    ) -> (Self, EnabledTools) {
        if !app.config.function_calling_support {
            let allow = Arc::default();
            return (Self { runtime, declared: Arc::default(), allow }, EnabledTools::default());
        }
        let names = local.names();
        let chosen = layers.enabled_tools();
        let tools = select_enabled_functions(chosen, names.iter().map(String::as_str), &app.config.mapping_tools);
        let mut scope = Self::new(app, runtime, local);
        let all = declarations_of(&scope.runtime, local);
        // Of the connected ones, since a delegate's servers are in no file (R15).
        let servers = Self::servers_among(app, &scope.runtime, layers);
        let functions = select_enabled_mcp_servers(&servers, &all);
        scope.declared = Arc::new(Declarations { functions, warnings: all.warnings });
        scope.narrow(app, layers);
        (scope, tools)
    }

    /// The configured servers that the layers enable: what is to be started (S5).
    pub fn enabled_servers(app: &AppState, layers: &Layers) -> Enabled {
        if app.config.function_calling_support && app.config.mcp_server_support {
            expand_servers(layers.enabled_mcp_servers(), &app.servers, &app.config.mapping_mcp_servers)
        } else {
            Enabled::default()
        }
    }

    /// Those of the connected servers that the layers enable.
    fn servers_among(app: &AppState, runtime: &McpRuntime, layers: &Layers) -> Vec<ServerName> {
        if !app.config.mcp_server_support {
            return Vec::new();
        }
        let connected: Vec<ServerName> = runtime.ports().map(|port| port.name().clone()).collect();
        expand_names(layers.enabled_mcp_servers(), &connected, &connected, &app.config.mapping_mcp_servers).servers
    }

    /// Adds the layers' globs to those of the entries: a tool must match every one (S7).
    fn narrow(&mut self, app: &AppState, layers: &Layers) {
        let connected: Vec<ServerName> = self.runtime.ports().map(|port| port.name().clone()).collect();
        let allow = Arc::make_mut(&mut self.allow);
        for (server, globs) in layers.mcp_tools() {
            let chosen = Chosen::Names(vec![server.to_owned()]);
            for server in expand_names(&chosen, &connected, &connected, &app.config.mapping_mcp_servers).servers {
                let allow = allow.entry(server).or_default();
                // The globs compiled when they were read. If they do not now, nothing is allowed rather than everything.
                if allow.narrow(globs).is_err() {
                    drop(allow.narrow(&[]));
                }
            }
        }
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

#[cfg(test)]
mod tests;
