//! The user's mcp.json, as forgiving as host.md says, and what a server's process gets (S18).

use crate::machine::{ends, machine, run, shelf, with};
use acceptance::fixture::Entry;
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

#[tokio::test]
async fn one_bad_entry_is_one_warning_and_the_others_load() {
    let mut host = with(shelf());
    for (name, entry) in [
        ("url and command", json!({"command": "x", "url": "http://h/"})),
        ("nothing", json!({})),
        ("slip", json!({"comand": "docs-server"})),
        ("a list", json!([])),
        ("old", json!({"type": "sse", "url": "http://h/sse"})),
        ("remote", json!({"url": "http://127.0.0.1:1/mcp"})),
        ("off", json!({"command": "false", "disabled": true})),
        ("dollar", json!({"command": "${HOME}/bin/server"})),
        ("numbers", json!({"command": "false", "args": [1]})),
        ("secret", json!({"command": "false", "env": {"KEY": "{{NO_SUCH_SECRET}}"}})),
        ("more", json!({"command": "/nowhere/at/all", "alwaysAllow": ["x"]})),
    ] {
        host.entry(name, entry).unwrap();
    }
    let done = ends(&host, 0, &["mcp", "list"]).await;
    assert_snapshot!(done.sorted());
    let read = ends(&host, 0, &["mcp", "read", "docs", "book://one"]).await;
    assert!(read.text().starts_with("first line"), "{read}");
}

#[rstest]
#[case::sse("old", json!({"type": "sse", "url": "http://h/sse"}), "sse")]
#[case::http("remote", json!({"url": "http://127.0.0.1:1/mcp"}), "http")]
#[case::disabled("off", json!({"command": "false", "disabled": true}), "disabled")]
#[case::no_command("gone", json!({"command": "/nowhere/at/all"}), "spawn")]
#[case::missing_secret("secret", json!({"command": "false", "env": {"KEY": "{{NO_SUCH_SECRET}}"}}), "secret")]
#[case::exits("exits", json!({"command": "false"}), "exits")]
#[tokio::test]
async fn a_server_that_cannot_be_used_is_status_3_with_the_reason(
    #[case] name: &str,
    #[case] entry: Value,
    #[case] suffix: &str,
) {
    let mut host = machine();
    host.entry(name, entry).unwrap();
    let done = ends(&host, 3, &["mcp", "search", name]).await;
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(done);
    });
}

#[rstest]
#[case::no_json("{\"mcpServers\": {", "cut")]
#[case::a_list("[]", "list")]
#[case::no_servers("{}", "none")]
#[tokio::test]
async fn a_broken_mcp_json_leaves_the_embedded_server(#[case] text: &str, #[case] suffix: &str) {
    let host = machine();
    host.write("config/mcp.json", text).unwrap();
    let done = run(&host, &["mcp", "list"]).await;
    assert!(done.text().contains("coyote"), "{done}");
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(done);
    });
}

// S18
#[tokio::test]
async fn a_server_inherits_the_environment_but_not_the_env_file() {
    let mut host = machine();
    host.env("FROM_SHELL", "shell");
    host.write("config/.env", "FROM_FILE=file\nTOKEN=\"se\\\"cret\"\n").unwrap();
    let script = json!({"prompts": [{"name": "p"}],
        "process": {"log_env": ["FROM_SHELL", "FROM_FILE", "OWN", "NUMBER", "FLAG", "BEARER"]}});
    let entry =
        json!({"env": {"OWN": "own", "NUMBER": 7, "FLAG": true, "BEARER": "x {{TOKEN}}"}, "cwd": host.path("home")});
    host.serve_with("docs", script, entry).unwrap();
    ends(&host, 0, &["mcp", "search", "docs"]).await;
    let started = host.wire("docs").unwrap().into_iter().find_map(|entry| match entry {
        Entry::Started { env, cwd, .. } => Some((env, cwd)),
        _ => None,
    });
    let (env, cwd) = started.unwrap();
    let seen: Vec<(&str, Option<&str>)> = env.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
    assert_eq!(
        seen,
        [
            ("BEARER", Some("x se\"cret")),
            ("FLAG", Some("true")),
            ("FROM_FILE", None),
            ("FROM_SHELL", Some("shell")),
            ("NUMBER", Some("7")),
            ("OWN", Some("own")),
        ]
    );
    assert_eq!(std::path::Path::new(&cwd), host.path("home").canonicalize().unwrap());
}

// S18, S47
#[tokio::test]
async fn what_a_server_writes_to_stderr_is_in_the_log_alone() {
    let mut script = shelf();
    script["process"] = json!({"stderr": ["a secret of the server", "more"]});
    let host = with(script);
    let done = ends(&host, 0, &["mcp", "read", "docs", "book://one"]).await;
    assert!(done.stderr.is_empty(), "{done}");
    let log = std::fs::read_to_string(host.path("cache/coyote.log")).unwrap();
    assert!(log.contains("a secret of the server") && log.contains("docs"), "{log}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(host.path("cache/coyote.log")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

// C72
#[tokio::test]
async fn a_banner_before_the_handshake_is_noise() {
    let mut script = shelf();
    script["process"] = json!({"banner": ["Welcome to Shelf 2.1", "{\"level\":\"info\"}", ""]});
    let host = with(script);
    let done = ends(&host, 0, &["mcp", "read", "docs", "book://one"]).await;
    assert!(done.text().starts_with("first line"), "{done}");
}

#[tokio::test]
async fn a_workspace_file_is_not_used_without_trust() {
    let host = with(shelf());
    host.write("project/.mcp.json", r#"{"mcpServers": {"stranger": {"command": "touch", "args": ["started"]}}}"#)
        .unwrap();
    let done = ends(&host, 0, &["mcp", "list"]).await;
    assert!(!host.path("project/started").exists() && !done.text().contains("stranger"), "{done}");
    assert_snapshot!(done.stderr.replace(&host.path("").display().to_string(), "[machine]/"));
    let silent = ends(&host, 0, &["mcp", "list", "--no-workspace-mcp"]).await;
    assert!(silent.stderr.is_empty(), "{silent}");
}

// S7
#[tokio::test]
async fn an_allowlist_in_mcp_json_hides_tools() {
    let mut host = machine();
    host.serve_with("docs", shelf(), json!({"allowedTools": ["ad*"]})).unwrap();
    let found = ends(&host, 0, &["mcp", "search", "docs", "--kind", "tool", "--json"]).await.json().unwrap();
    assert_eq!((&found["total"], &found["items"][0]["name"]), (&json!(1), &json!("add")));
    ends(&host, 1, &["mcp", "invoke", "docs", "fail"]).await;
    assert!(host.received("docs", "tools/call").unwrap().is_empty());
}

// C70
#[tokio::test]
async fn a_key_with_spaces_is_used_as_it_is_on_the_command_line() {
    let mut host = machine();
    host.serve("My Server.v2", shelf()).unwrap();
    let done = ends(&host, 0, &["mcp", "read", "My Server.v2", "book://one"]).await;
    assert!(done.text().starts_with("first line"));
}
