//! The page store: the last text reads, so that pages belong to one version (S28). A port the host owns.
//!
//! It serves pages of what was read before and never stands for a server: `offset: 0` asks anew, which the caller decides.

use crate::ServerName;
use mcp_render::{PAGE_STORE_MAX_BYTES, Settled};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What a snapshot is known by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SnapshotKey {
    /// The server.
    pub server: ServerName,
    /// The URI that was sent.
    pub uri: String,
}

/// The settled items of one read.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The items.
    pub items: Arc<[Settled]>,
    /// The server's change count when it was read (S17).
    pub changes: u64,
    /// Of all items of the read ([`mcp_render::fingerprint`]), to tell whether a re-read differs.
    pub fingerprint: u64,
}

/// Keeps snapshots.
pub trait SnapshotStore: Send + Sync + fmt::Debug {
    /// The snapshot of a read, if it is kept and `changes` is still the server's count.
    fn get(&self, key: &SnapshotKey, changes: u64) -> Option<Snapshot>;
    /// The fingerprint of the last version read of `key`, also after its texts were dropped.
    fn last_fingerprint(&self, key: &SnapshotKey) -> Option<u64>;
    /// Keeps a snapshot.
    fn put(&self, key: SnapshotKey, snapshot: Snapshot);
}

/// How many fingerprints are kept of reads whose texts may be gone.
const FINGERPRINTS_MAX: usize = 1_024;

/// What an entry costs beside the bytes of its items and key, so that empty items do not pile up for free.
const ENTRY_OVERHEAD: usize = 256;

/// The default store: least recently used goes first, bounded by [`PAGE_STORE_MAX_BYTES`].
///
/// A snapshot larger than the bound is not kept; its fingerprint is.
#[derive(Debug)]
pub struct LruSnapshots {
    limit: usize,
    kept: Mutex<Kept>,
}

impl LruSnapshots {
    /// A store that holds at most `limit` bytes, for tests and small hosts.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, kept: Mutex::default() }
    }

    /// How many bytes are held now.
    pub fn held_bytes(&self) -> usize {
        self.kept().texts.weight
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic elsewhere leaves a store that may have forgotten something, never one that is wrong.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for LruSnapshots {
    fn default() -> Self {
        Self::with_limit(PAGE_STORE_MAX_BYTES)
    }
}

impl SnapshotStore for LruSnapshots {
    fn get(&self, key: &SnapshotKey, changes: u64) -> Option<Snapshot> {
        let mut kept = self.kept();
        let snapshot = kept.texts.touch(key)?.clone();
        if snapshot.changes == changes {
            return Some(snapshot);
        }
        kept.texts.remove(key);
        None
    }

    fn last_fingerprint(&self, key: &SnapshotKey) -> Option<u64> {
        self.kept().fingerprints.touch(key).copied()
    }

    fn put(&self, key: SnapshotKey, snapshot: Snapshot) {
        let weight = key.uri.len() + ENTRY_OVERHEAD + snapshot.items.iter().map(Settled::held_bytes).sum::<usize>();
        let mut kept = self.kept();
        kept.fingerprints.put(key.clone(), snapshot.fingerprint, 1, FINGERPRINTS_MAX);
        kept.texts.put(key, snapshot, weight, self.limit);
    }
}

#[derive(Debug, Default)]
struct Kept {
    texts: Lru<Snapshot>,
    fingerprints: Lru<u64>,
}

/// Values by key, weighed, in the order of their last use.
#[derive(Debug)]
struct Lru<V> {
    entries: HashMap<SnapshotKey, Entry<V>>,
    /// The keys by the tick of their last use, oldest first.
    order: BTreeMap<u64, SnapshotKey>,
    tick: u64,
    weight: usize,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    weight: usize,
    tick: u64,
}

impl<V> Default for Lru<V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), order: BTreeMap::new(), tick: 0, weight: 0 }
    }
}

impl<V> Lru<V> {
    /// The value, now the last to go.
    fn touch(&mut self, key: &SnapshotKey) -> Option<&V> {
        let entry = self.entries.get_mut(key)?;
        self.tick += 1;
        self.order.remove(&entry.tick);
        self.order.insert(self.tick, key.clone());
        entry.tick = self.tick;
        Some(&entry.value)
    }

    fn remove(&mut self, key: &SnapshotKey) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.tick);
            self.weight = self.weight.saturating_sub(entry.weight);
        }
    }

    /// Keeps a value within `limit`; one that is heavier than the limit replaces its older version by nothing.
    fn put(&mut self, key: SnapshotKey, value: V, weight: usize, limit: usize) {
        self.remove(&key);
        if weight > limit {
            return;
        }
        while self.weight + weight > limit {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            if let Some(gone) = self.entries.remove(&oldest) {
                self.weight = self.weight.saturating_sub(gone.weight);
            }
        }
        self.tick += 1;
        self.weight += weight;
        self.order.insert(self.tick, key.clone());
        self.entries.insert(key, Entry { value, weight, tick: self.tick });
    }
}

#[cfg(test)]
mod tests;
