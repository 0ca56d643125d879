//! An `mcp.json` that is edited by command: read, changed by one entry, written whole (S47).
//!
//! A file that is not understood is never written. Nothing here resolves a secret: `{{NAME}}` is read and written as it
//! stands.

use super::{
    Access, Paths,
    edit::{Document, Fault},
    read_text, replace_file, stands, workspace_file, workspace_places,
};
use serde_json::Value;
use std::{
    io,
    path::{Path, PathBuf},
};

/// A file as it was when it was read.
#[derive(Debug)]
pub struct McpFile {
    path: PathBuf,
    /// `None`: there is none yet.
    text: Option<String>,
    access: Access,
}

/// Why a file cannot be read or written: a sentence, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// The sentence.
    pub sentence: String,
    /// The next step.
    pub hint: String,
}

impl McpFile {
    /// The user's own: the first of its places that exists, else the first.
    pub fn user(paths: &Paths) -> Result<Self, FileFault> {
        let places = paths.mcp_json();
        let path = places.iter().find(|path| stands(path)).or(places.first());
        Self::read(path.cloned().unwrap_or_default(), Access::KeptElsePrivate)
    }

    /// The one of the working directory `dir`, likewise.
    pub fn workspace(dir: &Path) -> Result<Self, FileFault> {
        let [first, ..] = workspace_places(dir);
        Self::read(workspace_file(dir).unwrap_or(first), Access::KeptElseDefault)
    }

    fn read(path: PathBuf, access: Access) -> Result<Self, FileFault> {
        let text = match read_text(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(FileFault {
                    sentence: format!("`{}` could not be read: {error}", path.display()),
                    hint: "Correct the file; it was not changed".to_owned(),
                });
            }
        };
        let file = Self { path, text, access };
        file.document()?;
        Ok(file)
    }

    /// Where it is, or would be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was there when it was read.
    pub const fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// The keys of its servers.
    pub fn keys(&self) -> Vec<String> {
        self.document().map(|document| document.keys().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// The first entry of this key, as it stands there.
    pub fn entry(&self, key: &str) -> Option<Value> {
        let document = self.document().ok()?;
        serde_json::from_str(document.entry(key)?).ok()
    }

    /// Adds an entry at the end and writes the file.
    pub fn add(&self, key: &str, entry: &Value) -> Result<(), FileFault> {
        self.write(self.document()?.with(key, entry))
    }

    /// Removes the entry of this key and writes the file.
    pub fn remove(&self, key: &str) -> Result<(), FileFault> {
        self.write(self.document()?.without(key))
    }

    fn document(&self) -> Result<Document<'_>, FileFault> {
        Document::read(self.text.as_deref().unwrap_or("{}\n")).map_err(|Fault(what)| FileFault {
            sentence: format!("`{}` {what}", self.path.display()),
            hint: "Correct the file; it was not changed".to_owned(),
        })
    }

    fn write(&self, text: Option<String>) -> Result<(), FileFault> {
        // An edit that would not be read back is not written.
        let text = text.filter(|text| Document::read(text).is_ok());
        let written = text.ok_or_else(|| io::Error::other("the edit failed")).and_then(|text| {
            let unchanged = std::fs::read_to_string(&self.path).ok() == self.text;
            if unchanged { Ok(text) } else { Err(io::Error::other("it was changed by somebody else meanwhile")) }
        });
        written.and_then(|text| replace_file(&self.path, text.as_bytes(), self.access)).map_err(|error| FileFault {
            sentence: format!("`{}` could not be written: {error}", self.path.display()),
            hint: "Make the file and its directory writable, and run the command again".to_owned(),
        })
    }
}
