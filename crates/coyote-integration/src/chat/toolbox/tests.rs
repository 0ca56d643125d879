//! A turn over the embedded server of a real state: what is declared, run, refused, and told.

use super::*;
use crate::{
    chat::{Sampling, Transcript, Turn, TurnEnd},
    config::{Environment, Paths, PlatformDirs, ProcessEnv},
    functions::{ApprovalPolicy, ApprovalStore, LocalCall, LocalScope, NoLocalTools, NobodyToAsk},
    model::{Abilities, ChatModel, ChatRequest, Chatting, Message, Part, Reply, ReplySink},
};
use mcp_catalog::Progress;
use mcp_render::{Code, ErrorShape};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// A model that says these replies in order and keeps what it was asked.
struct Scripted {
    replies: Mutex<VecDeque<Vec<ToolCall>>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl ChatModel for Scripted {
    fn id(&self) -> &'static str {
        "test:scripted"
    }

    fn abilities(&self) -> Abilities {
        Abilities { max_input_tokens: None, max_output_tokens: None, function_calling: true, vision: false }
    }

    fn chat<'a>(&'a self, request: ChatRequest, _: &'a dyn ReplySink, _: CancellationToken) -> Chatting<'a> {
        self.requests.lock().unwrap().push(request);
        let calls = self.replies.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(async move { Ok(Reply { text: "text".to_owned(), calls, ..Reply::default() }) })
    }
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl TurnView for Notes {
    fn text(&self, _: &str) {}

    fn call_started(&self, call: &ToolCall) {
        self.0.lock().unwrap().push(format!("> {}", call.name));
    }

    fn progress(&self, call: &ToolCall, progress: &Progress) {
        self.0.lock().unwrap().push(format!("{} {}", call.name, progress.progress));
    }

    fn call_ended(&self, call: &ToolCall, _: &ToolResult) {
        self.0.lock().unwrap().push(format!("< {}", call.name));
    }

    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

/// One tool that asks, and one whose name is a meta-function's.
struct Own;

impl LocalTools for Own {
    fn functions(&self) -> Vec<Function> {
        ["change", "mcp_read_coyote"]
            .map(|name| Function { name: name.to_owned(), description: String::new(), parameters: json!({}) })
            .to_vec()
    }

    fn asks(&self, name: &str) -> bool {
        name == "change"
    }

    fn call<'a>(&'a self, name: &'a str, _: &'a Value, _: &'a LocalScope) -> Option<LocalCall<'a>> {
        let shape = ErrorShape {
            tool_call_error: "ran".to_owned(),
            code: Code::ServerError,
            hint: String::new(),
            closest: Vec::new(),
        };
        (name == "change").then(|| Box::pin(async move { shape.into() }) as LocalCall<'a>)
    }
}

fn app(dir: &std::path::Path) -> Arc<AppState> {
    let mut environment = Environment::new(ProcessEnv::of(&[]));
    let platform = PlatformDirs { config: dir.join("config"), cache: dir.join("cache") };
    let paths = Paths::find(&mut environment, Some(&platform)).unwrap();
    Arc::new(AppState::load(paths, environment))
}

struct Machine {
    tools: Tools,
    _dir: tempfile::TempDir,
}

fn machine(local: Arc<dyn LocalTools>, yes: bool) -> Machine {
    let dir = tempfile::tempdir().unwrap();
    let app = app(dir.path());
    let policy = ApprovalPolicy { yes, ..ApprovalPolicy::default() };
    let (store, _) = ApprovalStore::read(dir.path().join("approvals.json"));
    let approval = Arc::new(Approval::new(policy, app.servers.iter(), store));
    let enabled = app.servers.enabled(None).servers;
    let tools = Tools::new(app, enabled, local, approval, Arc::new(NobodyToAsk));
    Machine { tools, _dir: dir }
}

impl Machine {
    async fn start(&self) {
        let entries: Vec<_> = self.tools.app.servers.iter().map(|server| server.entry.clone()).collect();
        let mut settling = self.tools.app.start(entries);
        while settling.next().await.is_some() {}
    }

    async fn turn(&self, replies: &[&[(&str, Value)]]) -> (Vec<ToolResult>, Vec<String>, Vec<ChatRequest>) {
        let mut number = 0;
        let mut call = |(name, arguments): &(&str, Value)| {
            number += 1;
            ToolCall { id: format!("c{number}"), name: (*name).to_owned(), arguments: arguments.clone() }
        };
        let replies = replies.iter().map(|calls| calls.iter().map(&mut call).collect()).collect();
        let model = Scripted { replies: Mutex::new(replies), requests: Mutex::default() };
        let view = Arc::new(Notes::default());
        let turn = Turn {
            model: &model,
            toolbox: &self.tools,
            view: Arc::clone(&view) as _,
            sampling: Sampling { temperature: None, top_p: None, stream: false },
            cancel: CancellationToken::new(),
        };
        let mut transcript = Transcript::default();
        let taken = turn.take(&mut transcript, vec![Part::Text("go".to_owned())]).await;
        assert_eq!(taken.end, TurnEnd::Answered);
        let results = transcript.messages().iter().filter_map(|message| match message {
            Message::Results(results) => Some(results.clone()),
            _ => None,
        });
        let seen = view.0.lock().unwrap().clone();
        let requests = model.requests.lock().unwrap().clone();
        (results.flatten().collect(), seen, requests)
    }
}

fn names(request: &ChatRequest) -> Vec<&str> {
    request.functions.iter().map(|function| function.name.as_str()).collect()
}

#[tokio::test]
async fn parallel_calls_answer_in_call_order_and_the_last_reply_ends_the_turn() {
    let machine = machine(Arc::new(NoLocalTools), false);
    machine.start().await;
    let first: &[(&str, Value)] = &[
        ("mcp_read_coyote", json!({"uri": "coyote://manual/start"})),
        ("mcp_search_coyote", json!({"query": "manual"})),
        ("mcp_invoke_coyote", json!({"tool": "check_config"})),
    ];
    let second: &[(&str, Value)] = &[("mcp_describe_coyote", json!({"tool": "check_config"}))];
    let (results, seen, requests) = machine.turn(&[first, second]).await;
    let answered: Vec<_> = results.iter().map(|result| (result.id.as_str(), result.code)).collect();
    assert_eq!(answered, [("c1", None), ("c2", None), ("c3", None), ("c4", None)]);
    assert!(results[0].output["text"].as_str().unwrap().starts_with("# "), "{}", results[0].output);
    assert_eq!(requests.len(), 3);
    assert_eq!(seen.iter().filter(|line| line.starts_with("< ")).count(), 4);
}

// S6, S14
#[tokio::test]
async fn only_servers_that_are_ready_at_a_request_are_declared_in_it() {
    let machine = machine(Arc::new(NoLocalTools), false);
    let (results, _, requests) = machine.turn(&[&[("mcp_search_coyote", json!({}))]]).await;
    assert_eq!((names(&requests[0]), results[0].code), (vec![], Some(Code::Unsupported)));
    machine.start().await;
    let (_, _, requests) = machine.turn(&[]).await;
    let verbs = ["invoke", "search", "describe", "read", "prompt"].map(|verb| format!("mcp_{verb}_coyote"));
    assert_eq!(names(&requests[0]), verbs);
}

// S6: what became ready while the model answered belongs to the next request.
#[tokio::test]
async fn a_server_that_became_ready_after_a_request_is_not_called_by_its_reply() {
    let machine = machine(Arc::new(NoLocalTools), false);
    let before = machine.tools.declare();
    machine.start().await;
    let call = ToolCall { id: "1".to_owned(), name: "mcp_search_coyote".to_owned(), arguments: json!({}) };
    let run = |round: Box<dyn Round>| {
        let call = call.clone();
        async move { round.run(vec![call], Arc::new(Notes::default()), CancellationToken::new()).await[0].code }
    };
    assert_eq!(run(before).await, Some(Code::Unsupported));
    assert_eq!(run(machine.tools.declare()).await, None);
}

// S40
#[tokio::test]
async fn a_local_tool_that_changes_something_runs_with_a_yes_alone() {
    for (yes, code) in [(false, Code::Denied), (true, Code::ServerError)] {
        let machine = machine(Arc::new(Own), yes);
        let (results, seen, _) = machine.turn(&[&[("change", json!({}))]]).await;
        assert_eq!(results[0].code, Some(code), "{}", results[0].output);
        assert_eq!(seen.contains(&"> change".to_owned()), yes, "{seen:?}");
    }
}

// S3
#[tokio::test]
async fn a_name_that_is_taken_is_told_once_and_local_tools_come_first() {
    let machine = machine(Arc::new(Own), false);
    machine.start().await;
    let (_, seen, requests) = machine.turn(&[&[("mcp_search_coyote", json!({}))]]).await;
    assert_eq!(names(&requests[0])[..2], ["change", "mcp_read_coyote"]);
    assert_eq!(names(&requests[1]).iter().filter(|name| **name == "mcp_read_coyote").count(), 1);
    assert_eq!(seen.iter().filter(|line| line.contains("`mcp_read_coyote`")).count(), 1, "{seen:?}");
}

// S25: the host's ceiling holds for every answer, and JSON is never cut.
#[tokio::test]
async fn the_ceiling_of_the_host_bounds_an_answer() {
    let mut machine = machine(Arc::new(NoLocalTools), false);
    machine.tools.ceiling = Ceiling::new(4_096);
    machine.start().await;
    let (results, ..) = machine.turn(&[&[("mcp_read_coyote", json!({"uri": "coyote://manual/resources"}))]]).await;
    assert!(mcp_render::json_len(&results[0].output) <= 4_096);
    assert_eq!(results[0].output["truncated"], true);
}

#[tokio::test]
async fn the_same_call_with_the_same_result_is_refused_after_three_times() {
    let machine = machine(Arc::new(NoLocalTools), false);
    machine.start().await;
    let call: &[(&str, Value)] = &[("mcp_invoke_coyote", json!({"tool": "check_config"}))];
    let (results, ..) = machine.turn(&[call, call, call, call]).await;
    let codes: Vec<_> = results.iter().map(|result| result.code).collect();
    assert_eq!(codes, [None, None, None, Some(Code::Denied)]);
}
