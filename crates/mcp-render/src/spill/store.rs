//! The store itself: one file per content, a running total, and what an answer being built holds on to (S32).

use super::known::{self, Known, Memory};
use super::{SpillDir, evict, place};
use crate::SPILL_TREE_MAX_BYTES;
use crate::sniff::sha256_hex;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, io};

/// The tree of spilled files of this process. Cheap to share; blocking.
#[derive(Debug)]
pub struct SpillStore {
    root: PathBuf,
    limit: u64,
    ledger: Mutex<Ledger>,
}

/// What the process knows of the tree.
#[derive(Debug, Default)]
struct Ledger {
    /// The tree's size, once it was looked at. Other processes write too, so it is corrected when it matters.
    total: Option<u64>,
    /// The files of answers being built, each with the number of its holders.
    held: HashMap<PathBuf, usize>,
    /// The blobs that are recognised when they come again.
    known: Memory,
}

impl SpillStore {
    /// A store below `root` (`cache_dir()/mcp-resources`), created on first use, bounded by [`SPILL_TREE_MAX_BYTES`].
    pub fn new(root: PathBuf) -> Self {
        Self::with_limit(root, SPILL_TREE_MAX_BYTES)
    }

    /// A store with another bound, for tests and small hosts.
    pub fn with_limit(root: PathBuf, limit: u64) -> Self {
        Self { root, limit, ledger: Mutex::default() }
    }

    /// Where the tree is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Nothing in the ledger can be left half done, so a poisoned lock is as good as any.
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new file and evicts when the tree is over its bound. The tree is only looked at when it has to be: a
    /// scan of 10,000 files takes 23 ms (performance.md C.7).
    fn grew(&self, bytes: u64) {
        let mut ledger = self.ledger();
        let total = match ledger.total {
            Some(total) => total + bytes,
            None => evict::tree_size(&self.root),
        };
        let total = if total > self.limit { evict::shrink(&self.root, self.limit, &ledger.held) } else { total };
        ledger.total = Some(total);
    }
}

/// Where the items of one answer spill to. Holds the files of the answer being built, which eviction never takes.
pub struct Spiller {
    store: Arc<SpillStore>,
    dir: SpillDir,
    holds: Mutex<HashSet<PathBuf>>,
}

/// Bytes that were to be kept.
#[derive(Debug)]
pub(crate) struct Kept {
    pub sha256: String,
    /// Where they are, or why they are nowhere.
    pub path: Result<PathBuf, String>,
}

impl Spiller {
    /// A spiller for one answer.
    pub fn new(store: Arc<SpillStore>, dir: SpillDir) -> Self {
        Self { store, dir, holds: Mutex::default() }
    }

    /// Keeps `bytes` as `<sha256>.<ext>`. A failure loses the file, not the answer.
    pub(crate) fn keep(&self, bytes: &[u8], ext: &'static str) -> Kept {
        let sha256 = sha256_hex(bytes);
        let path = self.place(&format!("{sha256}.{ext}"), bytes);
        Kept { sha256, path: path.map_err(|error| format!("Not kept on disk: {error}")) }
    }

    /// The blob that the base64 in `text`, `size_bytes` decoded, has become already, held and marked as just used; `None`
    /// when this process does not know it, or its file no longer holds it.
    pub(crate) fn recognise(&self, text: &[u8], size_bytes: usize, ext: &'static str) -> Option<Known> {
        let dir = self.store.root.join(self.dir.as_str());
        let alike = self.store.ledger().known.alike(&dir, ext, size_bytes as u64);
        alike.into_iter().find(|known| {
            self.hold(&known.path);
            let kept = known::is_kept(text, known);
            if kept.is_err() {
                self.store.ledger().known.forget(&known.path);
            }
            kept.unwrap_or(false) && place::refresh(&known.path, known.size_bytes)
        })
    }

    /// Remembers a blob that [`keep`](Self::keep) has kept.
    pub(crate) fn remember(&self, known: Known) {
        self.store.ledger().known.remember(known);
    }

    fn place(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let dir = place::directory(&self.store.root, &self.dir)?;
        let path = dir.join(name);
        // Held before it exists, so that nobody else's eviction takes it in between.
        self.hold(&path);
        let len = bytes.len() as u64;
        if !place::refresh(&path, len) {
            place::write(&dir, &path, bytes)?;
            self.store.grew(len);
        }
        Ok(path)
    }

    fn hold(&self, path: &Path) {
        let mut holds = self.holds.lock().unwrap_or_else(PoisonError::into_inner);
        if holds.insert(path.to_owned()) {
            *self.store.ledger().held.entry(path.to_owned()).or_default() += 1;
        }
    }
}

impl Drop for Spiller {
    fn drop(&mut self) {
        let holds = std::mem::take(self.holds.get_mut().unwrap_or_else(PoisonError::into_inner));
        let mut ledger = self.store.ledger();
        for path in holds {
            let left = ledger.held.get(&path).map_or(0, |count| count.saturating_sub(1));
            if left == 0 {
                ledger.held.remove(&path);
            } else {
                ledger.held.insert(path, left);
            }
        }
    }
}

impl fmt::Debug for Spiller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spiller").field("root", &self.store.root).field("dir", &self.dir).finish_non_exhaustive()
    }
}
