//! The user's own tools: `functions.json` says what they are, a file in `bin/` does the work (host.md "Files").
//!
//! The arguments are one JSON argument; the result is what the file `$LLM_OUTPUT` holds, else stdout.

use super::{
    BUILTINS, Bench,
    fault::fault,
    output::{Keep, answer, of_bytes},
    program::{End, Ran, run},
    tool_name,
};
use crate::{
    config::{DeadLink, Warning, line_of, read_text},
    model::Function,
};
use mcp_meta::Answer;
use mcp_render::{Code, ErrorShape, LOCAL_OUTPUT_MAX_BYTES, STDERR_TAIL_MAX_BYTES, TOOL_NAME_MAX_BYTES};
use serde_json::{Value, json, value::RawValue};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};
use tokio::process::Command;

/// Where a tool writes its result, if it does.
const OUTPUT: &str = "LLM_OUTPUT";

/// A declared tool and its program.
#[derive(Debug, Clone)]
pub(super) struct UserTool {
    pub(super) function: Function,
    program: PathBuf,
}

/// Reads `functions.json` and `bin/` in `dir`. Neither has to be there.
pub(super) fn read(dir: &Path) -> (Vec<UserTool>, Vec<Warning>) {
    let mut warnings = Vec::new();
    let bin = dir.join("bin");
    if let Some(link) = DeadLink::at(&bin).filter(|link| link.link == bin) {
        warnings.push(Warning::file(format!("{link}. Make that directory, or remove the link")));
    }
    let mut programs = programs(&bin);
    let mut tools: Vec<UserTool> = Vec::new();
    let file = dir.join("functions.json");
    for (place, (line, entry)) in entries(&file, &mut warnings).into_iter().enumerate() {
        let mut skip = |why: String| {
            let text = format!("Tool {} in `{}` line {line} is skipped: {why}", place + 1, file.display());
            warnings.push(Warning::file(text));
        };
        let function = match function(&entry) {
            Ok(function) => function,
            Err(why) => {
                skip(why);
                continue;
            }
        };
        let name = function.name.clone();
        if tools.iter().any(|tool| tool.function.name == name) {
            skip(format!("`{name}` stands there twice; the first entry counts"));
        } else if let Some(program) = programs.remove(&name) {
            tools.push(UserTool { function, program });
        } else if !BUILTINS.iter().any(|builtin| builtin.name == name) {
            skip(format!("there is no program `bin/{name}`; put one there and make it executable"));
        }
    }
    // A program with the name of a built-in tool stands in for it, declared or not.
    for builtin in BUILTINS {
        if let Some(program) = programs.remove(builtin.name) {
            tools.push(UserTool { function: builtin.function(), program });
        }
    }
    (tools, warnings)
}

impl UserTool {
    /// Runs the program.
    pub(super) async fn run(&self, bench: Bench<'_>, arguments: &Value) -> Answer {
        match self.ran(bench, arguments).await {
            Ok(value) => answer(value),
            Err(shape) => shape.into(),
        }
    }

    async fn ran(&self, bench: Bench<'_>, arguments: &Value) -> Result<Value, ErrorShape> {
        let name = &self.function.name;
        let not_started = |error: io::Error| {
            fault(
                Code::SpawnFailed,
                format!("`{name}` could not be started: {error}"),
                format!("Go on without it and tell the user to look at `{}`", self.program.display()),
            )
        };
        let result = tempfile::Builder::new().prefix("coyote-").tempfile().map_err(not_started)?;
        let mut command = Command::new(&self.program);
        command.arg(arguments.to_string()).current_dir(&bench.setup.working_dir);
        command.env_clear().envs(bench.setup.environment.iter()).env(OUTPUT, result.path());
        let ran = run(command, bench.setup.timeout, &bench.scope.cancel).await.map_err(not_started)?;
        ended(name, &ran, bench)?;
        let keep = Keep::of(&bench);
        let work = move || {
            // The file may have been replaced; what counts is what stands at its path now.
            let mut bytes = Vec::new();
            if let Ok(file) = File::open(result.path()) {
                let limit = u64::try_from(LOCAL_OUTPUT_MAX_BYTES).unwrap_or(u64::MAX);
                let _ = file.take(limit).read_to_end(&mut bytes);
            }
            let dropped = if bytes.is_empty() { ran.stdout.dropped } else { 0 };
            let bytes = if bytes.is_empty() { ran.stdout.bytes } else { bytes };
            let shown = of_bytes(&bytes, &keep);
            if dropped == 0 { shown } else { json!({"output": shown, "dropped_bytes": dropped}) }
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| lost(name))
    }
}

/// An error unless the program ended well.
fn ended(name: &str, ran: &Ran, bench: Bench<'_>) -> Result<(), ErrorShape> {
    match &ran.end {
        End::Exited(status) if status.success() => Ok(()),
        End::Exited(status) => {
            let tail = tail(&ran.stderr.bytes);
            let said =
                if tail.is_empty() { "it wrote nothing to stderr".to_owned() } else { format!("stderr ends: {tail}") };
            Err(fault(
                Code::ServerError,
                format!("`{name}` failed ({status}); {said}"),
                "Correct the arguments by what it says, or tell the user",
            ))
        }
        End::TimedOut => Err(timed_out(name, bench.setup.timeout.as_secs())),
        End::Cancelled => Err(cancelled(name)),
    }
}

/// A program's time was up.
pub(super) fn timed_out(name: &str, seconds: u64) -> ErrorShape {
    let hint = "Ask for less in one call, or tell the user: the limit is `tool_timeout` in config.yaml";
    fault(Code::Timeout, format!("`{name}` did not end within {seconds} s and was stopped"), hint)
}

/// The user stopped a tool.
pub(super) fn cancelled(name: &str) -> ErrorShape {
    fault(Code::Cancelled, format!("`{name}` was stopped by the user"), "Ask the user before repeating it")
}

/// Work on another thread gave no result.
pub(super) fn lost(name: &str) -> ErrorShape {
    let hint = "This is a defect of coyote; its log has the details. Try other arguments";
    fault(Code::InvalidResponse, format!("The answer of `{name}` could not be processed"), hint)
}

/// The end of what a program wrote to stderr.
fn tail(bytes: &[u8]) -> String {
    let from = bytes.len().saturating_sub(STDERR_TAIL_MAX_BYTES);
    String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()).trim().to_owned()
}

/// The entries of the file, each with its line.
fn entries(file: &Path, warnings: &mut Vec<Warning>) -> Vec<(usize, Value)> {
    let why = match read_text(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => format!("could not be read: {error}"),
        Ok(text) => match serde_json::from_str::<Vec<&RawValue>>(&text) {
            Ok(entries) => {
                let value = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or_default();
                return entries.into_iter().map(|raw| (line_of(&text, raw.get()), value(raw))).collect();
            }
            Err(error) if error.is_data() => {
                "is no array; write `[{\"name\", \"description\", \"parameters\"}]`".to_owned()
            }
            Err(error) => format!("is no JSON: {error}"),
        },
    };
    warnings.push(Warning::file(format!("`{}` {why}. Its tools are not offered", file.display())));
    Vec::new()
}

fn function(entry: &Value) -> Result<Function, String> {
    let name = entry.get("name").and_then(Value::as_str).map(tool_name).unwrap_or_default();
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if name.is_empty() || !plain || name.len() > TOOL_NAME_MAX_BYTES {
        return Err("its `name` must be letters, digits, `_` and `-`".to_owned());
    }
    let description = match entry.get("description") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(description)) => description.clone(),
        Some(_) => return Err(format!("the `description` of `{name}` must be a string")),
    };
    let parameters = match entry.get("parameters") {
        None | Some(Value::Null) => json!({"type": "object", "properties": {}}),
        Some(schema @ Value::Object(_)) => schema.clone(),
        Some(_) => return Err(format!("the `parameters` of `{name}` must be a JSON schema, an object")),
    };
    Ok(Function { name: name.to_owned(), description, parameters })
}

/// The programs in `bin/`, by the name of the tool; a name without a suffix comes before one with it.
fn programs(bin: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(bin) else { return found };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| runs(path)).collect();
    files.sort();
    for path in files {
        if let Some(name) = path.file_name().and_then(|name| name.to_str()).map(|name| tool_name(name).to_owned()) {
            found.entry(name).or_insert(path);
        }
    }
    found
}

#[cfg(unix)]
fn runs(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runs(path: &Path) -> bool {
    path.is_file()
}
