//! The blobs that this process has spilled, recognised without hashing them again (S32, performance.md).
//!
//! A blob that comes a second time is compared with the file that it became, block by block, while it is decoded: that is
//! less work than its SHA-256, and what differs shows in the first blocks. A file is believed for its bytes alone, never
//! for its name or its size. Nothing is written here, and text is unknown to it: text is never spilled as a blob (S29).

use super::place;
use crate::decode::decodes_to;
use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};

/// So many blobs are remembered; the one spilled longest ago is forgotten first.
const REMEMBERED: usize = 64;

/// So many files of the right size are looked into, each as far as its first block that differs.
const TRIED: usize = 4;

/// A blob that was spilled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub path: PathBuf,
    pub sha256: String,
    pub size_bytes: u64,
    pub detected_mime: Option<&'static str>,
}

/// What this process has spilled lately.
#[derive(Debug, Default)]
pub(super) struct Memory(VecDeque<Known>);

impl Memory {
    pub(super) fn remember(&mut self, known: Known) {
        self.forget(&known.path);
        self.0.truncate(REMEMBERED - 1);
        self.0.push_front(known);
    }

    pub(super) fn forget(&mut self, path: &Path) {
        self.0.retain(|known| known.path != path);
    }

    /// Those of `size_bytes` that lie in `dir` under the extension `ext`, the latest first.
    pub(super) fn alike(&self, dir: &Path, ext: &str, size_bytes: u64) -> Vec<Known> {
        let same_place = |known: &&Known| {
            known.size_bytes == size_bytes
                && known.path.parent() == Some(dir)
                && known.path.extension().is_some_and(|known| known == ext)
        };
        self.0.iter().filter(same_place).take(TRIED).cloned().collect()
    }
}

/// Whether the base64 in `text` decodes to what the file of `known` holds; `Err` when there is no such file any more.
pub(super) fn is_kept(text: &[u8], known: &Known) -> Result<bool, Gone> {
    let (mut file, found) = place::open_regular(&known.path, File::options().read(true)).ok_or(Gone)?;
    if found.len() != known.size_bytes {
        return Err(Gone);
    }
    Ok(decodes_to(text, &mut file))
}

/// The file is not there, or is another one.
#[derive(Debug)]
pub(super) struct Gone;

#[cfg(test)]
mod tests;
