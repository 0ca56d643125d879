//! The table of built-in tools: name, description, parameters, whether it asks, and what runs it. Declarations, dispatch and
//! the manual derive from it.

use super::{
    Bench,
    arguments::{self, Arguments, Parameter, Takes},
    fault::fault,
    file_search, files,
    output::{Keep, answer},
    place,
    program::{End, Stream, run},
    user_tool::{cancelled, lost, timed_out},
};
use crate::{mcp::ChildEnv, model::Function};
use mcp_meta::Answer;
use mcp_render::{Ceiling, Code, ErrorShape};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// One row.
#[derive(Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// What a model reads.
    pub description: &'static str,
    /// Whether the user is asked first (S40).
    pub asks: Asks,
    parameters: &'static [Parameter],
    runs: Runs,
}

/// Whether the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Never: it changes nothing.
    Never,
    /// Until the answer is "always".
    UntilAlways,
    /// In each session: "always" holds until it ends.
    EachSession,
}

#[derive(Debug)]
enum Runs {
    /// On a thread that may block.
    Blocking(fn(&Job, &Arguments) -> Result<Value, ErrorShape>),
    /// A command of the user's shell.
    Shell,
}

const fn text(name: &'static str, description: &'static str) -> Parameter {
    Parameter::new(name, Takes::Text, description)
}

const fn count(name: &'static str, description: &'static str) -> Parameter {
    Parameter::new(name, Takes::Count, description)
}

const fn needed(parameter: Parameter) -> Parameter {
    Parameter { required: true, ..parameter }
}

/// All built-in tools.
pub const BUILTINS: &[Builtin] = &[
    Builtin {
        name: "fs_cat",
        description: "Show a text file, or a part of it. A binary file is described, not shown.",
        asks: Asks::Never,
        parameters: &[
            needed(text("path", "The file; relative to the working directory, or with `~`")),
            count("offset", "The byte to start at; `next_offset` of the part before"),
            count("limit", "The most bytes to show; 51200 when left out"),
        ],
        runs: Runs::Blocking(files::cat),
    },
    Builtin {
        name: "fs_ls",
        description: "List a directory.",
        asks: Asks::Never,
        parameters: &[text("path", "The directory; the working directory when left out")],
        runs: Runs::Blocking(files::ls),
    },
    Builtin {
        name: "fs_glob",
        description: "Find files by their path. Files that .gitignore names are left out.",
        asks: Asks::Never,
        parameters: &[
            needed(text("pattern", "A glob over the path below `path`, such as `**/*.rs`")),
            text("path", "The directory to look in; the working directory when left out"),
        ],
        runs: Runs::Blocking(file_search::glob),
    },
    Builtin {
        name: "fs_grep",
        description: "Find lines in files by a regular expression; shown with line numbers and two lines of context. Files that \
                      .gitignore names and binary ones are left out.",
        asks: Asks::Never,
        parameters: &[
            needed(text("pattern", "A regular expression (Rust's `regex`), matched line by line")),
            text("path", "A file or a directory; the working directory when left out"),
            text("glob", "Only files whose name or path below `path` matches, such as `*.toml`"),
        ],
        runs: Runs::Blocking(file_search::grep),
    },
    Builtin {
        name: "fs_write",
        description: "Write a text file: replaces it whole, or makes it and the directories above it. The user is asked first.",
        asks: Asks::UntilAlways,
        parameters: &[
            needed(text("path", "The file; relative to the working directory, or with `~`")),
            needed(text("content", "All that the file is to hold")),
        ],
        runs: Runs::Blocking(files::write),
    },
    Builtin {
        name: "execute_command",
        description: "Run a command in the user's shell, in the working directory and without input. The user is asked first.",
        asks: Asks::EachSession,
        parameters: &[
            needed(text("command", "The command line")),
            count("timeout", "Seconds after which it is stopped; at most what the user's settings allow"),
        ],
        runs: Runs::Shell,
    },
    Builtin {
        name: "get_current_time",
        description: "Tell the date, the time and the weekday.",
        asks: Asks::Never,
        parameters: &[],
        runs: Runs::Blocking(files::time),
    },
];

/// The built-in tool of this name.
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|tool| tool.name == name)
}

impl Builtin {
    /// What a request declares.
    pub fn function(&self) -> Function {
        arguments::function(self.name, self.description, self.parameters)
    }

    /// Runs it.
    pub(super) async fn call(&self, bench: Bench<'_>, arguments: &Value) -> Answer {
        match self.ran(bench, arguments).await {
            Ok(value) => answer(value),
            Err(shape) => shape.into(),
        }
    }

    async fn ran(&self, bench: Bench<'_>, arguments: &Value) -> Result<Value, ErrorShape> {
        let arguments = Arguments::of(self.name, self.parameters, arguments)?;
        match self.runs {
            Runs::Shell => shell(self.name, bench, &arguments).await,
            Runs::Blocking(work) => {
                let job = Job::of(self.name, &bench);
                // A walk that nobody waits for any more stops at its next file.
                let stop = job.cancel.clone().drop_guard();
                let done =
                    tokio::task::spawn_blocking(move || work(&job, &arguments).map(|value| job.keep.value(value)));
                let done = done.await.map_err(|_| lost(self.name))?;
                stop.disarm();
                done
            }
        }
    }
}

/// What work on another thread needs of its call.
pub(super) struct Job {
    name: &'static str,
    working_dir: PathBuf,
    environment: ChildEnv,
    pub(super) keep: Keep,
    cancel: CancellationToken,
}

impl Job {
    fn of(name: &'static str, bench: &Bench<'_>) -> Self {
        Self {
            name,
            working_dir: bench.setup.working_dir.clone(),
            environment: bench.setup.environment.clone(),
            keep: Keep::of(bench),
            cancel: bench.scope.cancel.child_token(),
        }
    }

    pub(super) fn place(&self, given: &str) -> PathBuf {
        place::resolve(Path::new(given), &self.working_dir, &self.environment)
    }

    /// An error once the user has stopped.
    pub(super) fn alive(&self) -> Result<(), ErrorShape> {
        if self.cancel.is_cancelled() { Err(cancelled(self.name)) } else { Ok(()) }
    }
}

async fn shell(name: &str, bench: Bench<'_>, arguments: &Arguments) -> Result<Value, ErrorShape> {
    let environment = &bench.setup.environment;
    let shell = environment.get("SHELL").filter(|shell| !shell.is_empty() && !cfg!(windows));
    let mut command = match shell {
        Some(shell) => Command::new(shell),
        None => Command::new(if cfg!(windows) { "cmd" } else { "/bin/sh" }),
    };
    command.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(arguments.text_or("command", ""));
    command.current_dir(&bench.setup.working_dir).env_clear().envs(environment.iter());
    let limit = bench.setup.timeout;
    let limit = arguments
        .count("timeout")
        .filter(|given| *given > 0)
        .map_or(limit, |given| limit.min(Duration::from_secs(given)));
    let ran = run(command, limit, &bench.scope.cancel).await.map_err(|error| {
        let hint = "Tell the user that `SHELL` or the working directory is not usable";
        fault(Code::SpawnFailed, format!("`{name}` could not start the shell: {error}"), hint)
    })?;
    let status = match ran.end {
        End::Exited(status) => status,
        End::TimedOut => return Err(timed_out(name, limit.as_secs())),
        End::Cancelled => return Err(cancelled(name)),
    };
    let keep = Keep::of(&bench);
    let work = move || {
        // Each stream has half of the answer.
        let share = Ceiling::new((keep.ceiling.bytes() / 2).saturating_sub(256));
        let mut shown = json!({"exit_code": status.code(), "status": status.to_string()});
        if let Some(shown) = shown.as_object_mut() {
            for (key, Stream { bytes, dropped }) in [("stdout", ran.stdout), ("stderr", ran.stderr)] {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                shown.insert(key.into(), keep.text(text, share));
                if dropped > 0 {
                    shown.insert(format!("{key}_dropped_bytes"), dropped.into());
                }
            }
        }
        keep.value(shown)
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| lost(name))
}
