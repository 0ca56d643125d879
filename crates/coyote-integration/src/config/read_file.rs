//! A file of the user's that is read whole: a setting, a role, an agent, a session.
//!
//! A role, an agent or a session that is no regular file is refused before it is opened: a pipe would keep who opens it, a
//! device has no end, and neither can be stopped by Ctrl-C (S13). A link is followed; one that leads nowhere is no absent
//! file but an error that names it, and so is text that is not UTF-8.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// The text of the regular file at this path.
pub fn read_file(path: &Path) -> io::Result<String> {
    if !fs::metadata(path).map_err(|error| named(path, error))?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    read_text(path)
}

/// The text at this path, of a file of any kind.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_bytes(path)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let line = line_that_is_no_text(error.as_bytes()).unwrap_or_default();
            let why = format!("line {line} is not UTF-8; save the file as UTF-8");
            Err(io::Error::new(io::ErrorKind::InvalidData, why))
        }
    }
}

/// The bytes at this path.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path).map_err(|error| named(path, error))
}

/// The first line that is not UTF-8, from 1.
pub(crate) fn line_that_is_no_text(bytes: &[u8]) -> Option<usize> {
    let end = str::from_utf8(bytes).err()?.valid_up_to();
    Some(bytes.iter().take(end).filter(|byte| **byte == b'\n').count() + 1)
}

/// A link that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLink {
    /// The link: the path that was asked for, or a directory above it.
    pub link: PathBuf,
    target: PathBuf,
    /// What its end is, if not absent.
    why: Option<String>,
}

impl DeadLink {
    /// The link that keeps this path from being there. `None` when it is there, or absent.
    pub fn at(path: &Path) -> Option<Self> {
        let link = path.ancestors().find(|above| fs::symlink_metadata(above).is_ok())?;
        let target = fs::read_link(link).ok()?;
        let error = fs::metadata(link).err()?;
        let why = (error.kind() != io::ErrorKind::NotFound).then(|| error.to_string());
        Some(Self { link: link.to_owned(), target, why })
    }

    /// Where it leads.
    fn end(&self) -> String {
        let target = self.target.display();
        match &self.why {
            None => format!("a link to `{target}`, which is not there"),
            Some(why) => format!("a link to `{target}`, which cannot be followed: {why}"),
        }
    }
}

impl fmt::Display for DeadLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}", self.link.display(), self.end())
    }
}

/// Whether a file stands at this path, or a link, to a file or nowhere: who uses the latter is told.
pub(crate) fn is_file(path: &Path) -> bool {
    path.is_file() || DeadLink::at(path).is_some()
}

/// Whether something stands at this path, be it a link that leads nowhere.
pub(crate) fn stands(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The error of a path; what is not there because of a dead link is not absent.
fn named(path: &Path, error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::NotFound {
        return error;
    }
    match DeadLink::at(path) {
        None => error,
        // Whoever shows the error has named the path.
        Some(link) if link.link == path => io::Error::other(format!("it is {}", link.end())),
        Some(link) => io::Error::other(link.to_string()),
    }
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

    #[cfg(unix)]
    #[test]
    fn a_link_to_nowhere_is_not_absent_and_neither_is_what_stands_below_one() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        symlink("gone", at("file")).unwrap();
        symlink(at("gone"), at("dir")).unwrap();
        symlink("round", at("round")).unwrap();
        let told = |name: &str| {
            let told = read_text(&at(name)).unwrap_err();
            assert_ne!(told.kind(), io::ErrorKind::NotFound, "{name}");
            told.to_string().replace(dir.path().to_str().unwrap(), "DIR")
        };
        insta::assert_snapshot!([told("file"), told("dir/below"), told("dir/further/below")].join("\n"), @r"
        it is a link to `gone`, which is not there
        `DIR/dir` is a link to `DIR/gone`, which is not there
        `DIR/dir` is a link to `DIR/gone`, which is not there
        ");
        assert!(DeadLink::at(&at("round")).unwrap().to_string().contains("which cannot be followed: "));
        assert_eq!((DeadLink::at(&at("absent")), DeadLink::at(dir.path())), (None, None));
        assert_eq!((stands(&at("file")), stands(&at("absent"))), (true, false));
    }

    #[test]
    fn text_that_is_not_utf8_names_its_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"one\ntwo \xff\n").unwrap();
        assert_eq!(read_text(file.path()).unwrap_err().to_string(), "line 2 is not UTF-8; save the file as UTF-8");
    }
}
