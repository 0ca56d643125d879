//! What a server asks and tells. Nothing was declared, so only `ping` is served (S17).

use crate::hostile::{
    Act, Scenario,
    text::{line, notification, request},
};

pub(super) fn rows() -> Vec<Scenario> {
    [requests(), notifications(), floods()].concat()
}

/// The server asks in the middle of a call and waits for what it is told.
fn requests() -> Vec<Scenario> {
    let asks = |name, asked: Act, answer: &'static str| {
        Scenario::call(name, "§4.3", [asked, Act::Hear, Act::Plain]).answered([answer]).fine()
    };
    let elicitation =
        r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}"#;
    let nested =
        r#"{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"object","properties":{}}}}}"#;
    let sampling = r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":10}"#;
    let url = r#"{"mode":"url","message":"m","url":"https://example.com/","elicitationId":"1"}"#;
    vec![
        asks("asks-ping", request("1", "ping", "{}"), "1 result {}"),
        asks("asks-ping-with-odd-params", request("1", "ping", "7"), "1 result {}"),
        asks("asks-ping-with-a-string-id", request("\"p-1\"", "ping", "{}"), "\"p-1\" result {}"),
        asks("asks-roots", request("2", "roots/list", "{}"), "2 error -32601"),
        asks("asks-sampling", request("3", "sampling/createMessage", sampling), "3 error -32601"),
        asks("asks-sampling-badly", request("4", "sampling/createMessage", r#"{"messages":7}"#), "4 error -32601"),
        asks("asks-elicitation", request("5", "elicitation/create", elicitation), "5 error -32601"),
        asks("asks-elicitation-by-url", request("6", "elicitation/create", url), "6 error -32601"),
        asks("asks-elicitation-of-a-nested-schema", request("7", "elicitation/create", nested), "7 error -32601"),
        asks("asks-something-unknown", request("8", "window/showMessage", "[1]"), "8 error -32601"),
        asks("asks-a-tool-of-ours", request("9", "tools/call", r#"{"name":"t"}"#), "9 error -32601"),
        asks("asks-with-the-id-of-the-call", request("$ID", "ping", "{}"), "1 result {}"),
        Scenario::call(
            "asks-with-one-id-twice",
            "§4.3",
            [request("1", "ping", "{}"), Act::Hear, request("1", "roots/list", "{}"), Act::Hear, Act::Plain],
        )
        .answered(["1 result {}", "1 error -32601"])
        .fine(),
        Scenario::call("asks-with-id-null", "§4.3", [request("null", "ping", "{}"), Act::Plain]).fine(),
    ]
}

fn notifications() -> Vec<Scenario> {
    let tells = |name, acts: &[Act]| Scenario::call(name, "§4.3", [acts, &[Act::Plain]].concat()).fine();
    let told = |method: &str, params: &str| {
        line(format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#))
    };
    vec![
        tells(
            "tells-changes",
            &[
                notification("tools/list_changed"),
                notification("resources/list_changed"),
                notification("prompts/list_changed"),
            ],
        ),
        tells("tells-a-log-message", &[told("message", r#"{"level":"error","data":"\u001b[2J"}"#)]),
        tells("tells-progress-of-nothing", &[told("progress", r#"{"progressToken":"x","progress":1}"#)]),
        tells("tells-progress-of-odd-params", &[told("progress", "7"), told("progress", "{}")]),
        tells("tells-a-cancellation-of-our-call", &[told("cancelled", r#"{"requestId":$ID,"reason":"no"}"#)]),
        tells("tells-a-resource-update", &[told("resources/updated", r#"{"uri":"a://1"}"#)]),
        tells("tells-something-unknown", &[line(r#"{"jsonrpc":"2.0","method":"window/logMessage","params":[]}"#)]),
        tells(
            "tells-in-bad-utf-8",
            &[Act::Bytes(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":\"\xB0\"}\n".to_vec())],
        ),
    ]
}

/// Faster than anybody can answer, and without listening to the answers.
fn floods() -> Vec<Scenario> {
    let message = line(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"$I"}}"#);
    vec![
        Scenario::call("tells-twenty-thousand-times", "§2.2", [Act::Times(20_000, vec![message]), Act::Plain]).fine(),
        Scenario::call(
            "asks-ping-five-thousand-times",
            "§2.4",
            [Act::Times(5_000, vec![request("$I", "ping", "{}")]), Act::Plain],
        )
        .always_answered(" result {}")
        .fine(),
        Scenario::call(
            "asks-roots-five-thousand-times",
            "§2.4",
            [Act::Times(5_000, vec![request("$I", "roots/list", "{}")]), Act::Plain],
        )
        .always_answered(" error -32601")
        .fine(),
    ]
}
