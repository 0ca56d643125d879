//! The pager's bounds and notes (S4, S11, S21, C20–C24, C28–C32, D1).

use super::{Gathered, Stop, catalog_items, list_kind, walk};
use crate::{
    Asking, Budget, Capabilities, CatalogKind, Handshake, Listing, PortError, RawResult, Request, ServerName,
    ServerPort, deadline,
    fake::{EVERYTHING, Fake, method_not_found},
    salvage::Page,
};
use mcp_render::{LISTING_MAX_ITEMS, LISTING_MAX_PAGES};
use proptest::prelude::*;
use rstest::rstest;
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

const KIND: CatalogKind = CatalogKind::Resource;

fn budget() -> Budget {
    Budget::new(deadline::LISTING)
}

fn ids(listing: &Listing) -> Vec<&str> {
    listing.items.iter().map(|item| item.id.as_str()).collect()
}

fn notes(listing: &Listing) -> Vec<String> {
    listing.notes.iter().map(ToString::to_string).collect()
}

fn cursor(request: &Request) -> Option<String> {
    let Request::List { cursor, .. } = request else { panic!("{request:?}") };
    cursor.clone()
}

/// A page of resources with these URIs.
fn page(uris: &[&str], next: Option<&str>) -> String {
    let entries: Vec<_> = uris.iter().map(|uri| serde_json::json!({"uri": uri})).collect();
    serde_json::json!({"resources": entries, "nextCursor": next}).to_string()
}

/// A server whose page after the cursor `n` is the `n`th of `pages`; cursors are the indices.
fn pages(pages: &'static [&'static [&'static str]]) -> Fake {
    Fake::new(EVERYTHING, move |request| {
        let index: usize = cursor(request).map_or(0, |cursor| cursor.parse().unwrap());
        let next = (index + 1 < pages.len()).then(|| (index + 1).to_string());
        Ok(page(pages[index], next.as_deref()))
    })
}

#[tokio::test]
async fn every_page_is_followed_in_order() {
    let port = pages(&[&["a", "b"], &["c", "d"], &["e", "f"]]);
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!((ids(&listing), notes(&listing)), (vec!["a", "b", "c", "d", "e", "f"], vec![]));
    let cursors: Vec<_> = port.asked().iter().map(cursor).collect();
    assert_eq!(cursors, [None, Some("1".to_owned()), Some("2".to_owned())]);
}

#[tokio::test]
async fn a_cursor_that_never_advances_ends_the_listing_with_a_reason() {
    let port = Fake::new(EVERYTHING, |_| Ok(page(&["a", "b"], Some("x"))));
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!(ids(&listing), ["a", "b"]);
    assert_eq!(
        notes(&listing),
        [
            "resources: listing is partial after 2 items: the server sent the cursor `x` a second time",
            "resources: 2 repeated, the first of each is kept: `a`, `b`",
        ]
    );
    assert_eq!(port.asked().len(), 2);
}

#[tokio::test]
async fn a_cycle_of_cursors_ends_the_listing() {
    let port = Fake::new(EVERYTHING, |request| {
        Ok(match cursor(request).as_deref() {
            None => page(&["1"], Some("a")),
            Some("a") => page(&["2"], Some("b")),
            _ => page(&["3"], Some("a")),
        })
    });
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!((ids(&listing), port.asked().len()), (vec!["1", "2", "3"], 3));
    assert!(notes(&listing)[0].contains("cursor `a` a second time"), "{:?}", notes(&listing));
}

#[tokio::test]
async fn an_empty_cursor_is_a_cursor_and_is_passed_once() {
    let port = Fake::new(EVERYTHING, |request| {
        Ok(match cursor(request).as_deref() {
            None => page(&["1"], Some("")),
            Some("") => page(&["2"], None),
            other => panic!("{other:?}"),
        })
    });
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!((ids(&listing), notes(&listing)), (vec!["1", "2"], vec![]));
}

#[rstest]
#[case::with_items(true, LISTING_MAX_PAGES)]
#[case::without(false, 0)]
#[tokio::test]
async fn endless_fresh_cursors_cost_200_requests_a_kind_at_most(#[case] with_items: bool, #[case] read: usize) {
    let port = Fake::new(EVERYTHING, move |request| {
        let n: u32 = cursor(request).map_or(0, |cursor| cursor.parse().unwrap());
        let uri = n.to_string();
        let uris = [uri.as_str()];
        Ok(page(if with_items { &uris } else { &[] }, Some(&(n + 1).to_string())))
    });
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!((port.asked().len(), listing.items.len()), (200, read));
    let expected =
        format!("resources: listing is partial after {read} items: 200 pages are the most that are followed");
    assert_eq!(notes(&listing), [expected]);
}

#[rstest]
#[case::at_the_bound(10_000, None, 10_000, None)]
#[case::over_it_in_one_page(10_001, None, 10_000, Some("10000 items are the most that are kept"))]
#[case::more_pages(10_000, Some("more"), 10_000, Some("10000 items are the most that are kept"))]
#[tokio::test]
async fn a_listing_keeps_10_000_items_a_kind(
    #[case] sent: usize,
    #[case] next: Option<&'static str>,
    #[case] kept: usize,
    #[case] why: Option<&str>,
) {
    let port = Fake::new(EVERYTHING, move |_| {
        let uris: Vec<String> = (0..sent).map(|n| n.to_string()).collect();
        Ok(page(&uris.iter().map(String::as_str).collect::<Vec<_>>(), next))
    });
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!(listing.items.len(), kept.min(LISTING_MAX_ITEMS));
    let expected = why.map(|why| format!("resources: listing is partial after {kept} items: {why}"));
    assert_eq!(notes(&listing), expected.into_iter().collect::<Vec<_>>());
    assert_eq!(port.asked().len(), 1);
}

#[rstest]
#[case::bytes(40 << 20, 0, "96 MiB are the most that a listing may hold")]
#[case::values(0, 800_000, "2000000 JSON values are the most that its schemas may hold")]
fn what_a_whole_listing_holds_is_bounded(#[case] bytes: usize, #[case] values: usize, #[case] why: &str) {
    let mut gathered = Gathered::default();
    let page = |next: &str| Page { next_cursor: Some(next.to_owned()), values, ..Page::default() };
    assert_eq!(gathered.absorb(bytes, page("1")).ok(), Some("1".to_owned()));
    assert_eq!(gathered.absorb(bytes, page("2")).ok(), Some("2".to_owned()));
    let Err(Stop::Bound(given)) = gathered.absorb(bytes, page("3")) else { panic!("a third page was followed") };
    assert_eq!(given, why);
}

/// Runs the pager under a clock that `seconds` of pass with every request.
async fn timed(seconds: u64, budget: &Budget) -> (Listing, Vec<(Duration, Duration)>) {
    let clock = Arc::new(AtomicU64::new(0));
    let ticking = Arc::clone(&clock);
    let port = Fake::new(EVERYTHING, move |_| {
        let n = ticking.fetch_add(seconds, Ordering::Relaxed);
        Ok(page(&[&n.to_string()], Some(&n.to_string())))
    });
    let start = Instant::now();
    let now = move || start + Duration::from_secs(clock.load(Ordering::Relaxed));
    let listing = walk(&port, KIND, budget, &now).await;
    (listing, port.budgets())
}

#[tokio::test]
async fn a_whole_listing_has_30_seconds_and_each_page_what_is_left() {
    let (listing, budgets) = timed(8, &budget()).await;
    assert_eq!(
        notes(&listing),
        ["resources: listing is partial after 4 items: 30 s are the most that a listing may take"]
    );
    let seconds: Vec<_> = budgets.iter().map(|(idle, total)| (idle.as_secs(), total.as_secs())).collect();
    assert_eq!(seconds, [(30, 30), (22, 22), (14, 14), (6, 6)]);
}

#[tokio::test]
async fn a_shorter_budget_bounds_the_whole_listing() {
    let (listing, budgets) = timed(1, &Budget::new(deadline::QUICK)).await;
    assert_eq!((listing.items.len(), budgets.len()), (2, 2));
    assert!(notes(&listing)[0].ends_with(": 2 s are the most that a listing may take"), "{:?}", notes(&listing));
}

#[tokio::test]
async fn a_failure_on_the_first_page_is_a_failed_listing() {
    let port = Fake::new(EVERYTHING, |_| Err(PortError::Server { code: -32603, message: "boom".to_owned() }));
    let listing = list_kind(&port, KIND, &budget()).await;
    let expected = "resources: listing failed (server_error): Server answered with error -32603: boom";
    assert_eq!((ids(&listing), notes(&listing)), (vec![], vec![expected.to_owned()]));
}

#[tokio::test]
async fn a_failure_on_a_later_page_keeps_what_was_read() {
    let port = Fake::new(EVERYTHING, |request| match cursor(request) {
        None => Ok(page(&["a"], Some("2"))),
        Some(_) => Err(method_not_found()),
    });
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!(ids(&listing), ["a"]);
    let expected = "resources: listing is partial after 1 item: Server answered with error -32601: Method not found (method_not_found)";
    assert_eq!(notes(&listing), [expected]);
}

#[tokio::test]
async fn a_page_of_the_wrong_shape_is_a_failure_like_any_other() {
    let port = Fake::new(EVERYTHING, |_| Ok(r#"{"items":[]}"#.to_owned()));
    let listing = list_kind(&port, KIND, &budget()).await;
    assert!(notes(&listing)[0].starts_with("resources: listing failed (invalid_response): "), "{:?}", notes(&listing));
}

#[tokio::test]
async fn a_cursor_that_is_no_string_makes_the_listing_partial() {
    let port = Fake::new(EVERYTHING, |_| Ok(r#"{"resources":[{"uri":"a"}],"nextCursor":5}"#.to_owned()));
    let listing = list_kind(&port, KIND, &budget()).await;
    assert_eq!(notes(&listing), ["resources: listing is partial after 1 item: `nextCursor` is a number, not a string"]);
}

#[tokio::test]
async fn skipped_repeated_and_mended_entries_are_counted_over_all_pages() {
    let port = Fake::new(EVERYTHING, |request| {
        Ok(match cursor(request) {
            None => r#"{"tools":[{"name":"post","inputSchema":{"first":1}},{"name":"bad"}],"nextCursor":"2"}"#,
            Some(_) => r#"{"tools":[{"name":"post","inputSchema":{"second":1}},{"name":"worse"},{"name":"get","inputSchema":[]}]}"#,
        }
        .to_owned())
    });
    let listing = list_kind(&port, CatalogKind::Tool, &budget()).await;
    assert_eq!(ids(&listing), ["post", "get"]);
    let first = serde_json::json!({"first": 1});
    assert!(matches!(&listing.items[0].details, crate::Details::Tool { input_schema, .. } if *input_schema == first));
    assert_eq!(
        notes(&listing),
        [
            "tools: 2 skipped: `bad`: `inputSchema` is missing or null, not an object; `worse`: `inputSchema` is missing or null, not an object",
            "tools: 1 repeated, the first of each is kept: `post`",
            "tools: 1 malformed optional field dropped",
        ]
    );
}

#[tokio::test]
async fn cancelling_ends_the_listing_between_two_pages() {
    let cancel = CancellationToken::new();
    let stopper = cancel.clone();
    let port = Fake::new(EVERYTHING, move |request| {
        if cursor(request).as_deref() == Some("2") {
            stopper.cancel();
        }
        let n: u32 = cursor(request).map_or(0, |cursor| cursor.parse().unwrap());
        Ok(page(&[&n.to_string()], Some(&(n + 1).to_string())))
    });
    let listing = list_kind(&port, KIND, &budget().cancelled_by(cancel)).await;
    assert_eq!((ids(&listing), port.asked().len()), (vec!["0", "1"], 3));
    assert_eq!(notes(&listing), ["resources: listing is partial after 2 items: Cancelled (cancelled)"]);
}

/// An answer for every kind, one item each.
fn one_of_each(request: &Request) -> String {
    let Request::List { kind, .. } = request else { panic!("{request:?}") };
    match kind {
        CatalogKind::Tool => r#"{"tools":[{"name":"t","inputSchema":{}}]}"#,
        CatalogKind::Resource => r#"{"resources":[{"uri":"r"}]}"#,
        CatalogKind::ResourceTemplate => r#"{"resourceTemplates":[{"uriTemplate":"m"}]}"#,
        CatalogKind::Prompt => r#"{"prompts":[{"name":"p"}]}"#,
    }
    .to_owned()
}

#[tokio::test]
async fn kinds_are_answered_in_one_order_whatever_was_asked_for() {
    let port = Fake::new(EVERYTHING, |request| Ok(one_of_each(request)));
    let kinds = [
        CatalogKind::Prompt,
        CatalogKind::Tool,
        CatalogKind::Resource,
        CatalogKind::Tool,
        CatalogKind::ResourceTemplate,
    ];
    let listing = catalog_items(&port, &kinds, &budget()).await;
    assert_eq!((ids(&listing), notes(&listing)), (vec!["t", "r", "m", "p"], vec![]));
    assert_eq!(port.asked().len(), 4);
}

#[tokio::test]
async fn a_kind_that_is_not_declared_is_not_asked() {
    let port =
        Fake::new(Capabilities { resources: true, ..Capabilities::default() }, |request| Ok(one_of_each(request)));
    let listing = catalog_items(&port, &CatalogKind::ALL, &budget()).await;
    assert_eq!(ids(&listing), ["r", "m"]);
    assert_eq!(notes(&listing), ["tools: not declared by the server", "prompts: not declared by the server"]);
    assert_eq!(port.asked().len(), 2);
}

#[tokio::test]
async fn a_server_that_declares_nothing_is_asked_for_tools_only() {
    let port = Fake::new(Capabilities::default(), |request| Ok(one_of_each(request)));
    let listing = catalog_items(&port, &CatalogKind::ALL, &budget()).await;
    assert_eq!(ids(&listing), ["t"]);
    let methods: Vec<_> = port.asked().iter().map(Request::method).collect();
    assert_eq!((methods, listing.notes.len()), (vec!["tools/list"], 3));
}

#[rstest]
#[case::declared(EVERYTHING, "tools: declared, but the server does not implement their listing")]
#[case::unknown(Capabilities::default(), "tools: not declared by the server")]
#[tokio::test]
async fn a_listing_that_is_not_implemented_is_a_note(#[case] capabilities: Capabilities, #[case] note: &str) {
    let port = Fake::new(capabilities, |_| Err(method_not_found()));
    let listing = catalog_items(&port, &[CatalogKind::Tool], &budget()).await;
    assert_eq!((ids(&listing), notes(&listing)), (vec![], vec![note.to_owned()]));
}

#[tokio::test]
async fn resources_stay_when_their_templates_are_not_implemented() {
    let port = Fake::new(EVERYTHING, |request| match request {
        Request::List { kind: CatalogKind::ResourceTemplate, .. } => Err(method_not_found()),
        other => Ok(one_of_each(other)),
    });
    let listing = catalog_items(&port, &CatalogKind::ALL, &budget()).await;
    assert_eq!(ids(&listing), ["t", "r", "p"]);
    assert_eq!(notes(&listing), ["resource templates: declared, but the server does not implement their listing"]);
}

/// Answers only once all four listings are in flight.
struct Meeting {
    name: ServerName,
    all: Barrier,
}

impl ServerPort for Meeting {
    fn name(&self) -> &ServerName {
        &self.name
    }

    fn handshake(&self) -> Handshake {
        Handshake::of(EVERYTHING)
    }

    fn ask(&self, request: Request, _budget: Budget) -> Asking<'_> {
        Box::pin(async move {
            self.all.wait().await;
            Ok(RawResult::whole(one_of_each(&request).into_bytes()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn kinds_are_asked_at_the_same_time() {
    let port = Meeting { name: ServerName::new("meeting").unwrap(), all: Barrier::new(4) };
    let listed = tokio::time::timeout(deadline::LISTING, catalog_items(&port, &CatalogKind::ALL, &budget())).await;
    assert_eq!(listed.map(|listing| listing.items.len()).ok(), Some(4));
}

proptest! {
    /// Whatever cursors a server gives, it is asked at most 200 times, items come once each and in order, and a listing
    /// that did not end by itself says so.
    #[test]
    fn any_graph_of_cursors_ends(next in proptest::collection::vec(0_usize..260, 1..260)) {
        let length = next.len();
        let graph = next.clone();
        let port = Fake::new(EVERYTHING, move |request| {
            let at: usize = cursor(request).map_or(0, |cursor| cursor.parse().unwrap());
            // An index outside the graph ends the listing.
            let next = graph.get(at).filter(|next| **next < length).map(ToString::to_string);
            Ok(page(&[&at.to_string()], next.as_deref()))
        });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let listing = runtime.block_on(list_kind(&port, KIND, &budget()));
        let mut walked = Vec::new();
        let mut cursors = BTreeSet::new();
        let mut at = Some(0);
        let mut ended = false;
        while let Some(here) = at.take() {
            if !walked.contains(&here) {
                walked.push(here);
            }
            let next = next[here];
            ended = next >= length;
            if !ended && cursors.len() < 199 && cursors.insert(next) {
                at = Some(next);
            }
        }
        let expected: Vec<String> = walked.iter().map(ToString::to_string).collect();
        prop_assert_eq!(ids(&listing), expected);
        prop_assert!(port.asked().len() <= LISTING_MAX_PAGES);
        prop_assert_eq!(notes(&listing).iter().any(|note| note.contains("partial")), !ended);
    }
}
