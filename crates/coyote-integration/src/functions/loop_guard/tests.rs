//! When a call is a loop, and when it is not (host.md "A turn").

use super::*;
use mcp_catalog::{Capabilities, Handshake, McpServerFeatures, ServerName};
use mcp_meta::{MetaName, declare};
use serde_json::json;

fn server() -> ServerName {
    ServerName::new("docs").unwrap()
}

fn declared() -> Declarations {
    let all = Capabilities { tools: true, resources: true, prompts: true, completions: false };
    declare(&[McpServerFeatures::of(server(), &Handshake::of(all))], &[])
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: String::new(), name: name.to_owned(), arguments }
}

/// Makes a call and says whether it was refused.
fn run(guard: &mut LoopGuard, call: &ToolCall, output: Value) -> bool {
    let declared = declared();
    if guard.refusal(call, &declared).is_some() {
        return true;
    }
    let result = ToolResult { id: String::new(), name: call.name.clone(), output, code: None };
    guard.record(call, &result, &declared);
    false
}

#[test]
fn a_call_that_gave_the_same_result_three_times_in_a_row_is_refused_with_a_hint() {
    for name in ["fs_ls".to_owned(), MetaName::of(Verb::Invoke, &server()).to_string()] {
        let mut guard = LoopGuard::default();
        let first = call(&name, json!({"a": 1, "b": {"c": [2], "d": 3}}));
        // The same arguments in another order.
        let same = call(&name, json!({"b": {"d": 3, "c": [2]}, "a": 1}));
        let refused = [&first, &same, &first, &same, &first].map(|call| run(&mut guard, call, json!("same")));
        assert_eq!(refused, [false, false, false, true, true]);
        let refusal = guard.refusal(&first, &declared()).unwrap();
        assert_eq!(refusal.code, Code::Denied);
        assert!(refusal.tool_call_error.contains(&name) && refusal.hint.contains("other arguments"), "{refusal:?}");
        assert!(!run(&mut guard, &call(&name, json!({"a": 2})), json!("same")), "other arguments are another call");
    }
}

#[test]
fn a_result_that_differs_starts_the_count_over() {
    let mut guard = LoopGuard::default();
    let same = call("fs_ls", json!({}));
    let refused = ["a", "a", "b", "b", "a", "a", "a"].map(|output| run(&mut guard, &same, json!(output)));
    assert!(!refused.contains(&true), "{refused:?}");
    assert!(run(&mut guard, &same, json!("a")));
}

#[test]
fn a_test_that_fails_alike_after_each_new_edit_is_no_loop_and_two_calls_in_turn_are_one() {
    let (test, look) = (call("execute_command", json!({"command": "make test"})), call("fs_ls", json!({})));
    let mut guard = LoopGuard::default();
    for edit in 0..10 {
        assert!(!run(&mut guard, &call("fs_write", json!({"content": edit.to_string()})), json!({"bytes": 1})));
        assert!(!run(&mut guard, &test, json!("failed")));
    }
    let mut guard = LoopGuard::default();
    let refused: Vec<bool> =
        (0..6).map(|_| run(&mut guard, &test, json!("x")) | run(&mut guard, &look, json!("y"))).collect();
    assert_eq!(refused.iter().filter(|refused| !**refused).count(), 3, "{refused:?}");
}

#[test]
fn search_describe_read_agents_and_the_user_are_exempt_and_a_prompt_is_not() {
    let meta = |verb| MetaName::of(verb, &server()).to_string();
    let exempt =
        [meta(Verb::Search), meta(Verb::Describe), meta(Verb::Read), "agent__check".into(), "user__input".into()];
    for name in exempt {
        let mut guard = LoopGuard::default();
        assert!((0..9).all(|_| !run(&mut guard, &call(&name, json!({})), json!("same"))), "{name}");
    }
    for name in [meta(Verb::Prompt), "mcp_read_unknown".into(), "agent_check".into()] {
        let mut guard = LoopGuard::default();
        assert!((0..9).any(|_| run(&mut guard, &call(&name, json!({})), json!("same"))), "{name}");
    }
}
