//! A role: Markdown with optional YAML front matter, and how it becomes messages (host.md "Roles").
//!
//! It knows no model and prints nothing. What it fills in of the machine is an argument ([`Facts`]); the user's text is
//! embedded last, so nothing in it is filled in.

use super::{
    Environment, Paths, Settings, Warning, is_file,
    settings::read_keys,
    yaml::{Node, Pair},
};
use crate::model::{Message, Part};
use mcp_catalog::closest;
use std::{
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Where the user's text goes.
const INPUT: &str = "__INPUT__";
const EXAMPLE_INPUT: &str = "### INPUT:";
const EXAMPLE_OUTPUT: &str = "### OUTPUT:";

/// A role.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Role {
    /// Its name; empty for one that was only typed.
    pub name: String,
    /// What it sets.
    pub settings: Settings,
    /// Its text, nothing filled in.
    pub prompt: String,
}

/// A role that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RoleFault {
    /// There is none of this name.
    #[error("No role `{name}` in `{}`{}", dir.display(), close(closest))]
    Unknown {
        /// What was given.
        name: String,
        /// Where roles are.
        dir: PathBuf,
        /// The closest names.
        closest: Vec<String>,
    },
    /// The file cannot be read.
    #[error("Role `{name}` could not be read from `{}`: {error}", file.display())]
    Unreadable {
        /// The role.
        name: String,
        /// Its file.
        file: PathBuf,
        /// Why.
        error: String,
    },
    /// The front matter does not end, so its keys would be words to the model.
    #[error("Role `{name}` is not usable: {what}")]
    Unclosed {
        /// The role.
        name: String,
        /// File, line, and what is missing.
        what: String,
    },
    /// The front matter does not parse; the error shows the place.
    #[error("Role `{name}` has front matter that does not parse: {error}")]
    FrontMatter {
        /// The role.
        name: String,
        /// File, line and the lines around it.
        error: String,
    },
}

impl RoleFault {
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "`coyote --list-roles` and `.list roles` show the roles",
            Self::Unreadable { .. } => "Make the file readable",
            Self::Unclosed { .. } => {
                "Write `---` on a line of its own behind the last key; if it is no front matter, write `***` for the rule"
            }
            Self::FrontMatter { .. } => "Correct the lines between the two `---`, or remove them",
        }
    }
}

impl Role {
    /// Reads the role of this name. What is wrong with one key of it is a warning.
    pub fn load(paths: &Paths, name: &str) -> Result<(Self, Vec<Warning>), RoleFault> {
        let dir = &paths.roles_dir;
        let unknown = || {
            let names = Self::names(paths);
            let closest = closest(name, names.iter().map(String::as_str));
            RoleFault::Unknown { name: name.to_owned(), dir: dir.clone(), closest }
        };
        let file = Self::file(paths, name).ok_or_else(unknown)?;
        match super::read_file(&file) {
            Ok(text) => Self::parse(name, &text, &file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown()),
            Err(error) => Err(RoleFault::Unreadable { name: name.to_owned(), file, error: error.to_string() }),
        }
    }

    /// Where the role of this name is kept. A name is no path: a role is never read from elsewhere.
    pub fn file(paths: &Paths, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.');
        plain.then(|| paths.roles_dir.join(format!("{name}.md")))
    }

    /// The names of all roles, sorted.
    pub fn names(paths: &Paths) -> Vec<String> {
        let files = std::fs::read_dir(&paths.roles_dir).into_iter().flatten().flatten();
        let names = files.filter_map(|file| {
            let path = file.path();
            let name = path.file_stem()?.to_str()?;
            let role = path.extension()? == "md" && !name.starts_with('.') && is_file(&path);
            role.then(|| name.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// A role that was only typed (`--temp-role`).
    pub fn temporary(text: impl Into<String>) -> Self {
        Self { prompt: text.into(), ..Self::default() }
    }

    /// What `text`, which stands in `file`, says.
    pub fn parse(name: &str, text: &str, file: &Path) -> Result<(Self, Vec<Warning>), RoleFault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut role = Self { name: name.to_owned(), ..Self::default() };
        let mut warnings = Vec::new();
        let (front, prompt) = match split(text) {
            Split::Parts(front, prompt) => (front, prompt),
            Split::Unclosed { line, has_keys } => {
                let what =
                    format!("`{}` line {line}: `---` opens front matter, and no line `---` closes it", file.display());
                if has_keys {
                    return Err(RoleFault::Unclosed { name: name.to_owned(), what });
                }
                warnings.push(Warning::hint(format!("{what}; all of it is text. A rule of Markdown may be `***`")));
                (None, text)
            }
        };
        prompt.trim().clone_into(&mut role.prompt);
        if let Some(front) = front {
            let parsed = Node::read(front, file);
            let node = parsed.map_err(|error| RoleFault::FrontMatter { name: name.to_owned(), error })?;
            if node.pairs().is_none() && !node.is_null() {
                let error = format!("`{}` is {}; accepted is a mapping", file.display(), node.kind());
                return Err(RoleFault::FrontMatter { name: name.to_owned(), error });
            }
            let accepts = |pair: &Pair| Settings::default().read(&pair.key, &pair.node).is_none_or(|read| read.is_ok());
            let read = |pair: &Pair| {
                role.settings.places.note(pair, file);
                role.settings.read(&pair.key, &pair.node)
            };
            warnings = read_keys(&node, file, "a role", read, accepts);
        }
        Ok((role, warnings))
    }

    /// The messages of a conversation that this role begins: its examples, and what the user says.
    ///
    /// With `__INPUT__` the whole role is what the user says; else it is the system message.
    pub fn messages(&self, facts: &Facts, input: Vec<Part>) -> Vec<Message> {
        let prompt = facts.fill(&self.prompt);
        if prompt.contains(INPUT) {
            return vec![Message::User(embed(&prompt, input))];
        }
        let (system, examples) = examples(&prompt);
        let system = (!system.is_empty()).then(|| Message::System(system.to_owned()));
        let examples = examples.into_iter().flat_map(|(input, output)| {
            [Message::user(input), Message::Assistant { text: output.to_owned(), calls: Vec::new() }]
        });
        system.into_iter().chain(examples).chain([Message::User(input)]).collect()
    }
}

/// What a role may say of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// `{{__os__}}`.
    pub os: String,
    /// `{{__shell__}}`.
    pub shell: String,
    /// `{{__now__}}`.
    pub now: String,
    /// `{{__cwd__}}`.
    pub cwd: String,
    /// `{{__arch__}}`.
    pub arch: String,
    /// `{{__locale__}}`.
    pub locale: String,
}

impl Facts {
    /// Asks the machine.
    pub fn gather(environment: &Environment) -> Self {
        let named =
            |names: &[&str]| names.iter().find_map(|name| environment.get(name).filter(|value| !value.is_empty()));
        let shell = named(if cfg!(windows) { &["COMSPEC"] } else { &["SHELL"] }).unwrap_or_default();
        let shell = Path::new(&shell).file_stem().map_or_else(|| "sh".to_owned(), |name| name.to_string_lossy().into());
        let locale = named(&["LC_ALL", "LC_MESSAGES", "LANG"]).unwrap_or_else(|| "C".to_owned());
        Self {
            os: std::env::consts::OS.to_owned(),
            shell,
            now: chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, false),
            cwd: std::env::current_dir().map(|dir| dir.display().to_string()).unwrap_or_default(),
            arch: std::env::consts::ARCH.to_owned(),
            locale: locale.split('.').next().unwrap_or_default().to_owned(),
        }
    }

    /// `text` with each `{{__name__}}` filled in; what is filled in is not looked at again.
    pub fn fill(&self, text: &str) -> String {
        let (mut filled, mut from) = (String::with_capacity(text.len()), 0);
        for found in super::placeholders(text) {
            let Some(value) = self.value(found.name) else { continue };
            filled.push_str(text.get(from..found.start).unwrap_or_default());
            filled.push_str(value);
            from = found.end;
        }
        filled.push_str(text.get(from..).unwrap_or_default());
        filled
    }

    /// The names that [`Self::value`] knows.
    pub const NAMES: [&str; 6] = ["__os__", "__shell__", "__now__", "__cwd__", "__arch__", "__locale__"];

    /// What stands for `{{name}}`, if it is a fact.
    pub fn value(&self, name: &str) -> Option<&str> {
        match name {
            "__os__" => Some(&self.os),
            "__shell__" => Some(&self.shell),
            "__now__" => Some(&self.now),
            "__cwd__" => Some(&self.cwd),
            "__arch__" => Some(&self.arch),
            "__locale__" => Some(&self.locale),
            _ => None,
        }
    }
}

/// A role's text, taken apart.
enum Split<'a> {
    /// The front matter, with all that is before it so that its lines are the file's, and the rest.
    Parts(Option<&'a str>, &'a str),
    /// A first `---` that no other follows.
    Unclosed {
        /// Its line, from 1.
        line: usize,
        /// Whether what follows it are keys, and no text below a rule of Markdown.
        has_keys: bool,
    },
}

/// Takes a role apart. Blank lines may stand before the front matter.
fn split(text: &str) -> Split<'_> {
    let mut lines = text.split_inclusive('\n');
    let (mut end, mut line) = (0, 1);
    let opened = lines.by_ref().find(|text| {
        let blank = text.trim().is_empty();
        (end, line) = if blank { (end + text.len(), line + 1) } else { (end, line) };
        !blank
    });
    let Some(first) = opened.filter(|line| line.trim_end() == "---") else { return Split::Parts(None, text) };
    end += first.len();
    let has_keys = lines.clone().take_while(|line| !line.trim().is_empty()).any(is_key);
    for line in lines {
        if line.trim_end() == "---" {
            return Split::Parts(text.get(..end), text.get(end + line.len()..).unwrap_or_default());
        }
        end += line.len();
    }
    Split::Unclosed { line, has_keys }
}

/// Whether a line of text is `key: value`.
fn is_key(line: &str) -> bool {
    let key = line.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with(char::is_whitespace));
    key.is_some_and(|(key, _)| !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
}

/// The text before the first example, and the examples.
fn examples(prompt: &str) -> (&str, Vec<(&str, &str)>) {
    let mut parts = prompt.split(EXAMPLE_INPUT);
    let system = parts.next().unwrap_or_default().trim();
    let pairs = parts.map(|part| part.split_once(EXAMPLE_OUTPUT));
    let pairs: Option<Vec<_>> = pairs.map(|pair| pair.map(|(input, output)| (input.trim(), output.trim()))).collect();
    // An input without an output is no example, and leaving it out would lose words of the role.
    pairs.map_or((prompt, Vec::new()), |pairs| (system, pairs))
}

/// The prompt with the user's text in it; pictures follow.
fn embed(prompt: &str, input: Vec<Part>) -> Vec<Part> {
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for part in input {
        match part {
            Part::Text(text) => texts.push(text),
            other @ Part::Image { .. } => others.push(other),
        }
    }
    let mut parts = vec![Part::Text(prompt.replace(INPUT, &texts.join("\n")))];
    parts.extend(others);
    parts
}

fn close(closest: &[String]) -> String {
    let names: Vec<String> = closest.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; the closest are {}", names.join(", ")) }
}

#[cfg(test)]
mod tests;
