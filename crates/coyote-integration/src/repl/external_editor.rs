//! Which editor a user means: `editor` of config.yaml, VISUAL, EDITOR, and without any the first usual one that is there.
//!
//! What was named is taken as it is, there or not: its error names it. It starts nothing.

use std::{
    env::split_paths,
    ffi::{OsStr, OsString},
    path::Path,
};

/// Those that are looked for when none is named.
const USUAL: [&str; 3] = ["nano", "vi", "vim"];

/// A program and its arguments; empty when there is none. `named` are what may name one, the first that does counts.
pub(super) fn external_editor(named: impl IntoIterator<Item = Option<String>>, path: Option<&OsStr>) -> Vec<String> {
    let words = |line: String| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut named = named.into_iter().flatten().map(words).filter(|words| !words.is_empty());
    let usual = || USUAL.into_iter().find(|program| is_there(program, path)).map(|program| vec![program.to_owned()]);
    named.next().or_else(usual).unwrap_or_default()
}

/// What there is to do when there is none.
pub(super) const NONE: (&str, &str) = (
    "There is no editor: neither `editor`, VISUAL nor EDITOR is set, and `nano` and `vi` are not here",
    "Set `editor` in config.yaml, VISUAL or EDITOR to one that is installed",
);

/// A variable of the environment, if it is text.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).and_then(|value: OsString| value.into_string().ok())
}

fn is_there(program: &str, path: Option<&OsStr>) -> bool {
    let ending = std::env::consts::EXE_SUFFIX;
    split_paths(path.unwrap_or_default()).any(|dir| Path::new(&dir).join(format!("{program}{ending}")).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_is_named_counts_and_else_the_first_usual_one_that_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = Some(dir.path().as_os_str());
        let named = |names: [Option<&str>; 3]| external_editor(names.map(|name| name.map(str::to_owned)), path);
        assert_eq!(named([Some("code -w"), Some("x"), None]), ["code", "-w"]);
        assert_eq!(named([None, Some("  "), Some("emacs")]), ["emacs"]);
        assert!(named([None, None, None]).is_empty());
        std::fs::write(dir.path().join(format!("vi{}", std::env::consts::EXE_SUFFIX)), "").unwrap();
        assert_eq!(named([None, None, None]), ["vi"]);
        std::fs::write(dir.path().join(format!("nano{}", std::env::consts::EXE_SUFFIX)), "").unwrap();
        assert_eq!(named([None, None, None]), ["nano"]);
        assert!(external_editor([None], None).is_empty());
    }
}
