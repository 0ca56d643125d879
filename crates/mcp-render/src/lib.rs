//! The content policy of an MCP client.
//!
//! Whatever a server sends passes here before a model, a terminal or a disk sees it: text is paged, blobs are spilled to
//! files named by their hash, messages are labelled, and every answer stays under a ceiling that counts the bytes really
//! sent. The crate is a set of functions of bytes and limits. It knows no runtime, no SDK, no terminal and no
//! configuration; the spill store takes its directory as an argument.

mod code;
mod content;
mod error;
mod filter;
mod flatten;
mod limits;
mod page;
mod response;
mod settle;
mod shape;
mod shown;
mod spill;
mod tool_result;

pub use code::Code;
pub use content::{Block, BlockBody, Body, Content, ItemFault, Message, Piece};
pub use error::RenderError;
pub use filter::{Filter, FilterError};
pub use flatten::{Flattened, flatten};
pub use limits::*;
pub use page::PageRequest;
pub use response::respond;
pub use settle::{Settled, SettledText, settle};
pub use shape::ErrorShape;
pub use shown::{Shown, json_for_terminal, shown};
pub use spill::{ReadBack, SpillDir, SpillDirError, SpillStore, Spilled, Spiller, StoredSpill};
pub use tool_result::{ToolOutcome, tool_result};
