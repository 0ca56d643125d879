//! Where the laws spill to: nowhere. It writes no file, and so a law also holds on a disk that takes nothing (S32).

use mcp_render::{Ceiling, ReadBack, SpillDir, SpillStore, Spiller};
use std::{path::PathBuf, sync::Arc};

/// A store under a name that no system accepts, since it holds a NUL.
pub(super) fn nowhere() -> Spiller {
    let store = SpillStore::new(PathBuf::from("nowhere\0"));
    Spiller::new(Arc::new(store), SpillDir::new("laws").expect("a plain name is a directory's name"))
}

/// How a marker says to read on.
pub(super) fn read_back() -> ReadBack {
    ReadBack::Read { function: "mcp_read_laws".to_owned() }
}

/// The lowest ceiling, which is the hardest to keep.
pub(super) fn lowest() -> Ceiling {
    Ceiling::new(0)
}
