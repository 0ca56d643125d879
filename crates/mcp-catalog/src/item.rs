//! One entry of a catalog, of any kind (D1). Strings are the server's own: foreign text, byte for byte.

use crate::{CatalogId, CatalogKind};
use serde_json::Value;

/// What is particular to a kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Details {
    /// A tool's schemas; `input_schema` is always a JSON object (S20).
    Tool {
        /// The schema of its arguments.
        input_schema: Value,
        /// The schema of its structured result.
        output_schema: Option<Value>,
    },
    /// A resource has nothing of its own.
    Resource,
    /// A template's variables stand in its text; see [`crate::Template`].
    ResourceTemplate,
    /// A prompt's arguments, in declared order.
    Prompt {
        /// The arguments.
        arguments: Vec<PromptArgument>,
    },
}

/// One declared argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// Its display title.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Whether the server requires it; `false` when it does not say.
    pub required: bool,
}

/// One entry of a catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogItem {
    /// Tool name, resource URI, template, or prompt name.
    pub id: String,
    /// The item's name: the id for tools and prompts, `name` for resources and templates (the URI when missing, S20).
    pub name: String,
    /// Display title.
    pub title: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Claimed mime type.
    pub mime_type: Option<String>,
    /// Claimed size in bytes.
    pub size: Option<u64>,
    /// Audience annotation, unknown values as given (S20, S24).
    pub audience: Vec<String>,
    /// The whole annotations object, if there is one.
    pub annotations: Option<Value>,
    /// What is particular to the kind.
    pub details: Details,
}

impl CatalogItem {
    /// The kind.
    pub const fn kind(&self) -> CatalogKind {
        match self.details {
            Details::Tool { .. } => CatalogKind::Tool,
            Details::Resource => CatalogKind::Resource,
            Details::ResourceTemplate => CatalogKind::ResourceTemplate,
            Details::Prompt { .. } => CatalogKind::Prompt,
        }
    }

    /// The `{kind}:{id}` key (D1).
    pub fn key(&self) -> CatalogId {
        CatalogId { kind: self.kind(), id: self.id.clone() }
    }

    /// The URI, or the template; `None` for tools and prompts.
    pub fn uri(&self) -> Option<&str> {
        match self.details {
            Details::Resource | Details::ResourceTemplate => Some(&self.id),
            Details::Tool { .. } | Details::Prompt { .. } => None,
        }
    }
}
