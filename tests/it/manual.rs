//! The manual against the program: every code has its section, and every promise a test that exists (S19).

use mcp_render::Code;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const ERRORS: &str = include_str!("../../docs/src/errors.md");
const SECURITY: &str = include_str!("../../docs/src/security.md");

// S19
#[test]
fn every_error_code_has_a_section_with_its_cause_and_its_remedy() {
    let sections: Vec<(&str, &str)> =
        ERRORS.split("\n## `").skip(1).map(|section| section.split_once("`\n").unwrap()).collect();
    let titles: Vec<&str> = sections.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles, Code::ALL.map(Code::as_str));
    for (title, text) in sections {
        assert_eq!(text.matches("\nCause: ").count(), 1, "{title}");
        assert_eq!(text.matches("\nRemedy: ").count(), 1, "{title}");
    }
}

/// The names of every function of the workspace.
fn functions(dir: &Path, found: &mut BTreeSet<String>) {
    for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let names =
                text.lines().filter_map(|line| line.trim_start().trim_start_matches("async ").strip_prefix("fn "));
            found.extend(names.filter_map(|rest| Some(rest.split_once('(')?.0.to_owned())));
        }
    }
}

#[test]
fn every_promise_about_security_names_a_test_that_exists() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut known = BTreeSet::new();
    for dir in ["crates", "tests/it", "tests/kills", "tests/memory"] {
        functions(&root.join(dir), &mut known);
    }
    let promises: Vec<&str> = SECURITY
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix("` |")?.rsplit_once('`').map(|(_, test)| test))
        .collect();
    assert!(promises.len() >= 10, "{promises:?}");
    for test in promises {
        assert!(known.contains(test), "`{test}` is no test");
    }
}
