//! A reply's calls from end to end: who is asked, what runs, and what goes back (S6, S25, S38, S39, S40).

use super::*;
use crate::functions::{ApprovalPolicy, ApprovalStore, Asked, Asking, Consent, LocalCall, NobodyToAsk};
use crate::model::Function;
use mcp_catalog::{
    Budget, Capabilities, Handshake, Inline, LocalPort, LruSnapshots, McpRuntime, Request, ServerName, ServerPort,
    deadline,
};
use mcp_meta::{MetaName, Verb, declare};
use mcp_render::{Ceiling, SpillStore};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

type Seen = Arc<Mutex<Vec<String>>>;

struct Tools(Seen);

impl LocalTools for Tools {
    fn functions(&self) -> Vec<Function> {
        ["look", "change"]
            .map(|name| Function { name: name.to_owned(), description: String::new(), parameters: json!({}) })
            .to_vec()
    }

    fn asks(&self, name: &str) -> bool {
        name == "change"
    }

    fn call<'a>(&'a self, name: &'a str, arguments: &'a Value, scope: &'a LocalScope) -> Option<LocalCall<'a>> {
        self.names().iter().any(|known| known == name).then(|| -> LocalCall<'a> {
            Box::pin(async move {
                self.0.lock().unwrap().push(name.to_owned());
                Answer { value: json!({"with": arguments, "ceiling": scope.ceiling.bytes()}), code: None }
            })
        })
    }
}

struct Says(Vec<Consent>, Mutex<Vec<Vec<String>>>);

impl Asker for Says {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a> {
        self.1.lock().unwrap().push(questions.iter().map(|question| question.subject.to_string()).collect());
        Box::pin(async { Asked::Answered(self.0.clone()) })
    }
}

struct Stage {
    context: MetaContext,
    tools: Tools,
    seen: Seen,
    approval: Approval,
    dir: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let (dir, seen) = (tempfile::tempdir().unwrap(), Seen::default());
        let log = Arc::clone(&seen);
        let all = Capabilities { tools: true, resources: true, prompts: true, completions: false };
        let port: Arc<dyn ServerPort> = Arc::new(LocalPort::new(
            ServerName::new("x").unwrap(),
            Handshake::of(all),
            Arc::new(move |request| {
                log.lock().unwrap().push(request.method().to_owned());
                match request {
                    Request::CallTool { .. } => Ok(json!({"content": [{"type": "text", "text": "called"}]})),
                    _ => Ok(json!({"contents": [{"uri": "a://b", "text": "read"}]})),
                }
            }),
        ));
        let runtime = McpRuntime::new([port]);
        let context = MetaContext {
            declared: Arc::new(declare(&runtime.server_features(), &[])),
            runtime,
            allow: Arc::new(BTreeMap::new()),
            snapshots: Arc::new(LruSnapshots::default()),
            offload: Arc::new(Inline),
            spills: Arc::new(SpillStore::new(dir.path().join("spills"))),
            ceiling: Ceiling::default(),
            budget: Budget::new(deadline::CALL),
        };
        let (store, _) = ApprovalStore::read(dir.path().join("approvals.json"));
        let approval = Approval::new(ApprovalPolicy::default(), [], store);
        Self { context, tools: Tools(Arc::clone(&seen)), seen, approval, dir }
    }

    async fn run(&self, asker: &dyn Asker, guard: &mut LoopGuard, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let run =
            ReplyRun { context: &self.context, local: &self.tools, approval: &self.approval, asker, watch: &Unwatched };
        run_reply(run, guard, calls).await
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: String::new(), name: name.to_owned(), arguments }
}

fn meta(verb: Verb, arguments: Value) -> ToolCall {
    call(&MetaName::of(verb, &ServerName::new("x").unwrap()).to_string(), arguments)
}

fn codes(results: &[ToolResult]) -> Vec<Option<Code>> {
    results.iter().map(|result| result.code).collect()
}

#[tokio::test]
async fn the_calls_of_one_reply_are_asked_about_together_in_call_order_and_only_those_with_a_yes_run() {
    let stage = Stage::new();
    let calls = vec![
        call("change", json!({"n": 1})),
        meta(Verb::Read, json!({"uri": "a://b"})),
        meta(Verb::Invoke, json!({"tool": "t"})),
        call("look", json!({})),
        meta(Verb::Invoke, json!({"tool": "u"})),
    ];
    let asker = Says(vec![Consent::Yes, Consent::No, Consent::Yes], Mutex::default());
    let results = stage.run(&asker, &mut LoopGuard::default(), calls.clone()).await;
    assert_eq!(asker.1.lock().unwrap().as_slice(), [vec!["change".to_owned(), "x: t".to_owned(), "x: u".to_owned()]]);
    assert_eq!(codes(&results), [None, None, Some(Code::Denied), None, None]);
    assert!(results.iter().zip(&calls).all(|(result, call)| result.name == call.name), "{results:?}");
    let mut seen = stage.seen();
    seen.sort();
    assert_eq!(seen, ["change", "look", "resources/read", "tools/call"]);
    assert!(stage.dir.path().is_dir());
}

#[tokio::test]
async fn without_a_terminal_what_would_change_something_is_not_run() {
    let stage = Stage::new();
    let calls = vec![meta(Verb::Invoke, json!({"tool": "t"})), call("change", json!({})), call("look", json!({}))];
    let results = stage.run(&NobodyToAsk, &mut LoopGuard::default(), calls).await;
    assert_eq!(codes(&results), [Some(Code::Denied), Some(Code::Denied), None]);
    assert_eq!(stage.seen(), ["look"]);
}

#[tokio::test]
async fn malformed_arguments_are_an_error_that_a_model_can_mend_and_nothing_is_asked_or_run() {
    let stage = Stage::new();
    let given = [json!("{\"a\": "), json!("[1]"), json!([1]), json!(3)];
    let calls = given.iter().flat_map(|given| [call("change", given.clone()), meta(Verb::Invoke, given.clone())]);
    let asker = Says(Vec::new(), Mutex::default());
    let results = stage.run(&asker, &mut LoopGuard::default(), calls.collect()).await;
    assert!(codes(&results).iter().all(|code| *code == Some(Code::InvalidArguments)), "{results:?}");
    assert!(asker.1.lock().unwrap().is_empty() && stage.seen().is_empty());
    insta::assert_snapshot!(results[0].output, @r#"{"tool_call_error":"The arguments of `change` must be one JSON object; given was `{\"a\": `, which is no JSON: EOF while parsing a value at line 1 column 6","code":"invalid_arguments","hint":"Repeat the call with one JSON object by the function's schema; `{}` when it needs no arguments"}"#);
    let lenient = [json!(null), json!(""), json!("{}"), json!({})].map(|given| call("look", given)).to_vec();
    let results = stage.run(&NobodyToAsk, &mut LoopGuard::default(), lenient).await;
    assert!(results.iter().all(|result| result.output["with"] == json!({})), "{results:?}");
}

#[tokio::test]
async fn an_unknown_function_is_refused_with_the_closest_of_all_functions() {
    let stage = Stage::new();
    let results = stage
        .run(&NobodyToAsk, &mut LoopGuard::default(), vec![call("lok", json!({})), call("mcp_invoke_y", json!({}))])
        .await;
    assert_eq!(codes(&results), [Some(Code::Unsupported); 2]);
    assert_eq!(results[0].output["closest"][0], "look");
    assert_eq!(results[1].output["closest"][0], "mcp_invoke_x");
    assert!(
        results[0].output["hint"].as_str().unwrap().contains("Local tools: `look`, `change`"),
        "{}",
        results[0].output
    );
}

#[tokio::test]
async fn the_fourth_equal_call_is_refused_by_the_loop_guard_across_replies() {
    let (stage, mut guard) = (Stage::new(), LoopGuard::default());
    let mut all = Vec::new();
    for _ in 0..4 {
        all.extend(codes(&stage.run(&NobodyToAsk, &mut guard, vec![call("look", json!({}))]).await));
    }
    assert_eq!(all, [None, None, None, Some(Code::Denied)]);
    assert_eq!(stage.seen().len(), 3);
}

#[tokio::test]
async fn local_tools_share_the_ceiling_of_the_reply_with_the_others() {
    let mut stage = Stage::new();
    let calls = |count: usize| (0..count).map(|n| call("look", json!({"n": n}))).collect::<Vec<_>>();
    let ceiling = async |stage: &Stage, count| {
        stage.run(&NobodyToAsk, &mut LoopGuard::default(), calls(count)).await[0].output["ceiling"].clone()
    };
    assert_eq!(ceiling(&stage, 1).await, 204_800);
    assert_eq!(ceiling(&stage, 24).await, 25_600);
    stage.context.ceiling = Ceiling::new(10_000);
    assert_eq!(ceiling(&stage, 2).await, 10_000);
}

#[tokio::test]
async fn after_the_user_stopped_a_local_tool_is_not_begun() {
    let stage = Stage::new();
    stage.context.budget.cancel.cancel();
    let results = stage.run(&NobodyToAsk, &mut LoopGuard::default(), vec![call("look", json!({}))]).await;
    assert_eq!(codes(&results), [Some(Code::Cancelled)]);
    assert!(stage.seen().is_empty());
}
