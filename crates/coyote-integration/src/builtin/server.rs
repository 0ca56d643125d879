//! The embedded server `coyote`: the manual as resources, prompts, and one tool, answered in this process.
//!
//! It implements the seam by [`LocalPort`], so its answers take the same way as a remote server's bytes (ADR 10). It asks
//! nobody and changes nothing; a user's own entry of its name replaces it.

use super::{manual, prompts};
use mcp_catalog::{
    Capabilities, CatalogKind, Handshake, LocalPort, PortError, Request, ServerName, ServerPort, server_text,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The tool that looks at the user's configuration.
const CHECK_CONFIG: &str = "check_config";

/// JSON-RPC's "invalid params".
const INVALID_PARAMS: i64 = -32602;
/// MCP's "resource not found" (S19).
const RESOURCE_NOT_FOUND: i64 = -32002;
/// JSON-RPC's "method not found".
const METHOD_NOT_FOUND: i64 = -32601;

/// Reads the configuration anew and says what there is to say of it, without a secret.
pub type ConfigReport = Arc<dyn Fn() -> Value + Send + Sync>;

/// The embedded server's key.
pub fn name() -> ServerName {
    match ServerName::new("coyote") {
        Ok(name) => name,
        Err(_) => unreachable!("the name is not empty"),
    }
}

/// The embedded server under the key `name`.
pub fn port(name: ServerName, report: ConfigReport) -> Arc<dyn ServerPort> {
    let capabilities = Capabilities { tools: true, resources: true, prompts: true, completions: false };
    let handshake = Handshake {
        protocol: "in process".to_owned(),
        server_info: Some(concat!("coyote ", env!("CARGO_PKG_VERSION")).to_owned()),
        instructions: Some(
            "The manual of coyote. Read coyote://manual/start first; check_config tells what is wrong with the \
             configured servers."
                .to_owned(),
        ),
        ..Handshake::of(capabilities)
    };
    Arc::new(LocalPort::new(name, handshake, Arc::new(move |request| answer(request, &report))))
}

fn answer(request: Request, report: &ConfigReport) -> Result<Value, PortError> {
    match request {
        Request::List { kind: CatalogKind::Tool, .. } => Ok(json!({"tools": [check_config_tool()]})),
        Request::List { kind: CatalogKind::Resource, .. } => {
            Ok(json!({"resources": manual::PAGES.iter().map(manual::Page::listed).collect::<Vec<_>>()}))
        }
        Request::List { kind: CatalogKind::ResourceTemplate, .. } => {
            Ok(json!({"resourceTemplates": [manual::template()]}))
        }
        Request::List { kind: CatalogKind::Prompt, .. } => Ok(prompts::list()),
        Request::ReadResource { uri } => manual::Page::find(uri.as_str()).map(manual::Page::read).ok_or_else(|| {
            let message = server_text(&format!("No resource `{uri}`"));
            PortError::Server { code: RESOURCE_NOT_FOUND, message }
        }),
        Request::GetPrompt { name, arguments } => prompts::get(name.as_str(), &arguments.unwrap_or_default()),
        Request::CallTool { name, .. } if name.as_str() == CHECK_CONFIG => Ok(check_config(&report())),
        Request::CallTool { name, .. } => invalid(&format!("No tool `{name}`")),
        Request::Complete { .. } => {
            Err(PortError::Server { code: METHOD_NOT_FOUND, message: "No completion".to_owned() })
        }
    }
}

fn check_config_tool() -> Value {
    json!({
        "name": CHECK_CONFIG,
        "title": "Check the configuration",
        "description": "Reads the user's mcp.json anew and tells which servers are usable, which are not, and why. \
                        No secret and no command is shown; nothing is started.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

/// The report as structured content; the text block beside it repeats it for clients that know no other, and is dropped
/// on the way to a model (S35).
fn check_config(report: &Value) -> Value {
    json!({"content": [{"type": "text", "text": report.to_string()}], "structuredContent": report})
}

fn invalid(message: &str) -> Result<Value, PortError> {
    Err(PortError::Server { code: INVALID_PARAMS, message: server_text(message) })
}

#[cfg(test)]
mod tests;
