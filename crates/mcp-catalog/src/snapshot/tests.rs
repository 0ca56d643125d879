//! The page store (S17, S28).

use super::{LruSnapshots, Snapshot, SnapshotKey, SnapshotStore};
use crate::ServerName;
use mcp_render::{Settled, SettledText};
use proptest::prelude::*;
use std::{collections::VecDeque, sync::Arc};

fn key(uri: &str) -> SnapshotKey {
    SnapshotKey { server: ServerName::new("s").unwrap(), uri: uri.to_owned() }
}

fn snapshot(bytes: usize, changes: u64, fingerprint: u64) -> Snapshot {
    let text =
        SettledText { uri: "a://1".to_owned(), mime_type: None, audience: Vec::new(), text: "x".repeat(bytes).into() };
    Snapshot { items: Arc::from([Settled::Text(text)]), changes, fingerprint }
}

/// Room for two snapshots of 10,000 bytes and not for three.
fn small() -> LruSnapshots {
    LruSnapshots::with_limit(25_000)
}

#[test]
fn a_read_is_served_until_the_server_says_that_something_changed() {
    let store = small();
    store.put(key("a"), snapshot(10, 3, 1));
    assert_eq!(store.get(&key("a"), 3).map(|kept| kept.fingerprint), Some(1));
    assert!(store.get(&key("a"), 4).is_none());
    assert!(store.get(&key("a"), 3).is_none(), "a stale snapshot is dropped, not kept for a count that comes back");
    assert_eq!(store.last_fingerprint(&key("a")), Some(1));
}

#[test]
fn servers_do_not_share_uris() {
    let store = small();
    store.put(key("a"), snapshot(10, 0, 1));
    let other = SnapshotKey { server: ServerName::new("t").unwrap(), uri: "a".to_owned() };
    assert!(store.get(&other, 0).is_none() && store.last_fingerprint(&other).is_none());
}

#[test]
fn the_least_recently_used_goes_first() {
    let store = small();
    store.put(key("a"), snapshot(10_000, 0, 1));
    store.put(key("b"), snapshot(10_000, 0, 2));
    assert!(store.get(&key("a"), 0).is_some());
    store.put(key("c"), snapshot(10_000, 0, 3));
    let kept = ["a", "b", "c"].map(|uri| store.get(&key(uri), 0).is_some());
    assert_eq!(kept, [true, false, true]);
    assert_eq!(store.last_fingerprint(&key("b")), Some(2));
}

#[test]
fn a_snapshot_over_the_bound_is_not_kept_and_takes_its_older_version_away() {
    let store = small();
    store.put(key("a"), snapshot(10, 0, 1));
    store.put(key("b"), snapshot(10, 0, 2));
    store.put(key("a"), snapshot(30_000, 0, 3));
    assert!(store.get(&key("a"), 0).is_none());
    assert!(store.get(&key("b"), 0).is_some(), "it evicts nobody else");
    assert_eq!(store.last_fingerprint(&key("a")), Some(3));
}

#[test]
fn the_default_store_holds_64_mib() {
    let store = LruSnapshots::default();
    for n in 0..10 {
        store.put(key(&n.to_string()), snapshot(10 << 20, 0, n));
    }
    assert!(store.held_bytes() <= 64 << 20, "{}", store.held_bytes());
    assert_eq!((0..10).filter(|n| store.get(&key(&n.to_string()), 0).is_some()).count(), 6);
}

#[test]
fn empty_snapshots_and_fingerprints_are_bounded_too() {
    let store = LruSnapshots::with_limit(10_000);
    for n in 0..5_000 {
        store.put(key(&n.to_string()), Snapshot { items: Arc::from([]), changes: 0, fingerprint: 0 });
    }
    assert!(store.held_bytes() <= 10_000);
    let fingerprints = (0..5_000).filter(|n| store.last_fingerprint(&key(&n.to_string())).is_some()).count();
    assert_eq!(fingerprints, 1_024);
}

proptest! {
    /// The store is a list of the last used keys, cut where their weight passes the bound.
    #[test]
    fn the_store_agrees_with_a_plain_list(steps in proptest::collection::vec((0_u8..8, any::<bool>(), 0_usize..9_000), 0..60)) {
        let store = small();
        let mut plain: VecDeque<(u8, usize)> = VecDeque::new();
        let weight = |bytes: usize| 257 + Settled::held_bytes(&snapshot(bytes, 0, 0).items[0]);
        for (id, put, bytes) in steps {
            let found = plain.iter().position(|(known, _)| *known == id).and_then(|at| plain.remove(at));
            if put {
                store.put(key(&id.to_string()), snapshot(bytes, 0, id.into()));
                plain.push_back((id, weight(bytes)));
                while plain.iter().map(|(_, weight)| weight).sum::<usize>() > 25_000 {
                    plain.pop_front();
                }
            } else {
                prop_assert_eq!(store.get(&key(&id.to_string()), 0).is_some(), found.is_some());
                plain.extend(found);
            }
            prop_assert_eq!(store.held_bytes(), plain.iter().map(|(_, weight)| weight).sum::<usize>());
        }
    }
}
