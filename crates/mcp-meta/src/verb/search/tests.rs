//! Search: one list of every kind, bounded pages that lose nothing, notes on what could not be looked at (S22, S25).

use crate::Verb;
use crate::rehearsal::{Rehearsal, nothing_else};
use mcp_catalog::Request;
use mcp_render::{Ceiling, Code, DESCRIPTION_MAX_BYTES, json_len};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

fn catalog() -> Value {
    json!({
        "tools": [
            {"name": "search_issues", "title": "Search", "description": "Find issues", "inputSchema": {"type": "object"}},
            {"name": "echo", "inputSchema": {}},
        ],
        "resources": [
            {"uri": "log://big", "name": "big log", "mimeType": "text/plain", "size": 7, "annotations": {"audience": ["user"]}},
        ],
        "templates": [{"uriTemplate": "issue://{owner}/{id}", "name": "issue"}],
        "prompts": [{"name": "review", "arguments": [{"name": "file", "required": true}, {"name": "depth"}]}],
    })
}

fn names(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn without_words_everything_is_listed_in_order_with_its_kind() {
    let stage = Rehearsal::new(catalog(), nothing_else);
    insta::assert_json_snapshot!(stage.get(Verb::Search, json!({})));
    assert_eq!(stage.wire(), ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]);
}

#[test]
fn words_find_parts_of_names() {
    let stage = Rehearsal::new(catalog(), nothing_else);
    assert_eq!(names(&stage.get(Verb::Search, json!({"query": "searching issues"}))), ["search_issues", "issue"]);
}

#[test]
fn a_kind_is_listed_alone_and_nothing_else_is_asked() {
    let stage = Rehearsal::new(catalog(), nothing_else);
    let answer = stage.get(Verb::Search, json!({"kind": "prompt", "query": ""}));
    assert_eq!(names(&answer), ["review"]);
    assert_eq!(stage.wire(), ["prompts/list"]);
}

#[test]
fn a_template_is_found_with_its_variables_when_there_are_no_resources() {
    // C68.
    let stage =
        Rehearsal::new(json!({"resources": [], "templates": [{"uriTemplate": "a://{x}", "name": "a"}]}), nothing_else);
    let answer = stage.get(Verb::Search, json!({}));
    assert_eq!(
        answer["items"],
        json!([{"kind": "resource_template", "name": "a", "uri": "a://{x}", "variables": ["x"]}])
    );
}

#[test]
fn what_was_not_declared_failed_or_is_not_implemented_is_a_note_beside_what_was_found() {
    // C29, D1: a failing kind costs no other.
    let catalog = json!({"tools": [{"name": "echo", "inputSchema": {}}], "resources": -32601, "templates": -32000});
    let answer = Rehearsal::new(catalog, nothing_else).get(Verb::Search, json!({}));
    assert_eq!(names(&answer), ["echo"]);
    insta::assert_json_snapshot!(answer["notes"]);
}

#[test]
fn a_search_in_which_no_kind_could_be_looked_at_is_an_error() {
    let catalog = json!({"tools": "slow", "resources": "slow", "templates": "slow"});
    let error = Rehearsal::new(catalog, nothing_else).fail(Verb::Search, json!({}), Code::Timeout);
    assert_eq!(error["tool_call_error"], "`docs`: No answer to `tools/list` within 30 s");
}

#[test]
fn the_first_of_two_tools_with_one_name_is_kept_and_the_other_reported() {
    // C28.
    let catalog = json!({"tools": [
        {"name": "post", "description": "first", "inputSchema": {}},
        {"name": "post", "description": "second", "inputSchema": {}},
    ]});
    let answer = Rehearsal::new(catalog, nothing_else).get(Verb::Search, json!({"kind": "tool"}));
    assert_eq!(answer["items"], json!([{"kind": "tool", "name": "post", "description": "first"}]));
    assert_eq!(answer["notes"], json!(["tools: 1 repeated, the first of each is kept: `post`"]));
}

#[test]
fn a_resources_only_server_is_searched_without_asking_for_tools() {
    // C30, R12.
    let stage = Rehearsal::new(json!({"resources": [{"uri": "a://b", "name": "b"}]}), nothing_else);
    assert_eq!(names(&stage.get(Verb::Search, json!({}))), ["b"]);
    assert_eq!(stage.wire(), ["resources/list", "resources/templates/list"]);
}

#[test]
fn a_hidden_tool_is_neither_found_nor_counted() {
    // S7.
    let stage = Rehearsal::new(catalog(), nothing_else).allowing(&["echo"]);
    let answer = stage.get(Verb::Search, json!({"kind": "tool"}));
    assert_eq!((names(&answer), &answer["total"]), (vec!["echo"], &json!(1)));
    assert_eq!(stage.get(Verb::Search, json!({"query": "issues", "kind": "tool"}))["total"], 0);
}

#[rstest]
#[case(json!({}), 8)]
#[case(json!({"top_k": 3}), 3)]
#[case(json!({"top_k": "3"}), 3)]
#[case(json!({"top_k": 0}), 1)]
#[case(json!({"top_k": 1_000_000}), 50)]
fn a_page_has_eight_items_by_default_and_at_most_fifty(#[case] arguments: Value, #[case] expected: usize) {
    let tools: Vec<Value> = (0..60).map(|at| json!({"name": format!("t{at}"), "inputSchema": {}})).collect();
    let answer = Rehearsal::new(json!({"tools": tools}), nothing_else).get(Verb::Search, arguments);
    assert_eq!(names(&answer).len(), expected);
    assert_eq!((&answer["total"], &answer["next_offset"]), (&json!(60), &json!(expected)));
}

#[test]
fn an_offset_past_the_end_is_an_empty_page() {
    let stage = Rehearsal::new(catalog(), nothing_else);
    let answer = stage.get(Verb::Search, json!({"offset": u64::MAX}));
    assert_eq!(answer, json!({"items": [], "total": 5, "next_offset": null, "notes": []}));
}

#[test]
fn a_description_is_cut_and_the_whole_item_is_left_to_describe() {
    let long = "d".repeat(10_000);
    let stage = Rehearsal::new(json!({"tools": [{"name": "t", "description": long, "inputSchema": {}}]}), nothing_else);
    let answer = stage.get(Verb::Search, json!({}));
    let shown = answer["items"][0]["description"].as_str().unwrap();
    assert!(shown.len() <= DESCRIPTION_MAX_BYTES && shown.ends_with('…'), "{}", shown.len());
}

#[test]
fn an_item_that_is_too_large_alone_is_shortened() {
    let many: Vec<Value> =
        (0..64).map(|at| json!({"name": format!("{}{at}", "n".repeat(200)), "required": true})).collect();
    let catalog = json!({"prompts": [{"name": "huge", "description": "d", "arguments": many}, {"name": "small"}]});
    let stage = Rehearsal::new(catalog, nothing_else).under(4_096);
    insta::assert_json_snapshot!(stage.get(Verb::Search, json!({"kind": "prompt"})));
}

#[test]
fn endless_notes_leave_room_for_items() {
    let broken: Vec<Value> = (0..50).map(|_| json!({"name": "n".repeat(3_000), "inputSchema": null})).collect();
    let tools = broken.iter().cloned().chain([json!({"name": "ok", "inputSchema": {}})]).collect::<Vec<_>>();
    let answer = Rehearsal::new(json!({"tools": tools}), nothing_else).under(4_096).get(Verb::Search, json!({}));
    assert_eq!(names(&answer), ["ok"]);
    assert!(json_len(&answer["notes"]) <= 1_100, "{}", answer["notes"]);
}

#[test]
fn a_listing_is_asked_anew_by_every_search() {
    // D1: nothing is cached.
    let stage = Rehearsal::new(json!({"tools": []}), nothing_else);
    stage.get(Verb::Search, json!({}));
    stage.get(Verb::Search, json!({}));
    let first_page = |asked: &crate::rehearsal::Asked| matches!(asked.request, Request::List { cursor: None, .. });
    assert_eq!(stage.asked().iter().filter(|asked| first_page(asked)).count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pages_put_together_are_the_whole_list(
        sizes in prop::collection::vec(0usize..2_000, 0..20),
        top_k in 1usize..60,
        ceiling in 4_096usize..20_000,
        filler in prop::sample::select(vec!["a", "\n", "\u{1}", "é", "\"\\"]),
    ) {
        // Resources, whose URIs are not cut: the items are as large as items get.
        let item = |(at, size): (usize, &usize)| json!({"uri": format!("u{at}"), "name": filler.repeat(*size), "description": filler.repeat(*size)});
        let resources: Vec<Value> = sizes.iter().enumerate().map(item).collect();
        let stage = Rehearsal::new(json!({"resources": resources, "templates": []}), nothing_else).under(ceiling);
        let (mut offset, mut seen) = (0, Vec::new());
        loop {
            let page = stage.get(Verb::Search, json!({"offset": offset, "top_k": top_k}));
            prop_assert!(json_len(&page) <= Ceiling::new(ceiling).bytes());
            prop_assert_eq!(page["total"].as_u64(), Some(sizes.len() as u64));
            seen.extend(page["items"].as_array().unwrap().iter().map(|item| item["uri"].as_str().unwrap().to_owned()));
            let Some(next) = page["next_offset"].as_u64() else { break };
            prop_assert!(next > offset, "{} after {}", next, offset);
            offset = next;
        }
        let all: Vec<String> = (0..sizes.len()).map(|at| format!("u{at}")).collect();
        prop_assert_eq!(seen, all);
    }
}
