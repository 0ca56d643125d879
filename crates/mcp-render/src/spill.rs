//! The spill store (D3, S32, S33, S34).
use crate::{Code, SPILL_TREE_MAX_BYTES};
use serde_json::Value;
use std::{path::PathBuf, sync::Arc};
use thiserror::Error;
/// A directory name inside the spill tree: `[A-Za-z0-9_-]{1,51}` (S3, S32).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillDir(String);
/// The name given does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no spill directory name")]
pub struct SpillDirError(pub String);
impl SpillDir { /// Checks and wraps `name`.
    pub fn new(_name: &str) -> Result<Self, SpillDirError> { todo!() } /// The name.
    pub fn as_str(&self) -> &str { &self.0 } }
/// The tree of spilled files of this process. Cheap to share; blocking.
#[derive(Debug)]
pub struct SpillStore { _root: PathBuf }
impl SpillStore { /// A store below `root` (`cache_dir()/mcp-resources`), created on first use, bounded by [`SPILL_TREE_MAX_BYTES`].
    pub fn new(root: PathBuf) -> Self { let _ = SPILL_TREE_MAX_BYTES; Self { _root: root } } 
    /// A store with another bound, for tests and small hosts.
    pub fn with_limit(_root: PathBuf, _limit: u64) -> Self { todo!() }
    /// Reads back what a server spilled (S34): verifies the hash; `None` when there is no such file.
    pub fn read_back(&self, _dir: &SpillDir, _sha256: &str) -> Option<StoredSpill> { todo!() } }
/// A spilled file read back (S34).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSpill { /// Where it is.
    pub path: PathBuf, /// Its bytes.
    pub bytes: Vec<u8> }
/// Where the items of one answer spill to. Holds the files of the answer being built, which eviction never takes.
#[derive(Debug)]
pub struct Spiller { _store: Arc<SpillStore>, _dir: SpillDir }
impl Spiller { /// A spiller for one answer.
    pub fn new(store: Arc<SpillStore>, dir: SpillDir) -> Self { Self { _store: store, _dir: dir } } }
/// What is known of a spilled blob (S33).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spilled { /// Where it is; `None` when it could not be kept.
    pub path: Option<String>, /// The item's URI.
    pub uri: String, /// The claimed mime type.
    pub mime_type: Option<String>, /// Decoded size.
    pub size_bytes: u64, /// Lower-case hex.
    pub sha256: String, /// As annotated.
    pub audience: Vec<String>, /// What the bytes look like.
    pub detected_mime: Option<&'static str>, /// `spill_failed` when it could not be kept.
    pub code: Option<Code>, /// Why not, or what to do.
    pub note: Option<String> }
impl Spilled { /// The object of S33.
    pub fn to_value(&self) -> Value { todo!() } }
/// How a model reads a spilled file back (S34), for the markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadBack { /// Through the read function of this name, with `uri: "spill:<sha256>"`.
    Read { /// The function's name.
        function: String }, /// Through the describe function of this name, with `kind: "spill"` and `tool: "<sha256>"`.
    Describe { /// The function's name.
        function: String } }
