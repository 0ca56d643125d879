//! The page store: the last text reads, so that pages belong to one version (S28). A port the host owns.
use crate::ServerName;
use mcp_render::Settled;
use std::{fmt, sync::Arc};
/// What a snapshot is known by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SnapshotKey { /// The server.
    pub server: ServerName, /// The URI that was sent.
    pub uri: String }
/// The settled items of one read.
#[derive(Debug, Clone)]
pub struct Snapshot { /// The items.
    pub items: Arc<[Settled]>, /// The server's change count when it was read (S17).
    pub changes: u64, /// Of all texts of the read, to tell whether a re-read differs.
    pub hash: [u8; 32] }
/// Keeps snapshots.
pub trait SnapshotStore: Send + Sync + fmt::Debug {
    /// The snapshot of a read, if it is kept and `changes` is still the server's count.
    fn get(&self, key: &SnapshotKey, changes: u64) -> Option<Snapshot>;
    /// The hash of the last version read of `key`, also after its texts were dropped.
    fn last_hash(&self, key: &SnapshotKey) -> Option<[u8; 32]>;
    /// Keeps a snapshot.
    fn put(&self, key: SnapshotKey, snapshot: Snapshot);
}
/// The default store: least recently used goes first, bounded by `mcp_render::PAGE_STORE_MAX_BYTES`.
#[derive(Debug, Default)]
pub struct LruSnapshots {}
impl SnapshotStore for LruSnapshots {
    fn get(&self, _key: &SnapshotKey, _changes: u64) -> Option<Snapshot> { todo!() }
    fn last_hash(&self, _key: &SnapshotKey) -> Option<[u8; 32]> { todo!() }
    fn put(&self, _key: SnapshotKey, _snapshot: Snapshot) { todo!() }
}
