//! What a server declared, and what follows from it (D7, S4).

use crate::{CatalogKind, ServerName};

/// What a server declared, of what this client uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they mirror the members of MCP's capabilities object")]
pub struct Capabilities {
    /// `tools`.
    pub tools: bool,
    /// `resources`.
    pub resources: bool,
    /// `prompts`.
    pub prompts: bool,
    /// `completions`.
    pub completions: bool,
}

/// What a server said when it was connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// What it declared; `None` when it declared nothing of tools, resources and prompts ("unknown", S4).
    pub capabilities: Option<Capabilities>,
    /// The protocol revision agreed on.
    pub protocol: String,
    /// The server's own instructions, whole; foreign text.
    pub instructions: Option<String>,
    /// The server's own name and version; foreign text, never a base for behaviour.
    pub server_info: Option<String>,
}

impl Handshake {
    /// A handshake of an in-process server with these capabilities.
    pub fn of(capabilities: Capabilities) -> Self {
        let known = capabilities.tools || capabilities.resources || capabilities.prompts;
        Self { capabilities: known.then_some(capabilities), protocol: String::new(), instructions: None, server_info: None }
    }

    /// Whether this kind may be listed: declared, or tools of an unknown server (S4).
    pub fn lists(&self, kind: CatalogKind) -> bool {
        match (self.capabilities, kind) {
            (Some(declared), CatalogKind::Tool) => declared.tools,
            (Some(declared), CatalogKind::Resource | CatalogKind::ResourceTemplate) => declared.resources,
            (Some(declared), CatalogKind::Prompt) => declared.prompts,
            (None, kind) => kind == CatalogKind::Tool,
        }
    }
}

/// What decides which functions a server gets (D7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServerFeatures {
    /// The server.
    pub name: ServerName,
    /// Emits invoke: tools are declared, or nothing is (fail-open, S4).
    pub tools: bool,
    /// Emits read: resources are declared.
    pub resources: bool,
    /// Emits prompt: prompts are declared.
    pub prompts: bool,
    /// The server's own instructions (S8); foreign text.
    pub instructions: Option<String>,
}

impl McpServerFeatures {
    /// The features that follow from a handshake.
    pub fn of(name: ServerName, handshake: &Handshake) -> Self {
        Self {
            name,
            tools: handshake.lists(CatalogKind::Tool),
            resources: handshake.lists(CatalogKind::Resource),
            prompts: handshake.lists(CatalogKind::Prompt),
            instructions: handshake.instructions.clone(),
        }
    }
}
