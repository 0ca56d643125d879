//! The functions declared to a model (D7, S3, S6, S8).
//!
//! It starts no server and asks none: what it needs was said in the handshakes. The declarations of a request are fixed;
//! the next request gets new ones.

use crate::{MetaName, Verb, emits};
use mcp_catalog::{McpServerFeatures, ServerName};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One declared function.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Its name, within what every provider accepts (S3).
    pub name: String,
    /// What a model reads.
    pub description: String,
    /// The JSON schema of the arguments.
    pub parameters: Value,
    /// The verb.
    pub verb: Verb,
    /// The server.
    pub server: ServerName,
}

impl Declaration {
    /// `{"name", "description", "parameters"}`.
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "description": self.description, "parameters": self.parameters})
    }
}

/// What one request declares: fixed for that request (S6).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Declarations {
    /// In order of servers, then of verbs.
    pub functions: Vec<Declaration>,
    /// Two keys with one name, a user's tool of the same name: the second is skipped (S3).
    pub warnings: Vec<String>,
}

impl Declarations {
    /// The declared function of this name.
    pub fn get(&self, name: &str) -> Option<&Declaration> {
        self.functions.iter().find(|declared| declared.name == name)
    }

    /// The names of this verb's declared functions, in order.
    pub fn names(&self, verb: Verb) -> impl Iterator<Item = &str> {
        self.functions.iter().filter(move |declared| declared.verb == verb).map(|declared| declared.name.as_str())
    }
}

/// Declares the functions of these servers. `taken` are names of the user's own tools, which come first (S3).
///
/// Of two servers whose keys give one name the second gets no function at all: with some of its functions under the
/// first one's name, a model could not tell whom it asks.
pub fn declare(features: &[McpServerFeatures], taken: &[&str]) -> Declarations {
    let mut declared = Declarations::default();
    let mut owners: BTreeMap<String, &ServerName> = BTreeMap::new();
    for features in features {
        match owners.get(&features.name.slug()) {
            Some(owner) => declared.warnings.extend(clash(owner, &features.name)),
            None => declared.add(features, taken),
        }
        owners.entry(features.name.slug()).or_insert(&features.name);
    }
    declared
}

impl Declarations {
    fn add(&mut self, features: &McpServerFeatures, taken: &[&str]) {
        for verb in Verb::ALL.into_iter().filter(|verb| emits(*verb, features)) {
            let name = MetaName::of(verb, &features.name).to_string();
            if taken.contains(&name.as_str()) {
                self.warnings.push(format!(
                    "Function `{name}` of server `{server}` is skipped: your own tool `{name}` has its name; rename the tool or \
                     the server",
                    server = features.name
                ));
                continue;
            }
            self.functions.push(Declaration {
                name,
                description: verb.description(features),
                parameters: verb.schema(),
                verb,
                server: features.name.clone(),
            });
        }
    }
}

/// The warning about the second of two servers; a server that is given twice is one server.
fn clash(owner: &ServerName, second: &ServerName) -> Option<String> {
    (owner != second).then(|| {
        format!(
            "Server `{second}` is skipped: its functions would have the names of those of server `{owner}`; rename one of \
             them"
        )
    })
}

#[cfg(test)]
mod tests;
