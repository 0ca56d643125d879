//! The environment, `.env`, and `{{NAME}}` (host.md "Files", S18, S47).
//!
//! `.env` is parsed and kept here; the environment of this process is never changed, so that a server inherits it as it
//! was (S18). A resolved secret is written into the one place that uses it and shown nowhere: `Debug` here tells names.

use super::{Warning, read_text};
use std::{collections::BTreeMap, ffi::OsString, fmt, path::Path, path::PathBuf, sync::Arc};
use thiserror::Error;

type Lookup = dyn Fn(&str) -> Option<OsString> + Send + Sync;

/// The environment that coyote was started with.
#[derive(Clone)]
pub struct ProcessEnv(Arc<Lookup>);

impl ProcessEnv {
    /// The real one.
    pub fn inherited() -> Self {
        Self(Arc::new(|name| std::env::var_os(name)))
    }

    /// One made of these pairs.
    pub fn of(variables: &[(&str, &str)]) -> Self {
        let variables: BTreeMap<String, OsString> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
        Self(Arc::new(move |name| variables.get(name).cloned()))
    }
}

/// What a name may be looked up in: the environment first, then `.env`.
pub struct Environment {
    process: ProcessEnv,
    file: BTreeMap<String, String>,
    path: Option<PathBuf>,
    warnings: Vec<Warning>,
}

impl Environment {
    /// The environment without `.env`.
    pub fn new(process: ProcessEnv) -> Self {
        Self { process, file: BTreeMap::new(), path: None, warnings: Vec::new() }
    }

    /// Reads `.env`. No file is no fault; a line that does not parse is a warning, and the other lines count.
    pub fn read_file(&mut self, path: &Path) {
        self.path = Some(path.to_owned());
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => {
                self.warnings.push(Warning::file(format!("`{}` could not be read: {error}", path.display())));
                return;
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for pair in dotenvy::from_read_iter(text.as_bytes()) {
            match pair {
                // As in the environment of a shell, the last of two lines counts.
                Ok((name, value)) => drop(self.file.insert(name, value)),
                Err(error) => self.warnings.push(Warning::file(line_fault(path, text, &error))),
            }
        }
    }

    /// What is wrong with `.env`.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The value of `name`, if it is text.
    pub fn get(&self, name: &str) -> Option<String> {
        let process = (self.process.0)(name).and_then(|value| value.into_string().ok());
        process.or_else(|| self.file.get(name).cloned())
    }

    /// The value of `name` as a path; an empty one counts as absent.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let given = (self.process.0)(name).filter(|value| !value.is_empty());
        let given = given.or_else(|| self.file.get(name).filter(|value| !value.is_empty()).map(OsString::from));
        given.map(PathBuf::from)
    }

    /// Where `.env` is looked for.
    pub fn file_path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The names that `.env` sets, in order; never their values (S47).
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.file.keys().map(String::as_str)
    }

    /// `text` with each `{{NAME}}` replaced by its value. Names without one stay as they are and are the second part.
    pub fn fill(&self, text: &str) -> (String, Vec<String>) {
        let (mut filled, mut missing, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
        for found in placeholders(text) {
            filled.push_str(text.get(from..found.start).unwrap_or_default());
            if let Some(value) = self.get(found.name) {
                filled.push_str(&value);
            } else {
                filled.push_str(text.get(found.start..found.end).unwrap_or_default());
                missing.push(found.name.to_owned());
            }
            from = found.end;
        }
        filled.push_str(text.get(from..).unwrap_or_default());
        (filled, missing)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.file.keys().collect();
        f.debug_struct("Environment").field("path", &self.path).field("names", &names).finish_non_exhaustive()
    }
}

/// One `{{NAME}}` in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// The name, without braces and blanks.
    pub name: &'a str,
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Every `{{NAME}}` of a text, in order. A name is a variable's: letters, digits and `_`, not starting with a digit.
/// Anything else between braces is text.
pub fn placeholders(text: &str) -> impl Iterator<Item = Placeholder<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text.get(from..)?.find("{{")?;
            let inside = text.get(start + 2..)?;
            let Some(length) = inside.find("}}") else {
                from = text.len();
                return None;
            };
            let name = inside.get(..length)?.trim_matches(' ');
            if is_name(name) {
                from = start + 2 + length + 2;
                return Some(Placeholder { name, start, end: from });
            }
            // `{{{NAME}}`: the next brace may open it.
            from = start + 1;
        }
    })
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A `{{NAME}}` without a value. It makes unusable only the server that uses it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("Secret `{name}` is not set; `{}` line {line} uses it", file.display())]
pub struct MissingSecret {
    /// The name.
    pub name: String,
    /// The file that uses it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// Where `.env` is looked for.
    pub env_file: Option<PathBuf>,
}

impl MissingSecret {
    /// The next step.
    pub fn hint(&self) -> String {
        let name = &self.name;
        match &self.env_file {
            Some(file) => format!("Set `{name}` in the environment, or write `{name}=…` into `{}`", file.display()),
            None => format!("Set `{name}` in the environment"),
        }
    }
}

/// The line is not shown: it may hold a secret.
fn line_fault(path: &Path, text: &str, error: &dotenvy::Error) -> String {
    let path = path.display();
    let accepted = "A line is `NAME=value`, a comment, or empty; a value with blanks stands in quotes";
    match error {
        dotenvy::Error::LineParse(line, _) => {
            let first = line.lines().next().unwrap_or_default().trim();
            let number = text.lines().position(|candidate| candidate.trim() == first).map_or(0, |index| index + 1);
            format!("`{path}` line {number} does not parse and is skipped. {accepted}")
        }
        _ => format!("`{path}` does not parse. {accepted}"),
    }
}

#[cfg(test)]
mod tests;
