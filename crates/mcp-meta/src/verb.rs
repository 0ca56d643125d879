//! The table of verbs (S1): prefix, gate, parameters, description, help, all in one place.
//!
//! Adding a verb must fail to compile until every reader handles it: match on it without `_`.

use serde_json::Value;

/// One of the five functions that a server gets. The order is the order of every table (S1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
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
}

impl Verb {
    /// Every verb, in order.
    pub const ALL: [Self; 5] = [Self::Invoke, Self::Search, Self::Describe, Self::Read, Self::Prompt];

    /// The verb's word: `invoke`, `search`, `describe`, `read`, `prompt`.
    pub const fn as_str(self) -> &'static str { todo!() }
    /// One line for help and manual.
    pub const fn summary(self) -> &'static str { todo!() }
    /// The parameters, in order.
    pub const fn parameters(self) -> &'static [Parameter] { todo!() }
    /// The JSON schema of the parameters.
    pub fn schema(self) -> Value { todo!() }
}
