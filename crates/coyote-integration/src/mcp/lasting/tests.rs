//! Losing a server and getting it back, on a clock of its own (S15).

use super::*;
use crate::mcp::{
    Transport,
    testing::{SERVES, answers, factory, script},
};
use futures_util::future::join_all;
use mcp_catalog::{Capabilities, CatalogKind, ToolName};
use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

/// A server that answers listings, and calls never.
struct Fake {
    name: ServerName,
    gone: CancellationToken,
    closed: CancellationToken,
    handshake: Handshake,
    changes: AtomicU64,
}

impl Fake {
    fn new(protocol: &str) -> Arc<Self> {
        let capabilities = Capabilities { resources: true, ..Capabilities::default() };
        let handshake = Handshake { protocol: protocol.to_owned(), ..Handshake::of(capabilities) };
        let (gone, closed) = (CancellationToken::new(), CancellationToken::new());
        Arc::new(Self { name: name(), gone, closed, handshake, changes: AtomicU64::new(3) })
    }
}

impl ServerPort for Fake {
    fn name(&self) -> &ServerName {
        &self.name
    }

    fn handshake(&self) -> Handshake {
        self.handshake.clone()
    }

    fn ask(&self, request: Request, _budget: Budget) -> Asking<'_> {
        async move {
            if self.gone.is_cancelled() {
                return Err(closed());
            }
            if matches!(request, Request::List { .. }) {
                return Ok(RawResult::whole(self.handshake.protocol.clone().into_bytes()));
            }
            self.gone.cancelled().await;
            Err(closed())
        }
        .boxed()
    }

    fn changes(&self) -> u64 {
        self.changes.load(Relaxed)
    }
}

impl Link for Fake {
    fn is_closed(&self) -> bool {
        self.gone.is_cancelled()
    }

    fn close(&self, _grace: Duration) -> BoxFuture<'_, ()> {
        self.closed.cancel();
        self.gone.cancel();
        std::future::ready(()).boxed()
    }

    fn last_words(&self) -> BoxFuture<'_, Vec<String>> {
        std::future::ready(vec!["out of memory".to_owned()]).boxed()
    }
}

/// What the tries bring, in order; each takes a tenth of a second. Without one, a try takes for ever.
#[derive(Default)]
struct Tries {
    begun: AtomicUsize,
    results: Mutex<VecDeque<Opened<Fake>>>,
}

impl Tries {
    fn bring(&self, results: impl IntoIterator<Item = Opened<Fake>>) {
        self.results.lock().unwrap().extend(results);
    }

    fn begun(&self) -> usize {
        self.begun.load(Relaxed)
    }
}

fn name() -> ServerName {
    ServerName::new("docs").unwrap()
}

fn closed() -> PortError {
    PortError::ConnectionClosed { retry_in: None }
}

fn refused() -> PortError {
    PortError::HandshakeFailed { cause: "no answer in 30 s".to_owned() }
}

fn lasting() -> (Arc<Lasting<Fake>>, Arc<Fake>, Arc<Tries>) {
    let tries = Arc::new(Tries::default());
    let first = Fake::new("one");
    let open: Opener<Fake> = {
        let tries = Arc::clone(&tries);
        Arc::new(move || {
            tries.begun.fetch_add(1, Relaxed);
            let next = tries.results.lock().unwrap().pop_front();
            async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                match next {
                    Some(result) => result,
                    None => std::future::pending().await,
                }
            }
            .boxed()
        })
    };
    let entry = ServerEntry::new(name(), Transport::Embedded);
    (Arc::new(Lasting::new(entry, Arc::clone(&first), open)), first, tries)
}

async fn list(port: &dyn ServerPort) -> Result<String, PortError> {
    let request = Request::List { kind: CatalogKind::Resource, cursor: None };
    let answer = port.ask(request, Budget::new(Duration::from_secs(5))).await?;
    Ok(String::from_utf8_lossy(answer.json()).into_owned())
}

fn call() -> Request {
    Request::CallTool { name: ToolName::new("t").unwrap(), arguments: serde_json::Map::new() }
}

/// C75.
#[tokio::test(start_paused = true)]
async fn the_running_call_fails_at_once_and_the_next_use_connects_anew() {
    let (port, first, tries) = lasting();
    tries.bring([Ok(Fake::new("two"))]);
    let calling = port.ask(call(), Budget::new(Duration::from_mins(2)));
    let begun = Instant::now();
    let dying = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        first.gone.cancel();
    };
    let (answer, ()) = tokio::join!(calling, dying);
    assert_eq!((answer, begun.elapsed()), (Err(closed()), Duration::from_secs(1)));
    assert!(port.is_closed() && tries.begun() == 0);
    assert_eq!(list(port.as_ref()).await, Ok("two".to_owned()));
    assert_eq!(tries.begun(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_went_while_nobody_asked_is_missed_by_nobody() {
    let (port, first, tries) = lasting();
    tries.bring([Ok(Fake::new("two"))]);
    first.gone.cancel();
    assert!(port.current().is_none());
    assert_eq!(list(port.as_ref()).await, Ok("two".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn users_at_once_share_one_try_and_its_end() {
    let (port, first, tries) = lasting();
    tries.bring([Err(refused()), Ok(Fake::new("two"))]);
    first.gone.cancel();
    let failed = join_all((0..50).map(|_| list(port.as_ref()))).await;
    assert!(failed.iter().all(|answer| *answer == Err(refused())), "{failed:?}");
    assert_eq!(tries.begun(), 1);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let connected = join_all((0..50).map(|_| list(port.as_ref()))).await;
    assert!(connected.iter().all(|answer| *answer == Ok("two".to_owned())), "{connected:?}");
    assert_eq!(tries.begun(), 2);
}

#[tokio::test(start_paused = true)]
async fn within_a_pause_nothing_is_tried_and_the_seconds_left_are_told() {
    let (port, first, tries) = lasting();
    tries.bring((0..7).map(|_| Err(refused())));
    first.gone.cancel();
    let mut pauses = Vec::new();
    for tried in 1..=7 {
        assert_eq!(list(port.as_ref()).await, Err(refused()));
        let Err(PortError::ConnectionClosed { retry_in: Some(left) }) = list(port.as_ref()).await else {
            panic!("tried again within the pause");
        };
        assert_eq!(tries.begun(), tried);
        pauses.push(left.as_secs());
        tokio::time::sleep(left).await;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_forced_try_waits_for_no_pause() {
    let (port, first, tries) = lasting();
    tries.bring([Err(refused()), Ok(Fake::new("two"))]);
    first.gone.cancel();
    assert_eq!(list(port.as_ref()).await, Err(refused()));
    assert_eq!(port.reconnect().await, Ok(()));
    assert_eq!((list(port.as_ref()).await, tries.begun()), (Ok("two".to_owned()), 2));
}

#[tokio::test(start_paused = true)]
async fn a_forced_try_ends_a_living_server_first_and_what_it_was_asked_fails() {
    let (port, first, tries) = lasting();
    tries.bring([Ok(Fake::new("two"))]);
    let calling = port.ask(call(), Budget::new(Duration::from_mins(2)));
    let (answer, forced) = tokio::join!(calling, port.reconnect());
    assert_eq!((answer, forced), (Err(closed()), Ok(())));
    assert!(first.closed.is_cancelled());
    assert_eq!(list(port.as_ref()).await, Ok("two".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn functions_stay_while_there_is_no_server_and_follow_the_new_one() {
    let (port, first, tries) = lasting();
    tries.bring([Err(refused()), Ok(Fake::new("two"))]);
    first.gone.cancel();
    list(port.as_ref()).await.unwrap_err();
    assert_eq!(port.handshake(), first.handshake);
    tokio::time::sleep(Duration::from_secs(1)).await;
    list(port.as_ref()).await.unwrap();
    assert_eq!(port.handshake().protocol, "two");
}

#[tokio::test(start_paused = true)]
async fn the_count_of_changes_never_falls_and_rises_with_a_new_connection() {
    let (port, first, tries) = lasting();
    tries.bring([Ok(Fake::new("two"))]);
    let mut counts = vec![port.changes()];
    first.changes.store(5, Relaxed);
    counts.push(port.changes());
    first.gone.cancel();
    counts.push(port.changes());
    list(port.as_ref()).await.unwrap();
    counts.push(port.changes());
    assert_eq!(counts, [3, 5, 5, 9], "five, one for the new connection, three of its own");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_dead_on_arrival_is_not_used_and_counts_as_a_failed_try() {
    let (port, first, tries) = lasting();
    let dead = Fake::new("dead");
    dead.gone.cancel();
    tries.bring([Ok(dead)]);
    first.gone.cancel();
    assert_eq!(list(port.as_ref()).await, Err(closed()));
    let left = PortError::ConnectionClosed { retry_in: Some(Duration::from_secs(1)) };
    assert_eq!((list(port.as_ref()).await, port.current().is_none()), (Err(left), true));
}

/// S12, S13: nobody waits for a try longer than for its own request, and the try goes on for the next one.
#[tokio::test(start_paused = true)]
async fn who_waits_for_a_try_may_go_away_and_leaves_it_to_others() {
    let (port, first, tries) = lasting();
    tries.bring([Ok(Fake::new("two"))]);
    first.gone.cancel();
    let short = port.ask(call(), Budget::new(Duration::from_millis(10))).await;
    assert_eq!(short, Err(PortError::Timeout { method: "tools/call", after: Duration::from_millis(10) }));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let cancelled = port.ask(call(), Budget::new(Duration::from_mins(2)).cancelled_by(cancel)).await;
    assert_eq!(cancelled, Err(PortError::Cancelled));
    assert_eq!((list(port.as_ref()).await, tries.begun()), (Ok("two".to_owned()), 1));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_closed_for_good_is_not_connected_again() {
    let (port, first, tries) = lasting();
    port.close(Duration::ZERO).await;
    assert!(first.closed.is_cancelled() && port.is_ended());
    assert_eq!((list(port.as_ref()).await, port.reconnect().await), (Err(closed()), Err(closed())));
    assert_eq!(tries.begun(), 0);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_a_try_that_takes_for_ever() {
    let (port, first, _tries) = lasting();
    first.gone.cancel();
    let (answer, ()) = tokio::join!(list(port.as_ref()), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        port.close(Duration::ZERO).await;
    });
    assert_eq!(answer, Err(PortError::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_defect_in_a_try_is_a_closed_connection_and_the_next_use_tries_again() {
    let begun = Arc::new(AtomicUsize::new(0));
    let open: Opener<Fake> = {
        let begun = Arc::clone(&begun);
        Arc::new(move || {
            assert!(begun.fetch_add(1, Relaxed) > 0, "a defect");
            std::future::ready(Ok(Fake::new("two"))).boxed()
        })
    };
    let first = Fake::new("one");
    first.gone.cancel();
    let port = Lasting::new(ServerEntry::new(name(), Transport::Embedded), first, open);
    assert_eq!(list(&port).await, Err(closed()));
    assert_eq!(list(&port).await, Ok("two".to_owned()));
}

/// The real thing: a process that is killed, and its stderr.
#[tokio::test]
async fn a_killed_process_is_replaced_and_its_last_words_are_kept() {
    let factory = factory();
    let port = factory.acquire(&script("docs", &format!("echo \"out of memory\" >&2\n{SERVES}"))).await.unwrap();
    assert!(answers(port.as_ref()).await);
    let first = port.process().unwrap();
    let kill = format!("kill -9 {}", first.id().unwrap());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    first.gone().await;
    while port.current().is_some() {
        tokio::task::yield_now().await;
    }
    assert!(answers(port.as_ref()).await);
    let second = port.process().unwrap();
    assert!(first.id() != second.id() && factory.running() == 1);
    while port.inner.lock().last_words.is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(port.inner.lock().last_words, ["out of memory"]);
    // The same specification is the same connection, also after it was lost.
    assert!(Arc::ptr_eq(&port, &factory.acquire(port.entry()).await.unwrap()));
    factory.shut_down(deadline::GRACE_AT_EXIT).await;
    assert!(!answers(port.as_ref()).await);
}
