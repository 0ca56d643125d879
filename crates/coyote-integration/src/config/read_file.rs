//! A file of the user's that is read whole: a role, an agent, a session.
//!
//! What is no regular file is refused before it is opened: a pipe would keep who opens it, a device has no end, and neither
//! can be stopped by Ctrl-C (S13). A link is followed.

use std::{fs, io, path::Path};

/// The text of the file at this path.
pub fn read_file(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_a_device_a_directory_and_a_pipe_are_refused_s13() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        assert_eq!(read_file(&at("link")).unwrap(), "text");
        std::os::unix::fs::symlink("/dev/zero", at("endless")).unwrap();
        std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        for refused in ["endless", "pipe", "."] {
            assert_eq!(read_file(&at(refused)).unwrap_err().to_string(), "it is no regular file", "{refused}");
        }
        assert_eq!(read_file(&at("absent")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
