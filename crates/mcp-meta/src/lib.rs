//! The library is its README: what it promises, and an example that runs. It prints nothing, knows no terminal, and calls
//! no runtime; one table ([`Verb`]) holds what the functions are, and everything else is derived from it (S1).
#![doc = include_str!("../README.md")]

mod allow;
mod answer;
mod args;
mod call;
mod context;
mod declare;
mod error;
mod gate;
mod name;
#[cfg(test)]
mod rehearsal;
mod route;
mod server_call;
mod spill;
mod teach;
mod verb;

pub use allow::Allowlist;
pub use answer::Answer;
pub use call::{call, call_verb, prompt_text, visible_listing};
pub use context::MetaContext;
pub use declare::{Declaration, Declarations, declare};
pub use gate::{Gate, emits};
pub use name::{MCP_META_FUNCTION_PREFIXES, MetaName, is_mcp_meta_function, mcp_meta_function_names};
pub use route::route;
pub use teach::next_step;
pub use verb::{Parameter, ParameterType, Verb};
