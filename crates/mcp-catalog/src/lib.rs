//! What a server offers, and how to ask it (D1, S4, S9–S24, S37). It prints nothing, caches no listing and starts no
//! server; the official SDK's names stay inside `sdk`.
#![doc = include_str!("../README.md")]

pub mod deadline;
mod describe;
mod enabled;
mod error;
mod excerpt;
#[cfg(test)]
mod fake;
mod features;
mod ident;
mod item;
mod kind;
mod listing;
mod local;
mod offload;
mod pager;
mod port;
mod request;
mod runtime;
pub mod salvage;
#[cfg(feature = "rmcp")]
pub mod sdk;
mod search;
mod snapshot;
mod template;

pub use describe::{DescribeError, describe};
pub use enabled::{Enabled, expand_enabled};
pub use error::{PortError, server_text};
pub use features::{Capabilities, Handshake, McpServerFeatures};
pub use ident::{NameError, PromptName, ResourceUri, ServerName, ToolName, UriTemplate};
pub use item::{CatalogItem, Details, PromptArgument};
pub use kind::{CatalogId, CatalogKind};
pub use listing::{Listing, Note, NoteKind};
pub use local::{LocalAnswer, LocalPort, LocalRawAnswer};
pub use offload::{Inline, Offload, Offloaded};
pub use pager::{catalog_items, list_kind};
pub use port::{Asking, Progress, ProgressSink, RawResult, ServerPort};
pub use request::{Budget, Request};
pub use runtime::McpRuntime;
pub use search::{SearchQuery, SearchResult, closest, search};
pub use snapshot::{LruSnapshots, Snapshot, SnapshotKey, SnapshotStore};
pub use template::{Template, TemplateError};
