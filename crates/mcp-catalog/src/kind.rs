//! The four kinds of things a server lists, and the key under which one is known (D1).

use serde::{Serialize, Serializer};
use std::fmt;

/// A kind of catalog item. The order is the order of every listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CatalogKind {
    /// A tool.
    Tool,
    /// A resource.
    Resource,
    /// A resource template.
    ResourceTemplate,
    /// A prompt.
    Prompt,
}

impl CatalogKind {
    /// Every kind, in order.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Resource, Self::ResourceTemplate, Self::Prompt];

    /// The kind as it is written in answers and arguments.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::ResourceTemplate => "resource_template",
            Self::Prompt => "prompt",
        }
    }

    /// The kind written as `text`, if any.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The method that lists it.
    pub const fn list_method(self) -> &'static str {
        match self {
            Self::Tool => "tools/list",
            Self::Resource => "resources/list",
            Self::ResourceTemplate => "resources/templates/list",
            Self::Prompt => "prompts/list",
        }
    }

    /// The word for several of them in a message.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Resource => "resources",
            Self::ResourceTemplate => "resource templates",
            Self::Prompt => "prompts",
        }
    }
}

impl fmt::Display for CatalogKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CatalogKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What an item is known by: a tool and a resource of one name do not collide (D1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CatalogId {
    /// The kind.
    pub kind: CatalogKind,
    /// Tool name, resource URI, template, or prompt name, byte for byte as the server wrote it.
    pub id: String,
}

impl fmt::Display for CatalogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::{CatalogId, CatalogKind};

    #[test]
    fn a_kind_is_read_as_it_is_written() {
        for kind in CatalogKind::ALL {
            assert_eq!(CatalogKind::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        }
        assert_eq!((CatalogKind::parse("Tool"), CatalogKind::parse("spill")), (None, None));
    }

    #[test]
    fn each_kind_has_a_listing_of_its_own() {
        let methods = CatalogKind::ALL.map(CatalogKind::list_method);
        assert_eq!(methods, ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]);
        let words = CatalogKind::ALL.map(CatalogKind::plural);
        assert_eq!(words, ["tools", "resources", "resource templates", "prompts"]);
    }

    #[test]
    fn a_tool_and_a_resource_of_one_name_do_not_collide() {
        let id = |kind| CatalogId { kind, id: "log".to_owned() };
        assert_ne!(id(CatalogKind::Tool), id(CatalogKind::Resource));
        assert_eq!(id(CatalogKind::ResourceTemplate).to_string(), "resource_template:log");
    }
}
