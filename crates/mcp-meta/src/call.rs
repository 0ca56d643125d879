//! One call, from JSON to JSON.
use crate::{Answer, MetaContext, Verb};
use mcp_catalog::ServerName;
use serde_json::Value;
/// Calls the function `name` as a model would: routed by what was declared, arguments checked, answer bounded.
pub async fn call(_context: &MetaContext, _name: &str, _arguments: Value) -> Answer { todo!() }
/// Calls `verb` on `server` without the declared set: for hosts and the command line, where a person asked.
pub async fn call_verb(_context: &MetaContext, _verb: Verb, _server: &ServerName, _arguments: Value) -> Answer { todo!() }
