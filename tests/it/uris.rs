//! URIs arrive byte for byte, and templates are expanded by level 1 of RFC 6570 (S37).

use crate::rig::{Rig, resource};
use insta::assert_snapshot;
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

// C64, C65, C66
#[rstest]
#[case::spaces("List of recent deployments")]
#[case::no_scheme("users/ann")]
#[case::escaped_drive("file:///c%3A/My%20Docs/100%25.txt")]
#[case::drive_letter("file:///C:/My Docs/100%.txt")]
#[case::backslashes(r"C:\Users\Ann\notes.txt")]
#[case::query_and_fragment("Notes://Team/Ünï?Q=a+b&x=%7e#Frag")]
#[case::jdbc("jdbc-mcp://c/x")]
#[case::http("http://internal/doc")]
#[case::ui("ui://w")]
#[case::data("data:,x")]
#[case::upper_case("HTTP://EXAMPLE.COM:80/../a/./b//c")]
#[case::file("file:///etc/hostname")]
#[case::emoji("note://🙂/e\u{301}")]
#[case::edges(" a://1 ")]
#[tokio::test]
async fn a_uri_arrives_byte_for_byte_and_only_the_server_is_asked(#[case] uri: &str) {
    let rig = Rig::of(resource(uri, json!([{"uri": uri, "text": "from the server"}]))).await;
    assert_eq!(rig.read(uri).await["text"], "from the server");
    assert_eq!(rig.log().uris_read(), [uri]);
}

fn templates() -> Value {
    json!({
        "resource_templates": [
            {"uriTemplate": "ev://{topic}", "name": "event"},
            {"uriTemplate": "m://i/{id}{?state,limit}", "name": "issue"},
            {"uriTemplate": "file:///{+path}", "name": "file"},
            {"uriTemplate": "p://{owner}/{repo}", "name": "repo"},
        ],
        "rules": [{"on": "resources/read", "reply": {"result": {"contents": [{"uri": "x", "text": "ok"}]}}}],
    })
}

// C60, C62
#[rstest]
#[case::reserved("ev://{topic}", json!({"topic": "foo/bar baz?é"}), "ev://foo%2Fbar%20baz%3F%C3%A9")]
#[case::percent("ev://{topic}", json!({"topic": "%2e%2e%2fetc"}), "ev://%252e%252e%252fetc")]
#[case::number("ev://{topic}", json!({"topic": 7}), "ev://7")]
#[case::boolean("ev://{topic}", json!({"topic": true}), "ev://true")]
#[case::two("p://{owner}/{repo}", json!({"owner": "a", "repo": "b"}), "p://a/b")]
#[case::literals("ev://ä b%20/{topic}", json!({"topic": "x"}), "ev://%C3%A4%20b%20/x")]
#[tokio::test]
async fn a_template_is_expanded(#[case] template: &str, #[case] arguments: Value, #[case] expected: &str) {
    let rig = Rig::of(templates()).await;
    rig.good("read", json!({"uri": template, "arguments": arguments})).await;
    assert_eq!(rig.log().uris_read(), [expected]);
}

// C61, C62
#[rstest]
#[case::missing("p://{owner}/{repo}", json!({"owner": "a"}), "missing")]
#[case::null_is_missing("p://{owner}/{repo}", json!({"owner": "a", "repo": null}), "null")]
#[case::unknown("ev://{topic}", json!({"topic": "a", "w": 1}), "unknown")]
#[case::a_list("ev://{topic}", json!({"topic": ["a"]}), "list")]
#[case::a_query("m://i/{id}{?state,limit}", json!({"id": 7}), "query")]
#[case::a_path("file:///{+path}", json!({"path": "a/b"}), "path")]
#[case::unclosed("ev://{topic", json!({"topic": "a"}), "unclosed")]
#[case::none("ev://plain", json!({"topic": "a"}), "none")]
#[tokio::test]
async fn a_template_that_cannot_be_expanded_is_explained_and_nothing_is_sent(
    #[case] template: &str,
    #[case] arguments: Value,
    #[case] suffix: &str,
) {
    let rig = Rig::of(templates()).await;
    let refused = rig.fails("read", json!({"uri": template, "arguments": arguments}), Code::InvalidArguments).await;
    assert_eq!(rig.log().uris_read().len(), 0);
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&refused));
    });
}

// C61
#[tokio::test]
async fn a_known_template_without_arguments_lists_its_variables() {
    let rig = Rig::of(templates()).await;
    let refused = rig.fails("read", json!({"uri": "p://{owner}/{repo}"}), Code::InvalidArguments).await;
    assert_eq!(rig.log().uris_read().len(), 0);
    assert_snapshot!(rig.document(&refused));
}

#[tokio::test]
async fn a_uri_with_a_brace_that_is_no_template_is_sent_as_given() {
    let rig = Rig::of(templates()).await;
    rig.good("read", json!({"uri": "odd://{really}"})).await;
    assert_eq!(rig.log().uris_read(), ["odd://{really}"]);
    assert_eq!(rig.log().received("resources/templates/list").len(), 1);
    rig.good("read", json!({"uri": "plain://x"})).await;
    assert_eq!(rig.log().received("resources/templates/list").len(), 1, "only a brace is looked up");
}

#[tokio::test]
async fn a_template_listing_that_fails_lets_the_uri_through() {
    let mut script = templates();
    script["rules"]
        .as_array_mut()
        .unwrap()
        .push(json!({"on": "resources/templates/list", "reply": {"error": {"code": -32601, "message": "no"}}}));
    let rig = Rig::of(script).await;
    rig.good("read", json!({"uri": "odd://{really}"})).await;
    assert_eq!(rig.log().uris_read(), ["odd://{really}"]);
}

// C63
#[tokio::test]
async fn one_uri_on_two_servers_is_each_servers_own() {
    let of = |text: &str, seed: u64| {
        json!({
            "resources": [{"uri": "cfg://app"}, {"uri": "cfg://bin"}],
            "contents": {"cfg://app": [{"uri": "cfg://app", "text": text}], "cfg://bin": [{"uri": "cfg://bin", "blob": {"blob_bytes": 9, "seed": seed}}]},
        })
    };
    let rig = Rig::many([("a", of("of a", 1)), ("b", of("of b", 1))]).await;
    let mut spills = Vec::new();
    for server in ["a", "b"] {
        let text = rig.answer(&format!("mcp_read_{server}"), json!({"uri": "cfg://app"})).await.value;
        assert_eq!(text["text"], format!("of {server}"));
        let spill = rig.answer(&format!("mcp_read_{server}"), json!({"uri": "cfg://bin"})).await.value;
        spills.push(spill["path"].as_str().unwrap().to_owned());
    }
    assert!(spills[0].contains("/mcp-resources/a/") && spills[1].contains("/mcp-resources/b/"), "{spills:?}");
}
