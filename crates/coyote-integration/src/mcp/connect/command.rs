//! Where a server's program is: a path as it is given, or the first match in the child's own PATH.
//!
//! It runs nothing and asks no shell. The child's environment decides, so that an entry's own `PATH` counts.

use crate::mcp::child_env::ChildEnv;
use std::{
    env,
    path::{Path, PathBuf},
};

/// What a name ends with on Windows when it does not say so.
const WINDOWS_ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// The program that `command` names; the error is the cause.
pub(super) fn find(command: &str, cwd: Option<&Path>, env: &ChildEnv) -> Result<PathBuf, String> {
    let given = expand_home(Path::new(command), env);
    if given.components().count() > 1 || given.is_absolute() {
        let from = cwd.map_or_else(|| env::current_dir().unwrap_or_default(), Path::to_owned);
        return found(&from.join(given), env).ok_or_else(|| "no such program".to_owned());
    }
    let Some(path) = env.get("PATH") else {
        return Err("not found, since the server's environment has no PATH; give the whole path".to_owned());
    };
    let mut places = env::split_paths(path).filter(|dir| !dir.as_os_str().is_empty());
    places
        .find_map(|dir| found(&dir.join(&given), env))
        .ok_or_else(|| "not found in PATH; install it or give its whole path".to_owned())
}

/// A path with a leading `~` replaced by the user's home.
pub(super) fn expand_home(path: &Path, env: &ChildEnv) -> PathBuf {
    let home = env.get(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) if !home.is_empty() => Path::new(home).join(rest),
        _ => path.to_owned(),
    }
}

fn found(candidate: &Path, env: &ChildEnv) -> Option<PathBuf> {
    if runs(candidate) {
        return Some(candidate.to_owned());
    }
    if !cfg!(windows) || candidate.extension().is_some() {
        return None;
    }
    let endings = env.get("PATHEXT").and_then(|endings| endings.to_str()).unwrap_or(WINDOWS_ENDINGS);
    endings
        .split(';')
        .filter_map(|ending| ending.strip_prefix('.'))
        .map(|e| candidate.with_extension(e))
        .find(|c| runs(c))
}

#[cfg(unix)]
fn runs(candidate: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    candidate.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runs(candidate: &Path) -> bool {
    candidate.extension().is_some() && candidate.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::mcp::{Origin, ParentEnv};
    use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt};

    fn env(pairs: &[(&str, &str)]) -> ChildEnv {
        let parent: ParentEnv =
            pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        parent.child(Origin::User, &[])
    }

    fn program(path: &Path, mode: u32) {
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_name_is_looked_up_in_the_childs_own_path_and_only_a_program_counts() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        program(&first.path().join("serve"), 0o644);
        program(&second.path().join("serve"), 0o755);
        let path = format!("{}::{}", first.path().display(), second.path().display());
        assert_eq!(find("serve", None, &env(&[("PATH", &path)])), Ok(second.path().join("serve")));
        let missing = find("serve", None, &env(&[("PATH", &first.path().display().to_string())]));
        assert_eq!(missing, Err("not found in PATH; install it or give its whole path".to_owned()));
        assert!(find("serve", None, &env(&[])).unwrap_err().contains("has no PATH"));
    }

    #[test]
    fn a_path_is_taken_from_the_working_directory_and_a_tilde_is_the_home() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("bin")).unwrap();
        program(&home.path().join("bin/serve"), 0o755);
        let env = env(&[("HOME", &home.path().display().to_string()), ("PATH", "")]);
        let expected = Ok(home.path().join("bin/serve"));
        assert_eq!(find("~/bin/serve", None, &env), expected);
        assert_eq!(find("bin/serve", Some(home.path()), &env), expected);
        assert_eq!(find("bin/absent", Some(home.path()), &env), Err("no such program".to_owned()));
        assert_eq!(expand_home(Path::new("/srv/~/x"), &env), Path::new("/srv/~/x"));
        assert_eq!(expand_home(Path::new("~ann/x"), &env), Path::new("~ann/x"));
    }
}
