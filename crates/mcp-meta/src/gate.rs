//! Which functions a server gets (D7, S4).
use crate::Verb;
use mcp_catalog::McpServerFeatures;
/// Whether a server with these features gets `verb`.
pub const fn emits(verb: Verb, features: &McpServerFeatures) -> bool {
    match verb { Verb::Search | Verb::Describe => true, Verb::Invoke => features.tools, Verb::Read => features.resources, Verb::Prompt => features.prompts }
}
