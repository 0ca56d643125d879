//! Children that do what a test says: limits, waiting, messages, and who ends whom.

use super::*;
use crate::agents::{
    desk::{Answering, Told, UserQuestion, Wanted},
    escalation::{Escalated, Matter},
    mailbox::Letter,
};
use mcp_render::Code;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether somebody sits there is all that is asked of it.
struct Somebody;

impl Desk for Somebody {
    fn is_staffed(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, _: &'a UserQuestion) -> Answering<'a> {
        Box::pin(async { Told::Declined })
    }
}

/// A task is `say <text>`, `ask`, `wait`, `sleep` or `panic`.
#[derive(Default)]
struct Script {
    alive: Arc<AtomicUsize>,
}

/// Counts a child while its future exists.
struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Launcher for Script {
    fn listed(&self) -> Vec<Listed> {
        let listed = |name: &str| Listed { name: name.to_owned(), description: String::new(), variables: Vec::new() };
        vec![listed("scout"), listed("writer")]
    }

    fn launch(&self, order: &Order, _: &str) -> Result<Launch, ErrorShape> {
        let (task, alive) = (order.task.clone(), Arc::clone(&self.alive));
        alive.fetch_add(1, Ordering::SeqCst);
        let alive = Alive(alive);
        let run = move |seat: Arc<Seat>| -> BoxFuture<'static, Outcome> {
            Box::pin(async move {
                let _alive = alive;
                match task.split_once(' ').unwrap_or((&task, "")) {
                    ("say", text) => Outcome::done(text),
                    ("ask", _) => Outcome::done(format!("{:?}", seat.escalate(question()).await)),
                    ("panic", _) => panic!("a defect"),
                    ("sleep", _) => std::future::pending().await,
                    _ => {
                        seat.cancel().cancelled().await;
                        Outcome::cancelled()
                    }
                }
            })
        };
        Ok(Launch { escalation_timeout: None, run: Box::new(run) })
    }
}

fn question() -> Matter {
    let question = "Which?".to_owned();
    Matter::User(UserQuestion { question, wanted: Wanted::Line, options: Vec::new(), default: None })
}

fn root(spawning: Spawning) -> (Supervisor, Arc<AtomicUsize>) {
    let script = Script::default();
    let alive = Arc::clone(&script.alive);
    let spawning = Spawning { allowed: true, ..spawning };
    (Supervisor::root(Arc::new(script), spawning, "m".to_owned(), &Somebody), alive)
}

fn order(agent: &str, task: &str) -> Order {
    Order { agent: agent.to_owned(), task: task.to_owned(), variables: BTreeMap::new() }
}

async fn ended(supervisor: &Supervisor, id: &str) -> Outcome {
    match supervisor.wait(id, &CancellationToken::new()).await.unwrap() {
        Looked::Ended(ended) => ended.outcome,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_message_to_a_child_that_ends_is_counted_and_one_that_comes_later_is_refused() {
    let (supervisor, _) = root(Spawning::default());
    let id = supervisor.spawn(order("scout", "wait")).unwrap();
    supervisor.send(&id, "too late".to_owned()).unwrap();
    let inbox = supervisor.inbox_of(&id).unwrap();
    let ended = supervisor.cancel(&id).await.unwrap();
    assert_eq!(ended.outcome.notes, ["1 messages came too late to be read"]);
    // Whoever found the child running and writes to it now.
    let letter = Letter { from: "parent".to_owned(), text: "later".to_owned() };
    assert_eq!(inbox.deliver(letter), Err(crate::agents::NotDelivered::Closed));
    let refused = supervisor.send(&id, "later".to_owned()).unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
}

#[tokio::test]
async fn children_run_at_once_and_each_is_collected_by_its_id() {
    let (supervisor, _) = root(Spawning::default());
    let one = supervisor.spawn(order("scout", "say one")).unwrap();
    let two = supervisor.spawn(order("writer", "say two")).unwrap();
    assert_eq!((one.as_str(), two.as_str()), ("scout-1", "writer-2"));
    assert_eq!(ended(&supervisor, &two).await.output.as_str(), "two");
    assert_eq!(supervisor.uncollected().len(), 1);
    assert_eq!(ended(&supervisor, &one).await, Outcome::done("one"));
    assert_eq!(ended(&supervisor, &one).await, Outcome::done("one"), "what it answered stays");
    assert!(supervisor.left_open().is_empty());
    let unknown = supervisor.look("scout-3").unwrap_err();
    assert_eq!((unknown.code, unknown.closest.first().map(String::as_str)), (Code::NotFound, Some("scout-1")));
}

#[tokio::test]
async fn a_limit_of_number_names_itself_and_what_to_do_and_an_end_makes_room() {
    let (supervisor, _) = root(Spawning { concurrent: 2, ..Spawning::default() });
    let one = supervisor.spawn(order("scout", "wait")).unwrap();
    supervisor.spawn(order("scout", "wait")).unwrap();
    let refused = supervisor.spawn(order("scout", "wait")).unwrap_err();
    insta::assert_snapshot!(
        format!("{}\n{}", refused.tool_call_error, refused.hint),
        @r"
    2 agents run already, `scout-1`, `scout-2`; the limit is 2 (`max_concurrent_agents`)
    Collect one with `agent__collect` or end one with `agent__cancel`, then spawn again
    "
    );
    assert_eq!(supervisor.cancel(&one).await.unwrap().outcome, Outcome::cancelled());
    supervisor.spawn(order("scout", "wait")).unwrap();
}

#[tokio::test]
async fn a_limit_of_depth_names_itself_and_no_child_goes_deeper_than_its_parents_allow() {
    let (supervisor, _) = root(Spawning { depth: 1, ..Spawning::default() });
    let id = supervisor.spawn(order("scout", "wait")).unwrap();
    let seat = supervisor.children().iter().find(|child| child.id() == id).and_then(Child::seat).unwrap();
    let child =
        Supervisor::of_child(&seat, Spawning { allowed: true, depth: 9, ..Spawning::default() }, "m".to_owned());
    let refused = child.spawn(order("scout", "wait")).unwrap_err();
    insta::assert_snapshot!(
        format!("{}\n{}", refused.tool_call_error, refused.hint),
        @r"
    No agent is spawned at depth 2: the limit is 1 (`max_agent_depth`)
    Do the task yourself, or say in your answer what is left to do
    "
    );
}

#[tokio::test]
async fn only_spawnable_agents_are_listed_and_spawned() {
    let (supervisor, _) = root(Spawning { agents: Some(vec!["scout".to_owned()]), ..Spawning::default() });
    let names: Vec<String> = supervisor.available().into_iter().map(|listed| listed.name).collect();
    assert_eq!(names, ["scout"]);
    assert_eq!(supervisor.spawn(order("writer", "wait")).unwrap_err().code, Code::Denied);
    let (nobody, _) = root(Spawning { agents: Some(Vec::new()), ..Spawning::default() });
    assert!(nobody.available().is_empty());
    assert!(nobody.spawn(order("scout", "wait")).is_err());
}

#[tokio::test]
async fn a_wait_ends_early_for_a_request_and_for_a_message() {
    let (supervisor, _) = root(Spawning::default());
    let asks = supervisor.spawn(order("scout", "ask")).unwrap();
    let waits = supervisor.spawn(order("writer", "wait")).unwrap();
    let never = CancellationToken::new();
    let Looked::Wanted(requests, letters) = supervisor.wait(&waits, &never).await.unwrap() else {
        panic!("no request")
    };
    assert_eq!((requests.len(), letters.len(), requests[0].from.as_str()), (1, 0, asks.as_str()));
    let answer = crate::agents::escalation::Reply::Answer(crate::agents::desk::UserAnswer::Text("blue".to_owned()));
    assert!(supervisor.escalations().reply(&requests[0].id, answer.clone()));
    assert_eq!(ended(&supervisor, &asks).await.output.as_str(), format!("{:?}", Escalated::Replied(answer)));

    let seat = supervisor.children().iter().find(|child| child.id() == waits).and_then(Child::seat).unwrap();
    let child = Supervisor::of_child(&seat, Spawning::default(), "m".to_owned());
    child.send("parent", "found it".to_owned()).unwrap();
    supervisor.send(&waits, "go on".to_owned()).unwrap();
    let Looked::Wanted(_, letters) = supervisor.wait(&waits, &never).await.unwrap() else { panic!("no message") };
    assert_eq!(letters, [Letter { from: waits.clone(), text: "found it".to_owned() }]);
    assert_eq!(child.inbox().take_all(), [Letter { from: "parent".to_owned(), text: "go on".to_owned() }]);
    // One that has ended reads nothing, and above the root there is nobody.
    assert_eq!(supervisor.send(&asks, String::new()).unwrap_err().code, Code::NotFound);
    assert_eq!(supervisor.send("parent", String::new()).unwrap_err().code, Code::NotFound);
}

#[tokio::test(start_paused = true)]
async fn cancelling_all_ends_every_child_also_one_that_does_not_listen_and_takes_requests_back() {
    let (supervisor, alive) = root(Spawning::default());
    for task in ["wait", "sleep", "ask"] {
        supervisor.spawn(order("scout", task)).unwrap();
    }
    let never = CancellationToken::new();
    assert!(matches!(supervisor.wait("scout-1", &never).await.unwrap(), Looked::Wanted(..)));
    assert_eq!((supervisor.running().len(), alive.load(Ordering::SeqCst)), (3, 3));
    supervisor.cancel_all().await;
    assert_eq!((supervisor.running().len(), supervisor.escalations().waiting().len()), (0, 0));
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn children_end_with_their_parent() {
    let (supervisor, alive) = root(Spawning::default());
    supervisor.spawn(order("scout", "wait")).unwrap();
    supervisor.spawn(order("scout", "sleep")).unwrap();
    drop(supervisor);
    tokio::time::timeout(Duration::from_secs(5), async {
        while alive.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn a_defect_in_a_child_is_its_reason_and_what_is_open_is_named() {
    let (supervisor, _) = root(Spawning::default());
    supervisor.spawn(order("scout", "panic")).unwrap();
    supervisor.spawn(order("scout", "wait")).unwrap();
    let failed = loop {
        match supervisor.look("scout-1").unwrap() {
            Looked::Ended(ended) => break ended.outcome,
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!(failed.status, Outcome::FAILED);
    assert_eq!(
        supervisor.left_open(),
        ["agent `scout-2` still runs", "agent `scout-1` has ended; nobody collected it"]
    );
}
