//! Prompt: what is sent, what is missing, what comes back (D6, S36, S38, S42).

use crate::Verb;
use crate::rehearsal::{Rehearsal, Script, refused};
use mcp_catalog::Request;
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

fn prompts() -> Value {
    json!({"prompts": [
        {"name": "daily", "arguments": [{"name": "date"}]},
        {"name": "plain"},
        {"name": "wins", "arguments": [{"name": "min"}, {"name": "deep"}, {"name": "note"}, {"name": "tags"}]},
        {"name": "diff", "arguments": [
            {"name": "repo", "description": "Which repository", "required": true},
            {"name": "branch", "required": true},
            {"name": "depth"},
        ]},
    ]})
}

fn said(text: &str) -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
}

fn stage(catalog: Value) -> Rehearsal {
    Rehearsal::new(catalog, |_request| -> Script { Ok(said("hello")) })
}

/// The `arguments` that were sent, if any were.
fn sent(stage: &Rehearsal) -> Option<Value> {
    stage.asked().iter().find_map(|asked| match &asked.request {
        Request::GetPrompt { arguments, .. } => Some(arguments.clone().map_or(Value::Null, Value::Object)),
        _ => None,
    })
}

#[test]
fn messages_come_back_as_one_labelled_block() {
    let answer = |_request: &Request| -> Script {
        Ok(json!({"messages": [
            {"role": "user", "content": {"type": "text", "text": "Start"}},
            {"role": "assistant", "content": {"type": "text", "text": "Which journey?"}},
        ]}))
    };
    let result = Rehearsal::new(prompts(), answer).get(Verb::Prompt, json!({"prompt": "plain"}));
    insta::assert_json_snapshot!(result);
}

#[rstest]
#[case::declared_but_none_given(json!({"prompt": "daily"}), json!({}))]
#[case::null_is_absent(json!({"prompt": "daily", "arguments": {"date": null}}), json!({}))]
#[case::nothing_declared(json!({"prompt": "plain"}), json!(null))]
#[case::nothing_declared_and_an_empty_object(json!({"prompt": "plain", "arguments": {}}), json!(null))]
#[case::as_text(json!({"prompt": "daily", "arguments": "{\"date\": \"today\"}"}), json!({"date": "today"}))]
fn arguments_are_sent_whenever_the_prompt_declares_any(#[case] arguments: Value, #[case] expected: Value) {
    // C06.
    let stage = stage(prompts());
    stage.get(Verb::Prompt, arguments);
    assert_eq!(sent(&stage), Some(expected));
}

#[test]
fn scalars_become_strings_and_null_is_dropped() {
    // C08.
    let stage = stage(prompts());
    stage.get(
        Verb::Prompt,
        json!({"prompt": "wins", "arguments": {"min": 100, "deep": true, "note": null, "tags": 1.5}}),
    );
    assert_eq!(sent(&stage), Some(json!({"min": "100", "deep": "true", "tags": "1.5"})));
}

#[test]
fn an_array_or_object_is_an_error_that_names_its_key_and_nothing_is_asked() {
    // C08.
    let stage = stage(prompts());
    let arguments = json!({"prompt": "wins", "arguments": {"min": 1, "tags": ["a"], "note": {"x": 1}}});
    let error = stage.fail(Verb::Prompt, arguments, Code::InvalidArguments);
    assert_eq!(error["tool_call_error"], "Arguments of a prompt are strings; `tags`, `note` of `wins` are not");
    assert_eq!(stage.wire(), [""; 0]);
}

#[test]
fn every_missing_argument_is_named_with_its_description_and_nothing_is_sent() {
    // C04.
    let stage = stage(prompts());
    let error = stage.fail(
        Verb::Prompt,
        json!({"prompt": "diff", "arguments": {"depth": "1", "branch": null}}),
        Code::InvalidArguments,
    );
    assert_eq!(error["tool_call_error"], "Prompt `diff` needs arguments: `repo` (Which repository), `branch`");
    assert_eq!(sent(&stage), None);
}

#[test]
fn an_unknown_argument_is_answered_with_the_nearest_declared_name_and_nothing_is_sent() {
    let stage = stage(prompts());
    let error = stage.fail(
        Verb::Prompt,
        json!({"prompt": "diff", "arguments": {"rpeo": "x", "branch": "b"}}),
        Code::InvalidArguments,
    );
    assert_eq!(error["closest"], json!(["repo"]));
    assert!(error["hint"].as_str().unwrap().contains("`repo`, `branch`, `depth`"), "{error}");
    let error = stage.fail(Verb::Prompt, json!({"prompt": "plain", "arguments": {"x": "1"}}), Code::InvalidArguments);
    assert_eq!(error["hint"], "The prompt takes no arguments: leave `arguments` out");
    assert_eq!(sent(&stage), None);
}

#[test]
fn an_empty_string_that_was_given_is_a_value() {
    let stage = stage(prompts());
    stage.get(Verb::Prompt, json!({"prompt": "diff", "arguments": {"repo": "", "branch": "b"}}));
    assert_eq!(sent(&stage), Some(json!({"repo": "", "branch": "b"})));
}

#[rstest]
#[case::the_listing_failed(json!({"prompts": -32000}))]
#[case::the_listing_was_too_slow(json!({"prompts": "slow"}))]
#[case::the_prompt_is_not_listed(json!({"prompts": []}))]
fn a_prompt_that_no_listing_knows_is_sent_as_it_was_asked_for(#[case] catalog: Value) {
    for (given, expected) in [(json!({"n": 1}), json!({"n": "1"})), (json!({}), json!({})), (json!(null), json!(null))]
    {
        let stage = stage(catalog.clone());
        stage.get(Verb::Prompt, json!({"prompt": "dynamic", "arguments": given}));
        assert_eq!(sent(&stage), Some(expected));
    }
}

#[test]
fn a_prompt_that_server_and_listing_do_not_know_is_not_found_with_the_closest() {
    let stage = Rehearsal::new(prompts(), |_request| Err(refused(-32602, "no such prompt")));
    let error = stage.fail(Verb::Prompt, json!({"prompt": "dialy"}), Code::NotFound);
    assert_eq!(error["closest"][0], "daily");
    assert!(error["tool_call_error"].as_str().unwrap().ends_with("; it answered: no such prompt"), "{error}");
    assert_eq!(stage.wire(), ["prompts/list", "prompts/get"], "the listing is not asked twice");
}

#[test]
fn a_listed_prompts_error_is_the_servers_own() {
    let stage = Rehearsal::new(prompts(), |_request| Err(refused(-32602, "not found")));
    stage.fail(Verb::Prompt, json!({"prompt": "plain"}), Code::ServerError);
}

#[test]
fn an_error_is_the_servers_own_when_the_listing_failed() {
    let stage = Rehearsal::new(json!({"prompts": -32000}), |_request| Err(refused(-32602, "not found")));
    stage.fail(Verb::Prompt, json!({"prompt": "plain"}), Code::ServerError);
}

#[test]
fn a_prompt_that_returns_nothing_says_so() {
    // C19.
    let stage = Rehearsal::new(prompts(), |_request| Ok(json!({"messages": []})));
    let result = stage.get(Verb::Prompt, json!({"prompt": "plain"}));
    assert_eq!(result["text"], "");
    assert!(result["note"].is_string(), "{result}");
}

#[test]
fn a_text_over_the_ceiling_is_cut_and_reads_back_whole() {
    let text = "word ".repeat(100_000);
    let whole = text.clone();
    let stage = Rehearsal::new(prompts(), move |_request| Ok(said(&text))).under(8_192);
    let result = stage.get(Verb::Prompt, json!({"prompt": "plain"}));
    assert_eq!(result["truncated"], true);
    let page = stage.get(Verb::Describe, json!({"kind": "spill", "tool": result["sha256"], "max_bytes": 100}));
    assert_eq!(page["total_bytes"], result["total_bytes"]);
    assert!(page["text"].as_str().unwrap().starts_with("[user]\nword word"), "{page}");
    assert!(result["total_bytes"].as_u64().unwrap() >= whole.len() as u64);
}

#[test]
fn messages_of_a_wrong_shape_are_invalid_and_not_a_crash() {
    let stage = Rehearsal::new(prompts(), |_request| Ok(json!({"messages": "hello"})));
    stage.fail(Verb::Prompt, json!({"prompt": "plain"}), Code::InvalidResponse);
}
