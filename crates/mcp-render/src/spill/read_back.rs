//! Reading a spilled file back by its hash (S34).
//!
//! The name is not believed: bytes that do not hash to it do not exist. Only the asking server's own directory is looked
//! into.

use super::{SpillDir, SpillStore, Spilled, place};
use crate::sniff::{is_sha256_hex, is_text, looks_like, sha256_hex};
use crate::{FRAME_MAX_BYTES, HeldText, Settled, SettledText, mime_type};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A spilled file read back (S34).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSpill {
    /// Where it is.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl SpillStore {
    /// Reads back what a server spilled (S34): verifies the hash; `None` when there is no such file.
    pub fn read_back(&self, dir: &SpillDir, sha256: &str) -> Option<StoredSpill> {
        let dir = self.root().join(dir.as_str());
        if !is_sha256_hex(sha256) || !place::is_own_directory(self.root()) || !place::is_own_directory(&dir) {
            return None;
        }
        mime_type::extensions().find_map(|ext| read_verified(&dir.join(format!("{sha256}.{ext}")), sha256))
    }
}

impl StoredSpill {
    /// The file as an item of a read, to be paged or filtered like any text; a binary as its metadata (S34).
    pub fn settle(self) -> Settled {
        let sha256 = sha256_hex(&self.bytes);
        let mime = self.path.extension().and_then(|ext| ext.to_str()).and_then(mime_type::of_extension);
        let (uri, mime_type) = (format!("spill:{sha256}"), mime.map(str::to_owned));
        if !is_text(&self.bytes) {
            return Settled::Spilled(Spilled {
                path: Some(self.path.to_string_lossy().into_owned()),
                uri,
                mime_type,
                size_bytes: self.bytes.len() as u64,
                sha256,
                audience: Vec::new(),
                detected_mime: looks_like(&self.bytes),
                code: None,
                note: None,
            });
        }
        let text = HeldText::from_utf8(self.bytes).unwrap_or_default();
        Settled::Text(SettledText { uri, mime_type, audience: Vec::new(), text })
    }
}

fn read_verified(path: &Path, sha256: &str) -> Option<StoredSpill> {
    let (mut file, found) = place::open_regular(path, File::options().read(true))?;
    // No answer spills more than its frame, give or take the labels of a prompt; what is larger is not ours.
    let len = usize::try_from(found.len()).ok().filter(|len| *len <= 2 * FRAME_MAX_BYTES)?;
    let mut bytes = Vec::with_capacity(len);
    file.read_to_end(&mut bytes).ok()?;
    (sha256_hex(&bytes) == sha256).then(|| StoredSpill { path: path.to_owned(), bytes })
}
