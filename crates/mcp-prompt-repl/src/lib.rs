//! What a person at a REPL sees of MCP, as pure code (D5, R14, S41–S46): the SDK, the line editor and the terminal stay with
//! the host, and nothing here blocks or prints.
#![doc = include_str!("../README.md")]

mod chat_text;
mod command;
mod error;
mod invocation;
mod line;
mod missing;
mod offer_line;
mod plan;
mod resource_line;
mod shadow;
mod stage;
mod status;
mod suggest;
mod table;

pub use chat_text::{ChatSink, ChatText, ECHO_LINES, Echo};
pub use command::{CommandLine, Typed};
pub use error::ReplError;
pub use invocation::Invocation;
pub use line::{Cursor, Line, OpenQuote, Word, quote, quote_key};
pub use missing::{Question, Questions, Reply};
pub use offer_line::{ListLine, McpLine};
pub use plan::{Asking, Effect, Event, Plan, Tell};
pub use resource_line::ResourceLine;
pub use shadow::shadow_warnings;
pub use status::{Counts, ServerState, ServerStatus};
pub use suggest::{Completion, Configured, Known, MAX_ROWS, Need, Row, complete};
pub use table::{Look, ServerListing, list_table, mcp_table, prompt_info};
