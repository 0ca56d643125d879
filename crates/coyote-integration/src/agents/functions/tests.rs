//! What the functions answer: shapes, paging, the user's part in approvals, and where nobody sits.

use super::*;
use crate::{
    agents::{
        desk::{Answering, NobodyAtTheDesk, Told, UserAnswer, UserQuestion, Wanted},
        escalation::EscalatingAsker,
        supervisor::{Launch, Launcher, Listed, Order, Outcome},
    },
    config::Spawning,
    functions::{ApprovalPolicy, ApprovalStore, Asked, Asking, Consent, Question, Subject},
};
use futures_util::future::BoxFuture;
use mcp_catalog::ServerName;
use mcp_render::{Ceiling, Code, ErrorShape, SpillStore, json_len};
use serde_json::json;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// A user who says this, and keeps what was asked.
struct User(Told, Mutex<Vec<UserQuestion>>);

impl Desk for User {
    fn is_staffed(&self) -> bool {
        self.0 != Told::Nobody
    }

    fn ask<'a>(&'a self, question: &'a UserQuestion) -> Answering<'a> {
        self.1.lock().unwrap().push(question.clone());
        Box::pin(async { self.0.clone() })
    }
}

/// A user who says this to every call.
struct Says(Consent, Mutex<usize>);

impl Asker for Says {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a> {
        *self.1.lock().unwrap() += questions.len();
        Box::pin(async move { Asked::Answered(vec![self.0; questions.len()]) })
    }
}

/// `say <text>`; `call` wants a tool called and says what it was told; `input` asks the user.
struct Script(Arc<Approval>);

impl Launcher for Script {
    fn listed(&self) -> Vec<Listed> {
        vec![Listed { name: "scout".to_owned(), description: "d".repeat(2_000), variables: Vec::new() }]
    }

    fn launch(&self, order: &Order, _: &str) -> Result<Launch, ErrorShape> {
        let (task, approval) = (order.task.clone(), Arc::clone(&self.0));
        let run = move |seat: Arc<Seat>| -> BoxFuture<'static, Outcome> {
            Box::pin(async move {
                match task.as_str() {
                    "call" => {
                        let asker = EscalatingAsker::new(seat);
                        let settled = approval.settle(&[wish()], &asker).await;
                        Outcome::done(format!("{:?}", settled[0].as_ref().map(|refused| refused.code)))
                    }
                    "input" => {
                        let asker: Arc<dyn Asker> = Arc::new(EscalatingAsker::new(Arc::clone(&seat)));
                        let own = AgentFunctions::new(None, Voice::Up(seat), approval, asker);
                        let question = json!({"question": "Which?", "options": ["red", "blue"]});
                        let scope = scope(Ceiling::default());
                        Outcome::done(own.call("user__select", &question, &scope).unwrap().await.value.to_string())
                    }
                    text => Outcome::done(text),
                }
            })
        };
        Ok(Launch { escalation_timeout: None, run: Box::new(run) })
    }
}

fn wish() -> Question {
    let server = ServerName::new("docs").unwrap();
    Question { subject: Subject::Server { server, tool: "add".to_owned() }, arguments: json!({"a": 1}) }
}

fn scope(ceiling: Ceiling) -> LocalScope {
    let spills = Arc::new(SpillStore::new(std::env::temp_dir().join("never-written")));
    LocalScope { ceiling, cancel: CancellationToken::new(), spills }
}

struct Rig {
    functions: AgentFunctions,
    asker: Arc<Says>,
    _dir: tempfile::TempDir,
}

fn rig(consent: Consent, desk: Arc<dyn Desk>) -> Rig {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = ApprovalStore::read(dir.path().join("approvals.json"));
    let approval = Arc::new(Approval::new(ApprovalPolicy::default(), [], store));
    let asker = Arc::new(Says(consent, Mutex::default()));
    let spawning = Spawning { allowed: true, ..Spawning::default() };
    let script = Arc::new(Script(Arc::clone(&approval)));
    let supervisor = Supervisor::root(script, spawning, "m".to_owned(), desk.as_ref());
    let functions =
        AgentFunctions::new(Some(supervisor), Voice::Desk(desk), approval, Arc::clone(&asker) as Arc<dyn Asker>);
    Rig { functions, asker, _dir: dir }
}

fn staffed() -> Arc<dyn Desk> {
    Arc::new(User(Told::Declined, Mutex::default()))
}

impl Rig {
    async fn call_within(&self, name: &str, arguments: Value, ceiling: Ceiling) -> Value {
        self.functions.call(name, &arguments, &scope(ceiling)).unwrap().await.value
    }

    async fn call(&self, name: &str, arguments: Value) -> Value {
        self.call_within(name, arguments, Ceiling::default()).await
    }

    async fn spawn(&self, task: &str) {
        let spawned = self.call("agent__spawn", json!({"agent": "scout", "task": task})).await;
        assert_eq!(spawned["status"], "running", "{spawned}");
    }
}

#[test]
fn an_agent_that_may_not_spawn_asks_the_user_and_supervises_nobody() {
    let all = rig(Consent::Yes, staffed()).functions.names();
    assert_eq!(all.len(), AGENT_FUNCTIONS.len());
    let (approval, asker) = {
        let rig = rig(Consent::Yes, staffed());
        (Arc::clone(&rig.functions.approval), Arc::clone(&rig.functions.asker))
    };
    let plain = AgentFunctions::new(None, Voice::Desk(Arc::new(NobodyAtTheDesk)), approval, asker);
    assert_eq!(plain.names(), ["user__select", "user__confirm", "user__input", "user__checkbox"]);
    let names = LocalTools::functions(&plain).into_iter().map(|function| function.name).collect::<Vec<_>>();
    assert_eq!(names, plain.names());
}

#[tokio::test]
async fn a_long_answer_is_paged_and_filtered_and_never_over_the_ceiling() {
    let rig = rig(Consent::Yes, staffed());
    let text = (0..20_000).map(|line| format!("line \"{line}\"")).collect::<Vec<_>>().join("\n");
    rig.spawn(&text).await;
    let (mut offset, mut whole) = (0, String::new());
    loop {
        let arguments = json!({"id": "scout-1", "offset": offset, "max_bytes": 200_000});
        let page = rig.call_within("agent__collect", arguments, Ceiling::new(4_096)).await;
        assert!(json_len(&page) <= 4_096, "{}", json_len(&page));
        whole.push_str(page["answer"]["text"].as_str().unwrap());
        match page["answer"]["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(whole, text);
    let found = rig.call("agent__collect", json!({"id": "scout-1", "pattern": "\"777\""})).await;
    assert!(found["answer"]["text"].as_str().unwrap().contains("778:line \"777\""), "{found}");
    let refused = rig.call("agent__collect", json!({"id": "scout-1", "pattern": "("})).await;
    assert_eq!(refused["code"], "invalid_arguments");
}

#[tokio::test]
async fn a_childs_question_is_answered_by_the_parent_and_a_wrong_answer_is_not_sent() {
    let rig = rig(Consent::Yes, staffed());
    rig.spawn("input").await;
    let early = rig.call("agent__collect", json!({"id": "scout-1"})).await;
    assert_eq!((&early["status"], &early["waiting"][0]["id"]), (&json!("running"), &json!("e1")), "{early}");
    assert_eq!(early["waiting"][0]["accepted"], "one of `red`, `blue`");
    let wrong = rig.call("agent__reply_escalation", json!({"id": "e1", "answer": "green"})).await;
    assert_eq!(wrong["code"], "invalid_arguments", "{wrong}");
    assert_eq!(rig.call("agent__check", json!({"id": "scout-1"})).await["waiting"][0]["id"], "e1");
    rig.call("agent__reply_escalation", json!({"id": "e1", "answer": "Blue"})).await;
    let done = rig.call("agent__collect", json!({"id": "scout-1"})).await;
    assert_eq!(done["answer"]["text"], "{\"answer\":\"blue\"}", "{done}");
    let late = rig.call("agent__reply_escalation", json!({"id": "e1", "answer": "red"})).await;
    assert_eq!(late["code"], "not_found");
}

#[tokio::test]
async fn a_childs_call_runs_with_the_users_yes_alone_and_a_parents_yes_is_none() {
    for (consent, answer, told, asked) in [
        (Consent::Yes, "yes", "None", 1),
        (Consent::No, "yes", "Some(Some(denied))", 1),
        (Consent::Yes, "no", "Some(Some(denied))", 0),
    ] {
        let rig = rig(consent, staffed());
        rig.spawn("call").await;
        let early = rig.call("agent__collect", json!({"id": "scout-1"})).await;
        assert_eq!(early["waiting"][0]["wants_to_call"], json!({"server": "docs", "tool": "add"}), "{early}");
        assert_eq!(early["waiting"][0]["arguments"], "{\"a\":1}");
        rig.call("agent__reply_escalation", json!({"id": "e1", "answer": answer})).await;
        let done = rig.call("agent__collect", json!({"id": "scout-1"})).await;
        let text = done["answer"]["text"].as_str().unwrap().to_ascii_lowercase();
        assert_eq!((text, *rig.asker.1.lock().unwrap()), (told.to_ascii_lowercase(), asked));
    }
}

#[tokio::test]
async fn without_anybody_at_the_desk_a_childs_call_is_denied_at_once_and_a_question_needs_a_human() {
    let rig = rig(Consent::Yes, Arc::new(NobodyAtTheDesk));
    rig.spawn("call").await;
    let done = rig.call("agent__collect", json!({"id": "scout-1"})).await;
    assert!(done["answer"]["text"].as_str().unwrap().contains("Denied"), "{done}");
    let question = json!({"question": "Go?", "options": ["now", "later"]});
    let asked = rig.call("user__checkbox", question).await;
    assert_eq!((&asked["needs_human"], &asked["question"]), (&json!(true), &json!("Go?")), "{asked}");
    assert_eq!(asked["options"], json!(["now", "later"]));
}

#[tokio::test]
async fn the_user_at_depth_0_is_asked_in_the_kind_of_the_function() {
    let user = Arc::new(User(Told::Answered(UserAnswer::Yes(true)), Mutex::default()));
    let rig = rig(Consent::Yes, Arc::clone(&user) as Arc<dyn Desk>);
    assert_eq!(rig.call("user__confirm", json!({"question": "Go?"})).await, json!({"answer": true}));
    rig.call("user__input", json!({"question": "Name?", "default": "x"})).await;
    assert_eq!(rig.call("user__select", json!({"question": "?", "options": []})).await["code"], "invalid_arguments");
    let asked: Vec<_> = user.1.lock().unwrap().iter().map(|asked| (asked.wanted, asked.default.clone())).collect();
    assert_eq!(asked, [(Wanted::YesOrNo, None), (Wanted::Line, Some("x".to_owned()))]);
}

#[tokio::test]
async fn lists_fit_under_the_ceiling_and_an_unknown_parameter_is_named() {
    let rig = rig(Consent::Yes, staffed());
    let listed = rig.call("agent__list_available", json!({})).await;
    assert_eq!(listed["agents"][0]["name"], "scout");
    assert!(listed["agents"][0]["description"].as_str().unwrap().len() <= 610);
    let refused = rig.call("agent__spawn", json!({"agent": "scout", "prompt": "x"})).await;
    assert_eq!(refused["tool_call_error"], "`prompt` is no parameter of `agent__spawn`");
    assert_eq!(rig.call("agent__check_inbox", json!({})).await, json!({"messages": [], "left": 0}));
    assert_eq!(rig.call("agent__list_running", json!({})).await, json!({"running": []}));
    let unknown = rig.call("agent__cancel", json!({"id": "nobody-1"})).await;
    assert_eq!(unknown["code"], Code::NotFound.as_str());
}
