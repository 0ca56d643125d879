//! What a server says when it behaves, and the pieces that a hostile one says in part.

use super::act::Act;
use serde_json::{Value, json};

/// The result of a tool call that went well.
pub(super) const FINE: &str = r#"{"content":[{"type":"text","text":"fine"}]}"#;

/// The result of `initialize` of a server that declares every kind.
pub(super) const GREETING: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"hostile","version":"1"}}"#;

/// A line.
pub(super) fn line(text: impl Into<String>) -> Act {
    Act::Line(text.into())
}

/// A reply with this result.
pub(super) fn result(json: &str) -> Act {
    line(reply(json))
}

/// The text of a reply with this result.
pub(super) fn reply(json: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{json}}}"#)
}

/// A reply with this error.
pub(super) fn error(json: &str) -> Act {
    line(format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{json}}}"#))
}

/// A notification without parameters.
pub(super) fn notification(method: &str) -> Act {
    line(format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}"}}"#))
}

/// A request of the server's own.
pub(super) fn request(id: &str, method: &str, params: &str) -> Act {
    line(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))
}

/// The result of a good server; `None` for a method that it does not have.
pub(super) fn plain_result(method: &str) -> Option<String> {
    let value: Value = match method {
        "initialize" => return Some(GREETING.to_owned()),
        "tools/call" => return Some(FINE.to_owned()),
        "tools/list" => json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}),
        "resources/list" => json!({"resources": [{"uri": "a://1", "name": "one"}]}),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        "prompts/list" => json!({"prompts": [{"name": "p"}]}),
        "resources/read" => json!({"contents": [{"uri": "a://1", "mimeType": "text/plain", "text": "fine"}]}),
        "prompts/get" => json!({"messages": [{"role": "user", "content": {"type": "text", "text": "fine"}}]}),
        "server/discover" => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
            "ttlMs": 0,
            "cacheScope": "private",
        }),
        "ping" => json!({}),
        _ => return None,
    };
    Some(value.to_string())
}
