//! The servers that one context may use (D7, R15). It owns no process and starts nothing.
use crate::{McpServerFeatures, ServerName, ServerPort};
use std::{collections::BTreeMap, sync::Arc};

/// A context's servers. Its features are the primary source of gating: a delegate's servers are here and in no registry.
#[derive(Clone, Default)]
pub struct McpRuntime { servers: BTreeMap<ServerName, Arc<dyn ServerPort>> }
impl McpRuntime {
    /// A runtime over these ports.
    pub fn new(ports: impl IntoIterator<Item = Arc<dyn ServerPort>>) -> Self {
        Self { servers: ports.into_iter().map(|port| (port.name().clone(), port)).collect() }
    }
    /// The port of a server.
    pub fn get(&self, server: &ServerName) -> Option<&Arc<dyn ServerPort>> { self.servers.get(server) }
    /// All ports, by name.
    pub fn ports(&self) -> impl Iterator<Item = &Arc<dyn ServerPort>> { self.servers.values() }
    /// What decides which functions exist (D7).
    pub fn server_features(&self) -> Vec<McpServerFeatures> {
        self.ports().map(|port| McpServerFeatures::of(port.name().clone(), &port.handshake())).collect()
    }
    /// Remembers the audiences that a resources listing told (S24).
    pub fn remember_audiences(&self, _server: &ServerName, _listing: &crate::Listing) { todo!() }
    /// The audience that the last listing told for a URI (S24); empty when none did.
    pub fn audience_of(&self, _server: &ServerName, _uri: &str) -> Vec<String> { todo!() }
}
