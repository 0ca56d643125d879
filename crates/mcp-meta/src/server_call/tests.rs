//! What the verbs share: deadlines (S12), cancellation (S13), the allowlist in notes (S7), and the way back to a spill (S34).

use super::*;
use crate::rehearsal::{Asked, Rehearsal, nothing_else, refused, run};
use mcp_catalog::{Offload, Offloaded, ProgressSink, deadline};
use mcp_render::Code;
use rstest::rstest;
use serde_json::{Value, json};

fn everything() -> Value {
    json!({"tools": [], "resources": [], "templates": [], "prompts": []})
}

fn idles(stage: &Rehearsal) -> Vec<(&'static str, u64, u64)> {
    let line = |asked: &Asked| (asked.request.method(), asked.budget.idle.as_secs(), asked.budget.total.as_secs());
    stage.asked().iter().map(line).collect()
}

#[test]
fn every_request_has_the_deadline_of_its_kind() {
    let stage = Rehearsal::new(everything(), |_request| Err(PortError::AuthRequired));
    stage.ask(Verb::Invoke, json!({"tool": "t"}));
    stage.ask(Verb::Read, json!({"uri": "a://b"}));
    stage.ask(Verb::Prompt, json!({"prompt": "p"}));
    let total = deadline::TOTAL.as_secs();
    let listing = ("prompts/list", 2, 2);
    // The pager shortens what is left of a listing by the time that passed.
    let asked: Vec<_> = idles(&stage).into_iter().filter(|(method, ..)| !method.ends_with("/list")).collect();
    assert_eq!(asked, [("tools/call", 120, total), ("resources/read", 60, total), ("prompts/get", 60, total)]);
    let quick = idles(&stage).into_iter().find(|(method, ..)| *method == "prompts/list").unwrap();
    assert!(quick.1 <= listing.1 && quick.2 <= listing.2, "{quick:?}");
}

#[test]
fn a_listing_has_thirty_seconds() {
    let stage = Rehearsal::new(everything(), nothing_else);
    stage.get(Verb::Search, json!({}));
    stage.fail(Verb::Describe, json!({"tool": "t"}), Code::NotFound);
    let asked = stage.asked();
    assert_eq!(asked.len(), 5);
    for asked in asked {
        // The pager takes off what has passed.
        assert!(asked.budget.idle > deadline::LISTING / 2 && asked.budget.idle <= deadline::LISTING, "{asked:?}");
    }
}

#[test]
fn the_servers_entry_sets_the_deadline_of_calls_reads_and_prompts_only() {
    let timeout = Duration::from_hours(1);
    let stage = Rehearsal::with_tool_timeout(everything(), timeout, |_request| Err(PortError::AuthRequired));
    for (verb, arguments) in [
        (Verb::Invoke, json!({"tool": "t"})),
        (Verb::Read, json!({"uri": "a://b"})),
        (Verb::Prompt, json!({"prompt": "p"})),
        (Verb::Search, json!({})),
    ] {
        stage.ask(verb, arguments);
    }
    for asked in stage.asked() {
        let lists = asked.request.method().ends_with("/list");
        assert_eq!(asked.budget.idle == timeout, !lists, "{asked:?}");
        // A deadline over the cap on progress raises the cap (S12).
        assert!(lists || asked.budget.total >= timeout, "{asked:?}");
    }
}

#[test]
fn cancellation_and_progress_are_the_callers_own() {
    let mut stage = Rehearsal::new(everything(), |_request| Err(PortError::AuthRequired));
    stage.context.budget = stage.context.budget.clone().reporting_to(ProgressSink::new(|_progress| ()));
    let cancel = stage.context.budget.cancel.clone();
    stage.ask(Verb::Invoke, json!({"tool": "t"}));
    let asked = stage.asked();
    assert!(asked[0].budget.progress.is_some());
    cancel.cancel();
    assert!(asked[0].budget.cancel.is_cancelled());
}

#[rstest]
#[case(Verb::Invoke, json!({"tool": "t"}))]
#[case(Verb::Search, json!({}))]
#[case(Verb::Describe, json!({"tool": "t"}))]
#[case(Verb::Read, json!({"uri": "a://b"}))]
#[case(Verb::Prompt, json!({"prompt": "p"}))]
fn a_cancelled_call_of_any_verb_is_answered_as_cancelled(#[case] verb: Verb, #[case] arguments: Value) {
    let stage = Rehearsal::new(everything(), nothing_else);
    stage.context.budget.cancel.cancel();
    stage.fail(verb, arguments, Code::Cancelled);
}

#[test]
fn a_server_that_is_not_there_is_answered_with_the_closest_names() {
    let stage = Rehearsal::new(everything(), nothing_else);
    let answer = run(crate::call_verb(&stage.context, Verb::Search, &ServerName::new("dosc").unwrap(), json!({})));
    assert_eq!(answer.code, Some(Code::NotFound));
    assert_eq!(answer.value["closest"], json!(["docs"]));
}

#[test]
fn an_undeclared_function_is_refused_before_the_server_is_asked() {
    let stage = Rehearsal::new(json!({"tools": []}), nothing_else);
    for name in ["mcp_read_docs", "mcp_prompt_docs", "mcp_bogus_x", "mcp_invoke_other", "echo"] {
        let answer = run(crate::call(&stage.context, name, json!({"uri": "a://b", "tool": "echo"})));
        crate::rehearsal::check(&answer, stage.context.ceiling);
        assert_eq!(answer.code, Some(Code::Unsupported), "{name}");
    }
    assert_eq!(stage.wire(), [""; 0]);
}

#[rstest]
#[case::tools_server_reads(json!({"tools": []}), Verb::Read, json!({"uri": "a://b"}), "resources")]
#[case::tools_server_prompts(json!({"tools": []}), Verb::Prompt, json!({"prompt": "p"}), "prompts")]
#[case::resources_server_invokes(json!({"resources": []}), Verb::Invoke, json!({"tool": "t"}), "tools")]
#[case::unknown_server_reads(json!({}), Verb::Read, json!({"uri": "a://b"}), "resources")]
#[case::tools_server_describes_a_prompt(json!({"tools": []}), Verb::Describe, json!({"tool": "p", "kind": "prompt"}), "prompts")]
fn what_a_server_did_not_declare_is_answered_without_asking_it(
    #[case] catalog: Value,
    #[case] verb: Verb,
    #[case] arguments: Value,
    #[case] plural: &str,
) {
    // C32, C33.
    let stage = Rehearsal::new(catalog, nothing_else);
    let error = stage.fail(verb, arguments, Code::Unsupported);
    assert_eq!(error["tool_call_error"], format!("Server `docs` did not declare {plural}"));
    assert_eq!(stage.wire(), [""; 0]);
}

#[test]
fn an_unknown_server_is_asked_for_its_tools_alone() {
    // C31, S4, R6: fail-open for tools, and the other kinds are not probed.
    let stage = Rehearsal::new(json!({}), |_request| Ok(json!({"content": [{"type": "text", "text": "done"}]})));
    let resources = stage.get(Verb::Search, json!({"kind": "resource"}));
    assert_eq!(resources["notes"], json!(["resources: not declared by the server"]));
    assert_eq!(stage.get(Verb::Invoke, json!({"tool": "t"}))["content"][0]["text"], "done");
    assert_eq!(stage.wire(), ["tools/call"]);
}

#[test]
fn the_way_back_to_a_spill_is_a_function_that_exists() {
    let back = |stage: &Rehearsal| ServerCall::open(&stage.context, Verb::Invoke, &stage.server()).unwrap().read_back();
    let read = ReadBack::Read { function: "mcp_read_docs".to_owned() };
    let describe = ReadBack::Describe { function: "mcp_describe_docs".to_owned() };
    let resources = || Rehearsal::new(json!({"tools": [], "resources": []}), nothing_else);
    assert_eq!(back(&resources()), read);
    assert_eq!(back(&resources().undeclared()), read, "a host's own call declares nothing");
    assert_eq!(back(&Rehearsal::new(json!({"tools": []}), nothing_else)), describe);
    let mut taken = resources();
    taken.context.declared = Arc::new(crate::declare(&taken.context.runtime.server_features(), &["mcp_read_docs"]));
    assert_eq!(back(&taken), describe, "the name is a tool of the user's own");
}

/// An offload with a thread for each piece of work.
#[derive(Debug)]
struct Threads;

impl Offload for Threads {
    fn run(&self, work: Box<dyn FnOnce() + Send>) -> Offloaded {
        let (done, ran) = oneshot::channel();
        std::thread::spawn(move || {
            work();
            let _ = done.send(());
        });
        Box::pin(async move {
            let _ = ran.await;
        })
    }
}

#[test]
fn blocking_work_runs_where_the_host_wants_it() {
    let mut stage = Rehearsal::new(everything(), |_request| Ok(json!({"contents": [{"uri": "a://b", "text": "x"}]})));
    stage.context.offload = Arc::new(Threads);
    assert_eq!(stage.get(Verb::Read, json!({"uri": "a://b"}))["text"], "x");
    let call = ServerCall::open(&stage.context, Verb::Read, &stage.server()).unwrap();
    let there = run(call.offload(|| std::thread::current().id()));
    assert_ne!(there, Ok(std::thread::current().id()));
}

/// An offload that loses its work, as a host that shuts down does.
#[derive(Debug)]
struct Loses;

impl Offload for Loses {
    fn run(&self, work: Box<dyn FnOnce() + Send>) -> Offloaded {
        drop(work);
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn work_that_was_lost_is_an_error_and_no_hang() {
    let mut stage = Rehearsal::new(everything(), |_request| Ok(json!({"contents": []})));
    stage.context.offload = Arc::new(Loses);
    stage.fail(Verb::Read, json!({"uri": "a://b"}), Code::InvalidResponse);
}

#[test]
fn a_hidden_tool_is_in_no_note() {
    let catalog = json!({"tools": [
        {"name": "shown", "inputSchema": {}},
        {"name": "secret", "inputSchema": {}},
        {"name": "secret", "inputSchema": {}},
        {"name": "shown", "inputSchema": {}},
        {"name": "secret_broken", "inputSchema": null},
    ]});
    let open = Rehearsal::new(catalog.clone(), nothing_else).get(Verb::Search, json!({"kind": "tool"}));
    assert!(open["notes"].to_string().contains("secret_broken"), "{open}");
    let limited = Rehearsal::new(catalog, nothing_else).allowing(&["sh*"]).get(Verb::Search, json!({"kind": "tool"}));
    assert_eq!(limited["total"], 1);
    assert_eq!(limited["notes"], json!([]));
}

#[rstest]
#[case::whole(json!([]), true)]
#[case::not_implemented(json!(-32601), true)]
#[case::failed(json!(-32000), false)]
fn a_listing_tells_what_does_not_exist_only_when_it_is_whole(#[case] templates: Value, #[case] whole: bool) {
    let stage = Rehearsal::new(json!({"resources": [], "templates": templates}), |_request| Err(refused(-32000, "no")));
    let code = if whole { Code::NotFound } else { Code::ServerError };
    stage.fail(Verb::Read, json!({"uri": "a://b"}), code);
}
