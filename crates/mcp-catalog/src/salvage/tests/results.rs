//! Tool results, prompt messages and completions (S35, S36, D6, C14, C52–C55).

use super::{framed, raw, text};
use crate::{
    PortError, RawResult,
    salvage::{completion_values, messages, tool_outcome},
};
use mcp_render::{Block, BlockBody, Body, Message, Piece};
use rstest::rstest;
use serde_json::{Value, json};

/// A block in one line.
fn shown(raw: &RawResult, block: &Block) -> String {
    let piece = |piece: &Piece| text(raw, piece);
    match &block.body {
        BlockBody::Text(text) => format!("text {}", piece(text)),
        BlockBody::Image { mime_type, data } => format!("image {mime_type:?} {}", piece(data)),
        BlockBody::Audio { mime_type, data } => format!("audio {mime_type:?} {}", piece(data)),
        BlockBody::Resource(content) => match &content.body {
            Body::Text(text) => format!("resource {} text {}", content.uri, piece(text)),
            Body::Blob(blob) => format!("resource {} blob {}", content.uri, piece(blob)),
            Body::Broken(fault) => format!("resource {} {}", content.uri, fault.sentence),
        },
        BlockBody::ResourceLink { uri, name, mime_type, description, size } => {
            format!("link {uri} {name:?} {mime_type:?} {description:?} {size:?}")
        }
        BlockBody::Unknown { type_name, bytes } => format!("unknown {type_name} {bytes}"),
        BlockBody::Broken(fault) => format!("{}: {}", fault.code, fault.sentence),
    }
}

fn blocks(content: &str) -> Vec<String> {
    let raw = framed(&format!(r#"{{"content":{content}}}"#));
    let outcome = tool_outcome(&raw).unwrap();
    outcome.blocks.iter().map(|block| shown(&raw, block)).collect()
}

#[rstest]
#[case::text(r#"{"type":"text","text":"x"}"#, "text x")]
#[case::image(r#"{"type":"image","mimeType":"image/png","data":"AA=="}"#, "image Some(\"image/png\") AA==")]
#[case::image_without_mime(r#"{"type":"image","data":"AA=="}"#, "image None AA==")]
#[case::audio(r#"{"type":"audio","mimeType":7,"data":"AA=="}"#, "audio None AA==")]
#[case::embedded_text(r#"{"type":"resource","resource":{"uri":"a://1","text":"t"}}"#, "resource a://1 text t")]
#[case::embedded_blob(r#"{"type":"resource","resource":{"uri":"a://1","blob":"AA=="}}"#, "resource a://1 blob AA==")]
#[case::embedded_neither(
    r#"{"type":"resource","resource":{"uri":"a://1"}}"#,
    "resource a://1 Item has neither `text` nor `blob`"
)]
#[case::link_without_name(r#"{"type":"resource_link","uri":"ui://v/1"}"#, "link ui://v/1 None None None None")]
#[case::link(
    r#"{"type":"resource_link","uri":"a://1","name":"n","mimeType":"m/x","description":"d","size":3}"#,
    "link a://1 Some(\"n\") Some(\"m/x\") Some(\"d\") Some(3)"
)]
#[case::unknown(r#"{"type":"video","mimeType":"video/mp4","data":"AAAA"}"#, "unknown video 53")]
#[case::without_type(r#"{"text":"x"}"#, "text x")]
#[case::bare_string(r#""x""#, "text x")]
#[case::no_type(r#"{"data":"AA=="}"#, "invalid_response: Block has no `type`")]
#[case::odd_type(r#"{"type":5}"#, "invalid_response: `type` of a block is a number, not a string")]
#[case::null_text(r#"{"type":"text","text":null}"#, "invalid_response: Text block has no `text`")]
#[case::number_text(
    r#"{"type":"text","text":5}"#,
    "invalid_response: `text` of a text block is a number, not a string"
)]
#[case::no_data(r#"{"type":"image"}"#, "invalid_response: Block of type `image` has no `data`")]
#[case::odd_data(
    r#"{"type":"audio","data":5}"#,
    "invalid_response: `data` of a block of type `audio` is a number, not a string"
)]
#[case::no_resource(r#"{"type":"resource"}"#, "invalid_response: Block of type `resource` has no `resource`")]
#[case::link_to_nothing(
    r#"{"type":"resource_link","name":"n"}"#,
    "invalid_response: Block of type `resource_link` has no `uri`"
)]
#[case::number("5", "invalid_response: Block is a number, not an object")]
fn a_block_never_loses_its_siblings(#[case] block: &str, #[case] expected: &str) {
    let content = format!(r#"[{{"type":"text","text":"a"}},{block},{{"type":"text","text":"b"}}]"#);
    assert_eq!(blocks(&content), ["text a", expected, "text b"]);
}

#[rstest]
#[case::null("null")]
#[case::empty("[]")]
#[case::empty_object("{}")]
fn no_content_is_no_failure(#[case] content: &str) {
    assert_eq!(blocks(content), [""; 0]);
}

#[rstest]
#[case::string(r#""done""#)]
#[case::lone_block(r#"{"type":"text","text":"done"}"#)]
fn content_that_is_no_list_is_one_block(#[case] content: &str) {
    assert_eq!(blocks(content), ["text done"]);
}

#[test]
fn an_unknown_audience_leaves_the_block_whole() {
    let json = r#"{"content":[{"type":"text","text":"x","annotations":{"audience":["system"],"priority":0.6}}]}"#;
    let outcome = tool_outcome(&raw(json)).unwrap();
    assert_eq!(outcome.blocks[0].audience, ["system"]);
    assert!(matches!(outcome.blocks[0].body, BlockBody::Text(_)));
}

#[rstest]
#[case::absent(r#"{"content":[]}"#, false)]
#[case::yes(r#"{"isError":true}"#, true)]
#[case::quoted(r#"{"isError":"true"}"#, true)]
#[case::no(r#"{"isError":false}"#, false)]
#[case::null(r#"{"isError":null}"#, false)]
#[case::number(r#"{"isError":1}"#, false)]
fn a_failing_tool_is_known_by_its_flag(#[case] json: &str, #[case] is_error: bool) {
    assert_eq!(tool_outcome(&raw(json)).unwrap().is_error, is_error);
}

#[rstest]
#[case::object(r#"{"structuredContent":{"b":1,"a":2}}"#, Some(json!({"b":1,"a":2})))]
#[case::array(r#"{"content":[],"structuredContent":[1]}"#, Some(json!([1])))]
#[case::text(r#"{"structuredContent":"x"}"#, Some(json!("x")))]
#[case::null(r#"{"structuredContent":null}"#, None)]
#[case::legacy(r#"{"toolResult":{"a":1}}"#, Some(json!({"a":1})))]
#[case::legacy_beside_content(r#"{"content":[],"toolResult":{"a":1}}"#, None)]
fn structured_content_is_any_json(#[case] json: &str, #[case] structured: Option<Value>) {
    let outcome = tool_outcome(&raw(json)).unwrap();
    assert_eq!((outcome.structured, outcome.blocks), (structured, Vec::new()));
}

#[test]
fn structured_content_that_cannot_be_read_is_said_and_the_text_stays() {
    let raw = raw(r#"{"content":[{"type":"text","text":"2 rows"}],"structuredContent":{"n":1e400}}"#);
    let outcome = tool_outcome(&raw).unwrap();
    let blocks: Vec<_> = outcome.blocks.iter().map(|block| shown(&raw, block)).collect();
    let said = "invalid_response: `structuredContent` cannot be read: number out of range at line 1 column 10";
    assert_eq!(blocks, ["text 2 rows", said]);
}

#[test]
fn a_mixed_result_is_a_tool_result_when_a_tool_was_called() {
    let raw =
        raw(r#"{"content":[{"type":"text","text":"x"}],"tools":[],"messages":[],"completion":{},"action":"accept"}"#);
    assert_eq!(tool_outcome(&raw).unwrap().blocks.len(), 1);
}

#[test]
fn a_task_is_unsupported_and_not_an_empty_result() {
    let error = tool_outcome(&raw(r#"{"task":{"taskId":"1"}}"#)).unwrap_err();
    assert!(matches!(error, PortError::Unsupported { .. }), "{error:?}");
}

#[test]
fn an_empty_array_for_a_result_is_an_empty_result() {
    assert_eq!(tool_outcome(&raw("[]")).map(|outcome| outcome.blocks), Ok(Vec::new()));
}

#[test]
fn a_tool_result_that_is_no_object_is_invalid() {
    let error = tool_outcome(&raw(r#""ok""#)).unwrap_err();
    assert_eq!(error.to_string(), "Server's answer is not usable: Result is a string, not an object: \"ok\"");
}

#[test]
fn blocks_beyond_the_bound_are_named_by_a_last_one() {
    let blocks = blocks(&format!("[{}]", vec![r#""""#; 10_001].join(",")));
    assert_eq!(blocks.len(), 10_001);
    assert_eq!(blocks[10_000], "too_large: Result holds 10001 blocks; only the first 10000 are read");
}

/// Roles and blocks of a prompt's messages, one line each.
fn prompt(list: &str) -> Vec<String> {
    let raw = framed(&format!(r#"{{"description":7,"messages":{list}}}"#));
    let line = |message: &Message| {
        let blocks: Vec<String> = message.blocks.iter().map(|block| shown(&raw, block)).collect();
        format!("{}: {}", message.role, blocks.join(" | "))
    };
    messages(&raw).unwrap().iter().map(line).collect()
}

#[test]
fn messages_keep_their_order_and_their_roles_as_given() {
    let list = r#"[{"role":"assistant","content":{"type":"text","text":"Which?"}},
                   {"role":"user","content":{"type":"text","text":"one"}},
                   {"role":"user","content":{"type":"text","text":"two"}},
                   {"role":"system","content":{"type":"text","text":"three"}},
                   {"role":"User","content":{"type":"text","text":"four"}}]"#;
    let expected =
        ["assistant: text Which?", "user: text one", "user: text two", "system: text three", "User: text four"];
    assert_eq!(prompt(list), expected);
}

#[rstest]
#[case::missing_role(r#"{"content":"x"}"#, "unknown: text x")]
#[case::number_role(r#"{"role":5,"content":"x"}"#, "unknown: text x")]
#[case::empty_role(r#"{"role":"","content":"x"}"#, "unknown: text x")]
#[case::bare_string(r#""x""#, "unknown: text x")]
#[case::number("5", "unknown: invalid_response: Block is a number, not an object")]
#[case::list(r#"{"role":"user","content":["x",{"type":"text","text":"y"}]}"#, "user: text x | text y")]
#[case::no_content(r#"{"role":"user"}"#, "user: ")]
#[case::null_content(r#"{"role":"user","content":null}"#, "user: ")]
#[case::unknown_type(r#"{"role":"user","content":{"type":"tool_use","id":"1"}}"#, "user: unknown tool_use 28")]
fn an_odd_message_keeps_its_place_and_takes_no_role_it_did_not_claim(#[case] message: &str, #[case] expected: &str) {
    let list = format!(r#"[{message},{{"role":"user","content":{{"type":"text","text":"ok"}}}}]"#);
    assert_eq!(prompt(&list), [expected, "user: text ok"]);
}

#[test]
fn a_prompt_without_messages_is_invalid_and_one_with_none_is_empty() {
    assert_eq!(messages(&raw(r#"{"messages":[]}"#)), Ok(Vec::new()));
    let error = messages(&raw(r#"{"description":"x"}"#)).unwrap_err();
    assert_eq!(error.to_string(), r#"Server's answer is not usable: Result has no `messages`: {"description":"x"}"#);
}

#[rstest]
#[case::plain(r#"{"completion":{"values":["a","b"],"total":-1,"hasMore":"?"}}"#, &["a", "b"])]
#[case::odd_value(r#"{"completion":{"values":["a",5,null,"b"]}}"#, &["a", "b"])]
#[case::null("null", &[])]
#[case::empty("{}", &[])]
#[case::no_values(r#"{"completion":{}}"#, &[])]
#[case::text(r#"{"completion":{"values":"a"}}"#, &[])]
#[case::question(r#"{"resultType":"input_required","completion":{"values":["a"]}}"#, &[])]
#[case::garbage("nul", &[])]
fn odd_completions_are_no_values(#[case] json: &str, #[case] values: &[&str]) {
    assert_eq!(completion_values(&raw(json)), values);
}

#[test]
fn at_most_100_completion_values_are_kept_and_none_that_is_too_long() {
    let values: Vec<Value> =
        std::iter::once(json!("x".repeat(5_000))).chain((0..130).map(|n| json!(n.to_string()))).collect();
    let values = completion_values(&raw(&json!({"completion": {"values": values}}).to_string()));
    assert_eq!((values.len(), values[0].as_str()), (100, "0"));
}
