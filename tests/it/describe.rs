//! The describe function's answers (S23), and spills read back through it (S34).

use crate::rig::Rig;
use insta::assert_snapshot;
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

fn catalog() -> Value {
    json!({
        "tools": [{
            "name": "add", "title": "Add", "description": "Adds two numbers",
            "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]},
            "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
        }],
        "resources": [{
            "uri": "log://big", "name": "big", "title": "Big", "description": "A log", "mimeType": "text/plain", "size": 3,
            "annotations": {"audience": ["user"], "priority": 0.6},
        }],
        "resource_templates": [{"uriTemplate": "log://{day}/{+path}{?day,level}", "name": "day", "mimeType": "text/plain"}],
        "prompts": [{
            "name": "sum", "title": "Sum up", "description": "Sums up",
            "arguments": [{"name": "log", "title": "Log", "description": "Which", "required": true}, {"name": "lines"}],
        }],
    })
}

#[rstest]
#[case::tool(json!({"tool": "add"}), "tool")]
#[case::resource(json!({"tool": "log://big", "kind": "resource"}), "resource")]
#[case::template(json!({"tool": "log://{day}/{+path}{?day,level}", "kind": "resource_template"}), "template")]
#[case::prompt(json!({"tool": "sum", "kind": "prompt"}), "prompt")]
#[tokio::test]
async fn each_kind_is_described_in_its_shape(#[case] arguments: Value, #[case] suffix: &str) {
    let rig = Rig::of(catalog()).await;
    let described = rig.good("describe", arguments).await;
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&described));
    });
}

#[rstest]
#[case::tool(json!({"tool": "ad"}), "tool")]
#[case::resource(json!({"tool": "log://bag", "kind": "resource"}), "resource")]
#[case::prompt(json!({"tool": "summ", "kind": "prompt"}), "prompt")]
#[tokio::test]
async fn an_unknown_id_is_answered_with_the_closest(#[case] arguments: Value, #[case] suffix: &str) {
    let rig = Rig::of(catalog()).await;
    let refused = rig.fails("describe", arguments, Code::NotFound).await;
    assert_eq!(refused["closest"].as_array().unwrap().len(), 1);
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&refused));
    });
}

#[tokio::test]
async fn a_schema_over_the_ceiling_is_a_marker_with_the_full_copy_kept() {
    let properties: serde_json::Map<String, Value> = (0..4000)
        .map(|n| (format!("property_{n}"), json!({"type": "string", "description": "x".repeat(60)})))
        .collect();
    let rig =
        Rig::of(json!({"tools": [{"name": "wide", "inputSchema": {"type": "object", "properties": properties}}]}))
            .await;
    let described = rig.good("describe", json!({"tool": "wide"})).await;
    let text = described.to_string();
    assert!(text.len() <= 204_800 && text.contains("\"truncated\":true"), "{}", text.len());
    assert_snapshot!(rig.document(&described));
}

#[tokio::test]
async fn describing_needs_an_id() {
    let rig = Rig::of(catalog()).await;
    let refused = rig.fails("describe", json!({}), Code::InvalidArguments).await;
    assert_snapshot!(rig.document(&refused));
}
