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
        Self {
            capabilities: known.then_some(capabilities),
            protocol: String::new(),
            instructions: None,
            server_info: None,
        }
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

#[cfg(test)]
mod tests {
    use super::{Capabilities, Handshake, McpServerFeatures};
    use crate::{CatalogKind, ServerName};
    use rstest::rstest;

    /// Capabilities from the letters of what is declared: t, r, p, c.
    fn declared(letters: &str) -> Capabilities {
        let has = |letter| letters.contains(letter);
        Capabilities { tools: has('t'), resources: has('r'), prompts: has('p'), completions: has('c') }
    }

    #[rstest]
    #[case::all("trpc", "trp")]
    #[case::tools("t", "t")]
    #[case::resources_only("r", "r")]
    #[case::prompts_only("p", "p")]
    #[case::resources_and_prompts("rp", "rp")]
    #[case::nothing_is_unknown("", "t")]
    #[case::completions_alone_are_unknown("c", "t")]
    fn what_is_declared_decides_the_functions(#[case] capabilities: &str, #[case] emitted: &str) {
        let mut handshake = Handshake::of(declared(capabilities));
        handshake.instructions = Some("Be kind".to_owned());
        let features = McpServerFeatures::of(ServerName::new("s").unwrap(), &handshake);
        let letters = [(features.tools, 't'), (features.resources, 'r'), (features.prompts, 'p')];
        let gates: String = letters.into_iter().filter(|(on, _)| *on).map(|(_, letter)| letter).collect();
        assert_eq!((gates.as_str(), features.instructions.as_deref()), (emitted, Some("Be kind")));
        assert_eq!(handshake.lists(CatalogKind::ResourceTemplate), handshake.lists(CatalogKind::Resource));
    }
}
