//! Sessions: conversations that are kept in files (host.md "Roles, agents, macros, sessions", S47).
//!
//! A file is replaced whole after every exchange, so that a crash loses at most the exchange in flight. One process writes
//! it: whoever opens it second reads it and writes nothing. Nothing here talks to a model or prints.

mod document;
mod journal;
mod lock;
mod message_form;

pub use document::SessionDocument;
pub(crate) use document::settings_map;
pub use journal::Journal;

use crate::config::{Access, is_file, read_file, replace_file};
use lock::Lock;
use mcp_catalog::closest;
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use thiserror::Error;

/// The name of a session that is thrown away.
pub const TEMP: &str = "temp";

/// An open session.
#[derive(Debug, Clone)]
pub struct Session {
    name: String,
    /// None: it is thrown away.
    file: Option<PathBuf>,
    /// Held until the last copy is gone.
    _lock: Option<Arc<Lock>>,
    /// Why nothing is written.
    read_only: Option<String>,
}

/// A session that cannot be opened or written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionFault {
    /// The name is no file name.
    #[error("`{name}` is no name of a session; accepted are names without `/` and `\\` that do not begin with a dot")]
    Name {
        /// What was given.
        name: String,
    },
    /// The file cannot be read.
    #[error("Session `{name}` could not be read from `{}`: {error}", file.display())]
    Unreadable {
        /// The session.
        name: String,
        /// Its file.
        file: PathBuf,
        /// Why.
        error: String,
    },
    /// The file says something that is not understood; writing it would lose that.
    #[error("Session `{name}` is not understood: {error}")]
    NotUnderstood {
        /// The session.
        name: String,
        /// File, place, and what is accepted.
        error: String,
    },
    /// It may not be written.
    #[error("Session `{name}` is read-only: {why}")]
    ReadOnly {
        /// The session.
        name: String,
        /// Why.
        why: String,
    },
    /// The file cannot be written.
    #[error("Session `{name}` could not be written to `{}`: {error}", file.display())]
    Unwritable {
        /// The session.
        name: String,
        /// Its file.
        file: PathBuf,
        /// Why.
        error: String,
    },
    /// It has no name to be saved by.
    #[error("A session that is thrown away has no file")]
    Unnamed,
}

impl SessionFault {
    /// The next step.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Name { .. } => "`coyote --list-sessions` and `.list sessions` show the sessions",
            Self::Unreadable { .. } => "Make the file readable, or take another name",
            Self::NotUnderstood { .. } => "Correct the file, or take another name; it stays as it is",
            Self::ReadOnly { .. } | Self::Unnamed => "Save it under another name: `.save session NAME`",
            Self::Unwritable { .. } => "Make room or the file writable, then `.save session`",
        }
    }
}

impl Session {
    /// One that is thrown away.
    pub fn temporary() -> Self {
        Self { name: TEMP.to_owned(), file: None, _lock: None, read_only: None }
    }

    /// Opens the session of this name in `dir`. What it holds; `None` when it is new.
    pub fn open(dir: &Path, name: &str) -> Result<(Self, Option<SessionDocument>), SessionFault> {
        if name == TEMP {
            return Ok((Self::temporary(), None));
        }
        let file = file_of(dir, name)?;
        // Locked first: whoever held it has written its last by then.
        let (lock, read_only) = match Lock::take(dir, name) {
            Ok(lock) => (Some(Arc::new(lock)), None),
            Err(why) => (None, Some(why)),
        };
        let unreadable = |error: io::Error| SessionFault::Unreadable {
            name: name.to_owned(),
            file: file.clone(),
            error: error.to_string(),
        };
        let document = match read_file(&file) {
            Ok(text) => {
                let parsed = SessionDocument::parse(&text, &file);
                Some(parsed.map_err(|error| SessionFault::NotUnderstood { name: name.to_owned(), error })?)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(error)),
        };
        Ok((Self { name: name.to_owned(), file: Some(file), _lock: lock, read_only }, document))
    }

    /// Opens the file of this name to be written to alone: for a conversation that is saved under another name. One that
    /// holds something is not replaced.
    pub fn create(dir: &Path, name: &str) -> Result<Self, SessionFault> {
        let (session, document) = Self::open(dir, name)?;
        if document.is_some() {
            let why = "there is one of this name, and it would be replaced".to_owned();
            return Err(SessionFault::ReadOnly { name: name.to_owned(), why });
        }
        session.writable()?;
        Ok(session)
    }

    /// Whether a session may have this name.
    pub fn check_name(name: &str) -> Result<(), SessionFault> {
        file_of(Path::new(""), name).map(drop)
    }

    /// Its name; `temp` for one that is thrown away.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its file; none for one that is thrown away.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Why nothing is written, if so.
    pub fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }

    /// What the file says now: after it was edited.
    pub fn reread(&self) -> Result<Option<SessionDocument>, SessionFault> {
        let Some(file) = &self.file else { return Err(SessionFault::Unnamed) };
        match read_file(file) {
            Ok(text) => SessionDocument::parse(&text, file)
                .map(Some)
                .map_err(|error| SessionFault::NotUnderstood { name: self.name.clone(), error }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let (name, file) = (self.name.clone(), file.clone());
                Err(SessionFault::Unreadable { name, file, error: error.to_string() })
            }
        }
    }

    /// Writes the file, whole or not at all. This blocks until it is on the disk.
    pub fn write(&self, document: &SessionDocument) -> Result<&Path, SessionFault> {
        let file = self.writable()?;
        let unwritable =
            |error: String| SessionFault::Unwritable { name: self.name.clone(), file: file.to_owned(), error };
        let text = document.to_text().map_err(unwritable)?;
        replace_file(file, text.as_bytes(), Access::Private).map_err(|error| unwritable(error.to_string()))?;
        Ok(file)
    }

    /// The names of the sessions in `dir`, sorted.
    pub fn names(dir: &Path) -> Vec<String> {
        let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let names = files.filter_map(|file| {
            let path = file.path();
            let name = path.file_stem()?.to_str()?;
            let session = path.extension()? == "yaml" && !name.starts_with('.') && is_file(&path);
            session.then(|| name.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// The closest names, for one that is not there.
    pub fn closest(dir: &Path, name: &str) -> Vec<String> {
        closest(name, Self::names(dir).iter().map(String::as_str))
    }

    fn writable(&self) -> Result<&Path, SessionFault> {
        let Some(file) = &self.file else { return Err(SessionFault::Unnamed) };
        match &self.read_only {
            Some(why) => Err(SessionFault::ReadOnly { name: self.name.clone(), why: why.clone() }),
            None => Ok(file),
        }
    }
}

/// The file of a session. A name is no path: a session is never read from elsewhere.
fn file_of(dir: &Path, name: &str) -> Result<PathBuf, SessionFault> {
    if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') || name.chars().any(char::is_control) {
        return Err(SessionFault::Name { name: name.to_owned() });
    }
    Ok(dir.join(format!("{name}.yaml")))
}

#[cfg(test)]
mod tests;
