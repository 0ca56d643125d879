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

#[cfg(test)]
mod tests {
    use super::McpRuntime;
    use crate::{Capabilities, CatalogKind, Handshake, Listing, LocalPort, RawResult, ServerName, ServerPort, salvage};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn server(name: &str) -> ServerName {
        ServerName::new(name).unwrap()
    }

    fn runtime() -> McpRuntime {
        let port = |name: &str, capabilities| -> Arc<dyn ServerPort> {
            Arc::new(LocalPort::new(server(name), Handshake::of(capabilities), Arc::new(|_| Ok(Value::Null))))
        };
        let resources = Capabilities { resources: true, ..Capabilities::default() };
        McpRuntime::new([port("b", resources), port("a", Capabilities::default())])
    }

    fn listing(kind: CatalogKind, json: &Value) -> Listing {
        let raw = RawResult::whole(json.to_string().into_bytes());
        Listing { items: salvage::page(&raw, kind).unwrap().items, notes: Vec::new() }
    }

    fn told(uri: &str, audience: &[&str]) -> Listing {
        let entry = json!({"uri": uri, "annotations": {"audience": audience}});
        listing(CatalogKind::Resource, &json!({"resources": [entry]}))
    }

    #[test]
    fn features_come_from_the_handshakes_of_the_runtimes_own_servers() {
        let features = runtime().server_features();
        let gates: Vec<_> = features.iter().map(|f| (f.name.as_str(), f.tools, f.resources, f.prompts)).collect();
        assert_eq!(gates, [("a", true, false, false), ("b", false, true, false)]);
        assert!(runtime().get(&server("a")).is_some() && runtime().get(&server("c")).is_none());
    }

    #[test]
    fn the_last_listing_tells_the_audience_of_a_uri() {
        let runtime = runtime();
        let audience = |uri| runtime.audience_of(&server("b"), uri);
        assert!(audience("a://1").is_empty());
        runtime.remember_audiences(&server("b"), &told("a://1", &["user", "system"]));
        assert_eq!(audience("a://1"), ["user", "system"]);
        assert!(runtime.audience_of(&server("a"), "a://1").is_empty(), "servers do not share URIs");
        runtime.remember_audiences(&server("b"), &told("a://2", &["assistant"]));
        assert!(audience("a://1").is_empty(), "only the last listing tells");
        assert_eq!(audience("a://2"), ["assistant"]);
    }

    #[test]
    fn a_listing_without_resources_changes_nothing() {
        let runtime = runtime();
        runtime.remember_audiences(&server("b"), &told("a://1", &["user"]));
        let tools = listing(CatalogKind::Tool, &json!({"tools": [{"name": "t", "inputSchema": {}}]}));
        runtime.remember_audiences(&server("b"), &tools);
        assert_eq!(runtime.audience_of(&server("b"), "a://1"), ["user"]);
    }

    #[test]
    fn clones_share_what_was_told_and_strangers_are_not_remembered() {
        let runtime = runtime();
        runtime.clone().remember_audiences(&server("b"), &told("a://1", &["user"]));
        runtime.remember_audiences(&server("stranger"), &told("a://1", &["user"]));
        assert_eq!(runtime.audience_of(&server("b"), "a://1"), ["user"]);
        assert!(runtime.audience_of(&server("stranger"), "a://1").is_empty());
    }

    #[test]
    fn an_audience_is_bounded() {
        let runtime = runtime();
        runtime.remember_audiences(&server("b"), &told("a://1", &["x".repeat(10_000).as_str(); 50]));
        let kept = runtime.audience_of(&server("b"), "a://1");
        assert!(kept.iter().map(String::len).sum::<usize>() <= 16 * 120, "{}", kept.len());
    }
}
