//! How children end: with their last connection, and with Ctrl-C.

use super::{
    OWN_SERVERS_ONLY,
    cast::{Cast, call},
    page, two_agents_of_one_server, two_readers,
};
use crate::exits::bench::{left, signal, until};
use acceptance::{
    fixture::Entry,
    host::{Host, is_running},
    model_server::{Answer, Ending},
};
use serde_json::json;
use std::collections::BTreeSet;

fn pids(host: &Host, server: &str) -> BTreeSet<u32> {
    let entries = host.wire(server).unwrap().into_iter();
    entries.filter_map(|entry| if let Entry::Started { pid, .. } = entry { Some(pid) } else { None }).collect()
}

#[tokio::test]
async fn a_shared_process_is_gone_once_its_last_child_has_ended_while_the_parent_goes_on() {
    let (host, model) = two_agents_of_one_server()
        .plays(|who, results, request| match (who, results) {
            // The parent is held here, with both answers in its hands.
            ("lead", 4) => Answer::text("x").ending(0, Ending::Silence),
            _ => two_readers(who, results, request),
        })
        .await;
    let mut child = host.command(&["-a", "lead", "go"]).spawn().unwrap();
    drop(child.stdin.take());
    until(|| model.requests().iter().any(|request| request.results().len() == 4)).await;
    let started = pids(&host, "own");
    assert_eq!(started.len(), 1);
    until(|| started.iter().all(|pid| !is_running(*pid))).await;
    assert!(child.try_wait().unwrap().is_none(), "the parent still waits for its model");
    signal(child.id().unwrap(), "INT").await;
    assert_eq!(child.wait_with_output().await.unwrap().status.code(), Some(130));
}

#[tokio::test]
async fn ctrl_c_during_three_children_cancels_their_calls_and_leaves_no_process() {
    let names = ["red", "green", "blue"];
    let mut cast = Cast::new(OWN_SERVERS_ONLY).agent("lead", "can_spawn_agents: true\n");
    for name in names {
        let mut script = page(name);
        script["rules"] = json!([{"on": "resources/read", "reply": "nothing"}]);
        cast = cast.serves(name, script).agent(&format!("child-{name}"), &format!("mcp_servers: [{name}]\n"));
    }
    let (host, _model) = cast
        .plays(move |who, results, _| match (who, results) {
            ("lead", 0) => names.iter().enumerate().fold(Answer::new(), |answer, (number, name)| {
                let order = json!({"agent": format!("child-{name}"), "task": "Read"});
                answer.call(&format!("s{number}"), "agent__spawn", &order)
            }),
            ("lead", _) => call("agent__collect", json!({"id": "child-red-1"})),
            (child, _) => {
                let name = child.trim_start_matches("child-");
                call(&format!("mcp_read_{name}"), json!({"uri": format!("{name}://page")}))
            }
        })
        .await;
    let mut child = host.command(&["-a", "lead", "go"]).spawn().unwrap();
    drop(child.stdin.take());
    until(|| names.iter().all(|name| !host.received(name, "resources/read").unwrap().is_empty())).await;
    signal(child.id().unwrap(), "INT").await;
    assert_eq!(child.wait_with_output().await.unwrap().status.code(), Some(130));
    for name in names {
        assert_eq!(host.received(name, "notifications/cancelled").unwrap().len(), 1, "{name}");
        let started = pids(&host, name);
        assert_eq!(started.len(), 1);
        until(|| left(&started).is_empty()).await;
    }
}
