//! The commands of `cargo xtask`, as one table: dispatch, help and the errors about wrong words all read it.
//!
//! It knows no check: a row names the function that does the work.

use crate::{bench, ci, docgen, tidy};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(test)]
mod tests;

/// One command.
struct Command {
    name: &'static str,
    flags: &'static [&'static str],
    about: &'static str,
    run: fn(&Call) -> Result<()>,
}

/// Every command, in the order of the help.
const COMMANDS: &[Command] = &[
    Command { name: "ci", flags: &["--skip-tests"], about: "everything that CI does, in order", run: ci::run },
    Command { name: "tidy", flags: &[], about: "budgets, edges, module docs, the table of rules", run: tidy::run },
    Command {
        name: "audit-prefixes",
        flags: &[],
        about: "no function name is put together or taken apart by hand (R11)",
        run: tidy::prefixes::run,
    },
    Command {
        name: "docgen",
        flags: &["--check"],
        about: "docs/reference from the tables; --check fails on drift",
        run: docgen::run,
    },
    Command {
        name: "bench",
        flags: &["--cold"],
        about: "every bar with its ratio, into docs/reference/performance.md; --cold also builds from nothing",
        run: bench::run,
    },
];

/// What a command is called with.
#[derive(Debug)]
pub(crate) struct Call {
    /// The root of the workspace.
    pub(crate) root: PathBuf,
    flags: Vec<String>,
}

impl Call {
    /// Whether `flag` was given.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }

    /// A call without flags, for a command that runs another one.
    pub(crate) fn plain(root: &Path) -> Self {
        Self { root: root.to_owned(), flags: Vec::new() }
    }

    /// A call with one flag.
    pub(crate) fn with(root: &Path, flag: &str) -> Self {
        Self { root: root.to_owned(), flags: vec![flag.to_owned()] }
    }
}

/// Runs the command that `args` name: 0 when it passed, 1 when it failed, 2 when there is no such command or flag.
pub(crate) fn run(args: Vec<String>) -> ExitCode {
    let (command, flags) = match parse(args) {
        Ok(Parsed::Run(command, flags)) => (command, flags),
        Ok(Parsed::Help) => {
            print!("{}", help());
            return ExitCode::SUCCESS;
        }
        Err(wrong) => {
            eprintln!("error: {wrong}\n\n{}", help());
            return ExitCode::from(2);
        }
    };
    match (command.run)(&Call { root: root(), flags }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

enum Parsed {
    Run(&'static Command, Vec<String>),
    Help,
}

fn parse(args: Vec<String>) -> Result<Parsed, String> {
    let mut args = args.into_iter();
    let name = match args.next().as_deref() {
        None | Some("help" | "--help" | "-h") => return Ok(Parsed::Help),
        Some(name) => name.to_owned(),
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let known: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        return Err(format!("No command `{name}`; the commands are {}", known.join(", ")));
    };
    let flags: Vec<String> = args.collect();
    match flags.iter().find(|flag| !command.flags.contains(&flag.as_str())) {
        Some(flag) if command.flags.is_empty() => Err(format!("`{name}` takes no flags; `{flag}` was given")),
        Some(flag) => Err(format!("`{name}` takes {}; `{flag}` was given", command.flags.join(", "))),
        None => Ok(Parsed::Run(command, flags)),
    }
}

fn help() -> String {
    let rows = COMMANDS.iter().map(|command| {
        let call = [&[command.name], command.flags].concat().join(" ");
        format!("  {call:<20}{}\n", command.about)
    });
    format!("Usage: cargo xtask COMMAND\n\n{}", rows.collect::<Vec<_>>().concat())
}

/// Cargo names this crate's directory when it runs it, so a checkout that was moved after the build is still found.
fn root() -> PathBuf {
    let here =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), Path::to_path_buf)
}
