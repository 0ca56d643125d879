//! The invoke function's answers (S31, S34, S35).

use crate::rig::{Rig, tool};
use base64::{Engine, prelude::BASE64_STANDARD};
use insta::assert_snapshot;
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

/// The answer to a call of a tool with this result.
async fn called(result: Value) -> (Rig, Value) {
    let rig = Rig::of(tool(result)).await;
    let answer = rig.good("invoke", json!({"tool": "t"})).await;
    (rig, answer)
}

// C41
#[tokio::test]
async fn text_that_comes_as_a_blob_inside_a_tool_result_is_text() {
    let resource = json!({"uri": "n://1", "mimeType": "text/markdown", "blob": "IyBIaQo="});
    let (rig, answer) = called(json!({"content": [{"type": "resource", "resource": resource}]})).await;
    assert!(answer.to_string().contains("# Hi"), "{answer:#}");
    assert_snapshot!(rig.document(&answer));
}

// C48
#[tokio::test]
async fn an_image_is_spilled_and_no_base64_reaches_the_answer() {
    let (rig, answer) = called(json!({"content": [
        {"type": "image", "mimeType": "image/png", "data": {"blob_bytes": 300_000, "seed": 5}},
        {"type": "audio", "mimeType": "audio/wav", "data": {"blob_bytes": 3000, "seed": 6}},
        {"type": "resource", "resource": {"uri": "a://1", "blob": {"blob_bytes": 3000, "seed": 7}}},
    ]}))
    .await;
    assert!(answer.to_string().len() < 3000, "{answer:#}");
    for block in answer["content"].as_array().unwrap() {
        assert_eq!(block["spilled"], true);
    }
    assert_snapshot!(rig.document(&answer));
}

// C49
#[tokio::test]
async fn text_that_mirrors_the_structured_content_is_dropped() {
    let (_, answer) =
        called(json!({"content": [{"type": "text", "text": "{ \"a\": 1 }"}], "structuredContent": {"a": 1}})).await;
    assert_eq!(answer, json!({"content": [], "structuredContent": {"a": 1}}));
}

// C50
#[tokio::test]
async fn a_summary_beside_the_structured_content_is_kept() {
    let result =
        json!({"content": [{"type": "text", "text": "2 rows"}], "structuredContent": {"rows": [{"id": 1}, {"id": 2}]}});
    let (_, answer) = called(result.clone()).await;
    assert_eq!(answer, result);
}

// C51
#[tokio::test]
async fn structured_content_alone_is_shown() {
    let (_, answer) = called(json!({"content": [], "structuredContent": {"ok": true}})).await;
    assert_eq!(answer, json!({"content": [], "structuredContent": {"ok": true}}));
}

// C52, C59
#[tokio::test]
async fn a_link_is_one_line_and_is_never_followed() {
    let mut content =
        vec![json!({"type": "text", "text": "done"}), json!({"type": "resource_link", "uri": "ui://v/1"})];
    content.extend(
        (0..50).map(|n| json!({"type": "resource_link", "uri": format!("a://{n}"), "name": "n", "size": 1_000_000})),
    );
    let (rig, answer) = called(json!({"content": content})).await;
    assert_eq!(answer["content"].as_array().unwrap().len(), 52);
    assert_eq!(rig.log().uris_read().len(), 0);
    let text = answer["content"][1]["text"].as_str().unwrap();
    assert!(text.contains("ui://v/1") && !text.contains('\n'), "{text}");
    assert_snapshot!(rig.document(&json!([answer["content"][0], answer["content"][1], answer["content"][2]])));
}

// C53
#[tokio::test]
async fn annotations_of_any_kind_leave_the_block_whole() {
    let (_, answer) = called(json!({"content": [
        {"type": "text", "text": "body", "annotations": {"audience": ["system"], "priority": 0.6}},
        {"type": "text", "text": "more", "annotations": []},
    ]}))
    .await;
    let texts: Vec<&Value> = answer["content"].as_array().unwrap().iter().map(|block| &block["text"]).collect();
    assert_eq!(texts, ["body", "more"]);
}

// C54
#[tokio::test]
async fn an_unknown_block_is_one_line_with_its_type_and_size() {
    let (rig, answer) = called(json!({"content": [
        {"type": "text", "text": "a"},
        {"type": "video", "mimeType": "video/mp4", "data": "AAAA"},
        {"type": "text", "text": "b"},
        {"text": "typeless"},
        {"type": "text"},
        {"type": "image", "mimeType": "image/png"},
        7,
    ]}))
    .await;
    assert_eq!((&answer["content"][0]["text"], &answer["content"][2]["text"]), (&json!("a"), &json!("b")));
    let line = answer["content"][1]["text"].as_str().unwrap();
    assert!(line.contains("video") && !line.contains("AAAA"), "{line}");
    assert_snapshot!(rig.document(&answer));
}

// C55
#[rstest]
#[case::null(json!({"content": null, "isError": false}), "null")]
#[case::missing(json!({}), "missing")]
#[case::empty(json!({"content": []}), "empty")]
#[tokio::test]
async fn no_content_is_said_to_be_none(#[case] result: Value, #[case] suffix: &str) {
    let (rig, answer) = called(result).await;
    assert_eq!(answer["content"], json!([]));
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&answer));
    });
}

#[tokio::test]
async fn a_result_that_is_no_object_is_an_invalid_response() {
    let script = json!({"tools": [{"name": "t", "inputSchema": {}}], "rules": [{"on": "tools/call", "reply": {"result": "done"}}]});
    let rig = Rig::of(script).await;
    let refused = rig.fails("invoke", json!({"tool": "t"}), Code::InvalidResponse).await;
    assert_snapshot!(rig.document(&refused));
}

#[rstest]
#[case::a_block(json!({"type": "text", "text": "done"}), json!({"type": "text", "text": "done"}))]
#[case::a_string(json!("done"), json!({"type": "text", "text": "done"}))]
#[tokio::test]
async fn content_that_is_no_list_is_its_one_block(#[case] content: Value, #[case] block: Value) {
    let (_, answer) = called(json!({"content": content})).await;
    assert_eq!(answer, json!({"content": [block]}));
}

// C56
#[tokio::test]
async fn a_failing_tool_keeps_all_its_blocks() {
    let rig = Rig::of(tool(json!({"isError": true, "content": [
        {"type": "text", "text": "E1"}, {"type": "text", "text": "E2"}, {"type": "text", "text": "hint"}]})))
    .await;
    let answer = rig.answer("mcp_invoke_docs", json!({"tool": "t"})).await;
    assert_eq!(
        answer.value,
        json!({"isError": true, "content": [
            {"type": "text", "text": "E1"}, {"type": "text", "text": "E2"}, {"type": "text", "text": "hint"}]})
    );
}

// C57, C58, R7
#[tokio::test]
async fn a_long_text_has_a_marker_at_its_head_and_can_be_read_to_its_end() {
    let mut script = tool(json!({"content": [{"type": "text", "text": {"text_bytes": 1_000_000}}]}));
    script["resources"] = json!([{"uri": "a://1"}]);
    let rig = Rig::of(script).await;
    let answer = rig.good("invoke", json!({"tool": "t"})).await;
    assert!(answer.to_string().len() <= 204_800);
    let block = answer["content"][0].as_object().unwrap();
    assert_eq!(block.keys().next_back().unwrap(), "text", "the marker stands before what is shown");
    let sha = block["sha256"].as_str().unwrap();
    let mut read = String::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let page =
            rig.good("read", json!({"uri": format!("spill:{sha}"), "offset": offset, "max_bytes": 200_000})).await;
        read.push_str(page["text"].as_str().unwrap());
        offset = page["next_offset"].clone();
    }
    assert!(read == acceptance::fixture::generated_text(1_000_000));
    let found = rig.good("read", json!({"uri": format!("spill:{sha}"), "pattern": "^0000001000 "})).await;
    assert!(found["text"].as_str().unwrap().contains("1001:0000001000 ERROR"), "{found:#}");
    assert_eq!(rig.log().uris_read().len(), 0, "a spill is never asked of the server");
    let mut document = answer["content"][0].clone();
    document.as_object_mut().unwrap().remove("text");
    assert_snapshot!(rig.document(&document));
}

// C58
#[tokio::test]
async fn a_server_without_a_read_function_reads_its_spills_back_through_describe() {
    let rig = Rig::of(tool(json!({"content": [{"type": "text", "text": {"text_bytes": 500_000}}]}))).await;
    assert!(!rig.functions().contains(&"mcp_read_docs"));
    let answer = rig.good("invoke", json!({"tool": "t"})).await;
    let block = &answer["content"][0];
    assert!(block["note"].as_str().unwrap().contains("mcp_describe_docs"), "{}", block["note"]);
    let page =
        rig.good("describe", json!({"kind": "spill", "tool": block["sha256"], "offset": 64, "max_bytes": 10})).await;
    assert_eq!((&page["text"], &page["total_bytes"]), (&json!("0000000001"), &json!(500_000)));
    let refused = rig.fails("describe", json!({"kind": "spill", "tool": "0".repeat(64)}), Code::NotFound).await;
    assert_snapshot!(rig.document(&refused));
}

#[tokio::test]
async fn a_spill_of_another_server_is_not_found() {
    let big = tool(json!({"content": [{"type": "text", "text": {"text_bytes": 500_000}}]}));
    let mut other = big.clone();
    other["resources"] = json!([{"uri": "a://1"}]);
    let rig = Rig::many([("a", big), ("b", other)]).await;
    let answer = rig.answer("mcp_invoke_a", json!({"tool": "t"})).await.value;
    let sha = answer["content"][0]["sha256"].as_str().unwrap();
    let refused = rig.answer("mcp_read_b", json!({"uri": format!("spill:{sha}")})).await;
    assert_eq!(refused.code, Some(Code::NotFound));
    assert_snapshot!(rig.document(&refused.value));
}

#[tokio::test]
async fn structured_content_over_the_ceiling_is_a_marker_with_the_full_copy_kept() {
    let rows: Vec<Value> = (0..9000).map(|n| json!({"id": n, "name": "a row of a table"})).collect();
    let structured = json!({"rows": rows});
    let (rig, answer) = called(json!({"content": [], "structuredContent": structured})).await;
    assert!(answer.to_string().len() <= 204_800);
    let marker = &answer["structuredContent"];
    assert_eq!(marker["truncated"], true);
    let kept = std::fs::read(marker["path"].as_str().unwrap()).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&kept).unwrap(), structured);
    let mut document = marker.clone();
    document.as_object_mut().unwrap().retain(|key, _| key != "shown");
    assert_snapshot!(rig.document(&document));
}

// S38
#[rstest]
#[case::an_object(json!({"a": 1, "b": [2]}))]
#[case::the_json_text_of_one(json!("{\"a\":1,\"b\":[2]}"))]
#[tokio::test]
async fn arguments_may_be_an_object_or_its_json_text(#[case] arguments: Value) {
    let rig = Rig::of(json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})).await;
    let answer = rig.good("invoke", json!({"tool": "t", "arguments": arguments})).await;
    assert_eq!(answer["content"][0]["text"], "{\"a\":1,\"b\":[2]}");
}

#[tokio::test]
async fn an_unknown_tool_is_not_found_with_the_closest() {
    let rig = Rig::of(
        json!({"tools": [{"name": "read_file", "inputSchema": {}}, {"name": "write_file", "inputSchema": {}}]}),
    )
    .await;
    let refused = rig.fails("invoke", json!({"tool": "reed_file"}), Code::NotFound).await;
    assert_eq!(refused["closest"][0], "read_file");
    assert_snapshot!(rig.document(&refused));
}

// S7
#[tokio::test]
async fn a_hidden_tool_answers_exactly_like_a_missing_one() {
    let tools = json!([{"name": "keep_it", "inputSchema": {}}, {"name": "drop_it", "inputSchema": {}}]);
    let mut rig = Rig::of(json!({"tools": tools})).await;
    let mut allow = mcp_meta::Allowlist::default();
    allow.narrow(&["keep_*".to_owned()]).unwrap();
    let name = rig.context.runtime.ports().next().unwrap().name().clone();
    rig.context.allow = std::sync::Arc::new([(name, allow)].into());
    let found = rig.good("search", json!({})).await;
    assert_eq!((&found["total"], &found["items"][0]["name"]), (&json!(1), &json!("keep_it")));

    let without = Rig::of(json!({"tools": [{"name": "keep_it", "inputSchema": {}}]})).await;
    for verb in ["invoke", "describe"] {
        let hidden = rig.fails(verb, json!({"tool": "drop_it"}), Code::NotFound).await;
        let missing = without.fails(verb, json!({"tool": "drop_it"}), Code::NotFound).await;
        assert_eq!(hidden, missing, "{verb}");
    }
    assert_eq!(rig.log().received("tools/call").len(), 0);
}

#[tokio::test]
async fn a_picture_and_a_text_come_in_the_servers_order() {
    let png = BASE64_STANDARD.encode([b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 16]].concat());
    let (rig, answer) = called(json!({"content": [
        {"type": "text", "text": "before"}, {"type": "image", "mimeType": "image/png", "data": png}, {"type": "text", "text": "after"}]}))
    .await;
    assert_snapshot!(rig.document(&answer));
}
