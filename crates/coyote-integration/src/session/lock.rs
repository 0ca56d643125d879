//! Who may write a session: one process, for as long as it lives (host.md "A session file").
//!
//! The lock is on a file of its own, since the session's file is replaced by every write. The system lets go of it when the
//! process ends, however it ends. The file stays: removing it could give two processes a lock each.

use crate::config::private_dir;
use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
};

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// Locks the session of this name in `dir`; the error says why nothing may be written.
    pub(super) fn take(dir: &Path, name: &str) -> Result<Self, String> {
        let path = dir.join(format!(".{name}.lock"));
        let opened = private_dir(dir).and_then(|()| open(&path));
        let file = opened.map_err(|error| format!("`{}` could not be opened: {error}", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err("another coyote has it open".to_owned()),
            // A file system without locks: one user at one place is the common case there.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Self { _file: None }),
            Err(TryLockError::Error(error)) => Err(format!("`{}` could not be locked: {error}", path.display())),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
