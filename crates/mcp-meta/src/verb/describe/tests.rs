//! Describe: every kind, unknown ids, what is hidden, and what is too large (S23, S31, S34).

use crate::Verb;
use crate::rehearsal::{Rehearsal, nothing_else};
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

fn catalog() -> Value {
    json!({
        "tools": [
            {
                "name": "echo",
                "description": "Says it again",
                "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
                "annotations": {"readOnlyHint": true},
            },
            {"name": "secret", "inputSchema": {}},
        ],
        "resources": [{"uri": "log://big", "name": "big log", "mimeType": "text/plain", "annotations": {"audience": ["user"]}}],
        "templates": [{"uriTemplate": "issue://{owner}/{id}{?state}", "name": "issue"}],
        "prompts": [{"name": "review", "arguments": [{"name": "file", "description": "Path", "required": true}, {"name": "depth"}]}],
    })
}

#[rstest]
#[case::tool("echo", None)]
#[case::resource("log://big", Some("resource"))]
#[case::template("issue://{owner}/{id}{?state}", Some("resource_template"))]
#[case::prompt("review", Some("prompt"))]
fn every_kind_is_described_in_its_own_shape(#[case] id: &str, #[case] kind: Option<&str>) {
    let stage = Rehearsal::new(catalog(), nothing_else);
    let value = stage.get(Verb::Describe, json!({"tool": id, "kind": kind}));
    insta::assert_json_snapshot!(format!("described_{}", kind.unwrap_or("tool")), value);
    assert_eq!(stage.asked().len(), 1, "only the item's kind is listed");
}

#[test]
fn an_unknown_id_is_answered_with_the_closest_of_its_kind() {
    let stage = Rehearsal::new(catalog(), nothing_else);
    let error = stage.fail(Verb::Describe, json!({"tool": "ehco"}), Code::NotFound);
    let guessed = "`kind` was not given, so only tools were looked through";
    assert_eq!(error["tool_call_error"], format!("Server `docs` has no tool `ehco`; {guessed}"));
    assert_eq!(error["closest"][0], "echo");
    let error = stage.fail(Verb::Describe, json!({"tool": "echo", "kind": "prompt"}), Code::NotFound);
    assert_eq!(error["tool_call_error"], "Server `docs` has no prompt `echo`");
}

#[test]
fn a_hidden_tool_is_described_like_a_missing_one() {
    // S7.
    let stage = Rehearsal::new(catalog(), nothing_else).allowing(&["echo"]);
    let answer = |tool: &str| stage.fail(Verb::Describe, json!({"tool": tool}), Code::NotFound).to_string();
    assert_eq!(answer("secret"), answer("absent").replace("absent", "secret"));
    assert!(stage.get(Verb::Describe, json!({"tool": "echo"}))["properties"].is_object());
}

#[test]
fn a_listing_that_failed_is_its_own_error_and_not_a_missing_item() {
    let stage = Rehearsal::new(json!({"tools": "slow", "resources": -32000}), nothing_else);
    stage.fail(Verb::Describe, json!({"tool": "echo"}), Code::Timeout);
    stage.fail(Verb::Describe, json!({"tool": "a://b", "kind": "resource"}), Code::ServerError);
}

#[test]
fn a_skipped_entry_is_named_beside_the_missing_id() {
    let stage = Rehearsal::new(json!({"tools": [{"name": "bad", "inputSchema": null}]}), nothing_else);
    let error = stage.fail(Verb::Describe, json!({"tool": "bad", "kind": "tool"}), Code::NotFound);
    let sentence = error["tool_call_error"].as_str().unwrap();
    assert!(sentence.starts_with("Server `docs` has no tool `bad`; tools: 1 skipped: "), "{sentence}");
}

#[test]
fn a_schema_over_the_ceiling_is_a_marker_and_reads_back_whole() {
    // S31, S34: the server has no read function, so describe pages it.
    let schema = json!({"type": "object", "description": "x".repeat(300_000)});
    let catalog = json!({"tools": [{"name": "large", "inputSchema": schema}]});
    let stage = Rehearsal::new(catalog, nothing_else);
    let described = stage.get(Verb::Describe, json!({"tool": "large"}));
    assert_eq!((&described["name"], &described["properties"]["tool"]), (&json!("large"), &json!({"const": "large"})));
    let marker = &described["properties"]["arguments"];
    let shape: Vec<&String> = marker.as_object().unwrap().keys().collect();
    assert_eq!(shape, ["truncated", "shown_bytes", "total_bytes", "path", "sha256", "note"]);
    assert!(marker["note"].as_str().unwrap().contains("mcp_describe_docs"), "{marker}");

    let (mut offset, mut text) = (json!(0), String::new());
    while !offset.is_null() {
        let page = stage.get(
            Verb::Describe,
            json!({"kind": "spill", "tool": marker["sha256"], "offset": offset, "max_bytes": 100_000}),
        );
        text += page["text"].as_str().unwrap();
        offset = page["next_offset"].clone();
    }
    assert_eq!(text.len() as u64, marker["total_bytes"].as_u64().unwrap());
    let whole: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(whole, schema);
}

#[rstest]
#[case::one_of_them(300_000, 100_000, [true, false])]
#[case::the_longer_one(120_000, 150_000, [false, true])]
#[case::both(300_000, 300_000, [true, true])]
fn of_two_schemas_no_more_become_markers_than_must(
    #[case] input: usize,
    #[case] output: usize,
    #[case] marked: [bool; 2],
) {
    let schema = |bytes: usize| json!({"type": "object", "description": "x".repeat(bytes)});
    let tool = json!({"name": "large", "inputSchema": schema(input), "outputSchema": schema(output)});
    let stage = Rehearsal::new(json!({"tools": [tool]}), nothing_else);
    let described = stage.get(Verb::Describe, json!({"tool": "large"}));
    let schemas = [&described["properties"]["arguments"], &described["output_schema"]];
    assert_eq!(schemas.map(|schema| schema.get("truncated").is_some()), marked);
    assert_eq!(described["name"], "large");
    assert!(described.to_string().len() <= 204_800);
}

#[test]
fn a_spill_is_filtered_by_a_pattern() {
    let long = "x\n".repeat(150_000) + "needle\n";
    let catalog = json!({"tools": [{"name": "large", "inputSchema": {"description": long}}]});
    let stage = Rehearsal::new(catalog, nothing_else);
    let marker = &stage.get(Verb::Describe, json!({"tool": "large"}))["properties"]["arguments"];
    let page = stage
        .get(Verb::Describe, json!({"kind": "spill", "tool": marker["sha256"], "pattern": "needle", "max_bytes": 100}));
    assert_eq!((&page["mime_type"], &page["truncated"]), (&json!("application/json"), &json!(true)));
    let error = stage.fail(Verb::Describe, json!({"kind": "spill", "tool": "abc"}), Code::InvalidArguments);
    assert!(error["tool_call_error"].as_str().unwrap().contains("64 hexadecimal digits"), "{error}");
    stage.fail(Verb::Describe, json!({"kind": "spill", "tool": "0".repeat(64)}), Code::NotFound);
}

#[rstest]
#[case(json!({"tool": "echo", "pattern": "x"}), "pattern")]
#[case(json!({"tool": "echo", "offset": 5, "kind": "tool"}), "offset")]
fn paging_an_item_that_is_described_whole_is_an_error(#[case] arguments: Value, #[case] parameter: &str) {
    let error = Rehearsal::new(catalog(), nothing_else).fail(Verb::Describe, arguments, Code::InvalidArguments);
    assert!(
        error["tool_call_error"].as_str().unwrap().starts_with(&format!("`{parameter}` goes only with")),
        "{error}"
    );
}

#[test]
fn parameters_filled_in_with_their_defaults_are_no_error() {
    let arguments = json!({"tool": "echo", "kind": "", "pattern": "", "offset": 0, "max_bytes": 51_200});
    assert_eq!(Rehearsal::new(catalog(), nothing_else).get(Verb::Describe, arguments)["name"], "echo");
}

#[test]
fn a_broken_pattern_is_a_teaching_error_before_anything_is_asked() {
    let stage = Rehearsal::new(catalog(), nothing_else);
    let arguments = json!({"kind": "spill", "tool": "0".repeat(64), "pattern": "a("});
    let error = stage.fail(Verb::Describe, arguments, Code::InvalidArguments);
    assert!(error["tool_call_error"].as_str().unwrap().contains("`pattern`"), "{error}");
    assert_eq!(stage.wire(), [""; 0]);
}
