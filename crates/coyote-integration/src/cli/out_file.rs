//! `-o FILE`: a file that appears whole or not at all.
//!
//! What is written is a stranger's; it is never opened or run here.

use super::exit::Failure;
use mcp_render::{Code, ErrorShape};
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// A file that is being written beside its place.
#[derive(Debug)]
pub(super) struct OutFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl OutFile {
    /// Begins the file. A directory that cannot be written is found before a server is asked.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let absolute = std::path::absolute(path).map_err(|error| failed(path, &error))?;
        let dir = absolute.parent().unwrap_or_else(|| Path::new("."));
        if absolute.is_dir() || absolute.file_name().is_none() {
            return Err(Failure::usage(format!("`{}` is a directory", path.display()), "Name a file with `-o`"));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".coyote-");
        // A file of the user's own, with the mode that their umask gives.
        #[cfg(unix)]
        builder.permissions(<std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
        let file = builder.tempfile_in(dir).map_err(|error| failed(path, &error))?;
        Ok(Self { file, path: absolute })
    }

    /// Appends a part.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| failed(&self.path, &error))
    }

    /// Copies a spilled file whole.
    pub(super) fn copy(&mut self, spill: &Path) -> Result<(), Failure> {
        let copied = File::open(spill).and_then(|mut from| io::copy(&mut from, &mut self.file));
        copied.map(drop).map_err(|error| failed(&self.path, &error))
    }

    /// Puts the file into its place.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.file.persist(&self.path).map(drop).map_err(|error| failed(&self.path, &error.error))
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::call(ErrorShape {
        tool_call_error: format!("`{}` could not be written: {error}", path.display()),
        code: Code::SpillFailed,
        hint: "Choose a place that can be written with `-o`".to_owned(),
        closest: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let mut file = OutFile::create(&path).unwrap();
        file.write(b"one ").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut file = OutFile::create(&path).unwrap();
        file.write(b"two").unwrap();
        file.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
    }

    #[test]
    fn a_directory_and_a_place_that_is_not_there_are_refused_before_anything_is_read() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(OutFile::create(dir.path()).unwrap_err().status().number(), 2);
        assert_eq!(OutFile::create(&dir.path().join("none/out")).unwrap_err().status().number(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_gets_the_mode_of_the_users_umask() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs) = (dir.path().join("ours"), dir.path().join("theirs"));
        OutFile::create(&ours).unwrap().finish().unwrap();
        std::fs::write(&theirs, "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&theirs));
    }
}
