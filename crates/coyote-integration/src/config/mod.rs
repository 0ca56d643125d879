//! The user's files: where they are, what they may say, and what is wrong with them.
//!
//! It starts nothing and prints nothing: a fault is a [`Warning`] that the caller shows. Of the files of host.md this
//! floor reads `.env` and `mcp.json`. It does not read `config.yaml`: nothing of it concerns `coyote mcp …`, whose servers
//! are all that are configured (an absent `enabled_mcp_servers` means all). It does not use the workspace's own
//! `mcp.json` either: such a file runs a stranger's commands, and the decision to trust it has no place to be kept yet;
//! [`workspace_file`] only tells that one is there.

mod mcp_json;
mod ordered;
mod paths;
mod secrets;
mod server_entry;
mod servers;
mod tokens;
mod warning;
mod workspace;

pub use mcp_json::{McpJson, read_mcp_json};
pub use paths::{Paths, PathsError, PlatformDirs, private_dir};
pub use secrets::{Environment, MissingSecret, ProcessEnv, placeholders};
pub use servers::{ConfiguredServer, NotStartable, Servers};
pub use tokens::TokenFile;
pub use warning::{About, Warning};
pub use workspace::workspace_file;
