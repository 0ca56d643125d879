//! The read function's answers (S25–S33, D3, D4).

use crate::rig::{Rig, read_of, resource};
use acceptance::fixture::generated_text;
use insta::assert_snapshot;
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_text_page_has_its_paging_keys_before_its_text() {
    let (_, page) = read_of(json!([{"uri": "a://1", "text": "hello"}])).await;
    assert_eq!(keys(&page), ["uri", "mime_type", "truncated", "next_offset", "total_bytes", "text"]);
    assert_eq!(
        page,
        json!({"uri": "a://1", "mime_type": null, "truncated": false, "next_offset": null, "total_bytes": 5, "text": "hello"})
    );
}

// C35
#[tokio::test]
async fn an_item_with_neither_text_nor_blob_leaves_its_sibling_alone() {
    let contents = json!([{"uri": "a://1", "mimeType": "text/plain"}, {"uri": "a://2", "text": "ok"}]);
    let (rig, answer) = read_of(contents).await;
    assert_eq!((&answer[0]["code"], &answer[1]["text"]), (&json!("invalid_response"), &json!("ok")));
    assert_snapshot!(rig.document(&answer));
}

// C36
#[rstest]
#[case::bare_metadata(json!({"contentCount": 1, "uri": "m://s"}), "metadata")]
#[case::contents_null(json!({"contents": null}), "null")]
#[case::content(json!({"content": [{"uri": "m://s", "text": "x"}]}), "content")]
#[case::a_string(json!("hello"), "string")]
#[tokio::test]
async fn a_result_without_contents_is_said_to_have_none_with_an_excerpt(#[case] result: Value, #[case] suffix: &str) {
    let rig = Rig::of(
        json!({"resources": [{"uri": "m://s"}], "rules": [{"on": "resources/read", "reply": {"result": result}}]}),
    )
    .await;
    let refused = rig.fails("read", json!({"uri": "m://s"}), Code::InvalidResponse).await;
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&refused));
    });
}

// C36
#[tokio::test]
async fn empty_contents_are_an_empty_resource() {
    let (rig, answer) = read_of(json!([])).await;
    assert_snapshot!(rig.document(&answer));
}

// C38, R2
#[tokio::test]
async fn the_pages_of_a_large_text_are_the_text() {
    let text = generated_text(300_000);
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": {"text_bytes": 300_000}}]))).await;
    let (mut read, mut offset, mut pages) = (String::new(), json!(0), 0);
    while !offset.is_null() {
        let page = rig.good("read", json!({"uri": "a://1", "offset": offset})).await;
        assert_eq!(page["total_bytes"], 300_000);
        assert!(page.to_string().len() <= 204_800);
        read.push_str(page["text"].as_str().unwrap());
        assert_eq!(page["truncated"], json!(!page["next_offset"].is_null()));
        offset = page["next_offset"].clone();
        pages += 1;
    }
    assert!(read == text, "the pages are not the text");
    assert!(pages >= 6);
    assert_eq!(rig.log().uris_read().len(), 1);
}

#[tokio::test]
async fn ten_mebibytes_in_pages_of_fifty_kibibytes_cross_the_wire_once() {
    const BYTES: usize = 10 << 20;
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": {"text_bytes": BYTES}}]))).await;
    let (mut read, mut offset) = (String::with_capacity(BYTES), json!(0));
    while !offset.is_null() {
        let page = rig.good("read", json!({"uri": "a://1", "offset": offset, "max_bytes": 51_200})).await;
        read.push_str(page["text"].as_str().unwrap());
        offset = page["next_offset"].clone();
    }
    assert!(read == generated_text(BYTES), "the pages are not the text");
    assert_eq!(rig.log().uris_read().len(), 1);
}

#[tokio::test]
async fn a_read_from_the_start_always_asks_the_server() {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": "x"}]))).await;
    rig.read("a://1").await;
    rig.read("a://1").await;
    assert_eq!(rig.log().uris_read().len(), 2);
}

#[tokio::test]
async fn a_page_that_is_read_again_says_when_the_resource_has_changed() {
    let mut script = resource("a://1", json!([{"uri": "a://1", "text": {"text_bytes": 200_000}}]));
    script["rules"] = json!([
        {"on": "resources/read", "times": 1},
        {"on": "resources/read", "after": [], "reply": {"result": {"contents": [{"uri": "a://1", "text": {"text_bytes": 150_000}}]}}},
        {"on": "ping", "after": []},
    ]);
    // The list changes after the first read, which drops its pages.
    script["rules"][0]["after"] =
        json!([{"message": {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}}]);
    let rig = Rig::of(script).await;
    let first = rig.read("a://1").await;
    while rig.context.runtime.ports().next().unwrap().changes() == 0 {
        tokio::task::yield_now().await;
    }
    let second = rig.good("read", json!({"uri": "a://1", "offset": first["next_offset"]})).await;
    assert_eq!(second["total_bytes"], 150_000);
    assert_eq!(rig.log().uris_read().len(), 2);
    assert_snapshot!(second["note"].as_str().unwrap());
}

#[tokio::test]
async fn a_page_past_the_end_is_empty_and_says_how_long_the_text_is() {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": "hello"}]))).await;
    let page = rig.good("read", json!({"uri": "a://1", "offset": 100})).await;
    assert_eq!((&page["text"], &page["next_offset"]), (&json!(""), &json!(null)));
    assert_snapshot!(rig.document(&page));
}

#[tokio::test]
async fn a_page_smaller_than_a_character_returns_that_character() {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": "é☕🙂"}]))).await;
    let mut offset = json!(0);
    let mut read = Vec::new();
    while !offset.is_null() {
        let page = rig.good("read", json!({"uri": "a://1", "offset": offset, "max_bytes": 1})).await;
        read.push(page["text"].as_str().unwrap().to_owned());
        offset = page["next_offset"].clone();
    }
    assert_eq!(read, ["é", "☕", "🙂"]);
}

// C39
#[rstest]
#[case::legacy(-32002)]
#[case::invalid_params(-32602)]
#[case::nothing(0)]
#[tokio::test]
async fn an_unknown_uri_is_not_found_whatever_the_server_calls_it(#[case] code: i64) {
    let rig = Rig::of(json!({
        "resources": [{"uri": "log://one", "name": "one"}, {"uri": "log://two", "name": "two"}],
        "resource_templates": [{"uriTemplate": "log://{day}/all", "name": "day"}],
        "rules": [{"on": "resources/read", "reply": {"error": {"code": code, "message": "no such thing"}}}],
    }))
    .await;
    let refused = rig.fails("read", json!({"uri": "log://oen"}), Code::NotFound).await;
    assert!(refused["closest"].as_array().unwrap().contains(&json!("log://one")), "{refused:#}");
    insta::with_settings!({snapshot_suffix => code.to_string()}, {
        assert_snapshot!(rig.document(&refused));
    });
}

#[tokio::test]
async fn a_known_uri_that_cannot_be_read_is_the_servers_error() {
    let mut script = resource("a://1", json!([]));
    script["rules"] =
        json!([{"on": "resources/read", "reply": {"error": {"code": -32603, "message": "disk on fire"}}}]);
    let rig = Rig::of(script).await;
    let refused = rig.fails("read", json!({"uri": "a://1"}), Code::ServerError).await;
    assert_snapshot!(rig.document(&refused));
}

// C40
#[tokio::test]
async fn a_server_that_asks_for_input_is_an_error_with_its_question() {
    let question = json!({"resultType": "input_required", "inputRequests": {
        "q1": {"method": "elicitation/create", "params": {"message": "Which region?", "requestedSchema": {"type": "object"}}}}});
    let rig = Rig::of(json!({
        "resources": [{"uri": "a://1"}], "tools": [{"name": "t", "inputSchema": {}}],
        "rules": [{"on": "resources/read", "reply": {"result": question}}, {"on": "tools/call", "reply": {"result": question}}],
    }))
    .await;
    let refused = rig.fails("read", json!({"uri": "a://1"}), Code::InputRequired).await;
    assert!(refused["tool_call_error"].as_str().unwrap().contains("Which region?"), "{refused:#}");
    rig.fails("invoke", json!({"tool": "t"}), Code::InputRequired).await;
    assert_snapshot!(rig.document(&refused));
}

#[tokio::test]
async fn an_unknown_result_type_is_not_taken_for_a_result() {
    let mut script = resource("a://1", json!([]));
    script["rules"] = json!([{"on": "resources/read",
        "reply": {"result": {"resultType": "partial", "contents": [{"uri": "a://1", "text": "half"}]}}}]);
    let rig = Rig::of(script).await;
    let refused = rig.fails("read", json!({"uri": "a://1"}), Code::InvalidResponse).await;
    assert_snapshot!(rig.document(&refused));
}

#[tokio::test]
async fn text_beside_a_blob_is_an_error_item_unless_one_is_empty() {
    let contents = json!([
        {"uri": "a://0", "text": "a", "blob": "/////w=="},
        {"uri": "a://1", "text": "a", "blob": ""},
        {"uri": "a://2", "text": null, "blob": "/////w=="},
        {"uri": "a://3", "text": ""},
        {"uri": "a://4", "blob": ""},
        {"uri": "a://5", "text": 7},
        "odd",
        {"text": "no uri"},
    ]);
    let (rig, answer) = read_of(contents).await;
    assert_eq!(answer.as_array().unwrap().len(), 8);
    assert_snapshot!(rig.document(&answer));
}

#[tokio::test]
async fn one_item_is_read_by_its_index_and_a_wrong_index_is_told_the_count() {
    let contents = json!([{"uri": "a://1", "mimeType": "text/plain"}, {"uri": "a://2", "text": "two"}, {"uri": "a://3", "text": "three"}]);
    let rig = Rig::of(resource("a://1", contents)).await;
    let two = rig.good("read", json!({"uri": "a://1", "item": 1})).await;
    assert_eq!(two["text"], "two");
    let three = rig.good("read", json!({"uri": "a://1", "item": "2"})).await;
    assert_eq!(three["text"], "three");
    assert_eq!(rig.log().uris_read().len(), 1, "an item is served from the last read");
    let refused = rig.fails("read", json!({"uri": "a://1", "item": 3}), Code::InvalidArguments).await;
    assert!(refused["tool_call_error"].as_str().unwrap().contains('3'));
    assert_snapshot!(rig.document(&refused));
}

#[tokio::test]
async fn items_that_do_not_fit_are_named_by_index_and_size() {
    let contents = json!([{"repeat": 40, "of": {"uri": "a://{n}", "text": {"text_bytes": 30_000}}}]);
    let rig = Rig::of(resource("a://1", contents)).await;
    let answer = rig.read("a://1").await;
    assert!(answer.to_string().len() <= 204_800);
    let last = answer.as_array().unwrap().last().unwrap();
    assert_eq!(last["truncated"], true);
    let omitted = last["omitted_items"].as_u64().unwrap();
    assert_eq!(omitted, 41 - answer.as_array().unwrap().len() as u64);
    let first = last["omitted"][0]["index"].as_u64().unwrap();
    let item = rig.good("read", json!({"uri": "a://1", "item": first})).await;
    assert_eq!(item["uri"], format!("a://{first}"));
    assert_snapshot!(rig.document(last));
}

// D4, S27
#[tokio::test]
async fn a_pattern_gives_matching_lines_with_two_lines_of_context() {
    let text = (1..=20)
        .map(|n| format!("line {n}{}", if n % 8 == 0 { " ERROR" } else { "" }))
        .collect::<Vec<_>>()
        .join("\r\n");
    let rig = Rig::of(resource("log://1", json!([{"uri": "log://1", "text": text}]))).await;
    let page = rig.good("read", json!({"uri": "log://1", "pattern": "ERROR$"})).await;
    assert_eq!(
        page["text"],
        "6-line 6\n7-line 7\n8:line 8 ERROR\n9-line 9\n10-line 10\n--\n14-line 14\n15-line 15\n16:line 16 ERROR\n17-line 17\n18-line 18\n"
    );
    assert_eq!(page["total_bytes"], page["text"].as_str().unwrap().len());
    let nothing = rig.good("read", json!({"uri": "log://1", "pattern": "zebra"})).await;
    assert_eq!((&nothing["text"], &nothing["total_bytes"]), (&json!(""), &json!(0)));
    assert_snapshot!(rig.document(&nothing));
}

#[rstest]
#[case::unclosed("(", "unclosed")]
#[case::too_long(&"a".repeat(4097), "long")]
#[case::too_large("((a{100}){100}){100}", "large")]
#[tokio::test]
async fn a_pattern_that_cannot_be_used_is_refused_before_the_server_is_asked(
    #[case] pattern: &str,
    #[case] suffix: &str,
) {
    let rig = Rig::of(resource("log://1", json!([{"uri": "log://1", "text": "x"}]))).await;
    let refused = rig.fails("read", json!({"uri": "log://1", "pattern": pattern}), Code::InvalidArguments).await;
    assert_eq!(rig.log().uris_read().len(), 0);
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&refused));
    });
}

#[tokio::test]
async fn escaping_counts_and_no_answer_passes_the_ceiling() {
    let text = "\u{1}\"\\".repeat(100_000);
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": text}]))).await;
    let page = rig.good("read", json!({"uri": "a://1", "max_bytes": 10_000_000})).await;
    assert!(page.to_string().len() <= 204_800, "{}", page.to_string().len());
    assert_eq!(page["truncated"], true);
}

// S38
#[tokio::test]
async fn numbers_may_come_as_text_and_null_is_absent() {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": "hello world"}]))).await;
    let page = rig
        .good(
            "read",
            json!({"uri": "a://1", "offset": "6", "max_bytes": 5.0, "pattern": null, "item": null, "arguments": null}),
        )
        .await;
    assert_eq!(page["text"], "world");
}

#[rstest]
#[case::no_uri(json!({}), "missing")]
#[case::a_number_for_a_uri(json!({"uri": 7}), "number")]
#[case::a_negative_offset(json!({"uri": "a://1", "offset": -1}), "negative")]
#[case::a_typo(json!({"url": "a://1"}), "typo")]
#[case::a_list(json!(["a://1"]), "list")]
#[tokio::test]
async fn wrong_arguments_are_named_with_what_is_accepted(#[case] arguments: Value, #[case] suffix: &str) {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "text": "x"}]))).await;
    let refused = rig.fails("read", arguments, Code::InvalidArguments).await;
    assert_eq!(rig.log().uris_read().len(), 0);
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&refused));
    });
}
