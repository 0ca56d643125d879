//! What one conversation may use: layers of settings, what they select, and the scope that follows from it.

mod layers;
mod scope;
mod selection;

pub use layers::{Layer, Layers};
pub use scope::Scope;
pub use selection::{
    EnabledTools, concrete_tool_names, expand_names, expand_servers, select_enabled_functions,
    select_enabled_mcp_servers,
};
