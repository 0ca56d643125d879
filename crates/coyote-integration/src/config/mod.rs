//! The user's files: where they are, what they may say, and what is wrong with them.
//!
//! It starts nothing and prints nothing: a fault is a [`Warning`] that the caller shows. Of the files of host.md this
//! floor reads `.env`, `config.yaml`, roles, agents, `mcp.json` and the workspace's own `mcp.json`, and keeps which of the latter
//! the user trusts ([`Trust`]). Nothing of `config.yaml` concerns `coyote mcp …`, whose servers are all that are configured.

mod agent_config;
mod app_config;
mod client;
mod edit;
mod entry_check;
mod keys;
mod lists;
mod mcp_file;
mod mcp_json;
mod ordered;
mod paths;
mod places;
mod read_file;
mod replace_file;
mod role;
mod secrets;
mod server_entry;
mod servers;
mod settings;
mod tokens;
mod trust;
#[cfg(feature = "keyring")]
mod vault;
mod warning;
mod workspace;
pub(crate) mod yaml;

pub use agent_config::{AgentConfig, AgentFault, AgentVariable, Spawning};
pub use app_config::{AppConfig, IgnoredKey, Keybindings, Prelude, Wrap, read_config};
pub use client::{ClientConfig, ClientKind, ModelConfig, SecretPlace, SkippedClient};
pub use entry_check::check_entry;
pub use keys::{ChangedBy, KEYS, Key, SetFault, key_list};
pub use lists::{Aliases, Chosen};
pub use mcp_file::{FileFault, McpFile};
pub use mcp_json::{McpJson, read_mcp_json};
pub(crate) use ordered::line_of;
pub use paths::{Paths, PathsError, PlatformDirs, private_dir};
pub use places::{NamedBy, Places};
pub use read_file::{DeadLink, read_bytes, read_file, read_text};
pub(crate) use read_file::{is_file, line_that_is_no_text, stands};
pub use replace_file::{Access, replace_file};
pub use role::{Facts, Role, RoleFault};
pub use secrets::{Environment, MissingSecret, Placeholder, ProcessEnv, placeholders};
pub use servers::{ConfiguredServer, NotStartable, Servers};
pub use settings::Settings;
pub use tokens::TokenFile;
pub use trust::Trust;
#[cfg(feature = "keyring")]
pub use vault::Keyring;
pub use warning::{About, Warning};
pub use workspace::{WorkspaceFile, workspace_file, workspace_places};
