//! Eviction (S32): oldest files first, until the tree is within its bound.
//!
//! It only ever touches regular files named `<64 hex>.<ext>` in directories that could be ours. Several processes share
//! the tree, so a file that is gone already is no error.

use super::{SpillDir, place};
use crate::sniff::is_sha256_hex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

struct Candidate {
    modified: SystemTime,
    path: PathBuf,
    len: u64,
}

/// The bytes of all spilled files below `root`.
pub(super) fn tree_size(root: &Path) -> u64 {
    candidates(root).map(|file| file.len).sum()
}

/// Removes the oldest files that nobody holds until at most `limit` bytes are left; gives what is left.
pub(super) fn shrink(root: &Path, limit: u64, held: &HashMap<PathBuf, usize>) -> u64 {
    let mut files: Vec<_> = candidates(root).collect();
    let mut total = files.iter().map(|file| file.len).sum();
    files.retain(|file| !held.contains_key(&file.path));
    files.sort_by(|a, b| (a.modified, &a.path).cmp(&(b.modified, &b.path)));
    for file in files {
        if total <= limit {
            break;
        }
        match fs::remove_file(&file.path) {
            Ok(()) => total -= file.len,
            Err(error) if error.kind() == io::ErrorKind::NotFound => total -= file.len,
            Err(_) => {}
        }
    }
    total
}

fn candidates(root: &Path) -> impl Iterator<Item = Candidate> {
    entries(root).filter(|dir| is_server_dir(dir)).flat_map(|dir| entries(&dir)).filter_map(|path| {
        let name = path.file_name()?.to_str()?;
        let found = fs::symlink_metadata(&path).ok().filter(|found| found.is_file() && is_spill_name(name))?;
        Some(Candidate { modified: found.modified().ok()?, len: found.len(), path })
    })
}

fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    // A link for a directory would lead out of the tree.
    let listing = place::is_own_directory(dir).then(|| fs::read_dir(dir).ok()).flatten();
    listing.into_iter().flatten().flatten().map(|entry| entry.path())
}

fn is_server_dir(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| SpillDir::new(name).is_ok())
}

/// `<64 hex>.<ext>`, where the extension may be one of another version's table.
fn is_spill_name(name: &str) -> bool {
    name.split_once('.').is_some_and(|(stem, ext)| {
        let plain = ext.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        is_sha256_hex(stem) && plain && (1..=8).contains(&ext.len())
    })
}
