//! Noise, broken lines, oversized frames, deadlines and cancellation on the wire (S10, S12, S13, S16, S17).

use crate::rig::{Rig, resource};
use base64::{Engine, prelude::BASE64_STANDARD};
use insta::assert_snapshot;
use mcp_catalog::PortError;
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;

/// A server with one readable resource, that handles the first read as this rule says.
fn first_read(mut rule: Value) -> Value {
    let mut script = resource("a://1", json!([{"uri": "a://1", "text": "fine"}]));
    rule["on"] = json!("resources/read");
    rule["times"] = json!(1);
    script["rules"] = json!([rule]);
    script
}

// C72
#[tokio::test]
async fn noise_on_stdout_is_no_answer_and_is_never_answered() {
    let noise = json!([
        {"line": "Server v1.2 is ready!"}, {"line": ""}, {"line": "{\"level\":\"info\"}"}, {"line": "[1,2]"}, {"line": "{broken"},
        {"base64": BASE64_STANDARD.encode(b"\xff\xfe\n")},
    ]);
    let mut script = first_read(json!({"before": noise}));
    script["rules"].as_array_mut().unwrap().push(json!({"on": "initialize", "before": noise}));
    let rig = Rig::of(script).await;
    assert_eq!(rig.read("a://1").await["text"], "fine");
    assert_eq!(rig.read("a://1").await["text"], "fine");
    let answers = rig.log().entries().iter().filter(|entry| format!("{entry:?}").contains("method: None")).count();
    assert_eq!(answers, 0, "noise was answered");
}

// C73
#[rstest]
#[case::bad_utf8(json!({"base64_line": BASE64_STANDARD.encode(b"{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{\"contents\":[{\"uri\":\"a\",\"text\":\"\xB0\xA1\"}]}}")}), "utf8")]
#[case::cut_short(json!({"line": "{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{\"contents\":[{\"uri\":\"a"}), "cut")]
#[case::a_control_character(json!({"line": "{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{\"contents\":[{\"uri\":\"a\u{1}\"}]}}"}), "control")]
#[case::neither_result_nor_error(json!({"line": "{\"jsonrpc\":\"2.0\",\"id\":{id}}"}), "neither")]
#[case::both(json!({"line": "{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{},\"error\":{\"code\":1,\"message\":\"m\"}}"}), "both")]
#[tokio::test]
async fn a_broken_reply_fails_its_call_at_once_and_the_next_call_works(#[case] reply: Value, #[case] suffix: &str) {
    let rig = Rig::of(first_read(json!({"reply": reply}))).await;
    let refused = rig.call("read", json!({"uri": "a://1"})).await;
    assert!(refused.get("tool_call_error").is_some(), "{refused:#}");
    assert_eq!(rig.read("a://1").await["text"], "fine");
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&refused));
    });
}

#[tokio::test]
async fn a_null_result_is_an_invalid_response() {
    let rig = Rig::of(first_read(json!({"reply": {"result": null}}))).await;
    rig.fails("read", json!({"uri": "a://1"}), Code::InvalidResponse).await;
    assert_eq!(rig.read("a://1").await["text"], "fine");
}

// C74, S16
#[tokio::test]
async fn a_frame_of_97_mebibytes_fails_that_call_alone() {
    // 72.75 MiB of bytes are 97 MiB of base64.
    let big = json!({"contents": [{"uri": "a://1", "blob": {"blob_bytes": 97 * 3 * (1 << 18)}}]});
    let rig = Rig::of(first_read(json!({"reply": {"result": big}}))).await;
    let refused = rig.fails("read", json!({"uri": "a://1"}), Code::FrameTooLarge).await;
    assert_eq!(rig.read("a://1").await["text"], "fine");
    assert_snapshot!(rig.document(&refused));
}

// C74
#[tokio::test]
async fn endless_bytes_that_are_no_message_are_noise() {
    let rig = Rig::of(first_read(json!({"before": [{"fill": 120 << 20}, {"line": ""}]}))).await;
    assert_eq!(rig.read("a://1").await["text"], "fine");
}

#[tokio::test]
async fn an_error_answer_is_the_servers_own_words_cut_to_4_kib() {
    let message = "é".repeat(5000);
    let mut script = first_read(json!({"reply": {"error": {"code": -32000, "message": message}}}));
    script["contents"] = json!({});
    let rig = Rig::of(script).await;
    let refused = rig.fails("read", json!({"uri": "a://1"}), Code::ServerError).await;
    let sentence = refused["tool_call_error"].as_str().unwrap();
    assert!(sentence.len() < 4500 && sentence.contains(&"é".repeat(2000)), "{}", sentence.len());
}

#[rstest]
#[case::a_string_for_an_error(json!("bad"))]
#[case::a_code_that_is_a_string(json!({"code": "E", "message": "m"}))]
#[case::no_message(json!({"code": -32000}))]
#[tokio::test]
async fn an_error_answer_of_a_wrong_shape_still_fails_the_call(#[case] error: Value) {
    let rig = Rig::of(first_read(json!({"reply": {"error": error}}))).await;
    let refused = rig.call("read", json!({"uri": "a://1"})).await;
    assert!(refused.get("tool_call_error").is_some(), "{refused:#}");
    assert_eq!(rig.read("a://1").await["text"], "fine");
}

// S13
#[tokio::test]
async fn a_cancelled_call_tells_the_server_and_keeps_the_connection() {
    let mut rig = Rig::of(first_read(json!({"reply": "nothing"}))).await;
    let cancel = rig.context.budget.cancel.clone();
    let context = rig.context.clone();
    let call = tokio::spawn(async move { mcp_meta::call(&context, "mcp_read_docs", json!({"uri": "a://1"})).await });
    until(|| rig.log().uris_read().len() == 1).await;
    cancel.cancel();
    let refused = call.await.unwrap();
    assert_eq!(refused.code, Some(Code::Cancelled));
    until(|| rig.log().received("notifications/cancelled").len() == 1).await;
    rig.context.budget = mcp_catalog::Budget::new(mcp_catalog::deadline::READ);
    assert_eq!(rig.read("a://1").await["text"], "fine");
    assert_snapshot!(rig.document(&refused.value));
}

// S13
#[tokio::test]
async fn a_dropped_call_tells_the_server() {
    let rig = Rig::of(first_read(json!({"reply": "nothing"}))).await;
    let context = rig.context.clone();
    let call = tokio::spawn(async move { mcp_meta::call(&context, "mcp_read_docs", json!({"uri": "a://1"})).await });
    until(|| rig.log().uris_read().len() == 1).await;
    call.abort();
    until(|| rig.log().received("notifications/cancelled").len() == 1).await;
    assert_eq!(rig.read("a://1").await["text"], "fine");
}

// S12
#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_times_out_and_the_server_is_told() {
    let rig = Rig::of(first_read(json!({"reply": "nothing"}))).await;
    let refused = rig.fails("read", json!({"uri": "a://1"}), Code::Timeout).await;
    until(|| rig.log().received("notifications/cancelled").len() == 1).await;
    assert_eq!(rig.read("a://1").await["text"], "fine");
    assert_snapshot!(rig.document(&refused));
}

// C77, S12
#[tokio::test(start_paused = true)]
async fn progress_restarts_the_clock() {
    let steps: Vec<Value> =
        (0..9).flat_map(|n| [json!({"wait_ms": 20_000}), json!({"progress": {"progress": n}})]).collect();
    let rig = Rig::of(first_read(json!({"before": steps}))).await;
    assert_eq!(rig.read("a://1").await["text"], "fine", "180 s with progress outlast the deadline of 60 s");
}

// C77, S12
#[tokio::test(start_paused = true)]
async fn progress_for_ever_ends_at_half_an_hour() {
    let steps: Vec<Value> =
        (0..100).flat_map(|n| [json!({"wait_ms": 30_000}), json!({"progress": {"progress": n}})]).collect();
    let rig = Rig::of(first_read(json!({"before": steps}))).await;
    let began = tokio::time::Instant::now();
    rig.fails("read", json!({"uri": "a://1"}), Code::Timeout).await;
    assert_eq!(began.elapsed().as_secs() / 60, 30);
}

// C75, the first half: the call fails at once
#[tokio::test]
async fn a_server_that_dies_fails_the_call_in_flight_at_once() {
    let rig = Rig::of(first_read(json!({"reply": "nothing", "exit": 1}))).await;
    let refused = rig.fails("read", json!({"uri": "a://1"}), Code::ConnectionClosed).await;
    assert_snapshot!(rig.document(&refused));
}

// S17
#[tokio::test]
async fn requests_of_the_servers_own_are_refused_and_a_ping_is_answered() {
    let ask = |id: u64, method: &str| json!({"message": {"jsonrpc": "2.0", "id": id, "method": method, "params": {}}});
    let rig = Rig::of(first_read(json!({"before": [
        ask(1, "ping"), ask(2, "roots/list"), ask(3, "sampling/createMessage"), ask(4, "elicitation/create"), ask(5, "odd/method")]})))
    .await;
    assert_eq!(rig.read("a://1").await["text"], "fine");
    let answers = || {
        let entries = rig.log().entries();
        let of = |entry: &acceptance::fixture::Entry| match entry {
            acceptance::fixture::Entry::Received(message) if message.method.is_none() => {
                Some((message.id.clone()?, message.answer.clone()?))
            }
            _ => None,
        };
        let mut answers: Vec<(Value, Value)> = entries.iter().filter_map(of).collect();
        answers.sort_by_key(|(id, _)| id.as_u64());
        answers
    };
    until(|| answers().len() == 5).await;
    let answers = answers();
    assert_eq!(answers[0], (json!(1), json!({})));
    for (id, answer) in &answers[1..] {
        assert_eq!(answer["code"], -32601, "{id}: {answer}");
    }
}

// S17
#[rstest]
#[case::from_the_future("2099-01-01")]
#[case::unknown("2024-10-07")]
#[case::no_version("")]
#[tokio::test]
async fn an_unknown_protocol_revision_is_refused(#[case] version: &str) {
    let error = crate::rig::try_connect(json!({"protocol_version": version})).await.err().unwrap();
    assert_eq!(error.code(), Code::HandshakeFailed);
    insta::with_settings!({snapshot_suffix => version}, {
        assert_snapshot!(error.to_string());
    });
}

// S17
#[tokio::test]
async fn initialize_asks_for_the_newest_revision_that_has_it_and_declares_nothing() {
    let rig = Rig::of(json!({})).await;
    let hello = rig.log().received("initialize")[0].params.clone().unwrap();
    assert_eq!((&hello["protocolVersion"], &hello["capabilities"]), (&json!("2025-11-25"), &json!({})));
}

#[rstest]
#[case::an_error(json!({"error": {"code": -32603, "message": "no licence"}}), "error")]
#[case::a_wrong_shape(json!({"result": {"hello": true}}), "shape")]
#[case::a_string(json!({"result": "hello"}), "string")]
#[tokio::test]
async fn a_handshake_that_fails_says_why(#[case] reply: Value, #[case] suffix: &str) {
    let error = crate::rig::try_connect(json!({"rules": [{"on": "initialize", "reply": reply}]})).await.err().unwrap();
    assert!(matches!(error, PortError::HandshakeFailed { .. }), "{error:?}");
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(error.to_string());
    });
}

#[tokio::test(start_paused = true)]
async fn a_handshake_without_an_answer_says_how_long_it_waited() {
    let error =
        crate::rig::try_connect(json!({"rules": [{"on": "initialize", "reply": "nothing"}]})).await.err().unwrap();
    assert_eq!(error.code(), Code::HandshakeFailed);
    assert_snapshot!(error.to_string());
}

/// Waits, by yielding, until something holds. A test that hangs here has failed.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
