//! Models: one trait of ours, and what stands behind it (host.md, dependencies.md A.2).
//!
//! Nothing here knows a server or a terminal. The SDK's types stop in the adapter's file.

mod catalog;
mod genai;
mod offline;
mod port;
mod retry;
mod select;

pub use offline::Offline;
pub use port::{
    Abilities, ChatModel, ChatRequest, Chatting, Function, Message, ModelError, ModelFault, Part, Reply, ReplySink,
    Usage,
};
pub use select::{ListedModel, Models};
