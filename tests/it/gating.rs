//! Which functions a server gets, and which of its lists are asked (D7, S4, S6, S8).

use crate::rig::Rig;
use insta::assert_snapshot;
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

const LISTS: [&str; 4] = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

fn everything(capabilities: Value) -> Value {
    json!({
        "capabilities": capabilities,
        "tools": [{"name": "t", "inputSchema": {"type": "object"}}],
        "resources": [{"uri": "a://1"}],
        "resource_templates": [{"uriTemplate": "a://{x}"}],
        "prompts": [{"name": "p"}],
    })
}

// C30, R12: a server of resources alone keeps search, describe and read.
#[rstest]
#[case::tools(json!({"tools": {}}), &["invoke", "search", "describe"])]
#[case::resources(json!({"resources": {}}), &["search", "describe", "read"])]
#[case::prompts(json!({"prompts": {}}), &["search", "describe", "prompt"])]
#[case::tools_and_resources(json!({"tools": {}, "resources": {"subscribe": true}}), &["invoke", "search", "describe", "read"])]
#[case::tools_and_prompts(json!({"tools": {"listChanged": true}, "prompts": {}}), &["invoke", "search", "describe", "prompt"])]
#[case::resources_and_prompts(json!({"resources": {}, "prompts": {}}), &["search", "describe", "read", "prompt"])]
#[case::all(json!({"tools": {}, "resources": {}, "prompts": {}}), &["invoke", "search", "describe", "read", "prompt"])]
#[case::nothing(json!({}), &["invoke", "search", "describe"])]
#[case::others_only(json!({"logging": {}, "completions": {}}), &["invoke", "search", "describe"])]
#[tokio::test]
async fn the_functions_of_a_server_follow_from_its_capabilities(#[case] capabilities: Value, #[case] verbs: &[&str]) {
    let rig = Rig::of(everything(capabilities)).await;
    let expected: Vec<String> = verbs.iter().map(|verb| format!("mcp_{verb}_docs")).collect();
    assert_eq!(rig.functions(), expected);
    assert_eq!(rig.log().received("tools/list").len(), 0, "declaring asks nothing");
}

// C30
#[tokio::test]
async fn a_server_of_resources_alone_is_never_asked_for_tools() {
    let rig = Rig::of(json!({
        "capabilities": {"resources": {}}, "resources": [{"uri": "a://1", "name": "r"}],
        "contents": {"a://1": [{"uri": "a://1", "text": "x"}]},
    }))
    .await;
    let found = rig.good("search", json!({})).await;
    assert_eq!(found["total"], 1);
    assert_eq!(rig.read("a://1").await["text"], "x");
    assert_eq!(rig.log().received("tools/list").len() + rig.log().received("prompts/list").len(), 0);
}

// C29
#[tokio::test]
async fn a_kind_that_is_declared_but_not_implemented_is_a_note() {
    let mut script = everything(json!({"tools": {}, "resources": {}}));
    script["rules"] =
        json!([{"on": "resources/list", "reply": {"error": {"code": -32601, "message": "Method not found"}}}]);
    let rig = Rig::of(script).await;
    let found = rig.good("search", json!({})).await;
    assert_eq!(found["total"], 2, "the tool and the template stay: {found:#}");
    assert_snapshot!(rig.document(&found["notes"]));
}

// C31, R6
#[tokio::test]
async fn a_server_that_declares_nothing_keeps_its_tools() {
    let rig = Rig::of(everything(json!({}))).await;
    let found = rig.good("search", json!({})).await;
    assert_eq!((&found["total"], &found["items"][0]["name"]), (&json!(1), &json!("t")));
    assert_eq!(rig.good("invoke", json!({"tool": "t"})).await["content"][0]["type"], "text");
    let asked: Vec<usize> = LISTS.iter().map(|method| rig.log().received(method).len()).collect();
    assert_eq!(asked[1..], [0, 0, 0], "only tools/list is asked");
    assert_snapshot!(rig.document(&found["notes"]));
}

// C32
#[tokio::test]
async fn an_undeclared_kind_is_not_asked_and_asking_for_it_says_so() {
    let rig = Rig::of(json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})).await;
    assert_eq!(rig.good("search", json!({})).await["total"], 1);
    let none = rig.good("search", json!({"kind": "resource"})).await;
    assert_eq!(none["total"], 0);
    for method in &LISTS[1..] {
        assert_eq!(rig.log().received(method).len(), 0, "{method}");
    }
    assert_snapshot!(rig.document(&none));
}

// C33, S6
#[tokio::test]
async fn a_function_that_was_not_declared_is_refused_before_any_server_is_asked() {
    let rig = Rig::many([
        ("a", json!({"tools": [{"name": "t", "inputSchema": {}}]})),
        ("b", json!({"resources": [{"uri": "a://1"}]})),
    ])
    .await;
    let before: Vec<usize> = rig.logs.iter().map(|log| log.entries().len()).collect();
    for (index, name) in ["mcp_read_a", "mcp_read_zebra", "mcp_invoke_b", "mcp_bogus_x"].into_iter().enumerate() {
        let refused = rig.answer(name, json!({"uri": "a://1"})).await;
        assert_eq!(refused.code, Some(Code::Unsupported), "{:#}", refused.value);
        insta::with_settings!({snapshot_suffix => index.to_string()}, {
            assert_snapshot!(rig.document(&refused.value));
        });
    }
    assert_eq!(rig.logs.iter().map(|log| log.entries().len()).collect::<Vec<_>>(), before);
}

// S8
#[tokio::test]
async fn a_servers_instructions_end_the_description_of_its_search_function() {
    let mut script = everything(json!({"tools": {}}));
    script["instructions"] = json!(format!("Use `t` first. {}", "é".repeat(2000)));
    let rig = Rig::of(script).await;
    let search = rig.context.declared.get("mcp_search_docs").unwrap();
    assert!(search.description.contains("Use `t` first."), "{}", search.description);
    assert!(search.description.len() < 2500);
    for function in &rig.context.declared.functions {
        assert_eq!(function.description.contains("Use `t` first."), function.name == "mcp_search_docs");
    }
    assert_snapshot!(search.description);
}

#[tokio::test]
async fn the_declarations_of_a_whole_server() {
    let rig = Rig::of(everything(json!({"tools": {}, "resources": {}, "prompts": {}}))).await;
    let declarations: Value = rig.context.declared.functions.iter().map(mcp_meta::Declaration::to_value).collect();
    assert_snapshot!(rig.document(&declarations));
}
