//! The manual against the program: what the program knows by name is in the manual, every code has its section (S19), and
//! every promise a test that exists.
//!
//! The table of the REPL's commands is held to the page by a test beside it. The generated reference is left out here: it
//! holds everything by construction, and nobody learns from it.

use coyote_integration::{builtin::PAGES, config::KEYS};
use mcp_meta::Verb;
use mcp_render::Code;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const ERRORS: &str = include_str!("../../crates/coyote-integration/manual/errors.md");
const SECURITY: &str = include_str!("../../crates/coyote-integration/manual/security.md");

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

/// Whether a page holds `word`, and not as a part of a longer word.
fn is_mentioned(word: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    PAGES.iter().any(|page| {
        page.text.match_indices(word).any(|(at, _)| {
            let (before, after) = (&page.text[..at], &page.text[at + word.len()..]);
            !before.ends_with(goes_on) && !after.starts_with(goes_on)
        })
    })
}

/// Those of `words` that no page holds.
fn missing(words: impl IntoIterator<Item = String>) -> Vec<String> {
    words.into_iter().filter(|word| !is_mentioned(word)).collect()
}

#[test]
fn every_command_and_flag_of_the_command_line_is_in_the_manual() {
    let (mut open, mut subcommands, mut without) = (vec![coyote_integration::command()], Vec::new(), Vec::new());
    while let Some(command) = open.pop() {
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let spelt: Vec<String> =
                argument.get_short().map(|short| format!("-{short}")).into_iter().chain(long).collect();
            if !spelt.is_empty() && !spelt.iter().any(|flag| is_mentioned(flag)) {
                without.push(format!("{} {}", command.get_name(), spelt.join(", ")));
            }
        }
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            let path = if command.get_name() == "coyote" { "coyote" } else { "coyote mcp" };
            subcommands.push(format!("{path} {}", below.get_name()));
            open.push(below.clone());
        }
    }
    assert!(subcommands.len() > 10, "{subcommands:?}");
    assert_eq!(without, [""; 0]);
    assert_eq!(missing(subcommands), [""; 0]);
}

#[test]
fn every_key_of_the_configuration_is_in_the_manual() {
    assert_eq!(missing(KEYS.iter().map(|key| format!("`{}`", key.name))), [""; 0]);
}

#[test]
fn every_parameter_of_every_function_is_in_the_manual() {
    for verb in Verb::ALL {
        assert_eq!(missing(verb.parameters().iter().map(|parameter| format!("`{}`", parameter.name))), [""; 0]);
    }
}

#[test]
fn every_error_code_is_in_the_manual_outside_of_a_longer_word() {
    assert_eq!(missing(Code::ALL.map(|code| format!("`{code}`"))), [""; 0]);
    assert!(!is_mentioned("spawn_faile") && !is_mentioned("--dry"));
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
    let promises: Vec<&str> = SECURITY.lines().filter_map(|line| line.strip_prefix("  `")?.strip_suffix('`')).collect();
    assert!(promises.len() >= 10, "{promises:?}");
    for test in promises {
        assert!(known.contains(test), "`{test}` is no test");
    }
}
