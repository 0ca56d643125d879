//! Both chains, the order of results, and what never reaches a server (R4, design §9).

use super::*;
use mcp_catalog::{
    Budget, Capabilities, Handshake, Inline, LocalPort, LruSnapshots, McpRuntime, PortError, Request, ServerName,
    deadline,
};
use mcp_meta::{MetaName, Verb, declare};
use mcp_render::{Ceiling, Code, ErrorShape, SpillStore};
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// What a server was asked, and what local tools ran.
type Seen = Arc<Mutex<Vec<String>>>;

fn answer(request: &Request) -> Result<Value, PortError> {
    match request {
        Request::List { .. } => Ok(json!({"tools": [], "resources": [], "resourceTemplates": [], "prompts": []})),
        Request::ReadResource { uri } => Ok(json!({"contents": [{"uri": uri.as_str(), "text": "read"}]})),
        Request::GetPrompt { .. } => {
            Ok(json!({"messages": [{"role": "user", "content": {"type": "text", "text": "p"}}]}))
        }
        Request::CallTool { name, .. } if name.as_str() == "panics" => panic!("a defect"),
        Request::CallTool { name, .. } if name.as_str() == "guarded" => Err(PortError::AuthRequired),
        Request::CallTool { .. } => Ok(json!({"content": [{"type": "text", "text": "called"}]})),
        Request::Complete { .. } => Err(PortError::Unsupported { cause: "no".to_owned() }),
    }
}

fn context() -> (MetaContext, Seen, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    let all = Capabilities { tools: true, resources: true, prompts: true, completions: false };
    let port = LocalPort::new(
        ServerName::new("x").unwrap(),
        Handshake::of(all),
        Arc::new(move |request| {
            log.lock().unwrap().push(request.method().to_owned());
            answer(&request)
        }),
    );
    let port: Arc<dyn mcp_catalog::ServerPort> = Arc::new(port);
    let runtime = McpRuntime::new([port]);
    let declared = Arc::new(declare(&runtime.server_features(), &[]));
    let context = MetaContext {
        runtime,
        declared,
        allow: Arc::new(BTreeMap::new()),
        snapshots: Arc::new(LruSnapshots::default()),
        offload: Arc::new(Inline),
        spills: Arc::new(SpillStore::new(dir.path().to_owned())),
        ceiling: Ceiling::default(),
        budget: Budget::new(deadline::CALL),
    };
    (context, seen, dir)
}

/// Local tools that write down their name; `slow` lets everything else run first.
struct Tools(Seen);

impl LocalTools for Tools {
    fn functions(&self) -> Vec<Function> {
        let function =
            |name: &str| Function { name: name.to_owned(), description: String::new(), parameters: json!({}) };
        vec![function("slow"), function("fast")]
    }

    fn call<'a>(&'a self, name: &'a str, arguments: &'a Value, _scope: &'a LocalScope) -> Option<LocalCall<'a>> {
        if !self.names().iter().any(|known| known == name) {
            return None;
        }
        Some(Box::pin(async move {
            if name == "slow" {
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
            }
            self.0.lock().unwrap().push(name.to_owned());
            Answer { value: json!({"ran": name, "with": arguments}), code: None }
        }))
    }
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: name.to_owned(), name: name.to_owned(), arguments }
}

fn meta(verb: Verb) -> String {
    MetaName::of(verb, &ServerName::new("x").unwrap()).to_string()
}

fn arguments(verb: Verb) -> Value {
    match verb {
        Verb::Invoke | Verb::Describe => json!({"tool": "t"}),
        Verb::Search => json!({}),
        Verb::Read => json!({"uri": "test://x"}),
        Verb::Prompt => json!({"prompt": "p"}),
    }
}

/// What each verb asks of a server. Only invoke may call a tool.
fn asks(verb: Verb) -> &'static str {
    match verb {
        Verb::Invoke => "tools/call",
        Verb::Search | Verb::Describe => "tools/list",
        Verb::Read => "resources/read",
        Verb::Prompt => "prompts/get",
    }
}

#[tokio::test]
async fn read_and_prompt_route_to_themselves_on_both_chains_and_never_reach_invoke() {
    for verb in Verb::ALL {
        for concurrent in [true, false] {
            let (context, seen, _dir) = context();
            let calls = vec![(0, call(&meta(verb), arguments(verb)))];
            if concurrent {
                eval_mcp(&context, calls).await;
            } else {
                eval(&context, &NoLocalTools, calls).await;
            }
            let seen = seen.lock().unwrap().clone();
            assert!(seen.iter().any(|method| method == asks(verb)), "{verb} {concurrent}: {seen:?}");
            let invoked = seen.iter().any(|method| method == "tools/call");
            assert_eq!(invoked, verb == Verb::Invoke, "{verb} {concurrent}: {seen:?}");
        }
    }
}

#[tokio::test]
async fn a_bogus_name_ends_in_the_invoke_arms_refusal_on_both_chains_and_no_server_is_asked() {
    for name in ["mcp_bogus_x", "mcp_read_unknown", "mcp_invoke_", "fs_none"] {
        let (context, seen, _dir) = context();
        let sequential = eval(&context, &NoLocalTools, vec![(0, call(name, json!({})))]).await;
        let concurrent = eval_mcp(&context, vec![(0, call(name, json!({})))]).await;
        assert_eq!(sequential, concurrent);
        let result = &sequential[0].1;
        assert_eq!(result.code, Some(Code::Unsupported), "{name}: {}", result.output);
        assert!(seen.lock().unwrap().is_empty());
    }
    let (context, ..) = context();
    let results = run_calls(&context, &NoLocalTools, vec![call("mcp_bogus_x", json!({}))]).await;
    assert!(results[0].output["hint"].as_str().unwrap().contains(&meta(Verb::Invoke)), "{}", results[0].output);
}

#[tokio::test]
async fn results_go_back_in_call_order_whatever_ended_first_and_local_tools_run_in_order() {
    let (context, seen, _dir) = context();
    let tools = Tools(Arc::clone(&seen));
    let names = ["slow".to_owned(), meta(Verb::Read), "fast".to_owned(), meta(Verb::Prompt)];
    let calls = names.iter().map(|name| {
        let verb = MetaName::parse(name).map(|name| name.verb());
        call(name, verb.map_or(json!({"n": 1}), arguments))
    });
    let results = run_calls(&context, &tools, calls.collect()).await;
    assert_eq!(results.iter().map(|result| result.id.clone()).collect::<Vec<_>>(), names);
    assert_eq!(results[0].output, json!({"ran": "slow", "with": {"n": 1}}));
    let seen = seen.lock().unwrap().clone();
    let at = |what: &str| seen.iter().position(|seen| seen == what).unwrap();
    assert!(at("slow") < at("fast"), "{seen:?}");
    assert!(at("prompts/get") < at("slow"), "meta-functions do not wait for local tools: {seen:?}");
}

#[tokio::test]
async fn the_calls_of_one_reply_share_what_a_reply_may_hold() {
    let (context, ..) = context();
    let text = "x".repeat(400_000);
    let read = move |_request| Ok(json!({"contents": [{"uri": "a", "text": text}]}));
    let handshake = Handshake::of(Capabilities { resources: true, ..Capabilities::default() });
    let port = LocalPort::new(ServerName::new("x").unwrap(), handshake, Arc::new(read));
    let port: Arc<dyn mcp_catalog::ServerPort> = Arc::new(port);
    let context = MetaContext { runtime: McpRuntime::new([port]), ..context };
    let calls = (0..10).map(|id| ToolCall {
        id: id.to_string(),
        name: meta(Verb::Read),
        arguments: json!({"uri": "test://x", "max_bytes": 204_800}),
    });
    let results = run_calls(&context, &NoLocalTools, calls.collect()).await;
    assert!(results.iter().all(|result| result.output.to_string().len() <= 61_440 && result.code.is_none()));
    assert!(results.iter().any(|result| result.output.to_string().len() > 50_000));
}

#[tokio::test]
async fn a_defect_in_one_call_costs_nothing_of_the_others() {
    let (context, _, _dir) = context();
    let bad = ToolCall { id: "bad".to_owned(), name: meta(Verb::Invoke), arguments: json!({"tool": "panics"}) };
    let results = run_calls(&context, &NoLocalTools, vec![bad, call(&meta(Verb::Read), arguments(Verb::Read))]).await;
    assert_eq!(results[0].code, Some(Code::InvalidResponse));
    assert_eq!(results[1].code, None);
    let shape: ErrorShape = ErrorShape {
        tool_call_error: results[0].output["tool_call_error"].as_str().unwrap().to_owned(),
        code: Code::InvalidResponse,
        hint: results[0].output["hint"].as_str().unwrap().to_owned(),
        closest: Vec::new(),
    };
    insta::assert_snapshot!(format!("{}. {}", shape.tool_call_error, shape.hint), @"The answer to `mcp_invoke_x` could not be handled. This is a defect of coyote; its log has the details. Try other arguments");
}

/// S47: a call never logs in; its answer names the command.
#[tokio::test]
async fn a_call_that_needs_a_login_answers_with_the_command_to_run() {
    let (context, _, _dir) = context();
    let calls = vec![(0, call(&meta(Verb::Invoke), json!({"tool": "guarded"})))];
    let results = eval_mcp(&context, calls).await;
    let shown = format!("{results:?}");
    assert!(shown.contains("auth_required") && shown.contains("coyote mcp auth 'x'"), "{shown}");
}
