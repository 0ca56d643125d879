//! The table of verbs (S1): gate, parameters, description and help of each function, in rows that stand in the files
//! below. The prefixes alone stand in `name.rs` (R11).
//!
//! Adding a verb does not compile until every reader handles it: they all match on [`Verb`] without `_`.

pub(crate) mod describe;
pub(crate) mod invoke;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod search;

use crate::gate::Gate;
use crate::{MetaName, emits};
use mcp_catalog::{CatalogKind, McpServerFeatures};
use mcp_render::QUOTED_NAME_MAX_BYTES;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt;

macro_rules! verbs {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One of the five functions that a server gets. The order is the order of every table (S1).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Verb {
            $($(#[$doc])* $name,)*
        }

        impl Verb {
            /// Every verb, in order.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];
        }
    };
}

verbs! {
    /// Call a tool.
    Invoke,
    /// Find items in the catalog.
    Search,
    /// Show what is known of one item.
    Describe,
    /// Read a resource.
    Read,
    /// Run a prompt.
    Prompt,
}

/// The JSON type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterType {
    /// A string.
    String,
    /// A whole number.
    Integer,
    /// An object.
    Object,
}

impl ParameterType {
    /// The type as JSON Schema writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Object => "object",
        }
    }
}

/// One parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its JSON type.
    pub kind: ParameterType,
    /// Whether a call must give it.
    pub required: bool,
    /// What a model reads of it.
    pub description: &'static str,
    /// The only values that are accepted; empty when any is.
    pub choices: &'static [&'static str],
}

impl Parameter {
    const fn new(name: &'static str, kind: ParameterType, description: &'static str) -> Self {
        Self { name, kind, required: false, description, choices: &[] }
    }

    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn one_of(self, choices: &'static [&'static str]) -> Self {
        Self { choices, ..self }
    }

    fn schema(&self) -> Value {
        let mut schema = json!({"type": self.kind.as_str(), "description": self.description});
        if let (Some(schema), false) = (schema.as_object_mut(), self.choices.is_empty()) {
            schema.insert("enum".to_owned(), self.choices.into());
        }
        schema
    }
}

/// One row of the table.
struct Row {
    word: &'static str,
    gate: Gate,
    summary: &'static str,
    parameters: &'static [Parameter],
    description: fn(&McpServerFeatures) -> String,
}

impl Verb {
    const fn row(self) -> &'static Row {
        match self {
            Self::Invoke => &invoke::ROW,
            Self::Search => &search::ROW,
            Self::Describe => &describe::ROW,
            Self::Read => &read::ROW,
            Self::Prompt => &prompt::ROW,
        }
    }

    /// The verb's word: `invoke`, `search`, `describe`, `read`, `prompt`.
    pub const fn as_str(self) -> &'static str {
        self.row().word
    }

    /// What a server must have declared to get the function.
    pub const fn gate(self) -> Gate {
        self.row().gate
    }

    /// One line for help and manual.
    pub const fn summary(self) -> &'static str {
        self.row().summary
    }

    /// The parameters, in order.
    pub const fn parameters(self) -> &'static [Parameter] {
        self.row().parameters
    }

    /// The JSON schema of the parameters.
    pub fn schema(self) -> Value {
        let parameters = self.parameters();
        let properties: Map<String, Value> =
            parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.schema())).collect();
        let required: Vec<&str> =
            parameters.iter().filter(|parameter| parameter.required).map(|parameter| parameter.name).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if let (Some(schema), false) = (schema.as_object_mut(), required.is_empty()) {
            // An empty `required` is refused by providers that read an early draft of JSON Schema.
            schema.insert("required".to_owned(), required.into());
        }
        schema
    }

    /// What a model reads of the function of a server. It speaks only of functions that the server has, and the search
    /// function's ends in the server's own words (S8).
    pub fn description(self, features: &McpServerFeatures) -> String {
        (self.row().description)(features)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The kinds of catalog items, as `kind` names them.
const KINDS: [&str; 4] = {
    let [tool, resource, template, prompt] = CatalogKind::ALL;
    [tool.as_str(), resource.as_str(), template.as_str(), prompt.as_str()]
};

/// The server's key, as a description names it.
fn server(features: &McpServerFeatures) -> Cow<'_, str> {
    mcp_render::cut(features.name.as_str(), QUOTED_NAME_MAX_BYTES)
}

/// The function of `verb`, which every server has.
fn function(features: &McpServerFeatures, verb: Verb) -> MetaName {
    MetaName::of(verb, &features.name)
}

/// `sentence` about the function of `verb`, when the server has it.
fn if_emitted(features: &McpServerFeatures, verb: Verb, sentence: impl FnOnce(MetaName) -> String) -> String {
    if emits(verb, features) { sentence(function(features, verb)) } else { String::new() }
}

#[cfg(test)]
mod laws;
