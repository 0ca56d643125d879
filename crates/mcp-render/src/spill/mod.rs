//! The spill store (D3, S32, S33, S34): binaries and over-long texts are kept as files named by their SHA-256.
//!
//! Files are untrusted input: they are never opened by us for anything but reading them back, and never executed. The
//! store follows no symbolic link and knows no server; the directory is an argument.

mod evict;
mod known;
mod place;
mod read_back;
mod store;

pub(crate) use known::Known;
pub use read_back::StoredSpill;
pub(crate) use store::Kept;
pub use store::{SpillStore, Spiller};

use crate::fit::{metadata, metadata_list};
use crate::{Code, METADATA_STRING_MAX_BYTES};
use serde_json::{Map, Value};
use thiserror::Error;

/// A directory name inside the spill tree: `[A-Za-z0-9_-]{1,51}` (S3, S32).
///
/// ```
/// use mcp_render::SpillDir;
/// assert!(SpillDir::new("github").is_ok());
/// assert!(SpillDir::new("../../x").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillDir(String);

/// The name given does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{}` is no spill directory name; a name is 1 to 51 of the characters A-Z, a-z, 0-9, `_` and `-`", crate::shown_line(.0, 80))]
pub struct SpillDirError(pub String);

impl SpillDir {
    /// Checks and wraps `name`.
    pub fn new(name: &str) -> Result<Self, SpillDirError> {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if plain && (1..=51).contains(&name.len()) {
            Ok(Self(name.to_owned()))
        } else {
            Err(SpillDirError(name.to_owned()))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What is known of a spilled blob (S33).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spilled {
    /// Where it is; `None` when it could not be kept.
    pub path: Option<String>,
    /// The item's URI; empty when it has none, as the picture of a tool result.
    pub uri: String,
    /// The claimed mime type.
    pub mime_type: Option<String>,
    /// Decoded size.
    pub size_bytes: u64,
    /// Lower-case hex.
    pub sha256: String,
    /// As annotated.
    pub audience: Vec<String>,
    /// What the bytes look like.
    pub detected_mime: Option<&'static str>,
    /// `spill_failed` when it could not be kept.
    pub code: Option<Code>,
    /// Why not, or what to do.
    pub note: Option<String>,
}

impl Spilled {
    /// The object of S33.
    pub fn to_value(&self) -> Value {
        Value::Object(self.object(METADATA_STRING_MAX_BYTES))
    }

    /// The object with foreign strings of at most `max` bytes each.
    pub(crate) fn object(&self, max: usize) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("spilled".into(), true.into());
        object.insert("path".into(), self.path.as_deref().into());
        object.insert("uri".into(), if self.uri.is_empty() { Value::Null } else { metadata(&self.uri, max) });
        object.insert("mime_type".into(), self.mime_type.as_deref().map_or(Value::Null, |mime| metadata(mime, max)));
        // Text is never spilled as a blob (S29), so this never changes.
        object.insert("sniffed".into(), false.into());
        object.insert("size_bytes".into(), self.size_bytes.into());
        object.insert("sha256".into(), self.sha256.as_str().into());
        if let Some(audience) = metadata_list(&self.audience, max) {
            object.insert("audience".into(), audience);
        }
        if let Some(mime) = self.detected_mime {
            object.insert("detected_mime".into(), mime.into());
        }
        if let Some(code) = self.code {
            object.insert("code".into(), code.as_str().into());
        }
        if let Some(note) = &self.note {
            object.insert("note".into(), metadata(note, max));
        }
        object
    }
}

/// How a model reads a spilled file back (S34), for the markers. The function names come from the caller: this crate
/// knows none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadBack {
    /// Through the read function of this name, with `uri: "spill:<sha256>"`.
    Read {
        /// The function's name.
        function: String,
    },
    /// Through the describe function of this name, with `kind: "spill"` and `tool: "<sha256>"`.
    Describe {
        /// The function's name.
        function: String,
    },
    /// The file itself, for what this machine's own tools wrote.
    File {
        /// The function that reads files, where there is one; its parameter is `path`.
        function: Option<String>,
    },
}

impl ReadBack {
    /// The next step for what is stored under `sha256`.
    pub(crate) fn hint(&self, sha256: &str) -> String {
        match self {
            Self::Read { function } => {
                format!("All of it: `{function}` with `uri` `spill:{sha256}`, and `pattern` or `offset` for a part")
            }
            Self::Describe { function } => format!(
                "All of it: `{function}` with `kind` `spill` and `tool` `{sha256}`, and `pattern` or `offset` for a part"
            ),
            Self::File { function: Some(function) } => {
                format!("All of it: `{function}` with this `path`, and `offset` for a part")
            }
            Self::File { function: None } => "All of it is in the file at `path`".into(),
        }
    }

    /// How the resource behind a link is read.
    pub(crate) fn link_hint(&self) -> String {
        match self {
            Self::Read { function } => format!("read with `{function}`"),
            Self::Describe { .. } => "this server declares no resources, so it cannot be read".into(),
            Self::File { .. } => "no server, so it cannot be read".into(),
        }
    }
}

#[cfg(test)]
mod tests;
