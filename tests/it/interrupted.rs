//! Ctrl-C at every stage of a turn, as a signal to the real binary: it ends with 130 at once, what had arrived stays, and
//! everybody who worked for the turn hears of its end (S13, S18).
#![cfg(target_os = "linux")]

use crate::{
    exits::bench::{signal, until},
    machine::{machine, shelf, with},
};
use acceptance::{
    host::{Host, is_running},
    model_server::{Answer, Api, Ending, ModelServer},
};
use rstest::rstest;
use serde_json::json;
use std::{
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};
use tokio::{
    io::AsyncReadExt,
    process::{Child, Command},
};

/// The promise is a second; the rest is for a machine that runs other tests as well.
const AT_ONCE: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(20);

async fn spoken_to(host: &Host, api: Api, answer: Answer) -> ModelServer {
    let model = ModelServer::start(api, [answer]).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    model
}

fn begun(mut command: Command) -> Child {
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take());
    child
}

/// Sends Ctrl-C. The status is 130; both streams are handed back.
async fn stopped(child: Child) -> (String, String) {
    let sent = Instant::now();
    signal(child.id().unwrap(), "INT").await;
    let output = child.wait_with_output().await.unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(130), "{out}\n{err}");
    assert!(sent.elapsed() < AT_ONCE, "{:?}", sent.elapsed());
    assert!(!err.contains("panicked"), "{err}");
    (out, err)
}

#[tokio::test]
async fn while_stdin_is_open_and_says_nothing() {
    let host = machine();
    let model = spoken_to(&host, Api::OpenAi, Answer::text("never")).await;
    let child = host.command(&["summarise"]).spawn().unwrap();
    until(|| listens(child.id().unwrap())).await;
    stopped(child).await;
    assert!(model.requests().is_empty());
}

/// Whether a process has a handler of SIGINT.
fn listens(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 1) != 0
}

#[tokio::test]
async fn while_servers_start() {
    let mut host = with(json!({"rules": [{"on": "initialize", "reply": "nothing"}]}));
    host.serve("good", shelf()).unwrap();
    let model = spoken_to(&host, Api::OpenAi, Answer::text("never")).await;
    let child = begun(host.command(&["hello"]));
    until(|| !host.received("docs", "initialize").unwrap().is_empty()).await;
    assert_eq!(stopped(child).await.0, "");
    assert!(model.requests().is_empty());
}

#[rstest]
#[tokio::test]
async fn while_the_first_word_is_waited_for(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(&["hello"], &["-S", "hello"])] args: &[&str],
) {
    let host = with(shelf());
    let model = spoken_to(&host, api, Answer::text("never").ending(0, Ending::Silence)).await;
    let child = begun(host.command(args));
    until(|| !model.requests().is_empty()).await;
    assert_eq!(stopped(child).await.0, "");
    assert!(model.hung_up(0, PATIENCE).await, "the provider was not told");
}

#[rstest]
#[tokio::test]
async fn while_a_slow_reply_arrives_what_came_of_it_stays(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = with(shelf());
    let words = "slow words arrive one by one ".repeat(100);
    let model = spoken_to(&host, api, Answer::text(&words).slow(Duration::from_millis(100))).await;
    let mut child = begun(host.command(&["slow"]));
    let mut first = [0; 5];
    child.stdout.as_mut().unwrap().read_exact(&mut first).await.unwrap();
    let (rest, _) = stopped(child).await;
    assert_eq!(&first, b"slow ");
    assert!(words.starts_with(&format!("slow {rest}")) && rest.len() < words.len() / 2, "{rest}");
    assert!(model.hung_up(0, PATIENCE).await, "the provider was not told");
}

#[tokio::test]
async fn during_the_pause_before_another_try() {
    let host = machine();
    let model = spoken_to(&host, Api::OpenAi, Answer::status(429, "{}").header("retry-after", "50")).await;
    let mut child = begun(host.command(&["hello"]));
    let mut told = Vec::new();
    while !String::from_utf8_lossy(&told).contains("trying again in 50") {
        assert_ne!(child.stderr.as_mut().unwrap().read_buf(&mut told).await.unwrap(), 0);
    }
    stopped(child).await;
    assert_eq!(model.requests().len(), 1);
}

#[rstest]
#[case::read("resources/read", "mcp_read_docs", json!({"uri": "book://one"}))]
#[case::tool("tools/call", "mcp_invoke_docs", json!({"tool": "add", "arguments": {"a": 1, "b": 2}}))]
#[case::prompt("prompts/get", "mcp_prompt_docs", json!({"prompt": "review", "arguments": {"book": "one"}}))]
#[case::search("resources/list", "mcp_search_docs", json!({"query": "one"}))]
#[tokio::test]
async fn while_a_call_never_returns_its_server_is_told(
    #[case] method: &str,
    #[case] function: &str,
    #[case] arguments: serde_json::Value,
) {
    let mut script = shelf();
    script["rules"] = json!([{"on": method, "reply": "nothing"}]);
    let host = with(script);
    let model = spoken_to(&host, Api::OpenAi, Answer::new().call("c1", function, &arguments)).await;
    let child = begun(host.command(&["--yes", "do it"]));
    until(|| !host.received("docs", method).unwrap().is_empty()).await;
    stopped(child).await;
    let asked = host.received("docs", method).unwrap();
    let cancelled = host.received("docs", "notifications/cancelled").unwrap();
    let ids: Vec<_> = cancelled.iter().filter_map(|sent| sent.params.as_ref()?.get("requestId").cloned()).collect();
    assert!(ids.contains(asked[0].id.as_ref().unwrap()), "{asked:?} {cancelled:?}");
    assert_eq!(model.requests().len(), 1, "no further request");
}

#[tokio::test]
async fn while_a_local_tool_runs_it_and_its_children_end() {
    let host = machine();
    let declared = json!([{"name": "wait", "description": "Waits", "parameters": {"type": "object"}}]);
    host.write("config/functions/functions.json", &declared.to_string()).unwrap();
    host.write("config/functions/bin/wait", "#!/bin/sh\nsleep 90 &\necho $! > child\nmv child pid\nwait\n").unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(host.path("config/functions/bin/wait"), mode).unwrap();
    let model = ModelServer::start(Api::OpenAi, [Answer::new().call("c1", "wait", &json!({}))]).await.unwrap();
    host.write("config/config.yaml", &format!("{}enabled_tools: all\n", model.config_yaml())).unwrap();
    let child = begun(host.command(&["wait"]));
    until(|| host.path("project/pid").exists()).await;
    let pid: u32 = std::fs::read_to_string(host.path("project/pid")).unwrap().trim().parse().unwrap();
    stopped(child).await;
    until(|| !is_running(pid)).await;
}
