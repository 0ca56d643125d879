//! Server processes: all start at once, a bad one stops nobody, and none is left (S14, S18).

use crate::machine::{ends, machine, shelf, with};
use acceptance::{
    fixture::Entry,
    host::{Host, is_running},
};
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;

/// The ids of every process that a server has started.
fn pids(host: &Host, name: &str) -> Vec<u32> {
    let of = |entry: Entry| match entry {
        Entry::Started { pid, .. } | Entry::Grandchild { pid } => Some(pid),
        _ => None,
    };
    host.wire(name).unwrap().into_iter().filter_map(of).collect()
}

// S14
#[tokio::test]
async fn a_bad_server_is_a_row_and_the_others_work() {
    let mut host = with(shelf());
    let silent = json!({"rules": [{"on": "initialize", "reply": "nothing"}], "process": {"ignore_eof": true}});
    host.serve_with("silent", silent, json!({"startup_timeout_sec": 1})).unwrap();
    host.serve(
        "refuses",
        json!({"rules": [{"on": "initialize", "reply": {"error": {"code": -32000, "message": "no licence"}}}]}),
    )
    .unwrap();
    host.serve("ends", json!({"process": {"exit_at_start": 3, "stderr": ["usage: server KEY"]}})).unwrap();
    host.serve("old", json!({"protocol_version": "1999-01-01"})).unwrap();
    host.serve(
        "halved",
        json!({"capabilities": {"tools": {}, "resources": {}}, "tools": [{"name": "t", "inputSchema": {}}]}),
    )
    .unwrap();
    host.entry("broken", json!({"command": "/nowhere/at/all"})).unwrap();
    let done = ends(&host, 0, &["mcp", "list", "--json"]).await;
    let mut list = done.json().unwrap();
    let servers = list["servers"].as_array_mut().unwrap();
    servers.sort_by_key(|row| row["name"].to_string());
    // A page more in the manual is no other behaviour.
    servers
        .iter_mut()
        .filter(|row| row["name"] == "coyote")
        .for_each(|row| row["counts"]["resource"] = json!("[pages]"));
    assert_snapshot!(host.filters().apply(&serde_json::to_string_pretty(&list).unwrap()));
    for name in ["docs", "silent", "refuses", "ends", "old", "halved"] {
        assert!(pids(&host, name).iter().all(|pid| !is_running(*pid)), "{name}");
    }
}

// S18
#[rstest]
#[case::polite(json!({}))]
#[case::deaf_to_eof(json!({"ignore_eof": true}))]
#[case::deaf_to_sigterm(json!({"ignore_eof": true, "ignore_sigterm": true}))]
#[case::with_a_child(json!({"grandchild": true}))]
#[case::deaf_with_a_child(json!({"ignore_eof": true, "ignore_sigterm": true, "grandchild": true}))]
#[tokio::test]
async fn no_process_is_left_when_the_program_ends(#[case] process: Value) {
    let mut script = shelf();
    script["process"] = process;
    let host = with(script);
    ends(&host, 0, &["mcp", "read", "docs", "book://one"]).await;
    let pids = pids(&host, "docs");
    assert!(!pids.is_empty());
    assert!(pids.iter().all(|pid| !is_running(*pid)), "{pids:?}");
}

// S13, S18
#[cfg(unix)]
#[rstest]
#[case::ctrl_c("INT")]
#[case::terminated("TERM")]
#[case::hung_up("HUP")]
#[tokio::test]
async fn a_signal_cancels_the_call_at_the_server_and_leaves_no_process(#[case] signal: &str) {
    let mut script = shelf();
    script["rules"] = json!([{"on": "tools/call", "reply": "nothing"}]);
    script["process"] = json!({"grandchild": true, "ignore_sigterm": true});
    let host = with(script);
    let child = host.command(&["mcp", "invoke", "docs", "add", "a=1", "b=2"]).spawn().unwrap();
    until(|| !host.received("docs", "tools/call").unwrap().is_empty()).await;
    let pid = child.id().unwrap().to_string();
    let sent =
        tokio::process::Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status().await.unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(host.received("docs", "notifications/cancelled").unwrap().len(), 1);
    assert!(pids(&host, "docs").iter().all(|pid| !is_running(*pid)));
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told, "error[cancelled]: `docs`: Cancelled\nhint: Run the command again to start over\n");
}

// S14
#[tokio::test]
async fn servers_start_at_once() {
    let mut host = machine();
    let dir = host.path("scripts/meeting");
    std::fs::create_dir(&dir).unwrap();
    for n in 0..6 {
        // One after the other they would wait for each other until their start deadline.
        let mut script = shelf();
        script["process"] = json!({"meet": {"dir": dir, "of": 6}});
        host.serve(&format!("s{n}"), script).unwrap();
    }
    let done = ends(&host, 0, &["mcp", "list", "--json"]).await.json().unwrap();
    let states: Vec<&Value> = done["servers"].as_array().unwrap().iter().map(|row| &row["state"]).collect();
    assert_eq!(states, ["ready"; 7], "six and the embedded one");
}

/// Waits until something holds. A test that hangs here has failed.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
