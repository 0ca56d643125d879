//! A workspace's own mcp.json: used once it is trusted, and then as a stranger's (host.md "Workspace files").

use crate::machine::{ends, machine, shelf};
use acceptance::{fixture::Entry, host::Host};
use serde_json::{Value, json};

/// A machine whose server stands in the working directory's file and not in the user's.
fn project(script: Value, more: Value) -> Host {
    let mut host = machine();
    host.serve_with("docs", script, more).unwrap();
    std::fs::rename(host.path("config/mcp.json"), host.path("project/.mcp.json")).unwrap();
    host
}

fn states(list: &Value) -> Vec<(String, String, String)> {
    let text = |server: &Value, key: &str| server[key].as_str().unwrap_or_default().to_owned();
    let servers = list["servers"].as_array().unwrap().iter();
    servers.map(|server| (text(server, "name"), text(server, "origin"), text(server, "state"))).collect()
}

#[tokio::test]
async fn a_workspace_file_is_skipped_without_a_terminal_until_it_is_trusted_and_after_any_change() {
    let host = project(shelf(), json!({"trust": true}));
    let skipped = ends(&host, 0, &["mcp", "list", "--json"]).await;
    assert!(skipped.stderr.contains("is skipped: you have not trusted it"), "{skipped}");
    assert_eq!(states(&skipped.json().unwrap()).len(), 1);
    let refused = ends(&host, 3, &["mcp", "read", "docs", "book://one", "--json"]).await;
    assert_eq!(refused.json().unwrap()["code"], "denied");
    ends(&host, 2, &["mcp", "trust"]).await;
    ends(&host, 0, &["mcp", "trust", "--yes"]).await;
    let used = ends(&host, 0, &["mcp", "list", "--json"]).await;
    assert!(used.stderr.contains("`trust` in a workspace file is ignored"), "{used}");
    assert!(states(&used.json().unwrap()).contains(&("docs".to_owned(), "workspace".to_owned(), "ready".to_owned())));
    ends(&host, 3, &["--no-workspace-mcp", "mcp", "read", "docs", "book://one"]).await;
    ends(&host, 0, &["mcp", "read", "docs", "book://one"]).await;
    let text = std::fs::read_to_string(host.path("project/.mcp.json")).unwrap();
    host.write("project/.mcp.json", &format!("{text}\n")).unwrap();
    let changed = ends(&host, 3, &["mcp", "read", "docs", "book://one"]).await;
    assert!(changed.stderr.contains("it has changed since you trusted it"), "{changed}");
}

#[tokio::test]
async fn a_trusted_workspace_server_still_gets_no_key_of_the_users() {
    let script = json!({"process": {"log_env": ["SECRET_KEY", "FROM_FILE", "HOME", "OWN"]}});
    let mut host = project(script, json!({"env": {"OWN": "own"}}));
    host.env("SECRET_KEY", "hunter2");
    host.write("config/.env", "FROM_FILE=file\n").unwrap();
    ends(&host, 0, &["mcp", "trust", "--yes"]).await;
    ends(&host, 0, &["mcp", "search", "docs"]).await;
    let started = host.wire("docs").unwrap().into_iter().find_map(|entry| match entry {
        Entry::Started { env, .. } => Some(env),
        _ => None,
    });
    let env = started.unwrap();
    let seen = |name: &str| env[name].as_deref();
    assert_eq!((seen("SECRET_KEY"), seen("FROM_FILE"), seen("OWN")), (None, None, Some("own")));
    assert_eq!(seen("HOME"), host.path("home").to_str());
}

#[tokio::test]
async fn a_server_that_is_added_by_command_works_and_is_gone_when_it_is_removed() {
    let host = project(shelf(), json!({}));
    let entry: Value = serde_json::from_slice(&std::fs::read(host.path("project/.mcp.json")).unwrap()).unwrap();
    let entry = &entry["mcpServers"]["docs"];
    let (command, script) = (entry["command"].as_str().unwrap(), entry["args"][0].as_str().unwrap());
    std::fs::remove_file(host.path("project/.mcp.json")).unwrap();
    for more in [&[][..], &["--workspace"]] {
        let add = [&["mcp", "add", "shelf"], more, &["--", command, script]].concat();
        ends(&host, 0, &add).await;
        ends(&host, 2, &add).await;
        let read = ends(&host, 0, &["mcp", "read", "shelf", "book://one"]).await;
        assert!(read.stderr.is_empty(), "{read}");
        ends(&host, 0, &[&["mcp", "remove", "shelf"], more].concat()).await;
        ends(&host, 3, &["mcp", "read", "shelf", "book://one"]).await;
    }
}

#[tokio::test]
async fn doctor_tells_what_is_answered_beside_what_is_declared() {
    let mut host = machine();
    host.serve("docs", shelf()).unwrap();
    host.entry("broken", json!({"command": "no-such-program"})).unwrap();
    let report = ends(&host, 0, &["mcp", "doctor", "--json"]).await.json().unwrap();
    let server = |name: &str| {
        let mut servers = report["servers"].as_array().unwrap().iter();
        servers.find(|server| server["name"] == name).unwrap()
    };
    assert_eq!(server("docs")["verdict"], "works", "{report:#}");
    assert_eq!(server("docs")["kinds"]["tool"]["items"], 2);
    assert_eq!(server("docs")["kinds"]["tool"]["pages"], 1);
    assert_eq!(server("broken")["verdict"], "does not start");
    assert_eq!(server("broken")["error"]["code"], "spawn_failed");
    ends(&host, 3, &["mcp", "doctor", "nobody"]).await;
}
