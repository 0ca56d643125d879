//! The servers that one context may use (D7, R15). It owns no process and starts nothing.

use crate::{
    CatalogKind, Listing, McpServerFeatures, ServerName, ServerPort,
    excerpt::{NAME_MAX_BYTES, excerpt},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The audiences that one server's last resources listing told, by URI or template.
type Audiences = HashMap<String, Vec<String>>;

/// A context's servers. Its features are the primary source of gating: a delegate's servers are here and in no registry.
///
/// Clones share what listings told of audiences.
#[derive(Clone, Default)]
pub struct McpRuntime {
    servers: BTreeMap<ServerName, Arc<dyn ServerPort>>,
    audiences: Arc<Mutex<HashMap<ServerName, Audiences>>>,
}

impl McpRuntime {
    /// A runtime over these ports.
    pub fn new(ports: impl IntoIterator<Item = Arc<dyn ServerPort>>) -> Self {
        let servers = ports.into_iter().map(|port| (port.name().clone(), port)).collect();
        Self { servers, audiences: Arc::default() }
    }

    /// The port of a server.
    pub fn get(&self, server: &ServerName) -> Option<&Arc<dyn ServerPort>> {
        self.servers.get(server)
    }

    /// All ports, by name.
    pub fn ports(&self) -> impl Iterator<Item = &Arc<dyn ServerPort>> {
        self.servers.values()
    }

    /// What decides which functions exist (D7).
    pub fn server_features(&self) -> Vec<McpServerFeatures> {
        self.ports().map(|port| McpServerFeatures::of(port.name().clone(), &port.handshake())).collect()
    }

    /// Remembers the audiences that a resources listing told, in place of what an older one told (S24). A listing that
    /// holds no resource and no template says nothing of them and changes nothing.
    pub fn remember_audiences(&self, server: &ServerName, listing: &Listing) {
        if !self.servers.contains_key(server) {
            return;
        }
        let of_resources = |kind| matches!(kind, CatalogKind::Resource | CatalogKind::ResourceTemplate);
        let mut told = listing.items.iter().filter(|item| of_resources(item.kind())).peekable();
        if told.peek().is_none() {
            return;
        }
        // A listing is bounded (S11), and so is what is kept of each of its entries.
        let told = told.filter(|item| !item.audience.is_empty()).map(|item| {
            let audience = item.audience.iter().map(|value| excerpt(value, NAME_MAX_BYTES)).collect();
            (item.id.clone(), audience)
        });
        self.audiences().insert(server.clone(), told.collect());
    }

    /// The audience that the last listing told for a URI, or for a template by its text (S24); empty when none did.
    pub fn audience_of(&self, server: &ServerName, uri: &str) -> Vec<String> {
        self.audiences().get(server).and_then(|told| told.get(uri)).cloned().unwrap_or_default()
    }

    fn audiences(&self) -> MutexGuard<'_, HashMap<ServerName, Audiences>> {
        // Held for a lookup only, never across an await; a panic elsewhere leaves hints, not state.
        self.audiences.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
