//! What somebody types who does not know the command line yet, and commands that need an entry's name or URL alone.

use crate::machine::{ends, machine};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
};
use serde_json::{Value, json};

async fn talking(host: &Host) -> ModelServer {
    let model = ModelServer::start(Api::OpenAi, vec![Answer::text("One"), Answer::text("Two")]).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    model
}

#[tokio::test]
async fn help_alone_is_the_help_and_any_other_text_is_the_models() {
    let host = machine();
    let model = talking(&host).await;
    let help = ends(&host, 0, &["-h"]).await.text();
    assert_eq!(ends(&host, 0, &["help"]).await.text(), help);
    assert_eq!(ends(&host, 0, &["mcp", "help"]).await.text(), ends(&host, 0, &["mcp", "-h"]).await.text());
    let of_add = ends(&host, 0, &["mcp", "add", "-h"]).await.text();
    assert_eq!(ends(&host, 0, &["mcp", "help", "add"]).await.text(), of_add);
    assert!(model.requests().is_empty());
    assert_eq!(ends(&host, 0, &["help", "me"]).await.text(), "One");
    assert_eq!(ends(&host, 0, &["--", "help"]).await.text(), "Two");
    assert!(model.requests()[1].body["messages"].to_string().contains("\"help\""));
}

#[tokio::test]
async fn a_program_without_dashes_is_answered_with_the_whole_line_that_was_meant() {
    let host = machine();
    let done = ends(&host, 2, &["mcp", "add", "x", "-e", "KEY={{K}}", "npx", "-y", "foo"]).await;
    insta::assert_snapshot!(done.stderr, @r"
    error[invalid_arguments]: The program `npx` and its arguments stand after `--`
    hint: Write `coyote mcp add x -e 'KEY={{K}}' -- npx -y foo`
    ");
    assert!(!host.path("config/mcp.json").exists(), "{done}");
    ends(&host, 0, &["mcp", "add", "x", "-e", "KEY={{K}}", "--", "npx", "-y", "foo"]).await;
}

// S47: a login is bound to the server's URL, and to nothing else of its entry.
#[tokio::test]
async fn what_needs_an_entrys_name_or_url_alone_works_without_its_secrets() {
    let mut host = machine();
    let headers = json!({"Authorization": "Bearer {{NO_SUCH_SECRET}}"});
    host.entry("docs", json!({"url": "https://docs.example/mcp", "headers": headers, "disabled": true})).unwrap();
    host.entry("part", json!({"url": "{{NO_SUCH_BASE}}/mcp", "headers": headers})).unwrap();
    // SHA-256 of the URL, as the file of tokens has it.
    let key = "d4bf4626d76666f7b6741d2944c217ed7a81400365fd32b2a487fe2b1e7bbd69";
    host.write("config/tokens.json", &json!({key: {"client_id": "c"}, "other": {"client_id": "o"}}).to_string())
        .unwrap();
    let done = ends(&host, 0, &["mcp", "auth", "docs", "--forget"]).await;
    assert!(done.stderr.contains("The tokens for `docs` are forgotten"), "{done}");
    let left: Value = serde_json::from_str(&std::fs::read_to_string(host.path("config/tokens.json")).unwrap()).unwrap();
    assert_eq!(left, json!({"other": {"client_id": "o"}}));
    let part = ends(&host, 2, &["mcp", "auth", "part", "--forget"]).await;
    insta::assert_snapshot!(host.filters().apply(&part.stderr));
    for args in [&["mcp", "get", "part"][..], &["mcp", "list"], &["mcp", "remove", "docs"], &["mcp", "remove", "part"]]
    {
        ends(&host, 0, args).await;
    }
}
