//! Listings: pages to their end and bounded, malformed entries skipped one by one (S11, S20, S21, D1).

use crate::rig::Rig;
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

/// Everything that the server lists, in order.
async fn all(rig: &Rig) -> Value {
    rig.good("search", json!({"top_k": 50})).await
}

fn names(found: &Value) -> Vec<&str> {
    found["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

fn four_kinds(of_each: u64) -> Value {
    json!({
        "tools": [{"repeat": of_each, "of": {"name": "tool{n}", "inputSchema": {"type": "object"}}}],
        "resources": [{"repeat": of_each, "of": {"uri": "a://{n}", "name": "resource{n}"}}],
        "resource_templates": [{"repeat": of_each, "of": {"uriTemplate": "a://{n}/{x}", "name": "template{n}"}}],
        "prompts": [{"repeat": of_each, "of": {"name": "prompt{n}"}}],
    })
}

// C20
#[tokio::test]
async fn three_pages_of_each_of_the_four_lists_are_six_items_each() {
    let mut script = four_kinds(6);
    script["page_size"] = json!(2);
    let rig = Rig::of(script).await;
    let found = all(&rig).await;
    assert_eq!(found["total"], 24);
    assert_eq!(found["notes"], json!([]));
    let expected: Vec<String> = ["tool", "resource", "template", "prompt"]
        .iter()
        .flat_map(|kind| (0..6).map(move |n| format!("{kind}{n}")))
        .collect();
    assert_eq!(names(&found), expected);
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(rig.log().received(method).len(), 3, "{method}");
    }
}

// C21, C22, C23
#[rstest]
#[case::that_never_advances(json!({"size": 2, "endless": true, "cursors": ["x"]}), 4, 2)]
#[case::that_goes_in_a_circle(json!({"size": 2, "endless": true, "cursors": ["a", "b"]}), 4, 3)]
#[case::that_is_always_new(json!({"endless": true, "fresh": true}), 800, 200)]
#[tokio::test]
async fn a_cursor_ends_the_list_with_a_note(#[case] paging: Value, #[case] total: u64, #[case] requests: usize) {
    let mut script = if paging["fresh"] == true { json!({}) } else { four_kinds(4) };
    if paging["fresh"] == true {
        script = json!({
            "tools": [{"name": "t{n}a", "inputSchema": {}}, {"name": "t{n}b", "inputSchema": {}},
                      {"name": "t{n}c", "inputSchema": {}}, {"name": "t{n}d", "inputSchema": {}}],
        });
    }
    for kind in ["prompts", "resources", "resource_templates"] {
        script.as_object_mut().unwrap().remove(kind);
    }
    script["paging"] = json!({"tools/list": paging});
    let rig = Rig::of(script).await;
    let found = all(&rig).await;
    assert_eq!(found["total"], total);
    assert_eq!(rig.log().received("tools/list").len(), requests);
    let notes = found["notes"].as_array().unwrap();
    assert!(
        notes[0].as_str().unwrap().starts_with(&format!("tools: listing is partial after {total} items")),
        "{notes:?}"
    );
    insta::with_settings!({snapshot_suffix => format!("{requests}")}, {
        assert_snapshot!(rig.document(&found["notes"]));
    });
}

// C23
#[tokio::test]
async fn an_endless_cursor_costs_at_most_200_requests_a_kind() {
    let mut script = four_kinds(0);
    for (kind, method, item) in [
        ("tools", "tools/list", json!({"name": "t{n}", "inputSchema": {}})),
        ("resources", "resources/list", json!({"uri": "a://{n}", "name": "r"})),
        ("resource_templates", "resources/templates/list", json!({"uriTemplate": "a://{n}/{x}", "name": "r"})),
        ("prompts", "prompts/list", json!({"name": "p{n}"})),
    ] {
        script[kind] = json!([item]);
        script["paging"][method] = json!({"endless": true, "fresh": true});
    }
    let rig = Rig::of(script).await;
    let found = all(&rig).await;
    assert_eq!(found["total"], 800);
    assert_eq!(found["notes"].as_array().unwrap().len(), 4);
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(rig.log().received(method).len(), 200, "{method}");
    }
}

#[tokio::test]
async fn a_list_stops_at_ten_thousand_items() {
    let rig = Rig::of(json!({
        "prompts": [{"repeat": 60, "of": {"name": "p{n}"}}],
        "paging": {"prompts/list": {"endless": true}},
    }))
    .await;
    // Every page repeats the 60 names, so the first page is kept and the rest are counted as repeated.
    assert_eq!(all(&rig).await["total"], 60);

    let page: Vec<Value> = (0..400).map(|n| json!({"name": format!("q{{n}}-{n}")})).collect();
    let fresh = json!({"prompts": page, "paging": {"prompts/list": {"endless": true, "fresh": true}}});
    let rig = Rig::of(fresh).await;
    let found = all(&rig).await;
    assert_eq!(found["total"], 10_000);
    assert_eq!(rig.log().received("prompts/list").len(), 25);
    assert_snapshot!(rig.document(&found["notes"]));
}

// C24
#[tokio::test]
async fn a_null_cursor_ends_the_list() {
    let mut script = four_kinds(3);
    script["paging"]["tools/list"] = json!({"size": 2, "null_at_the_end": true});
    let rig = Rig::of(script).await;
    let found = all(&rig).await;
    assert_eq!((&found["total"], &found["notes"]), (&json!(12), &json!([])));
}

#[tokio::test]
async fn an_empty_cursor_is_a_cursor_like_any_other() {
    let mut script = four_kinds(4);
    script["paging"]["tools/list"] = json!({"size": 2, "cursors": [""]});
    let rig = Rig::of(script).await;
    let found = all(&rig).await;
    assert_eq!((&found["total"], &found["notes"]), (&json!(16), &json!([])));
    let asked = rig.log().received("tools/list");
    assert_eq!(asked[1].params.as_ref().unwrap()["cursor"], "");
}

#[tokio::test]
async fn a_page_that_fails_keeps_the_pages_before_it() {
    let mut script = four_kinds(4);
    script["page_size"] = json!(2);
    script["rules"] =
        json!([{"on": "tools/list", "skip": 1, "reply": {"error": {"code": -32000, "message": "too tired"}}}]);
    let rig = Rig::of(script).await;
    let found = all(&rig).await;
    assert_eq!(found["total"], 14);
    assert_snapshot!(rig.document(&found["notes"]));
}

// C25
#[tokio::test]
async fn one_bad_tool_schema_costs_that_tool_alone() {
    let rig = Rig::of(json!({"tools": [
        {"name": "ok", "inputSchema": {"type": "object"}},
        {"name": "alt", "inputSchema": {"anyOf": [{"type": "object"}]}},
        {"name": "bad", "inputSchema": null},
        {"name": "none"},
        {"name": "list", "inputSchema": ["object"]},
    ]}))
    .await;
    let found = all(&rig).await;
    assert_eq!(names(&found), ["ok", "alt"]);
    let note = found["notes"][0].as_str().unwrap();
    for what in ["3 skipped", "bad", "none", "list", "inputSchema"] {
        assert!(note.contains(what), "{what} in {note}");
    }
    assert_snapshot!(rig.document(&found));
}

// C28
#[tokio::test]
async fn of_two_tools_with_one_name_the_first_is_kept_and_the_second_counted() {
    let rig = Rig::of(json!({"tools": [
        {"name": "post", "description": "the first", "inputSchema": {"type": "object"}},
        {"name": "post", "description": "the second", "inputSchema": {"type": "object", "required": ["x"]}},
    ]}))
    .await;
    let found = all(&rig).await;
    assert_eq!((&found["total"], &found["items"][0]["description"]), (&json!(1), &json!("the first")));
    assert_snapshot!(rig.document(&found["notes"]));
}

// D1
#[tokio::test]
async fn a_tool_and_a_resource_of_one_name_do_not_collide() {
    let rig = Rig::of(json!({
        "tools": [{"name": "notes", "inputSchema": {"type": "object"}}],
        "resources": [{"uri": "notes", "name": "notes"}],
        "prompts": [{"name": "notes"}],
    }))
    .await;
    let kinds: Vec<Value> =
        all(&rig).await["items"].as_array().unwrap().iter().map(|item| item["kind"].clone()).collect();
    assert_eq!(kinds, ["tool", "resource", "prompt"]);
}

// C78
#[tokio::test]
async fn an_empty_array_where_an_object_belongs_is_an_empty_object() {
    let rig = Rig::of(json!({
        "capabilities": {"resources": [], "tools": [], "experimental": []},
        "tools": [{"name": "t", "inputSchema": [], "annotations": [], "_meta": []}],
        "resources": [{"uri": "a://1", "name": "r", "annotations": [], "_meta": []}],
        "rules": [{"on": "resources/templates/list", "reply": {"result": {"resourceTemplates": [], "_meta": []}}}],
    }))
    .await;
    let found = all(&rig).await;
    assert_eq!(names(&found), ["t", "r"]);
    assert_snapshot!(rig.document(&found));
}

#[tokio::test]
async fn a_bad_optional_field_is_dropped_and_a_missing_name_is_the_uri() {
    let rig = Rig::of(json!({
        "resources": [
            {"uri": "a://1"},
            {"uri": "a://2", "name": 7, "title": ["x"], "description": {}, "mimeType": 5, "size": "big"},
            {"uri": "a://3", "name": "r", "annotations": {"audience": ["user", "system"], "priority": "high"}},
            {"name": "no uri"},
            {"uri": ""},
            "not an object",
            null,
        ],
        "prompts": [
            {"name": "p", "arguments": [{"name": "a", "required": "yes"}, {"description": "nameless"}, "odd", {"name": "b", "required": true}]},
            {"name": "q", "arguments": {}},
            {"name": "r", "arguments": null},
        ],
    }))
    .await;
    let found = all(&rig).await;
    assert_snapshot!(rig.document(&found));
}

#[tokio::test]
async fn a_tool_whose_name_no_model_may_see_is_skipped() {
    let long = "n".repeat(129);
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let rig = Rig::of(json!({"tools": [
        tool(&"n".repeat(128)), tool(&long), tool("."), tool(".."), tool("a\u{1b}[2Jb"), tool("a\u{202e}b"), tool("a\u{200b}b"), tool("ok"),
    ]}))
    .await;
    let found = all(&rig).await;
    assert_eq!(names(&found), [&*"n".repeat(128), "ok"]);
    assert_snapshot!(rig.document(&found["notes"]));
}

#[tokio::test]
async fn an_entry_that_is_broken_json_inside_costs_that_entry_alone() {
    let rig = Rig::of(json!({"resources": [
        {"uri": "a://1", "name": "first"},
        {"uri": "a://2", "name": {"raw_json": "\"\\ud800\""}},
        {"uri": "a://3", "name": "third", "size": {"raw_json": "1e400"}},
        {"uri": "a://4", "name": "fourth"},
    ]}))
    .await;
    let found = all(&rig).await;
    let seen = names(&found);
    assert!(seen.contains(&"first") && seen.contains(&"fourth"), "{found:#}");
    assert_snapshot!(rig.document(&found));
}

#[rstest]
#[case::null(json!(null))]
#[case::a_string(json!("tools"))]
#[case::another_key(json!({"tool": []}))]
#[case::an_object(json!({"tools": {"a": 1}}))]
#[tokio::test]
async fn a_list_of_a_wrong_shape_is_a_note_and_the_other_kinds_are_listed(#[case] shape: Value) {
    let mut script = four_kinds(1);
    script["rules"] = json!([{"on": "tools/list", "reply": {"result": shape.clone()}}]);
    let rig = Rig::of(script).await;
    let found = all(&rig).await;
    assert_eq!(found["total"], 3);
    insta::with_settings!({snapshot_suffix => format!("{}", shape.to_string().len())}, {
        assert_snapshot!(rig.document(&found["notes"]));
    });
}
