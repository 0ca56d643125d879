//! The functions declared to a model (D7, S3, S6, S8).
use crate::Verb;
use mcp_catalog::{McpServerFeatures, ServerName};
use serde_json::Value;
/// One declared function.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration { /// Its name, within what every provider accepts (S3).
    pub name: String, /// What a model reads.
    pub description: String, /// The JSON schema of the arguments.
    pub parameters: Value, /// The verb.
    pub verb: Verb, /// The server.
    pub server: ServerName }
impl Declaration { /// `{"name", "description", "parameters"}`.
    pub fn to_value(&self) -> Value { todo!() } }
/// What one request declares: fixed for that request (S6).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Declarations { /// In order of servers, then of verbs.
    pub functions: Vec<Declaration>, /// Two keys with one name, a user's tool of the same name: the second is skipped (S3).
    pub warnings: Vec<String> }
impl Declarations {
    /// The declared function of this name.
    pub fn get(&self, _name: &str) -> Option<&Declaration> { todo!() }
}
/// Declares the functions of these servers. `taken` are names of the user's own tools, which come first (S3).
pub fn declare(_features: &[McpServerFeatures], _taken: &[&str]) -> Declarations { todo!() }
