//! Every way out of the program and out of a server: nothing is left running, nothing hangs, and what was lost is
//! connected again (S13, S15, S18).
#![cfg(target_os = "linux")]

pub(crate) mod bench;

use crate::machine::{machine, run, shelf, with};
use acceptance::{
    fixture::{Entry, read_wire_log, received},
    host::Host,
};
use bench::{Bench, call, left, minute, signal, until};
use mcp_catalog::{Request, ResourceUri, ServerPort};
use rstest::rstest;
use serde_json::{Value, json};
use std::{collections::BTreeSet, process::Output, sync::Arc, time::Duration};

/// A server that ends by SIGKILL alone, and so does its child.
fn stubborn() -> Value {
    json!({"ignore_eof": true, "ignore_sigterm": true, "grandchild": true})
}

/// The servers that a machine has started, by the wire logs of their names.
fn leaders(host: &Host, names: &[&str]) -> BTreeSet<u32> {
    let entries = names.iter().flat_map(|name| host.wire(name).unwrap());
    entries.filter_map(|entry| if let Entry::Started { pid, .. } = entry { Some(pid) } else { None }).collect()
}

/// So many servers were started, and nothing of them is left. A process that was killed may need a moment to be gone:
/// the kernel ends it, not the one who killed it.
async fn gone(host: &Host, names: &[&str], started: usize) {
    let leaders = leaders(host, names);
    assert_eq!(leaders.len(), started);
    until(|| left(&leaders).is_empty()).await;
}

/// Runs a command until the server has received `method`, and sends a signal.
async fn stopped(host: &Host, method: &str, args: &[&str], signals: &[&str]) -> Output {
    let child = host.command(args).spawn().unwrap();
    until(|| !host.received("docs", method).unwrap().is_empty()).await;
    for name in signals {
        signal(child.id().unwrap(), name).await;
    }
    child.wait_with_output().await.unwrap()
}

// S13, S18
#[rstest]
#[case::start("initialize", &["mcp", "read", "docs", "book://one"])]
#[case::listing("resources/list", &["mcp", "search", "docs", "first"])]
#[case::read("resources/read", &["mcp", "read", "docs", "book://one"])]
#[case::prompt("prompts/get", &["mcp", "prompt", "docs", "review", "book=one"])]
#[case::call("tools/call", &["mcp", "invoke", "docs", "add", "a=1", "b=2"])]
#[case::function("tools/call", &["mcp", "call", "mcp_invoke_docs", r#"{"tool":"add","arguments":{"a":1,"b":2}}"#])]
#[tokio::test]
async fn a_signal_at_every_stage_cancels_what_is_in_flight_and_leaves_no_process(
    #[case] method: &str,
    #[case] args: &[&str],
    #[values("INT", "TERM", "HUP")] signal: &str,
) {
    let mut script = shelf();
    script["rules"] = json!([{"on": method, "reply": "nothing"}]);
    script["process"] = stubborn();
    let host = with(script);
    let output = stopped(&host, method, args, &[signal]).await;
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let asked: Vec<_> = host.received("docs", method).unwrap().into_iter().map(|asked| asked.id).collect();
    let cancelled: Vec<_> = host.received("docs", "notifications/cancelled").unwrap();
    let cancelled: Vec<_> =
        cancelled.iter().map(|sent| sent.params.as_ref().map(|params| params["requestId"].clone())).collect();
    if method == "initialize" {
        // MCP forbids to cancel `initialize`: there the closed stream says it.
        assert_eq!(cancelled, Vec::new());
    } else {
        // Other listings of the same search may still stand when the signal comes; they are cancelled with it.
        assert!(!asked.is_empty() && asked.iter().all(|id| cancelled.contains(id)), "{asked:?} {cancelled:?}");
    }
    gone(&host, &["docs"], 1).await;
}

// S12: what the entry in mcp.json says reaches each request that it is for, and the server hears of its end.
#[rstest]
#[case::call("tools/call", "mcp_invoke_docs", r#"{"tool":"add","arguments":{"a":1,"b":2}}"#)]
#[case::read("resources/read", "mcp_read_docs", r#"{"uri":"book://one"}"#)]
#[case::prompt("prompts/get", "mcp_prompt_docs", r#"{"prompt":"review","arguments":{"book":"one"}}"#)]
#[tokio::test]
async fn the_tool_timeout_of_an_entry_ends_a_request_that_is_never_answered(
    #[case] method: &str,
    #[case] function: &str,
    #[case] arguments: &str,
) {
    let mut script = shelf();
    script["rules"] = json!([{"on": method, "reply": "nothing"}]);
    let mut host = machine();
    host.serve_with("docs", script, json!({"tool_timeout_sec": 1})).unwrap();
    let answer = run(&host, &["mcp", "call", function, arguments]).await.json().unwrap();
    assert_eq!(answer["code"], "timeout", "{answer}");
    assert!(answer["tool_call_error"].as_str().unwrap().contains("within 1 s"), "{answer}");
    assert_eq!(host.received("docs", "notifications/cancelled").unwrap().len(), 1);
}

// S13
#[tokio::test]
async fn impatience_changes_nothing() {
    let mut script = shelf();
    script["rules"] = json!([{"on": "tools/call", "reply": "nothing"}]);
    script["process"] = stubborn();
    let host = with(script);
    let args = ["mcp", "invoke", "docs", "add", "a=1", "b=2"];
    let output = stopped(&host, "tools/call", &args, &["INT", "INT", "TERM", "HUP", "INT"]).await;
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(host.received("docs", "notifications/cancelled").unwrap().len(), 1);
    gone(&host, &["docs"], 1).await;
}

// S18
#[rstest]
#[tokio::test]
async fn ten_servers_are_gone_after_a_signal(#[values("TERM", "HUP")] signal: &str) {
    let mut host = machine();
    let names: Vec<String> = (0..10).map(|n| format!("s{n}")).collect();
    for name in &names {
        let mut script = shelf();
        script["process"] = stubborn();
        host.serve(name, script).unwrap();
    }
    host.serve("docs", json!({"rules": [{"on": "initialize", "reply": "nothing"}], "process": stubborn()})).unwrap();
    let child = host.command(&["mcp", "list"]).spawn().unwrap();
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    until(|| all.iter().all(|name| !host.received(name, "notifications/initialized").unwrap().is_empty())).await;
    self::signal(child.id().unwrap(), signal).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    all.push("docs");
    gone(&host, &all, 11).await;
}

/// Starts a stubborn server, and ends as a defect does.
#[expect(clippy::panic, reason = "the defect whose end is looked at")]
async fn start_and_panic(bench: &Bench, told: &std::sync::mpsc::Sender<u32>) {
    let port = bench.serve("docs", json!({"tools": [{"name": "t", "inputSchema": {}}], "process": stubborn()})).await;
    told.send(port.process().unwrap().id().unwrap()).unwrap();
    panic!("a defect");
}

// S18. The guard of the process kills the group; nothing is awaited here.
#[test]
fn a_panic_in_main_leaves_no_process() {
    let (told, ids) = std::sync::mpsc::channel();
    let main = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let bench = Bench::new();
        runtime.block_on(start_and_panic(&bench, &told));
    });
    let leader = BTreeSet::from([ids.recv().unwrap()]);
    assert!(main.join().is_err());
    while !left(&leader).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

// S18. A defect in a task takes its connections with it, and the rest goes on.
#[tokio::test]
async fn a_panic_in_a_task_ends_the_servers_that_only_it_used() {
    let bench = Arc::new(Bench::new());
    let (told, ids) = std::sync::mpsc::channel();
    let task = tokio::spawn({
        let bench = Arc::clone(&bench);
        async move { start_and_panic(&bench, &told).await }
    });
    assert!(task.await.unwrap_err().is_panic());
    let leader = BTreeSet::from([ids.recv().unwrap()]);
    // A stubborn server has two graces of three seconds.
    until(|| left(&leader).is_empty()).await;
    let port = bench.serve("other", json!({"tools": [{"name": "t", "inputSchema": {}}]})).await;
    assert!(port.ask(call("t"), minute()).await.is_ok());
    bench.factory.shut_down(Duration::from_millis(50)).await;
}

// S17. What has no `initialize` is a process of its own for the second greeting.
#[rstest]
#[case::method_not_found(-32601)]
#[case::unsupported_version(-32022)]
#[tokio::test]
async fn a_server_without_initialize_is_started_again_and_discovered(#[case] code: i32) {
    let bench = Bench::new();
    let script = json!({
        "resources": [{"uri": "a://1", "name": "one"}],
        "contents": {"a://1": [{"uri": "a://1", "text": "one"}]},
        "rules": [
            {"on": "initialize", "reply": {"error": {"code": code, "message": "no"}}},
            {"on": "server/discover", "reply": {"result": {
                "supportedVersions": ["2026-07-28"], "capabilities": {"resources": {}}, "ttlMs": 0, "cacheScope": "private"}}},
        ],
    });
    let port = bench.serve("docs", script).await;
    assert_eq!(port.handshake().protocol, "2026-07-28");
    let read = Request::ReadResource { uri: ResourceUri::new("a://1").unwrap() };
    assert!(port.ask(read, minute()).await.is_ok());
    let wire = read_wire_log(&bench.log("docs")).unwrap();
    assert_eq!(wire.iter().filter(|entry| matches!(entry, Entry::Started { .. })).count(), 2);
    assert_eq!((received(&wire, "initialize").len(), received(&wire, "server/discover").len()), (1, 1));
    until(|| bench.factory.running() == 1).await;
    bench.factory.shut_down(Duration::from_millis(50)).await;
}

// S17
#[tokio::test]
async fn a_server_that_has_neither_greeting_is_started_twice_and_tells_both_causes() {
    let bench = Bench::new();
    let no = |on: &str| json!({"on": on, "reply": {"error": {"code": -32601, "message": "no"}}});
    let entry = bench.entry("docs", json!({"rules": [no("initialize"), no("server/discover")]}));
    let error = bench.factory.acquire(&entry).await.unwrap_err();
    insta::assert_snapshot!(error, @"Handshake failed: Server answered with error -32601: no; then, to `server/discover`: Server answered with error -32601: no");
    let wire = read_wire_log(&bench.log("docs")).unwrap();
    assert_eq!(wire.iter().filter(|entry| matches!(entry, Entry::Started { .. })).count(), 2);
}

// S18: a script must not take half of a text for the whole.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_cannot_be_written_to_stdout_is_a_failure_whatever_it_is() {
    let host = machine();
    for args in [&["--help"][..], &["--version"], &["--completions", "bash"], &["mcp", "list"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let status = host.command(args).stdout(full).status().await.unwrap();
        assert_eq!(status.code(), Some(1), "{args:?}");
    }
}
