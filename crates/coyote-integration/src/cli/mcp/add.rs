//! `coyote mcp add`: one entry more in an mcp.json, the user's own or the workspace's.
//!
//! What would not be usable is not written, a name that is taken is not replaced, and a secret is written as it was
//! given: `{{NAME}}` stays `{{NAME}}` (S47). It starts nothing.

use super::edit_fault;
use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
};
use crate::config::{Environment, McpFile, ProcessEnv, Trust, WorkspaceFile, check_entry, placeholders};
use mcp_catalog::ServerName;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Add a server to mcp.json
///
/// `coyote mcp add docs -- npx -y some-server` adds a program, `coyote mcp add web --url https://…` a server behind a URL.
/// A value may be `{{NAME}}`: a secret from the environment or `.env`, which is filled in when the server is started and
/// never written.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct AddArgs {
    /// The server's key
    name: String,

    /// A variable that the program gets (repeatable)
    #[arg(short = 'e', long = "env", value_name = "KEY=VALUE")]
    env: Vec<String>,

    /// Where the program runs
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,

    /// The server's URL, in place of a program
    #[arg(long)]
    url: Option<String>,

    /// A header of every request to the URL (repeatable)
    #[arg(short = 'H', long = "header", value_name = "KEY: VALUE")]
    headers: Vec<String>,

    /// Into the working directory's mcp.json, not your own
    #[arg(long)]
    workspace: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// The program and its arguments, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl AddArgs {
    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) fn run(self, host: &Host) -> Result<Status, Failed> {
        let dir = if self.workspace { Some(super::working_dir()?) } else { None };
        Ok(self.write(host, dir.as_deref())?)
    }

    fn write(&self, host: &Host, workspace: Option<&Path>) -> Result<Status, Failure> {
        let entry = self.entry()?;
        let name = ServerName::new(&self.name)
            .map_err(|_| Failure::usage("The server's key is empty", "Give it one; functions are named after it"))?;
        check(&name, &entry, host, workspace.is_some())?;
        let file = match workspace {
            Some(dir) => McpFile::workspace(dir),
            None => McpFile::user(&host.app.paths),
        };
        let file = file.map_err(edit_fault)?;
        let path = file.path().display().to_string();
        if file.entry(&self.name).is_some() || file.keys().contains(&self.name) {
            let flag = if workspace.is_some() { " --workspace" } else { "" };
            let hint = format!("Choose another key, or `coyote mcp remove{flag} '{}'` first", self.name);
            return Err(Failure::usage(format!("`{path}` has a server `{}` already", self.name), hint));
        }
        let trusted = workspace.map(|dir| WorkspaceTrust::before(host, dir, &file));
        file.add(&self.name, &entry).map_err(edit_fault)?;
        if self.json {
            host.report.json(&json!({"added": self.name, "file": path, "entry": entry}), true);
        } else {
            host.report.print(&format!("Added `{}` to `{path}`", self.name));
            host.report.note(format!("`coyote mcp doctor '{}'` says whether it works", self.name));
        }
        if let Some(trusted) = trusted {
            trusted.after(host);
        }
        Ok(Status::Done)
    }

    /// The entry, its keys in the order in which one writes them.
    fn entry(&self) -> Result<Value, Failure> {
        let mut entry = Map::new();
        match (&self.url, self.command.split_first()) {
            (None, Some((command, args))) => {
                refuse(&self.headers, "-H", "a program gets no headers; give it variables with `-e`")?;
                entry.insert("command".to_owned(), json!(command));
                if !args.is_empty() {
                    entry.insert("args".to_owned(), json!(args));
                }
                if !self.env.is_empty() {
                    entry.insert("env".to_owned(), pairs(&self.env, "-e", "=", "KEY=VALUE")?);
                }
                if let Some(cwd) = &self.cwd {
                    entry.insert("cwd".to_owned(), json!(cwd));
                }
            }
            (Some(url), None) => {
                refuse(&self.env, "-e", "a server behind a URL gets no variables; give it headers with `-H`")?;
                refuse(self.cwd.as_slice(), "--cwd", "a server behind a URL runs elsewhere")?;
                entry.insert("url".to_owned(), json!(url));
                if !self.headers.is_empty() {
                    entry.insert("headers".to_owned(), pairs(&self.headers, "-H", ":", "'KEY: VALUE'")?);
                }
            }
            (Some(_), _) => return Err(url_and_program()),
            (None, None) => return Err(Failure::usage("No program is given", ONE_OF_TWO)),
        }
        Ok(Value::Object(entry))
    }
}

const ONE_OF_TWO: &str = "Write `coyote mcp add <name> -- <command…>` or `coyote mcp add <name> --url <URL>`";

/// The failure of a command line that names both.
pub(in crate::cli) fn url_and_program() -> Failure {
    Failure::usage("Both a URL and a program are given", ONE_OF_TWO)
}

/// Whether the entry would be usable where it is to stand.
fn check(name: &ServerName, entry: &Value, host: &Host, workspace: bool) -> Result<(), Failure> {
    let unusable = |why: String, hint: &str| Failure::usage(format!("The entry would not be usable: {why}"), hint);
    if !workspace {
        return check_entry(name, entry, &host.app.environment)
            .map_err(|why| unusable(why, "Nothing was written; correct the command line"));
    }
    let nothing = Environment::new(ProcessEnv::of(&[]));
    check_entry(name, entry, &nothing).map_err(|why| unusable(why, "Nothing was written; correct the command line"))?;
    let text = entry.to_string();
    match placeholders(&text).next() {
        None => Ok(()),
        Some(found) => Err(unusable(
            format!("a workspace file may not use `{{{{{}}}}}`", found.name),
            "Write the value itself, or add the server to your own mcp.json, without `--workspace`",
        )),
    }
}

/// An option that means nothing here.
fn refuse(given: &[String], option: &str, why: &str) -> Result<(), Failure> {
    match given.first() {
        None => Ok(()),
        Some(_) => Err(Failure::usage(format!("`{option}` does not fit: {why}"), "Leave it out")),
    }
}

/// Words of `KEY<separator>VALUE` as an object, in order.
fn pairs(words: &[String], option: &str, separator: &str, wanted: &str) -> Result<Value, Failure> {
    let mut object = Map::new();
    for word in words {
        let Some((key, value)) = word.split_once(separator).filter(|(key, _)| !key.trim().is_empty()) else {
            // The word may be a secret, so it is not shown (S47).
            return Err(Failure::usage(
                format!("A value of `{option}` is no {wanted}"),
                format!("Write `{option} {wanted}`"),
            ));
        };
        let value = if separator == ":" { value.trim() } else { value };
        if object.insert(key.trim().to_owned(), json!(value)).is_some() {
            return Err(Failure::usage(format!("`{}` is given twice", key.trim()), "Give each key once"));
        }
    }
    Ok(Value::Object(object))
}

/// The trust in a workspace file while its user edits it by command: a file that was trusted, or was not there, is
/// trusted after the edit, since nothing else changed.
pub(super) struct WorkspaceTrust<'a> {
    dir: &'a Path,
    trusted: bool,
}

impl<'a> WorkspaceTrust<'a> {
    pub(super) fn before(host: &Host, dir: &'a Path, file: &McpFile) -> Self {
        let covered = || match (WorkspaceFile::find(dir), Trust::read(&host.app.paths)) {
            (Some(Ok(found)), Ok(trust)) => trust.covers(&found),
            _ => false,
        };
        Self { dir, trusted: !file.exists() || covered() }
    }

    pub(super) fn after(&self, host: &Host) {
        let Some(Ok(file)) = WorkspaceFile::find(self.dir) else { return };
        if !self.trusted {
            host.report.note("The workspace file is not trusted; `coyote mcp trust` shows what it would run, and asks");
        } else if let Err(why) = Trust::read(&host.app.paths).and_then(|mut trust| trust.add(&file)) {
            host.report.warn(why);
        }
    }
}

#[cfg(test)]
mod tests;
