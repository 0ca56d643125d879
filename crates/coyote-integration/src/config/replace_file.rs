//! A file is replaced whole or not at all, and keeps who may read it (S47).
//!
//! What is written goes to a new file beside it, reaches the disk, and takes the old one's name. A link is followed, so
//! that a file kept elsewhere stays there. A file that its user made read-only is not replaced.

use super::private_dir;
use std::{
    fs::{self, Permissions},
    io::{self, Write},
    path::Path,
};

/// Who may read the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its user alone, whatever it was.
    Private,
    /// Whoever may now; a new file its user alone.
    KeptElsePrivate,
    /// Whoever may now; a new file whoever the system's default lets.
    KeptElseDefault,
}

/// Writes `bytes` to `path`, making its directory where there is none.
pub fn replace_file(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let dir = target.parent().ok_or_else(|| io::Error::other("it has no directory"))?;
    match access {
        Access::KeptElseDefault => fs::create_dir_all(dir)?,
        Access::Private | Access::KeptElsePrivate => private_dir(dir)?,
    }
    let existing = fs::metadata(&target).ok().map(|found| found.permissions());
    if existing.as_ref().is_some_and(Permissions::readonly) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".coyote-");
    #[cfg(unix)]
    if access == Access::KeptElseDefault {
        builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    }
    // Without a mode of its own such a file is its user's alone.
    let mut file = builder.tempfile_in(dir)?;
    if let Some(existing) = existing.filter(|_| access != Access::Private) {
        file.as_file().set_permissions(existing)?;
    }
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_private_file_is_its_users_alone_and_so_is_its_directory() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("coyote/trust.json");
        for access in [Access::Private, Access::KeptElsePrivate] {
            replace_file(&path, b"x", access).unwrap();
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_private_one_gets_it_back() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("mcp.json");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        replace_file(&path, b"new", Access::KeptElsePrivate).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o640, b"new".to_vec()));
        replace_file(&path, b"newer", Access::Private).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 1, "nothing else is left there");
    }

    #[test]
    fn a_link_stays_a_link_and_a_read_only_file_stays_as_it_is() {
        let base = tempfile::tempdir().unwrap();
        let (real, link) = (base.path().join("real.json"), base.path().join("mcp.json"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace_file(&link, b"new", Access::KeptElsePrivate).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        fs::set_permissions(&real, Permissions::from_mode(0o400)).unwrap();
        let error = replace_file(&link, b"newest", Access::KeptElsePrivate).unwrap_err();
        assert_eq!((error.to_string().as_str(), fs::read(&real).unwrap()), ("it is read-only", b"new".to_vec()));
    }
}
