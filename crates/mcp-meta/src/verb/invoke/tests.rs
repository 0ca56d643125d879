//! Invoke: what is sent, what a failure means, what is bounded (S7, S19, S31, S35, S38).

use crate::Verb;
use crate::rehearsal::{Rehearsal, refused};
use mcp_catalog::{PortError, Request};
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

fn tools() -> Value {
    json!({"tools": [{"name": "echo", "inputSchema": {}}, {"name": "secret", "inputSchema": {}}]})
}

/// A server whose tools answer this.
fn answering(result: Value) -> Rehearsal {
    Rehearsal::new(tools(), move |_request| Ok(result.clone()))
}

/// A server whose tools fail with this.
fn failing(error: PortError) -> Rehearsal {
    Rehearsal::new(tools(), move |_request| Err(error.clone()))
}

fn sent(stage: &Rehearsal) -> Value {
    match &stage.asked()[0].request {
        Request::CallTool { name, arguments } => json!({"name": name.as_str(), "arguments": arguments}),
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case::an_object(json!({"tool": "echo", "arguments": {"n": 1, "deep": {"x": null}}}), json!({"n": 1, "deep": {"x": null}}))]
#[case::its_text(json!({"tool": "echo", "arguments": "{\"n\": 1}"}), json!({"n": 1}))]
#[case::none(json!({"tool": "echo"}), json!({}))]
#[case::null(json!({"tool": "echo", "arguments": null}), json!({}))]
#[case::all_of_it_as_text(json!("{\"tool\": \"echo\"}"), json!({}))]
fn a_tool_is_called_as_named_and_nothing_is_listed_before(#[case] arguments: Value, #[case] expected: Value) {
    // S38.
    let stage = answering(json!({"content": [{"type": "text", "text": "done"}]}));
    assert_eq!(stage.get(Verb::Invoke, arguments), json!({"content": [{"type": "text", "text": "done"}]}));
    assert_eq!(sent(&stage), json!({"name": "echo", "arguments": expected}));
    assert_eq!(stage.wire(), ["tools/call"]);
}

#[test]
fn a_tools_own_failure_is_a_result_with_all_its_blocks() {
    let blocks = json!([{"type": "text", "text": "E1"}, {"type": "text", "text": "E2"}]);
    let stage = answering(json!({"isError": true, "content": blocks}));
    assert_eq!(stage.get(Verb::Invoke, json!({"tool": "echo"})), json!({"isError": true, "content": blocks}));
}

#[test]
fn the_same_data_is_not_told_twice() {
    // C49.
    let stage = answering(json!({"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"a": 1}}));
    assert_eq!(stage.get(Verb::Invoke, json!({"tool": "echo"})), json!({"content": [], "structuredContent": {"a": 1}}));
}

#[test]
fn a_text_over_the_ceiling_has_its_marker_at_the_head_and_reads_back_whole() {
    // C57, C58: through the server's own functions, without any file tool.
    let text = (0..40_000).map(|line| format!("line {line} é")).collect::<Vec<_>>().join("\n") + "\n";
    let stage = answering(json!({"content": [{"type": "text", "text": text}]}));
    let result = stage.get(Verb::Invoke, json!({"tool": "echo"}));
    let block = &result["content"][0];
    let first: Vec<&String> = block.as_object().unwrap().keys().collect();
    assert_eq!(first.last().map(|key| key.as_str()), Some("text"), "{first:?}");
    assert_eq!((&block["truncated"], &block["total_bytes"]), (&json!(true), &json!(text.len())));
    assert!(block["note"].as_str().unwrap().contains("mcp_describe_docs"), "{}", block["note"]);
    let page = json!({"kind": "spill", "tool": block["sha256"], "pattern": "line 39999"});
    let found = stage.get(Verb::Describe, page);
    assert_eq!(found["text"], "39998-line 39997 é\n39999-line 39998 é\n40000:line 39999 é\n");
    assert_eq!(stage.wire(), ["tools/call"], "reading back asks nobody");
}

#[test]
fn a_link_is_told_and_never_fetched() {
    // C59.
    let links: Vec<Value> = (0..50).map(|at| json!({"type": "resource_link", "uri": format!("ui://v/{at}")})).collect();
    let stage = answering(json!({"content": links}));
    let result = stage.get(Verb::Invoke, json!({"tool": "echo"}));
    assert_eq!(result["content"].as_array().unwrap().len(), 50);
    assert!(result["content"][49]["text"].as_str().unwrap().contains("ui://v/49"), "{result}");
    assert_eq!(stage.wire(), ["tools/call"]);
}

#[test]
fn a_picture_is_a_file_and_no_base64() {
    let stage = answering(json!({"content": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}]}));
    let result = stage.get(Verb::Invoke, json!({"tool": "echo"}));
    insta::assert_json_snapshot!(stage.tidied(&result));
}

#[test]
fn a_hidden_tool_answers_like_a_missing_one_and_the_server_never_hears_of_it() {
    // S7.
    let stage = answering(json!({"content": []})).allowing(&["echo"]);
    let answer = |tool: &str| stage.fail(Verb::Invoke, json!({"tool": tool}), Code::NotFound).to_string();
    let (hidden, missing) = (answer("secret"), answer("absent"));
    assert_eq!(hidden, missing.replace("absent", "secret"));
    assert!(!hidden.contains("\"secret\""), "{hidden}");
    assert!(!stage.wire().contains(&"tools/call"));
}

#[test]
fn a_hidden_tool_answers_like_one_that_the_allowlist_lets_through_and_the_server_lacks() {
    let stage = failing(refused(-32602, "Unknown tool")).allowing(&["echo", "absent"]);
    let answer = |tool: &str| stage.fail(Verb::Invoke, json!({"tool": tool}), Code::NotFound).to_string();
    assert_eq!(answer("secret"), answer("absent").replace("absent", "secret"));
}

#[rstest]
#[case::invalid_params(-32602)]
#[case::method_not_found(-32601)]
#[case::anything_else(-32000)]
fn an_error_about_a_tool_that_is_not_listed_is_not_found_with_the_closest(#[case] code: i64) {
    let stage = failing(refused(code, "nope"));
    let error = stage.fail(Verb::Invoke, json!({"tool": "ehco"}), Code::NotFound);
    assert_eq!(error["closest"][0], "echo");
    assert_eq!(stage.wire(), ["tools/call", "tools/list"]);
}

#[rstest]
#[case::not_found_in_words(-32000, "tool not found", Code::ServerError)]
#[case::invalid_params(-32602, "bad n", Code::ServerError)]
#[case::method_not_found(-32601, "Method not found", Code::MethodNotFound)]
fn an_error_about_a_listed_tool_is_the_servers_own_whatever_its_words(
    #[case] code: i64,
    #[case] message: &str,
    #[case] expected: Code,
) {
    // S19: a code is never chosen by matching message text.
    let error = failing(refused(code, message)).fail(Verb::Invoke, json!({"tool": "echo"}), expected);
    assert!(error["tool_call_error"].as_str().unwrap().contains(message), "{error}");
}

#[test]
fn an_error_is_the_servers_own_when_the_listing_fails_too() {
    let stage = Rehearsal::new(json!({"tools": -32000}), |_request| Err(refused(-32602, "Unknown tool")));
    stage.fail(Verb::Invoke, json!({"tool": "ehco"}), Code::ServerError);
}

#[rstest]
#[case::closed(PortError::ConnectionClosed { retry_in: None }, Code::ConnectionClosed)]
#[case::frame(PortError::FrameTooLarge { limit: 1 << 20 }, Code::FrameTooLarge)]
#[case::login(PortError::AuthRequired, Code::AuthRequired)]
fn an_error_of_the_connection_is_told_without_listing_anything(#[case] error: PortError, #[case] code: Code) {
    let stage = failing(error);
    stage.fail(Verb::Invoke, json!({"tool": "echo"}), code);
    assert_eq!(stage.wire(), ["tools/call"]);
}

#[test]
fn a_question_of_the_server_is_told_in_its_words() {
    // C40.
    let result = json!({"resultType": "input_required", "inputRequests": {"q": {"method": "elicitation/create", "params": {"message": "Which account?"}}}});
    let error = answering(result).fail(Verb::Invoke, json!({"tool": "echo"}), Code::InputRequired);
    assert!(error["tool_call_error"].as_str().unwrap().contains("Which account?"), "{error}");
}

#[test]
fn a_result_without_content_says_so() {
    let result = answering(json!({"content": null})).get(Verb::Invoke, json!({"tool": "echo"}));
    assert_eq!(result["content"], json!([]));
    assert!(result["note"].is_string(), "{result}");
}
