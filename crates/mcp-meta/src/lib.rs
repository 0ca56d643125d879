//! The five functions through which a model uses an MCP server.
//!
//! A call is a function from JSON to JSON: [`call`] takes a function's name and arguments and answers what the model
//! gets, errors included. One table ([`Verb`]) holds prefix, gate, schema and description of each function; everything
//! else is derived from it. Nothing here prints, knows a terminal, or calls a runtime.

mod allow;
mod answer;
mod args;
mod call;
mod context;
mod declare;
mod error;
mod gate;
mod name;
mod route;
mod server_call;
mod spill;
mod teach;
mod verb;

pub use allow::Allowlist;
pub use answer::Answer;
pub use call::{call, call_verb};
pub use context::MetaContext;
pub use declare::{Declaration, Declarations, declare};
pub use gate::{Gate, emits};
pub use name::{MCP_META_FUNCTION_PREFIXES, MetaName, is_mcp_meta_function, mcp_meta_function_names};
pub use route::route;
pub use teach::next_step;
pub use verb::{Parameter, ParameterType, Verb};
