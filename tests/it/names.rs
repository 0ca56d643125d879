//! Names of servers become names of functions and directories that everyone accepts (S3, S32), and names that servers
//! wrote stay as they are on the wire.

use crate::rig::{Rig, resource};
use insta::assert_snapshot;
use mcp_catalog::ServerName;
use mcp_meta::{is_mcp_meta_function, mcp_meta_function_names};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

fn accepted(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

// C69
#[tokio::test]
async fn two_long_keys_that_share_their_first_51_characters_have_names_of_their_own() {
    let (one, two) = ("k".repeat(60), "k".repeat(59) + "2");
    let of = |text: &str| resource("a://1", json!([{"uri": "a://1", "text": text}]));
    let rig = Rig::many([(&one, of("one")), (&two, of("two"))]).await;
    let functions = rig.functions();
    assert_eq!(functions.len(), 6);
    assert!(functions.iter().all(|name| accepted(name) && is_mcp_meta_function(name)), "{functions:?}");
    let mut unique = functions.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), 6);
    for (key, text) in [(&one, "one"), (&two, "two")] {
        let read = mcp_meta_function_names(&ServerName::new(key).unwrap()).into_iter().nth(3).unwrap();
        assert_eq!(rig.answer(&read, json!({"uri": "a://1"})).await.value["text"], text);
    }
}

// C70
#[tokio::test]
async fn a_key_with_spaces_dots_or_slashes_still_has_functions() {
    let rig = Rig::many([("My Server.v2", resource("a://1", json!([{"uri": "a://1", "text": "x"}])))]).await;
    let functions = rig.functions();
    assert_snapshot!(functions.join("\n"));
    assert_eq!(rig.answer(functions[2], json!({"uri": "a://1"})).await.value["text"], "x");
}

// C67, R3
#[tokio::test]
async fn a_hostile_key_and_mime_type_stay_inside_the_spill_tree() {
    let contents = json!([{"uri": "a://1", "mimeType": "a/../../sh", "blob": "/////w=="}]);
    let rig = Rig::many([("../../x", resource("a://1", contents))]).await;
    let read = rig.functions()[2].to_owned();
    let answer = rig.answer(&read, json!({"uri": "a://1"})).await.value;
    let path = Path::new(answer["path"].as_str().unwrap()).canonicalize().unwrap();
    let tree = rig.cache.path().canonicalize().unwrap().join("mcp-resources");
    assert!(path.starts_with(&tree) && path.extension().unwrap() == "bin", "{}", path.display());
    assert_eq!(std::fs::read_dir(rig.cache.path()).unwrap().count(), 1);
}

proptest! {
    #[test]
    fn every_key_has_five_accepted_names(key in "\\PC{1,80}") {
        let names = mcp_meta_function_names(&ServerName::new(&key).unwrap());
        prop_assert_eq!(names.len(), 5);
        for name in names {
            prop_assert!(accepted(&name), "{}", name);
            prop_assert!(is_mcp_meta_function(&name), "{}", name);
        }
    }
}

// C34: the server part of a name leads back to the key, and no function takes a server as an argument.
#[tokio::test]
async fn no_function_takes_a_server_as_an_argument() {
    let rig = Rig::of(json!({"tools": [{"name": "t"}], "resources": [{"uri": "a"}], "prompts": [{"name": "p"}]})).await;
    for function in &rig.context.declared.functions {
        assert_eq!(function.parameters["properties"].get("server"), None, "{}", function.name);
    }
}

// S2
#[test]
fn a_users_own_tool_called_mcp_reader_is_no_meta_function() {
    for name in ["mcp_reader", "mcp_read", "mcp_read_", "mcp_", "xmcp_read_docs", "MCP_READ_docs", "mcp_bogus_x"] {
        assert!(!is_mcp_meta_function(name), "{name}");
    }
    assert!(is_mcp_meta_function("mcp_read_mcp_read_x"));
}

// C71
#[tokio::test]
async fn a_name_with_control_and_bidi_characters_stays_as_it_is_on_the_wire() {
    let prompt = "p\u{202e}txt\u{1b}[2J";
    let rig = Rig::of(json!({
        "prompts": [{"name": prompt, "description": "clears \u{1b}[2J the screen"}],
        "prompt_results": {prompt: {"messages": [{"role": "user", "content": {"type": "text", "text": "ok"}}]}},
    }))
    .await;
    let found = rig.good("search", json!({})).await;
    let name = found["items"][0]["name"].as_str().unwrap();
    assert_eq!(name, prompt, "a model gets the name that works");
    rig.good("prompt", json!({"prompt": name})).await;
    assert_eq!(rig.log().received("prompts/get")[0].params.as_ref().unwrap()["name"], prompt);
    let shown = mcp_render::json_for_terminal(&found, false);
    assert!(!shown.contains(['\u{202e}', '\u{1b}']), "{shown}");
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), found);
}
