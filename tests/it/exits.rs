//! Every way out of the program and out of a server: nothing is left running, nothing hangs, and what was lost is
//! connected again (S13, S15, S18).
#![cfg(target_os = "linux")]

use crate::machine::{machine, run, shelf, with};
use acceptance::{
    fixture::{Entry, read_wire_log, received},
    host::{Host, is_running},
};
use coyote_integration::mcp::{Client, Lasting, McpFactory, ParentEnv, ServerEntry, Transport};
use mcp_catalog::{Budget, PortError, Request, ResourceUri, ServerName, ServerPort, ToolName};
use rstest::rstest;
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;

/// A server that ends by SIGKILL alone, and so does its child.
fn stubborn() -> Value {
    json!({"ignore_eof": true, "ignore_sigterm": true, "grandchild": true})
}

/// What runs in the sessions that these servers lead: they, and whatever they started. The dead are their parents'
/// matter, and those of this process are counted by [`children`].
fn left(leaders: &BTreeSet<u32>) -> Vec<u32> {
    let mut left = processes(|_, session| leaders.contains(&session));
    left.retain(|id| is_running(*id));
    left
}

/// The living and the dead processes by parent and session.
fn processes(fits: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let ids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let fitting = ids.filter(|id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
        let field = |n: usize| rest.split(' ').nth(n).and_then(|word| word.parse().ok()).unwrap_or(0);
        fits(field(1), field(3))
    });
    fitting.collect()
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

/// Waits until something holds. A test that hangs here has failed.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn signal(id: u32, signal: &str) {
    let line = format!("kill -{signal} {id}");
    assert!(tokio::process::Command::new("sh").args(["-c", &line]).status().await.unwrap().success());
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

/// One fixture server without the binary: its connections are this process's own.
struct Bench {
    dir: TempDir,
    factory: McpFactory,
}

impl Bench {
    fn new() -> Self {
        let factory = McpFactory::new(ParentEnv::inherited(), Client::default(), []);
        Self { dir: TempDir::new().unwrap(), factory }
    }

    fn log(&self, name: &str) -> PathBuf {
        self.dir.path().join(format!("{name}.wire"))
    }

    fn entry(&self, name: &str, mut script: Value) -> ServerEntry {
        script["wire_log"] = json!(self.log(name));
        let path = self.dir.path().join(format!("{name}.json"));
        fs::write(&path, script.to_string()).unwrap();
        entry(name, &path)
    }

    async fn serve(&self, name: &str, script: Value) -> Arc<Lasting> {
        self.factory.acquire(&self.entry(name, script)).await.unwrap()
    }
}

fn entry(name: &str, script: &Path) -> ServerEntry {
    let transport = Transport::Stdio {
        command: env!("CARGO_BIN_EXE_fixture-server").to_owned(),
        args: vec![script.display().to_string()],
        env: Vec::new(),
        cwd: None,
    };
    ServerEntry::new(ServerName::new(name).unwrap(), transport)
}

fn minute() -> Budget {
    Budget::new(Duration::from_mins(1))
}

fn call(tool: &str) -> Request {
    Request::CallTool { name: ToolName::new(tool).unwrap(), arguments: Map::new() }
}

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Of these servers, those that run and those that nobody has waited for. Tests that share this process have children
/// of their own.
fn children(leaders: &BTreeSet<u32>) -> usize {
    let own = std::process::id();
    processes(|parent, session| parent == own && leaders.contains(&session)).len()
}

// S15. C75: kill -9 in mid-call, and the next call works.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_in_mid_call_fifty_times_is_there_fifty_times_more() {
    const TIMES: usize = 50;
    let bench = Bench::new();
    let script = json!({
        "tools": [{"name": "hang", "inputSchema": {}}, {"name": "work", "inputSchema": {}}],
        "rules": [{"on": "tools/call", "of": "hang", "reply": "nothing"}],
        "process": {"grandchild": true},
    });
    let port = bench.serve("docs", script).await;
    port.ask(call("work"), minute()).await.unwrap();
    let hanging = || received(&read_wire_log(&bench.log("docs")).unwrap(), "tools/call").len();
    let (files, mut asked) = (open_files(), hanging());
    let mut ids = BTreeSet::from([port.process().unwrap().id().unwrap()]);
    for round in 0..TIMES {
        let id = port.process().unwrap().id().unwrap();
        let killing = async {
            until(|| hanging() > asked).await;
            signal(id, "KILL").await;
        };
        let (answer, ()) = tokio::join!(port.ask(call("hang"), minute()), killing);
        assert_eq!(answer, Err(PortError::ConnectionClosed { retry_in: None }), "round {round}");
        assert!(port.ask(call("work"), minute()).await.is_ok(), "round {round}");
        ids.insert(port.process().unwrap().id().unwrap());
        asked = hanging();
    }
    assert_eq!(ids.len(), TIMES + 1);
    // Grandchildren end a moment after their leaders.
    until(|| bench.factory.running() == 1).await;
    until(|| children(&ids) <= 1).await;
    // A file kept a round would be as many as there were rounds; tests that share this process hold some of their own.
    until(|| open_files() < files + TIMES).await;
    let last = BTreeSet::from([port.process().unwrap().id().unwrap()]);
    let others: BTreeSet<u32> = ids.difference(&last).copied().collect();
    assert_eq!((left(&others), left(&last).len()), (Vec::new(), 2));
    bench.factory.shut_down(Duration::from_millis(50)).await;
    assert_eq!((left(&ids), children(&ids)), (Vec::new(), 0));
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
