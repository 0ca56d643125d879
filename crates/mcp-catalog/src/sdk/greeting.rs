//! The answer to `initialize`, mended before the SDK sees it (C78, S4, S17).
//!
//! The SDK refuses to connect over a missing `serverInfo.version` or an array where an object belongs. What this client
//! needs of the answer is little, so it is read member by member: which capabilities are declared, the revision, the
//! instructions. The revision is the one thing that is never guessed.

use crate::PortError;
use mcp_render::QUOTED_NAME_MAX_BYTES;
use rmcp::model::{
    Implementation, InitializeResult, PromptsCapability, ProtocolVersion, ResourcesCapability, ServerCapabilities,
    ToolsCapability,
};
use serde_json::{Map, Value};

/// Reads the result of `initialize`.
pub(super) fn read(json: &[u8]) -> Result<InitializeResult, PortError> {
    let answer: Map<String, Value> = serde_json::from_slice(json)
        .map_err(|error| refused(format!("the answer to `initialize` is no JSON object: {error}")))?;
    let greeting = InitializeResult::new(capabilities(answer.get("capabilities")))
        .with_protocol_version(revision(answer.get("protocolVersion"))?)
        .with_server_info(implementation(answer.get("serverInfo")));
    Ok(match answer.get("instructions") {
        Some(Value::String(text)) => greeting.with_instructions(text.as_str()),
        _ => greeting,
    })
}

fn refused(cause: String) -> PortError {
    PortError::HandshakeFailed { cause }
}

fn revision(value: Option<&Value>) -> Result<ProtocolVersion, PortError> {
    let known = ProtocolVersion::KNOWN_VERSIONS;
    let Some(Value::String(name)) = value else {
        return Err(refused("the answer to `initialize` names no protocol revision".to_owned()));
    };
    known.iter().find(|version| version.as_str() == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(ProtocolVersion::as_str).collect();
        refused(format!("the server speaks protocol revision `{}`; known are {}", word(name), names.join(", ")))
    })
}

/// `true`, `[]` or any object declares a capability; `null`, `false` or nothing does not.
fn capabilities(value: Option<&Value>) -> ServerCapabilities {
    let declares = |name: &str| {
        let member = value.and_then(|value| value.get(name));
        member.is_some_and(|member| !matches!(member, Value::Null | Value::Bool(false)))
    };
    let mut capabilities = ServerCapabilities::default();
    capabilities.tools = declares("tools").then(ToolsCapability::default);
    capabilities.resources = declares("resources").then(ResourcesCapability::default);
    capabilities.prompts = declares("prompts").then(PromptsCapability::default);
    capabilities.completions = declares("completions").then(Map::new);
    capabilities
}

fn implementation(value: Option<&Value>) -> Implementation {
    let member = |name: &str| value.and_then(|value| value.get(name)).and_then(Value::as_str).unwrap_or_default();
    Implementation::new(word(member("name")), word(member("version")))
}

fn word(text: &str) -> &str {
    text.get(..text.floor_char_boundary(QUOTED_NAME_MAX_BYTES)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn declared(capabilities: &Value) -> String {
        let answer = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities});
        let read = read(answer.to_string().as_bytes()).unwrap().capabilities;
        let names = [
            ("tools", read.tools.is_some()),
            ("resources", read.resources.is_some()),
            ("prompts", read.prompts.is_some()),
            ("completions", read.completions.is_some()),
        ];
        names.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }

    /// C78, S4.
    #[rstest]
    #[case(json!({"tools": {}, "resources": {"listChanged": "yes"}}), "tools resources")]
    #[case(json!({"tools": [], "prompts": []}), "tools prompts")]
    #[case(json!({"tools": true, "resources": false, "prompts": null}), "tools")]
    #[case(json!({"completions": {}, "logging": 7, "experimental": []}), "completions")]
    #[case(json!([]), "")]
    #[case(json!(null), "")]
    #[case(json!("tools"), "")]
    fn a_capability_is_declared_by_anything_but_null_and_false(#[case] given: Value, #[case] expected: &str) {
        assert_eq!(declared(&given), expected);
    }

    #[test]
    fn an_answer_to_initialize_needs_nothing_but_a_known_revision() {
        let bare = read(br#"{"protocolVersion":"2024-11-05"}"#).unwrap();
        assert_eq!(bare.protocol_version, ProtocolVersion::V_2024_11_05);
        assert_eq!(bare.server_info, Implementation::new("", ""));
        assert_eq!(bare.instructions, None);
    }

    #[rstest]
    #[case(r#"{"protocolVersion":"2099-01-01","capabilities":{}}"#)]
    #[case(r#"{"capabilities":{}}"#)]
    #[case(r#"{"protocolVersion":20250618}"#)]
    #[case("[1]")]
    fn an_answer_to_initialize_without_a_known_revision_is_refused(#[case] answer: &str) {
        assert!(matches!(read(answer.as_bytes()), Err(PortError::HandshakeFailed { .. })));
    }

    #[test]
    fn instructions_that_are_no_text_are_dropped() {
        let answer = r#"{"protocolVersion":"2025-11-25","instructions":["a"],"serverInfo":{"name":7,"version":"1"}}"#;
        let read = read(answer.as_bytes()).unwrap();
        assert_eq!(read.instructions, None);
        assert_eq!(read.server_info, Implementation::new("", "1"));
    }
}
