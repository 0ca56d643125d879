//! kill -9 in mid-call, fifty times (S15, C75): the next call works, and nothing is kept of the dead.
//!
//! The only test of its target, so that every file and every child of this process are its own and are counted exactly.
#![cfg(target_os = "linux")]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may fail loudly, also where it shares a function; `json!` is written to by index"
)]

#[path = "../it/exits/bench.rs"]
mod bench;

use acceptance::fixture::{read_wire_log, received};
use bench::{Bench, call, left, minute, processes, signal, until};
use mcp_catalog::{PortError, ServerPort};
use serde_json::json;
use std::{collections::BTreeSet, fs, time::Duration};

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
    // One of the last process may close a moment after it.
    until(|| open_files() <= files).await;
    assert_eq!(open_files(), files);
    let last = BTreeSet::from([port.process().unwrap().id().unwrap()]);
    let others: BTreeSet<u32> = ids.difference(&last).copied().collect();
    assert_eq!((left(&others), left(&last).len()), (Vec::new(), 2));
    bench.factory.shut_down(Duration::from_millis(50)).await;
    assert_eq!((left(&ids), children(&ids)), (Vec::new(), 0));
}

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Of these servers, those that run and those that nobody has waited for.
fn children(leaders: &BTreeSet<u32>) -> usize {
    let own = std::process::id();
    processes(|parent, session| parent == own && leaders.contains(&session)).len()
}
