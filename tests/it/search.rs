//! The search function's answers (S22, S24).

use crate::rig::Rig;
use insta::assert_snapshot;
use mcp_render::Code;
use serde_json::{Value, json};

fn catalog() -> Value {
    json!({
        "tools": [
            {"name": "search_issues", "title": "Search issues", "description": "Find issues of a project", "inputSchema": {"type": "object"}},
            {"name": "createIssue", "description": "Open one", "inputSchema": {"type": "object"}},
        ],
        "resources": [
            {"uri": "log://big", "name": "big log", "description": "All the issues in one log", "mimeType": "text/plain", "size": 300_000,
             "annotations": {"audience": ["user", "assistant"], "priority": 0.6}},
        ],
        "resource_templates": [
            {"uriTemplate": "issue://{project}/{id}", "name": "issue", "description": "One issue", "mimeType": "application/json"},
        ],
        "prompts": [
            {"name": "summarise", "description": "Sums up a log",
             "arguments": [{"name": "log", "description": "Which", "required": true}, {"name": "lines"}]},
        ],
    })
}

fn ids(found: &Value) -> Vec<&str> {
    found["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_empty_query_lists_every_kind_in_order() {
    let rig = Rig::of(catalog()).await;
    let found = rig.good("search", json!({})).await;
    assert_eq!(ids(&found), ["search_issues", "createIssue", "big log", "issue", "summarise"]);
    assert_snapshot!(rig.document(&found));
}

#[tokio::test]
async fn words_are_split_at_case_changes_and_punctuation_and_names_weigh_more() {
    let rig = Rig::of(catalog()).await;
    let found = rig.good("search", json!({"query": "issues"})).await;
    assert_eq!(ids(&found)[0], "search_issues");
    assert!(ids(&found).contains(&"big log"), "a description is found too: {found:#}");
    let found = rig.good("search", json!({"query": "issue", "kind": "tool"})).await;
    assert!(ids(&found).contains(&"createIssue"), "{found:#}");
}

#[tokio::test]
async fn nothing_found_and_could_not_look_differ() {
    let rig = Rig::of(catalog()).await;
    let nothing = rig.good("search", json!({"query": "zebra"})).await;
    assert_eq!(nothing, json!({"items": [], "total": 0, "next_offset": null, "notes": []}));

    let mut script = catalog();
    script["rules"] =
        json!([{"on": "tools/list", "reply": {"error": {"code": -32000, "message": "database is locked"}}}]);
    let rig = Rig::of(script).await;
    let found = rig.good("search", json!({"query": "zebra"})).await;
    assert_eq!((&found["total"], found["notes"].as_array().unwrap().len()), (&json!(0), 1));
    assert_snapshot!(rig.document(&found));
}

#[tokio::test]
async fn results_are_paged_by_offset_and_top_k() {
    let rig = Rig::of(json!({"prompts": [{"repeat": 147, "of": {"name": "p{n}"}}]})).await;
    let first = rig.good("search", json!({})).await;
    assert_eq!((first["items"].as_array().unwrap().len(), &first["next_offset"]), (8, &json!(8)));
    let mut seen = Vec::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let found = rig.good("search", json!({"top_k": 500, "offset": offset})).await;
        assert_eq!(found["total"], 147);
        assert!(found["items"].as_array().unwrap().len() <= 50);
        seen.extend(ids(&found).into_iter().map(str::to_owned));
        offset = found["next_offset"].clone();
    }
    assert_eq!(seen, (0..147).map(|n| format!("p{n}")).collect::<Vec<_>>());
}

// C26, the part of it that a model sees
#[tokio::test]
async fn five_hundred_resources_are_searched_and_never_loaded_into_an_answer() {
    let rig = Rig::of(json!({"resources": [{"repeat": 500, "of": {"uri": "a://{n}", "name": "item {n}"}}]})).await;
    let found = rig.good("search", json!({"query": "item"})).await;
    assert_eq!(
        (found["items"].as_array().unwrap().len(), &found["total"], &found["next_offset"]),
        (8, &json!(500), &json!(8))
    );
}

#[tokio::test]
async fn a_long_description_is_cut_at_600_bytes() {
    let rig = Rig::of(json!({"prompts": [{"name": "p", "description": "é".repeat(1000)}]})).await;
    let found = rig.good("search", json!({})).await;
    let shown = found["items"][0]["description"].as_str().unwrap();
    assert!(shown.len() <= 603 && shown.starts_with(&"é".repeat(290)), "{}", shown.len());
}

#[tokio::test]
async fn a_search_of_one_kind_asks_for_that_kind_alone() {
    let rig = Rig::of(catalog()).await;
    let found = rig.good("search", json!({"kind": "resource_template"})).await;
    assert_eq!(ids(&found), ["issue"]);
    assert_eq!(rig.log().received("tools/list").len(), 0);
    assert_eq!(rig.log().received("resources/templates/list").len(), 1);
}

#[tokio::test]
async fn a_kind_that_is_none_is_refused_with_the_four_that_are() {
    let rig = Rig::of(catalog()).await;
    let refused = rig.fails("search", json!({"kind": "file"}), Code::InvalidArguments).await;
    assert_snapshot!(rig.document(&refused));
}

// C68
#[tokio::test]
async fn a_template_is_found_with_its_variables() {
    let rig =
        Rig::of(json!({"resource_templates": [{"uriTemplate": "issue://{project}/{id}{?page}", "name": "issue"}]}))
            .await;
    let found = rig.good("search", json!({"query": "issue"})).await;
    assert_eq!(found["items"][0]["variables"].as_array().unwrap().len(), 3, "{found:#}");
    assert_snapshot!(rig.document(&found));
}

// OQ1, R9
#[tokio::test]
async fn an_audience_is_shown_in_search_and_in_a_read_after_it() {
    let rig = Rig::of(json!({
        "resources": [{"uri": "a://1", "name": "r", "annotations": {"audience": ["user"]}}],
        "contents": {"a://1": [{"uri": "a://1", "text": "hello"}]},
    }))
    .await;
    assert_eq!(rig.read("a://1").await.get("audience"), None, "a read never lists for it");
    assert_eq!(rig.log().received("resources/list").len(), 0);
    assert_eq!(rig.good("search", json!({})).await["items"][0]["audience"], json!(["user"]));
    assert_eq!(rig.read("a://1").await["audience"], json!(["user"]));
}
