//! Results that are none, or not what was asked for (S9, S17, S30, S35).

use crate::hostile::{
    Ask, Expected, On, Scenario,
    text::{FINE, result},
};

pub(super) fn rows() -> Vec<Scenario> {
    [shapes(), odd_values(), other_kinds()].concat()
}

fn shapes() -> Vec<Scenario> {
    let invalid = |name, json| Scenario::call(name, "§2.2", [result(json)]).fails("invalid_response");
    let empty = |name, json| Scenario::call(name, "§2.2", [result(json)]).gives([r#""content":[]"#]);
    vec![
        invalid("result-null", "null"),
        invalid("result-a-string", r#""ok""#),
        invalid("result-a-number", "-5"),
        invalid("result-true", "true"),
        invalid("result-an-array", "[1]"),
        empty("result-empty", "{}"),
        empty("result-an-empty-array", "[ ]"),
        empty("result-with-content-null", r#"{"content":null}"#),
        Scenario::call("result-that-asks-for-input", "S17", [result(
            r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Which one?"}}}}"#,
        )])
        .asking(Ask::Invoke, Expected { holds: vec!["Which one?"], ..Expected::code("input_required") }),
        Scenario::call("result-of-an-unknown-type", "S17", [result(
            r#"{"resultType":"weird","content":[{"type":"text","text":"fine"}]}"#,
        )])
        .fails("invalid_response"),
    ]
}

/// Values that JSON allows, or nearly, and a parser may not.
fn odd_values() -> Vec<Scenario> {
    let beside = |name, more: &str| {
        let json = FINE.strip_suffix('}').unwrap_or(FINE);
        Scenario::call(name, "§2.2", [result(&format!("{json},{more}}}"))]).fine()
    };
    let deep = |depth: usize| format!("\"structuredContent\":{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    vec![
        beside("result-beside-a-lone-surrogate", r#""_meta":{"text":"\ud800"}"#),
        beside("result-beside-a-huge-number", r#""_meta":{"n":1e400}"#),
        beside("result-beside-the-same-key-twice", r#""_meta":1,"_meta":2"#),
        beside("result-nested-two-hundred-deep", &deep(200)),
        beside("result-nested-a-hundred-thousand-deep", &deep(100_000)),
        Scenario::call("result-with-a-lone-surrogate", "§2.2", [result(
            r#"{"content":[{"type":"text","text":"a\ud800b"},{"type":"text","text":"fine"}]}"#,
        )])
        .fine(),
        Scenario::call("result-with-its-content-twice", "§2.2", [result(
            r#"{"content":[{"type":"text","text":"fine"}],"content":[{"type":"text","text":"fine"}]}"#,
        )])
        .fine(),
        Scenario::call("result-with-broken-blocks", "S35", [result(
            r#"{"content":[null,7,{"type":"text"},{"type":"image","data":"%%%"},{"type":"video","x":1},{"type":"text","text":"fine"}]}"#,
        )])
        .fine(),
    ]
}

/// What a typed client takes for something else.
fn other_kinds() -> Vec<Scenario> {
    let reads = |name, cites, json: &str, expected| {
        Scenario::stdio(name, cites).once(On::Method("resources/read"), [result(json)]).asking(Ask::Read, expected)
    };
    vec![
        reads(
            "read-that-is-a-prompt-too",
            "§3.1",
            r#"{"contents":[{"uri":"a://1","text":"fine"}],"messages":[],"tools":[]}"#,
            Expected::fine(),
        ),
        reads(
            "read-of-text-beside-blob",
            "§3.1 S30",
            r#"{"contents":[{"uri":"a://1","text":"a","blob":"Yg=="},{"uri":"a://2","text":"fine"}]}"#,
            Expected::holding(["fine", "invalid_response"]),
        ),
        reads("read-without-contents", "§3.1", "{}", Expected::code("invalid_response")),
        reads("read-of-nothing", "§3.1", r#"{"contents":[]}"#, Expected::holding([])),
        Scenario::stdio("prompt-with-odd-roles", "§3.1")
            .once(On::Method("prompts/get"), [result(
                r#"{"messages":[{"role":"system","content":{"type":"text","text":"fine"}},{"content":"text"},{"role":"user","content":[{"type":"text","text":"x"}]},7]}"#,
            )])
            .asking(Ask::Prompt, Expected::fine())
            .costing(2),
        Scenario::call("result-that-is-a-list-too", "§3.1", [result(
            r#"{"content":[{"type":"text","text":"fine"}],"tools":[],"messages":[],"completion":{"values":[]}}"#,
        )])
        .fine(),
        Scenario::call("result-of-a-task", "§3.1", [result(r#"{"task":{"taskId":"1","status":"working"}}"#)])
            .fails("unsupported"),
    ]
}
