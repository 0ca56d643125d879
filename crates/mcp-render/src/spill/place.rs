//! Putting one file in its place (S32): directories 0700, files 0600, a temporary name beside it and a rename.
//!
//! No symbolic link is followed, neither for the directories nor for the file. Nothing is synced: a lost file is fetched
//! again, and a short one is noticed by its size.

use super::SpillDir;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The directory of one server, made if it is missing.
pub(super) fn directory(root: &Path, dir: &SpillDir) -> io::Result<PathBuf> {
    own_directory(root)?;
    let path = root.join(dir.as_str());
    own_directory(&path)?;
    Ok(path)
}

/// Marks a file of that name and size as just used; `false` when there is none that can be trusted.
pub(super) fn refresh(path: &Path, len: u64) -> bool {
    let Some((file, found)) = open_regular(path, File::options().write(true)) else { return false };
    if found.len() != len {
        return false;
    }
    // Both best effort: an older time makes it an earlier victim, no more.
    let _ = file.set_modified(SystemTime::now());
    let _ = tighten(&found, 0o600, |permissions| file.set_permissions(permissions));
    true
}

/// Writes a new file, or replaces one that cannot be trusted.
pub(super) fn write(dir: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".spill-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o600));
    }
    let mut file = builder.tempfile_in(dir)?;
    file.write_all(bytes)?;
    // A rename replaces a link of that name instead of following it.
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Opens `path` if it is a regular file and not a link.
pub(super) fn open_regular(path: &Path, options: &fs::OpenOptions) -> Option<(File, Metadata)> {
    let named = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let file = options.open(path).ok()?;
    let opened = file.metadata().ok().filter(Metadata::is_file)?;
    // A link put there since then leads to another file.
    same_file(&named, &opened).then_some((file, opened))
}

/// Whether `path` is a directory of its own.
pub(super) fn is_own_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

fn own_directory(path: &Path) -> io::Result<()> {
    if let Err(error) = fs::symlink_metadata(path) {
        if error.kind() != io::ErrorKind::NotFound {
            return Err(error);
        }
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt;
            builder.mode(0o700);
        }
        builder.create(path)?;
    }
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() {
        let shown = path.display();
        return Err(io::Error::other(format!(
            "`{shown}` is a symbolic link or a file; remove it, a directory belongs there"
        )));
    }
    // Some file systems have no modes; what is in it is 0600 all the same.
    let _ = tighten(&found, 0o700, |permissions| fs::set_permissions(path, permissions));
    Ok(())
}

#[cfg(unix)]
fn tighten(found: &Metadata, mode: u32, set: impl FnOnce(fs::Permissions) -> io::Result<()>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if found.permissions().mode() & 0o777 == mode { Ok(()) } else { set(fs::Permissions::from_mode(mode)) }
}

#[cfg(not(unix))]
fn tighten(_: &Metadata, _: u32, _: impl FnOnce(fs::Permissions) -> io::Result<()>) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len()
}
