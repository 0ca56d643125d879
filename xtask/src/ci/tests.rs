//! The runner of steps: what stops it, and what it says.

use super::*;
use crate::scratch::Scratch;

#[expect(clippy::unnecessary_wraps, reason = "a step may fail")]
fn passes(_: &Path) -> Result<Outcome> {
    Ok(Outcome::Passed)
}

#[expect(clippy::unnecessary_wraps, reason = "a step may fail")]
fn skips(_: &Path) -> Result<Outcome> {
    Ok(Outcome::Skipped("not installed; `cargo install it`".to_owned()))
}

fn fails(_: &Path) -> Result<Outcome> {
    bail!("two findings")
}

fn run_all(steps: &[Step]) -> (Vec<String>, Vec<String>, Option<String>) {
    let mut told = Vec::new();
    let (report, failure) = run_steps(steps.iter(), Path::new("."), &mut |line| told.push(line.to_owned()));
    // The times differ from run to run: only the words stay.
    let words = |line: &str| {
        line.split_whitespace()
            .filter(|word| word.parse::<f64>().is_err() && *word != "s")
            .collect::<Vec<_>>()
            .join(" ")
    };
    (told, report.lines().map(words).collect(), failure.map(|error| format!("{error:#}")))
}

#[test]
fn all_steps_run_and_a_skipped_one_says_why() {
    let steps = [Step { name: "one", run: passes }, Step { name: "two", run: skips }];
    let (told, report, failure) = run_all(&steps);
    assert_eq!(told, ["==> one", "==> two"]);
    assert_eq!(report, ["one passed", "two skipped: not installed; `cargo install it`", "total passed"]);
    assert_eq!(failure, None);
}

#[test]
fn the_first_failure_ends_the_run_and_the_rest_is_named() {
    let steps =
        [Step { name: "one", run: passes }, Step { name: "two", run: fails }, Step { name: "three", run: passes }];
    let (told, report, failure) = run_all(&steps);
    assert_eq!(told, ["==> one", "==> two"]);
    assert_eq!(report, ["one passed", "two FAILED", "three not run", "total FAILED"]);
    assert_eq!(failure.as_deref(), Some("The step `two` failed: two findings"));
}

#[test]
fn the_tests_are_one_step_that_can_be_left_out() {
    assert_eq!(STEPS.iter().filter(|step| step.name == TESTS).count(), 1);
}

/// Every crate with such an example is looked at, and the list names no other.
#[test]
fn every_crate_with_an_example_that_must_not_compile_has_its_codes_checked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let dir = entry.unwrap().path();
        if holds(&dir.join("src"), "```compile_fail,E") {
            found.push(dir.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found.sort();
    assert_eq!(found, PROVED_BY_CODES);
}

fn holds(dir: &Path, text: &str) -> bool {
    fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() { holds(&path, text) } else { fs::read_to_string(&path).is_ok_and(|file| file.contains(text)) }
    })
}

#[test]
fn a_snapshot_that_waits_for_its_review_fails() {
    let root = Scratch::new();
    root.write("tests/it/snapshots/a.snap", "");
    root.write("crates/a/target/b.snap.new", "");
    assert!(no_pending_snapshots(root.path()).is_ok());
    for pending in ["tests/it/snapshots/a.snap.new", "crates/a/src/.lib.rs.pending-snap"] {
        let root = Scratch::new();
        root.write(pending, "");
        let error = no_pending_snapshots(root.path()).unwrap_err().to_string();
        assert!(error.contains(pending), "{error}");
    }
}
