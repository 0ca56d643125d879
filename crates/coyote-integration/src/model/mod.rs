//! Models: one trait of ours, and what stands behind it (host.md, dependencies.md A.2).
//!
//! Nothing here knows a server or a terminal. The SDK's types stop in the adapter's file.

mod port;

pub use port::{
    Abilities, ChatModel, ChatRequest, Chatting, Function, Message, ModelError, ModelFault, Part, Reply, ReplySink,
    Usage,
};
