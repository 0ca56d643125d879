//! Files by path or glob.
//!
//! A glob is coyote's own matter: quoted, it reaches here, and works the same where a shell has none. It skips hidden and
//! ignored files, as `rg` does; a path that is written out is taken as it is.

use super::{Attached, InputFault};
use globset::GlobBuilder;
use mcp_render::{ATTACHED_FILE_BYTES, ATTACHED_FILES};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The files that `given` names, in the order of their paths.
pub(super) fn read(dir: &Path, given: &str) -> Result<Vec<Attached>, InputFault> {
    let path = dir.join(given);
    if path.symlink_metadata().is_err() && given.contains(['*', '?', '[', '{']) {
        return matching(dir, given)?.into_iter().map(|path| read_one(&path, &shown(dir, &path))).collect();
    }
    Ok(vec![read_one(&path, given)?])
}

fn read_one(path: &Path, name: &str) -> Result<Attached, InputFault> {
    if path.is_dir() {
        let hint = format!("Name its files, or write a glob: `-f '{}/*'`", name.trim_end_matches('/'));
        return Err(InputFault::of(format!("`{name}` is a directory"), hint));
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that is too large from one that is not, a pipe's and a device's as well.
    let limit = u64::try_from(ATTACHED_FILE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(|error| {
        InputFault::of(format!("`{name}` cannot be read: {error}"), "Check the path; a glob must be in quotes")
    })?;
    if bytes.len() > ATTACHED_FILE_BYTES {
        let sentence = format!("`{name}` holds more than {ATTACHED_FILE_BYTES} bytes, the limit for one file");
        return Err(InputFault::of(sentence, "Attach a part of it"));
    }
    Ok(Attached { name: name.to_owned(), bytes })
}

fn matching(dir: &Path, glob: &str) -> Result<Vec<PathBuf>, InputFault> {
    let (base, glob_part) = split(glob);
    let matcher = GlobBuilder::new(glob_part).literal_separator(true).build().map_err(|error| {
        InputFault::of(
            format!("`{glob}` is no file and no glob: {error}"),
            "`*`, `?`, `[…]`, `{a,b}` and `**` are known",
        )
    })?;
    let (matcher, base) = (matcher.compile_matcher(), dir.join(base));
    let mut found = Vec::new();
    for entry in ignore::WalkBuilder::new(&base).sort_by_file_path(Ord::cmp).build().filter_map(Result::ok) {
        let inside = entry.path().strip_prefix(&base).unwrap_or(entry.path());
        if entry.path().is_file() && matcher.is_match(inside) {
            if found.len() == ATTACHED_FILES {
                let sentence = format!("`{glob}` matches more than {ATTACHED_FILES} files, the limit for one glob");
                return Err(InputFault::of(sentence, "Write a narrower glob"));
            }
            found.push(entry.into_path());
        }
    }
    if found.is_empty() {
        let sentence = format!("`{glob}` matches no file");
        return Err(InputFault::of(
            sentence,
            "Hidden and ignored files are left out; a path that is written out is taken",
        ));
    }
    Ok(found)
}

/// The directory where a glob begins, and the rest.
fn split(glob: &str) -> (&str, &str) {
    let magic = glob.find(['*', '?', '[', '{']).unwrap_or(glob.len());
    let literal = glob.get(..magic).unwrap_or_default();
    let cut = literal.rfind('/').map_or(0, |at| at + 1);
    (glob.get(..cut).unwrap_or_default(), glob.get(cut..).unwrap_or_default())
}

/// A path as its user would write it.
fn shown(dir: &Path, path: &Path) -> String {
    path.strip_prefix(dir).unwrap_or(path).display().to_string()
}
