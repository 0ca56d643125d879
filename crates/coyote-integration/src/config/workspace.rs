//! The workspace's own `mcp.json` (host.md "Workspace files"): found and read, with the hash that trust is bound to.
//!
//! Such a file runs a stranger's commands. Nothing here decides that it may ([`super::Trust`] does), and what is parsed
//! is the very bytes that were hashed. It gets no secret of the user's: an entry with `{{…}}` is refused, and the
//! `trust` of an entry waives nothing (S40).

use super::{DeadLink, Environment, McpJson, ProcessEnv, is_file, mcp_json::parse_mcp_json};
use crate::mcp::Origin;
use mcp_render::WORKSPACE_FILE_MAX_BYTES;
use sha2::{Digest, Sha256};
use std::{
    fmt::Write,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// The places, in order; the first that exists counts (host.md "Files").
const PLACES: [&str; 3] = [".coyote/mcp.json", ".coyote/.mcp.json", ".mcp.json"];

/// The workspace file in `dir`, if there is one.
pub fn workspace_file(dir: &Path) -> Option<PathBuf> {
    workspace_places(dir).into_iter().find(|path| is_file(path))
}

/// Where a workspace file of `dir` may stand.
///
/// The directory's own links are resolved, those inside it are not: relative programs of the file are looked up from the
/// directory, so a link to a file that is trusted elsewhere must not carry that trust here.
pub fn workspace_places(dir: &Path) -> [PathBuf; 3] {
    let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    PLACES.map(|place| dir.join(place))
}

/// A workspace file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceFile {
    path: PathBuf,
    bytes: Vec<u8>,
    sha256: String,
}

impl WorkspaceFile {
    /// The workspace file in `dir`, if there is one; the error says why it cannot be used.
    pub fn find(dir: &Path) -> Option<Result<Self, String>> {
        workspace_file(dir).map(Self::at)
    }

    /// The file at this path: another one that stands in the workspace.
    pub(crate) fn at(path: PathBuf) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let one_more = u64::try_from(WORKSPACE_FILE_MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let read = File::open(&path).and_then(|file| file.take(one_more).read_to_end(&mut bytes));
        let shown = path.display();
        if let Err(error) = read {
            let error = DeadLink::at(&path).map_or_else(|| error.to_string(), |link| link.to_string());
            return Err(format!("The workspace file `{shown}` could not be read: {error}"));
        }
        if bytes.len() > WORKSPACE_FILE_MAX_BYTES {
            return Err(format!(
                "The workspace file `{shown}` is over {} MiB and is not used",
                WORKSPACE_FILE_MAX_BYTES >> 20
            ));
        }
        let sha256 = Sha256::digest(&bytes).iter().fold(String::with_capacity(64), |mut digits, byte| {
            // Writing to a string does not fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        });
        Ok(Self { path, bytes, sha256 })
    }

    /// Its path: the directory's canonical path and its place in it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its content: the very bytes that were hashed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The SHA-256 of its content, as 64 hex digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// What it says. Reading it starts nothing.
    pub fn servers(&self) -> McpJson {
        // Without a single variable every `{{NAME}}` is missing, and an entry that misses one is refused.
        let nothing = Environment::new(ProcessEnv::of(&[]));
        parse_mcp_json(self.path.clone(), &self.bytes, &nothing, Origin::Workspace)
    }
}

#[cfg(test)]
mod tests;
