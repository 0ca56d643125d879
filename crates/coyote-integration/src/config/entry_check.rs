//! Whether an entry would be usable, before it is written.

use super::{Environment, server_entry::Refused, server_entry::parse_entry};
use mcp_catalog::ServerName;
use serde_json::Value;

/// Why the entry `value` of a server named `name` would not be usable. A secret without a value is no fault: it may be
/// set later.
pub fn check_entry(name: &ServerName, value: &Value, environment: &Environment) -> Result<(), String> {
    parse_entry(name.clone(), value, environment).map(|_| ()).map_err(|Refused(why)| why)
}
