//! What may be seen of a server's content, and how much of it (S25–S36, S46). It knows no runtime, no SDK, no terminal
//! and no configuration.
#![doc = include_str!("../README.md")]

mod code;
mod content;
mod decode;
mod error;
mod filter;
mod fit;
mod flatten;
mod held_text;
mod limits;
mod line;
mod marker;
mod mime_type;
mod page;
mod response;
mod settle;
mod shape;
mod shown;
mod slice;
mod sniff;
mod spill;
mod tool_result;

pub use code::Code;
pub use content::{Block, BlockBody, Body, Content, ItemFault, Message, Piece};
pub use error::RenderError;
pub use filter::{Filter, FilterError};
pub use fit::{cut, json_len};
pub use flatten::{Flattened, flatten};
pub use held_text::HeldText;
pub use limits::*;
pub use marker::json_or_marker;
pub use page::PageRequest;
pub use response::{respond, respond_with_note};
pub use settle::{Settled, SettledText, fingerprint, settle};
pub use shape::ErrorShape;
pub use shown::{Shown, ShownLine, is_hidden, json_for_terminal, shown, shown_line};
pub use spill::{ReadBack, SpillDir, SpillDirError, SpillStore, Spilled, Spiller, StoredSpill};
pub use tool_result::{ToolOutcome, tool_result};
