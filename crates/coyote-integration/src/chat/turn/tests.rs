//! Turns over a scripted model and a scripted toolbox: what is sent, what is kept, and how each ends.

use super::*;
use crate::model::{Abilities, Chatting, Function, Message};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// What one request gets.
#[derive(Debug, Clone)]
enum Act {
    /// This reply, its text in pieces.
    Reply(Reply),
    /// An error.
    Fails(ModelFault),
    /// This text, then nothing until it is cancelled; whether it then ends by itself.
    Hangs(&'static str, bool),
}

#[derive(Default)]
struct Scripted {
    acts: Mutex<VecDeque<Act>>,
    requests: Mutex<Vec<ChatRequest>>,
    blind: bool,
}

impl Scripted {
    fn of(acts: impl IntoIterator<Item = Act>) -> Self {
        Self { acts: Mutex::new(acts.into_iter().collect()), ..Self::default() }
    }
}

fn error(fault: ModelFault) -> ModelError {
    ModelError { fault, text: format!("{fault:?}"), hint: String::new() }
}

impl ChatModel for Scripted {
    fn id(&self) -> &'static str {
        "test:scripted"
    }

    fn abilities(&self) -> Abilities {
        Abilities { max_input_tokens: None, max_output_tokens: None, function_calling: !self.blind, vision: true }
    }

    fn chat<'a>(&'a self, request: ChatRequest, sink: &'a dyn ReplySink, cancel: CancellationToken) -> Chatting<'a> {
        self.requests.lock().unwrap().push(request);
        let act = self.acts.lock().unwrap().pop_front().expect("a request that no one scripted");
        Box::pin(async move {
            match act {
                Act::Reply(reply) => {
                    for piece in reply.text.split_inclusive(' ') {
                        sink.text(piece);
                    }
                    Ok(reply)
                }
                Act::Fails(fault) => Err(error(fault)),
                Act::Hangs(text, obeys) => {
                    sink.text(text);
                    cancel.cancelled().await;
                    if !obeys {
                        std::future::pending::<()>().await;
                    }
                    Ok(Reply { text: text.to_owned(), cut: Some(error(ModelFault::Cancelled)), ..Reply::default() })
                }
            }
        })
    }
}

/// Declares one function more in each round, and answers each call with its own name; `hangs` never answers, and a call
/// of `stop` stops the user's turn.
struct Shelf {
    declared: Mutex<usize>,
    stop: CancellationToken,
}

struct Shown {
    names: Vec<String>,
    stop: CancellationToken,
}

impl Toolbox for Shelf {
    fn declare(&self) -> Box<dyn Round> {
        let mut declared = self.declared.lock().unwrap();
        *declared += 1;
        Box::new(Shown { names: (0..*declared).map(|n| format!("f{n}")).collect(), stop: self.stop.clone() })
    }
}

impl Round for Shown {
    fn functions(&self) -> Vec<Function> {
        let function =
            |name: &String| Function { name: name.clone(), description: String::new(), parameters: json!({}) };
        self.names.iter().map(function).collect()
    }

    fn run(&self, calls: Vec<ToolCall>, view: Arc<dyn TurnView>, _: CancellationToken) -> Running<'_> {
        Box::pin(async move {
            let mut results = Vec::new();
            for call in calls {
                view.call_started(&call);
                match call.name.as_str() {
                    "hangs" => std::future::pending().await,
                    "stop" => self.stop.cancel(),
                    _ => {}
                }
                let result =
                    ToolResult { id: call.id.clone(), name: call.name.clone(), output: json!(call.name), code: None };
                view.call_ended(&call, &result);
                results.push(result);
            }
            results
        })
    }
}

/// Writes down what it is told.
#[derive(Default)]
struct Seen(Mutex<Vec<String>>);

impl TurnView for Seen {
    fn text(&self, more: &str) {
        self.0.lock().unwrap().push(more.to_owned());
    }

    fn call_started(&self, call: &ToolCall) {
        self.0.lock().unwrap().push(format!("> {}", call.name));
    }

    fn call_ended(&self, call: &ToolCall, _: &ToolResult) {
        self.0.lock().unwrap().push(format!("< {}", call.name));
    }
}

struct Played {
    taken: Taken,
    transcript: Transcript,
    requests: Vec<ChatRequest>,
    seen: Vec<String>,
}

async fn play(model: Scripted, cancel: CancellationToken) -> Played {
    let view = Arc::new(Seen::default());
    let toolbox = Shelf { declared: Mutex::new(0), stop: cancel.clone() };
    let mut transcript = Transcript::beginning(vec![Message::System("be brief".to_owned())]);
    let sampling = Sampling { temperature: Some(0.5), top_p: None, stream: true };
    let turn = Turn { model: &model, toolbox: &toolbox, view: Arc::clone(&view) as _, sampling, cancel };
    let taken = turn.take(&mut transcript, vec![Part::Text("hello".to_owned())]).await;
    let seen = view.0.lock().unwrap().clone();
    let requests = model.requests.lock().unwrap().clone();
    Played { taken, transcript, requests, seen }
}

async fn run(acts: impl IntoIterator<Item = Act>) -> Played {
    play(Scripted::of(acts), CancellationToken::new()).await
}

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: json!({}) }
}

fn calls(text: &str, names: &[&str]) -> Act {
    let calls = names.iter().enumerate().map(|(n, name)| call(&format!("c{n}"), name)).collect();
    Act::Reply(Reply { text: text.to_owned(), calls, usage: Some(Usage { input: 10, output: 1 }), ..Reply::default() })
}

fn text(text: &str) -> Act {
    Act::Reply(Reply { text: text.to_owned(), usage: Some(Usage { input: 5, output: 2 }), ..Reply::default() })
}

/// The conversation behind system and user message, in short.
fn kept(transcript: &Transcript) -> Vec<String> {
    let short = |message: &Message| match message {
        Message::System(text) => format!("system {text}"),
        Message::User(_) => "user".to_owned(),
        Message::Assistant { text, calls } => {
            calls.iter().fold(format!("says {text}"), |line, call| format!("{line} [{}]", call.name))
        }
        Message::Results(results) => results.iter().fold("results".to_owned(), |line, result| {
            format!("{line} {}", result.code.map_or_else(|| result.output.to_string(), |code| code.to_string()))
        }),
    };
    transcript.messages().iter().map(short).collect()
}

#[tokio::test]
async fn calls_run_and_their_results_go_back_in_call_order_until_a_reply_calls_nothing() {
    let done = run([calls("let me see", &["a", "b"]), calls("", &["c"]), text("done now")]).await;
    assert_eq!(done.taken, Taken { end: TurnEnd::Answered, usage: Some(Usage { input: 25, output: 4 }), rounds: 3 });
    let all = [
        "system be brief",
        "user",
        "says let me see [a] [b]",
        "results \"a\" \"b\"",
        "says  [c]",
        "results \"c\"",
        "says done now",
    ];
    assert_eq!(kept(&done.transcript), all);
    assert_eq!(done.requests[2].messages, done.transcript.messages()[..6]);
    assert_eq!(done.seen, ["let ", "me ", "see", "> a", "< a", "> b", "< b", "> c", "< c", "done ", "now"]);
}

// S6, S14: late servers join the next request.
#[tokio::test]
async fn the_declared_set_is_fixed_for_a_request_and_recomputed_for_the_next() {
    let done = run([calls("", &["a"]), text("x")]).await;
    let declared: Vec<usize> = done.requests.iter().map(|request| request.functions.len()).collect();
    assert_eq!(declared, [1, 2]);
    assert!(done.requests.iter().all(|request| request.temperature == Some(0.5) && request.stream));
}

#[tokio::test]
async fn a_model_that_calls_no_functions_is_told_of_none() {
    let done = play(Scripted { blind: true, ..Scripted::of([text("x")]) }, CancellationToken::new()).await;
    assert_eq!(done.requests[0].functions, []);
}

#[tokio::test]
async fn a_cut_reply_is_kept_without_its_calls() {
    let Act::Reply(reply) = calls("half a", &["a"]) else { unreachable!() };
    let cut = Reply { cut: Some(error(ModelFault::Connection)), ..reply };
    let done = run([Act::Reply(cut)]).await;
    assert_eq!(done.taken.end, TurnEnd::Cut(error(ModelFault::Connection)));
    assert_eq!(kept(&done.transcript), ["system be brief", "user", "says half a"]);
}

#[tokio::test]
async fn a_failure_leaves_what_was_answered_and_takes_back_what_was_not() {
    let done = run([Act::Fails(ModelFault::Auth)]).await;
    assert_eq!(done.taken.end, TurnEnd::Failed(error(ModelFault::Auth)));
    assert_eq!(kept(&done.transcript), ["system be brief"]);
    let done = run([calls("", &["a"]), Act::Fails(ModelFault::Provider)]).await;
    assert_eq!(kept(&done.transcript), ["system be brief", "user", "says  [a]", "results \"a\""]);
}

#[tokio::test]
async fn a_model_that_never_stops_calling_is_stopped() {
    let done = run((0..=MAX_ROUNDS).map(|_| calls("", &["a"]))).await;
    assert_eq!((done.taken.end, done.taken.rounds), (TurnEnd::TooManyRounds, MAX_ROUNDS));
    assert_eq!(done.seen.iter().filter(|line| *line == "> a").count(), MAX_ROUNDS - 1);
}

// S13
#[tokio::test(start_paused = true)]
async fn stopped_while_it_streams_what_had_arrived_is_kept_whether_the_model_obeys_or_not() {
    for obeys in [true, false] {
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let stopper = async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            stop.cancel();
        };
        let begun = tokio::time::Instant::now();
        let (done, ()) = tokio::join!(play(Scripted::of([Act::Hangs("half an ans", obeys)]), cancel), stopper);
        assert_eq!(done.taken.end, TurnEnd::Cancelled);
        assert_eq!(kept(&done.transcript), ["system be brief", "user", "says half an ans"]);
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    }
}

// S13
#[tokio::test(start_paused = true)]
async fn stopped_while_calls_run_the_ended_keep_their_results_and_the_others_are_cancelled() {
    let done = run([calls("", &["a", "stop", "hangs", "b"])]).await;
    assert_eq!(done.taken.end, TurnEnd::Cancelled);
    let results = "results \"a\" \"stop\" cancelled cancelled";
    assert_eq!(kept(&done.transcript), ["system be brief", "user", "says  [a] [stop] [hangs] [b]", results]);
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let name = prop::sample::select(vec!["a", "b", "stop", "hangs"]);
    let id = prop::sample::select(vec!["", "1", "2", "call_1"]);
    let calls = prop::collection::vec((id, name), 0..4);
    let fault = prop::option::weighted(0.2, Just(ModelFault::Connection));
    let reply = ("[a-c ]{0,6}", calls, fault).prop_map(|(text, calls, fault)| {
        let calls = calls.into_iter().map(|(id, name)| call(id, name)).collect();
        Act::Reply(Reply { text, calls, cut: fault.map(error), ..Reply::default() })
    });
    let act = prop_oneof![6 => reply, 1 => Just(Act::Fails(ModelFault::Provider)), 1 => Just(Act::Hangs("h", true))];
    prop::collection::vec(act, 0..5).prop_map(|mut acts| {
        acts.push(text("end"));
        acts
    })
}

proptest! {
    #[test]
    fn whatever_happens_every_call_has_its_result_and_no_two_calls_one_id(acts in acts()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let done = runtime.block_on(async {
            let cancel = CancellationToken::new();
            let stop = cancel.clone();
            let stopper = async move {
                tokio::time::sleep(Duration::from_secs(3)).await;
                stop.cancel();
            };
            tokio::join!(play(Scripted::of(acts), cancel), stopper).0
        });
        let mut before: Vec<ToolCall> = Vec::new();
        for message in done.transcript.messages() {
            match message {
                Message::Results(results) => {
                    let ids = |ids: Vec<&String>| ids.into_iter().cloned().collect::<Vec<_>>();
                    let called = ids(before.iter().map(|call| &call.id).collect());
                    prop_assert_eq!(&called, &ids(results.iter().map(|result| &result.id).collect()));
                    let unique: std::collections::BTreeSet<_> = called.iter().collect();
                    prop_assert!(unique.len() == called.len() && !called.iter().any(String::is_empty));
                    before.clear();
                }
                Message::Assistant { text, calls } => {
                    prop_assert!(before.is_empty() && !(text.is_empty() && calls.is_empty()));
                    before.clone_from(calls);
                }
                Message::System(_) | Message::User(_) => prop_assert!(before.is_empty()),
            }
        }
        prop_assert!(before.is_empty());
    }
}

#[test]
fn a_result_that_says_stopped_names_the_next_step() {
    let result = stopped(&call("1", "f"));
    assert_eq!(result.code, Some(Code::Cancelled));
    assert!(
        result.output["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
        "{}",
        Value::to_string(&result.output)
    );
}
