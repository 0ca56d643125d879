//! `cargo xtask ci`: everything that CI does, in order, and where the time went.
//!
//! It installs nothing and asks no network. The first step that fails ends the run; what is not installed and only adds
//! to the checks is skipped in plain sight.

use crate::flags::Call;
use crate::{docgen, tidy};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// How a step ended, if it did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// The reason, and how to have it run.
    Skipped(String),
}

struct Step {
    name: &'static str,
    run: fn(&Path) -> Result<Outcome>,
}

/// Every step, in order: the quick ones that fail often come first; `cargo doc` and clippy share what they compile.
const STEPS: &[Step] = &[
    Step { name: "format", run: |root| cargo(root, &["fmt", "--all", "--check"], &[]) },
    Step {
        name: "clippy",
        run: |root| cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]),
    },
    Step { name: TESTS, run: |root| cargo(root, &["test", "--workspace"], &[]) },
    Step { name: "examples", run: examples },
    Step { name: "snapshots", run: |root| no_pending_snapshots(root).map(|()| Outcome::Passed) },
    Step {
        name: "doc",
        run: |root| cargo(root, &["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")]),
    },
    Step { name: "compile-fail", run: compile_fail_codes },
    Step { name: "tidy", run: |root| tidy::run(&Call::plain(root)).map(|()| Outcome::Passed) },
    Step { name: "audit-prefixes", run: |root| tidy::prefixes::run(&Call::plain(root)).map(|()| Outcome::Passed) },
    Step { name: "docgen", run: |root| docgen::run(&Call::with(root, "--check")).map(|()| Outcome::Passed) },
    Step { name: "deny", run: deny },
];

/// The step that `--skip-tests` leaves out, for a caller that has run it.
const TESTS: &str = "test";

/// Runs the steps and prints how long each took.
pub(crate) fn run(call: &Call) -> Result<()> {
    let skip_tests = call.has("--skip-tests");
    let steps = STEPS.iter().filter(|step| !(skip_tests && step.name == TESTS));
    let (report, failure) = run_steps(steps, &call.root, &mut |line| eprintln!("{line}"));
    eprintln!("\n{report}");
    failure.map_or(Ok(()), Err)
}

/// Runs `steps` until one fails. Answers the summary, and the failure.
fn run_steps<'a>(
    steps: impl Iterator<Item = &'a Step>,
    root: &Path,
    tell: &mut dyn FnMut(&str),
) -> (String, Option<anyhow::Error>) {
    let mut rows = Vec::new();
    let mut steps = steps.peekable();
    let started = Instant::now();
    let mut failure = None;
    while let Some(step) = steps.next() {
        tell(&format!("==> {}", step.name));
        let begun = Instant::now();
        let outcome = (step.run)(root);
        let word = match &outcome {
            Ok(Outcome::Passed) => "passed".to_owned(),
            Ok(Outcome::Skipped(why)) => format!("skipped: {why}"),
            Err(_) => "FAILED".to_owned(),
        };
        rows.push(row(step.name, begun.elapsed(), &word));
        if let Err(error) = outcome {
            failure = Some(error.context(format!("The step `{}` failed", step.name)));
            rows.extend(steps.by_ref().map(|step| format!("  {:<16}{:>9}  not run", step.name, "")));
        }
    }
    rows.push(row("total", started.elapsed(), if failure.is_none() { "passed" } else { "FAILED" }));
    (rows.join("\n"), failure)
}

fn row(name: &str, took: Duration, word: &str) -> String {
    format!("  {name:<16}{:>7.1} s  {word}", took.as_secs_f64())
}

fn cargo(root: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Outcome> {
    let status = Command::new(cargo_program())
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root)
        .status()
        .with_context(|| format!("cannot run `cargo {}`", arguments.join(" ")))?;
    if !status.success() {
        bail!("`cargo {}` ended with {status}", arguments.join(" "));
    }
    Ok(Outcome::Passed)
}

/// The examples of the libraries, each of which ends by itself.
fn examples(root: &Path) -> Result<Outcome> {
    for (package, example, arguments) in EXAMPLES {
        let command = [&["run", "--quiet", "--package", package, "--example", example, "--"], *arguments].concat();
        cargo(root, &command, &[])?;
    }
    Ok(Outcome::Passed)
}

/// Package, example, and what it is given.
const EXAMPLES: &[(&str, &str, &[&str])] = &[
    ("mcp-render", "render_a_result", &[]),
    ("mcp-catalog", "list_and_search", &["issues"]),
    ("mcp-meta", "llm_loop", &[]),
    ("mcp-prompt-repl", "reedline_completion", &[".prompt docs "]),
];

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The crates whose documentation holds `compile_fail` examples with an error code.
const PROVED_BY_CODES: &[&str] = &["mcp-prompt-repl"];

/// Runs examples that must not compile once more with their error codes checked (R14). A stable rustdoc ignores the code, so
/// that a slip of the pen would pass for the proof; with this variable in its environment, and in no other program's, it looks.
#[cfg(unix)]
fn compile_fail_codes(root: &Path) -> Result<Outcome> {
    use std::os::unix::fs::PermissionsExt;
    let dir = std::env::temp_dir().join(format!("xtask-rustdoc-{}", std::process::id()));
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let wrapper = dir.join("rustdoc");
    let rustdoc = std::env::var("RUSTDOC").unwrap_or_else(|_| "rustdoc".to_owned());
    fs::write(&wrapper, format!("#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec '{rustdoc}' \"$@\"\n"))
        .and_then(|()| fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("cannot write {}", wrapper.display()))?;
    let packages = PROVED_BY_CODES.iter().flat_map(|name| ["-p", name]);
    let arguments: Vec<&str> = ["test", "--doc"].into_iter().chain(packages).collect();
    let ended = cargo(root, &arguments, &[("RUSTDOC", &wrapper.to_string_lossy())]);
    // What is left behind is a few bytes among temporary files.
    let _ = fs::remove_dir_all(&dir);
    ended
}

#[cfg(not(unix))]
fn compile_fail_codes(_root: &Path) -> Result<Outcome> {
    Ok(Outcome::Skipped("it needs a shell; it runs where CI does".to_owned()))
}

/// Bans, licences and sources of every crate in the lock file. Advisories need a database from the network.
fn deny(root: &Path) -> Result<Outcome> {
    let installed =
        Command::new(cargo_program()).args(["deny", "--version"]).output().is_ok_and(|output| output.status.success());
    if !installed {
        return Ok(Outcome::Skipped("cargo-deny is not installed; `cargo install --locked cargo-deny`".to_owned()));
    }
    cargo(root, &["deny", "--offline", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"], &[])
}

/// Fails when a snapshot waits for its review (style.md 22).
fn no_pending_snapshots(root: &Path) -> Result<()> {
    let mut pending = Vec::new();
    for dir in ["crates", "tests", "xtask"] {
        collect_pending(&root.join(dir), &mut pending)?;
    }
    if pending.is_empty() {
        return Ok(());
    }
    pending.sort();
    let names: Vec<String> = pending.iter().map(|path| path.display().to_string()).collect();
    bail!(
        "Snapshots wait for their review: {}. Read them, then accept them with `cargo insta review` or delete them",
        names.join(", ")
    );
}

fn collect_pending(dir: &Path, pending: &mut Vec<PathBuf>) -> Result<()> {
    if !dir.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" {
                collect_pending(&path, pending)?;
            }
        } else if name.ends_with(".snap.new") || name.ends_with(".pending-snap") {
            pending.push(path);
        }
    }
    Ok(())
}
