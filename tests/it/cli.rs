//! `coyote mcp …`: what each command prints, and where it ends (contracts §7).

use crate::machine::{ends, machine, run, shelf, with};
use crate::rig::Rig;
use acceptance::fixture::{generated_blob, generated_text};
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case::list("list", &["mcp", "list"])]
#[case::search_all("search-all", &["mcp", "search", "docs"])]
#[case::search_words("search-words", &["mcp", "search", "docs", "first", "book"])]
#[case::search_kind("search-kind", &["mcp", "search", "docs", "--kind", "prompt", "--json"])]
#[case::search_nothing("search-nothing", &["mcp", "search", "docs", "zebra"])]
#[case::search_page("search-page", &["mcp", "search", "docs", "--top", "2", "--offset", "1"])]
#[case::describe_tool("describe-tool", &["mcp", "describe", "docs", "add"])]
#[case::describe_prompt("describe-prompt", &["mcp", "describe", "docs", "review", "--kind", "prompt"])]
#[case::describe_resource("describe-resource", &["mcp", "describe", "docs", "book://one", "--kind", "resource", "--json"])]
#[case::describe_template("describe-template", &["mcp", "describe", "docs", "book://page/{n}", "--kind", "resource_template"])]
#[case::read_text("read-text", &["mcp", "read", "docs", "book://one"])]
#[case::read_json("read-json", &["mcp", "read", "docs", "book://one", "--json"])]
#[case::read_pattern("read-pattern", &["mcp", "read", "docs", "book://one", "--pattern", "third"])]
#[case::read_no_match("read-no-match", &["mcp", "read", "docs", "book://one", "--pattern", "zebra"])]
#[case::read_page("read-page", &["mcp", "read", "docs", "book://one", "--offset", "6", "--max-bytes", "4"])]
#[case::read_binary("read-binary", &["mcp", "read", "docs", "book://cover"])]
#[case::read_bundle("read-bundle", &["mcp", "read", "docs", "book://bundle"])]
#[case::read_item("read-item", &["mcp", "read", "docs", "book://bundle", "--item", "0"])]
#[case::read_template("read-template", &["mcp", "read", "docs", "book://page/{n}", "n=7"])]
#[case::invoke("invoke", &["mcp", "invoke", "docs", "add", "a=1", "b=2"])]
#[case::invoke_json("invoke-json", &["mcp", "invoke", "docs", "add", "--json", "{\"a\":1,\"b\":2}"])]
#[case::prompt("prompt", &["mcp", "prompt", "docs", "review", "book=one"])]
#[case::call("call", &["mcp", "call", "mcp_read_docs", "{\"uri\":\"book://one\"}"])]
#[tokio::test]
async fn a_command_that_succeeds_prints_its_document(#[case] name: &str, #[case] args: &[&str]) {
    let done = ends(&with(shelf()), 0, args).await;
    let done = if args[1] == "list" { done.sorted() } else { done };
    insta::with_settings!({snapshot_suffix => name}, {
        assert_snapshot!(done);
    });
}

#[rstest]
#[case::failing_tool("failing-tool", 1, &["mcp", "invoke", "docs", "fail"])]
#[case::unknown_uri("unknown-uri", 1, &["mcp", "read", "docs", "book://tow"])]
#[case::unknown_tool("unknown-tool", 1, &["mcp", "invoke", "docs", "ad"])]
#[case::unknown_prompt("unknown-prompt", 1, &["mcp", "prompt", "docs", "revue", "book=one"])]
#[case::unknown_id("unknown-id", 1, &["mcp", "describe", "docs", "book://one"])]
#[case::undeclared_function("undeclared-function", 1, &["mcp", "call", "mcp_bogus_x", "{}"])]
#[case::missing_argument("missing-argument", 2, &["mcp", "prompt", "docs", "review", "tone=dry"])]
#[case::unknown_argument("unknown-argument", 2, &["mcp", "prompt", "docs", "review", "bok=one"])]
#[case::repeated_argument("repeated-argument", 2, &["mcp", "prompt", "docs", "review", "book=one", "book=two"])]
#[case::stray_word("stray-word", 2, &["mcp", "prompt", "docs", "review", "one"])]
#[case::bad_pattern("bad-pattern", 2, &["mcp", "read", "docs", "book://one", "--pattern", "("])]
#[case::bad_item("bad-item", 2, &["mcp", "read", "docs", "book://bundle", "--item", "9"])]
#[case::bad_json("bad-json", 2, &["mcp", "invoke", "docs", "add", "--json", "{a}"])]
#[case::bad_kind("bad-kind", 2, &["mcp", "search", "docs", "--kind", "file"])]
#[case::no_command("no-command", 2, &["mcp"])]
#[case::unknown_command("unknown-command", 2, &["mcp", "raed", "docs"])]
#[case::unknown_option("unknown-option", 2, &["mcp", "read", "docs", "book://one", "--al"])]
#[case::call_no_json("call-no-json", 2, &["mcp", "call", "mcp_read_docs", "{uri}"])]
#[case::unknown_server("unknown-server", 3, &["mcp", "read", "dosc", "book://one"])]
#[case::unknown_server_json("unknown-server-json", 3, &["mcp", "search", "dosc", "--json"])]
#[tokio::test]
async fn a_command_that_fails_says_why_and_what_to_do(#[case] name: &str, #[case] status: i32, #[case] args: &[&str]) {
    let done = ends(&with(shelf()), status, args).await;
    insta::with_settings!({snapshot_suffix => name}, {
        assert_snapshot!(done);
    });
}

#[tokio::test]
async fn a_call_prints_exactly_what_a_model_gets() {
    let rig = Rig::of(shelf()).await;
    let host = with(shelf());
    for (verb, arguments) in [
        ("search", json!({"query": "book"})),
        ("describe", json!({"tool": "add"})),
        ("read", json!({"uri": "book://long", "max_bytes": 100})),
        ("invoke", json!({"tool": "add", "arguments": {"a": 1, "b": 2}})),
        ("prompt", json!({"prompt": "review", "arguments": {"book": "one"}})),
        ("read", json!({"uri": "book://tow"})),
        ("read", json!({})),
    ] {
        let done = run(&host, &["mcp", "call", &format!("mcp_{verb}_docs"), &arguments.to_string()]).await;
        assert_eq!(done.json().unwrap(), rig.call(verb, arguments).await, "{verb}");
    }
}

#[tokio::test]
async fn functions_are_the_declarations_that_a_model_gets_and_one_server_is_started() {
    let mut host = with(shelf());
    host.serve("other", json!({"prompts": [{"name": "p"}]})).unwrap();
    let done = ends(&host, 0, &["mcp", "functions", "docs"]).await;
    let rig = Rig::of(shelf()).await;
    let expected: Value = rig.context.declared.functions.iter().map(mcp_meta::Declaration::to_value).collect();
    assert_eq!(done.json().unwrap(), expected);
    assert!(host.wire("other").unwrap().is_empty(), "only the server that was named is started");

    let all = ends(&host, 0, &["mcp", "functions"]).await.json().unwrap();
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|function| function["name"].as_str().unwrap()).collect();
    for name in ["mcp_read_docs", "mcp_prompt_other", "mcp_search_coyote"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert!(!names.contains(&"mcp_read_other"));
}

// S6
#[tokio::test]
async fn a_call_starts_no_other_server() {
    let mut host = with(shelf());
    host.serve("other", json!({})).unwrap();
    ends(&host, 0, &["mcp", "call", "mcp_search_docs"]).await;
    ends(&host, 1, &["mcp", "call", "mcp_prompt_other", "{\"prompt\":\"p\"}"]).await;
    assert!(host.received("other", "prompts/get").unwrap().is_empty());
    let before = host.wire("docs").unwrap().len();
    ends(&host, 1, &["mcp", "call", "mcp_bogus_x"]).await;
    assert_eq!(host.wire("docs").unwrap().len(), before);
}

// S22
#[tokio::test]
async fn no_words_mean_everything() {
    let host = with(json!({"prompts": [{"repeat": 147, "of": {"name": "prompt-{n}"}}], "page_size": 2}));
    let done = ends(&host, 0, &["mcp", "search", "docs"]).await;
    let text = done.text();
    assert!((0..147).all(|n| text.contains(&format!("prompt-{n}"))), "{done}");
    let json = ends(&host, 0, &["mcp", "search", "docs", "--json"]).await.json().unwrap();
    assert_eq!(json["items"].as_array().unwrap().len(), 147);
}

#[tokio::test]
async fn all_pages_of_a_text_are_printed_and_written() {
    let host = with(shelf());
    let text = generated_text(120_000);
    let done = ends(&host, 0, &["mcp", "read", "docs", "book://long", "--all"]).await;
    assert_eq!(done.text().trim_end(), text.trim_end());
    ends(&host, 0, &["mcp", "read", "docs", "book://long", "--all", "-o", "out.txt"]).await;
    assert_eq!(std::fs::read_to_string(host.path("project/out.txt")).unwrap(), text);
    assert_eq!(host.received("docs", "resources/read").unwrap().len(), 2, "each run has read it once");
}

#[tokio::test]
async fn every_match_of_a_pattern_is_printed_once() {
    let host = with(json!({
        "resources": [{"uri": "log://big"}], "contents": {"log://big": [{"uri": "log://big", "text": {"text_bytes": 3_000_000}}]},
    }));
    let done = ends(&host, 0, &["mcp", "read", "docs", "log://big", "--pattern", "ERROR", "--all"]).await;
    let text = done.text();
    let matches: Vec<&str> = text.lines().filter(|line| line.contains("ERROR")).collect();
    assert_eq!(matches.len(), 3_000_000 / 64_000 + 1);
    assert!(matches.iter().enumerate().all(|(n, line)| line.starts_with(&format!("{}:", n * 1000 + 1))));
}

#[tokio::test]
async fn a_binary_is_written_to_the_file_that_was_asked_for() {
    let host = with(shelf());
    let done = ends(&host, 0, &["mcp", "read", "docs", "book://cover", "-o", "cover.png"]).await;
    assert_eq!(std::fs::read(host.path("project/cover.png")).unwrap(), generated_blob(1000, 0));
    assert_snapshot!(done);
}

// C13
#[tokio::test]
async fn a_prompt_without_its_argument_asks_nothing_and_sends_nothing() {
    let host = with(shelf());
    let done = ends(&host, 2, &["mcp", "prompt", "docs", "review"]).await;
    assert!(done.stderr.contains("book"), "{done}");
    assert!(host.received("docs", "prompts/get").unwrap().is_empty());
}

#[tokio::test]
async fn the_manual_is_read_with_no_configuration_at_all() {
    let host = machine();
    let done = ends(&host, 0, &["mcp", "read", "coyote", "coyote://manual/start"]).await;
    assert!(done.text().starts_with('#'), "{done}");
    assert!(done.stderr.is_empty(), "{done}");
    let list = ends(&host, 0, &["mcp", "list"]).await;
    assert_snapshot!(list);
}

#[tokio::test]
async fn a_uri_from_the_command_line_arrives_byte_for_byte() {
    let uris = [
        "List of recent deployments",
        r"C:\My Docs\a.txt",
        "Notes://Team/Ünï?Q=a+b&x=%7e#Frag",
        "file:///c%3A/100%25.txt",
    ];
    let contents: Value = uris.iter().map(|&uri| (uri.to_owned(), json!([{"uri": uri, "text": "ok"}]))).collect();
    let host = with(json!({"resources": [{"uri": "a://1"}], "contents": contents}));
    for uri in uris {
        ends(&host, 0, &["mcp", "read", "docs", uri]).await;
    }
    let sent: Vec<String> = host
        .received("docs", "resources/read")
        .unwrap()
        .into_iter()
        .map(|message| message.params.unwrap()["uri"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(sent, uris);
}

// S46
#[tokio::test]
async fn hostile_text_is_escaped_in_json_and_kept_in_a_pipe() {
    let text = "a\u{1b}[2Jb\u{202e}c\u{200b}d";
    let host = with(json!({
        "resources": [{"uri": "a://1", "name": text, "description": text}], "contents": {"a://1": [{"uri": "a://1", "text": text}]},
    }));
    let plain = ends(&host, 0, &["mcp", "read", "docs", "a://1"]).await;
    assert!(plain.text().starts_with(text), "a pipe gets the original bytes");
    let done = ends(&host, 0, &["mcp", "read", "docs", "a://1", "--json"]).await;
    assert!(!done.text().contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{done}");
    assert_eq!(done.json().unwrap()["text"], text);
    let list = ends(&host, 0, &["mcp", "search", "docs"]).await;
    assert!(!list.text().contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{list}");
}

#[tokio::test]
async fn without_a_configuration_the_offline_model_shows_the_loop_and_says_first_how_to_configure_another() {
    let done = ends(&machine(), 0, &["find", "manual"]).await;
    let text = String::from_utf8(done.stdout.clone()).unwrap();
    assert!(text.lines().next().unwrap().contains("config.yaml"), "{text}");
    assert!(text.contains("coyote://manual/"), "{text}");
}

#[tokio::test]
async fn chat_without_a_word_says_what_to_do() {
    assert_snapshot!(ends(&machine(), 2, &[]).await);
}

#[tokio::test]
async fn an_unknown_role_and_an_unknown_model_are_wrong_usage() {
    assert_snapshot!("unknown_role", ends(&machine(), 2, &["-r", "nobody", "hello"]).await);
    assert_snapshot!("unknown_model", ends(&machine(), 2, &["-m", "nobody:x", "hello"]).await);
}

#[tokio::test]
async fn a_dry_run_prints_the_request_and_sends_nothing() {
    let done = ends(&machine(), 0, &["--dry-run", "--temp-role", "Be brief", "hello"]).await.json().unwrap();
    assert_eq!(done["messages"][0], json!({"role": "system", "content": "Be brief"}));
    assert_eq!(done["messages"][1]["content"][0]["text"], "hello");
    assert!(done["functions"].as_array().unwrap().iter().any(|function| function["name"] == "mcp_search_coyote"));
}
