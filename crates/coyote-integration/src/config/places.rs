//! Where the keys of a layer stand: the file and line, or the option, that named a model, a role, a server.
//!
//! It holds no value, so nothing in it is a secret (S47). Two layers are equal that say the same, wherever it stands.

use super::yaml::{Node, Pair};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

/// What named something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedBy {
    /// A key of a file.
    Key {
        /// The key, as the file has it.
        key: String,
        /// The file.
        file: PathBuf,
        /// The line, from 1; `None` where it is not known.
        line: Option<usize>,
    },
    /// An option of the command line.
    Option(&'static str),
}

/// The places of one layer's keys.
#[derive(Debug, Clone, Default)]
pub struct Places(BTreeMap<String, Spot>);

#[derive(Debug, Clone)]
struct Spot {
    by: NamedBy,
    /// The lines of the entries of a list, or of the keys of a mapping.
    entries: Vec<(String, usize)>,
}

impl Places {
    /// Remembers where a key of `file` stands.
    pub(crate) fn note(&mut self, pair: &Pair, file: &Path) {
        self.note_as(&pair.key, pair, file);
    }

    /// The same for a key that has another name in this file.
    pub(crate) fn note_as(&mut self, setting: &str, pair: &Pair, file: &Path) {
        let by = NamedBy::Key { key: pair.key.clone(), file: file.to_owned(), line: known(pair.line) };
        let items = pair.node.items().unwrap_or_default().iter();
        let items = items.filter_map(|item: &Node| Some((item.name()?, item.line)));
        let pairs = pair.node.pairs().unwrap_or_default().iter();
        let entries = items.chain(pairs.map(|pair| (pair.key.trim().to_owned(), pair.line))).collect();
        self.0.insert(setting.to_owned(), Spot { by, entries });
    }

    /// Remembers where a key stands in a file that is not read line by line.
    pub(crate) fn note_at(&mut self, key: &str, file: &Path, line: Option<usize>) {
        let by = NamedBy::Key { key: key.to_owned(), file: file.to_owned(), line };
        self.0.insert(key.to_owned(), Spot { by, entries: Vec::new() });
    }

    /// Remembers that an option gave this key.
    pub(crate) fn option(&mut self, setting: &str, option: &'static str) {
        self.0.insert(setting.to_owned(), Spot { by: NamedBy::Option(option), entries: Vec::new() });
    }

    /// The key was set by hand.
    pub(crate) fn forget(&mut self, setting: &str) {
        self.0.remove(setting);
    }

    /// What set this key.
    pub fn of(&self, setting: &str) -> Option<NamedBy> {
        self.0.get(setting).map(|spot| spot.by.clone())
    }

    /// What named this entry of the key's list.
    pub fn of_entry(&self, setting: &str, entry: &str) -> Option<NamedBy> {
        let Spot { by, entries } = self.0.get(setting)?;
        let line = entries.iter().find(|(name, _)| name == entry).and_then(|(_, line)| known(*line));
        match (by.clone(), line) {
            (NamedBy::Key { key, file, .. }, Some(line)) => Some(NamedBy::Key { key, file, line: Some(line) }),
            (by, _) => Some(by),
        }
    }

    /// These, and those of `lower` for what these do not have.
    pub(crate) fn over(&self, lower: &Self) -> Self {
        let mut places = lower.0.clone();
        places.extend(self.0.clone());
        Self(places)
    }
}

impl PartialEq for Places {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl fmt::Display for NamedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key { key, file, line: Some(line) } => write!(f, "`{key}` in `{}` line {line}", file.display()),
            Self::Key { key, file, line: None } => write!(f, "`{key}` in `{}`", file.display()),
            Self::Option(option) => write!(f, "`{option}`"),
        }
    }
}

/// JSON has no lines, which is line 0.
fn known(line: usize) -> Option<usize> {
    (line > 0).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_an_entry_of_its_list_and_an_option_are_each_named() {
        let node = Node::read("model: a:b\nservers:\n- docs\n- nope\n", Path::new("f")).unwrap();
        let mut places = Places::default();
        for pair in node.pairs().unwrap() {
            places.note(pair, Path::new("f"));
        }
        let told = |by: Option<NamedBy>| by.map(|by| by.to_string());
        assert_eq!(told(places.of("model")).as_deref(), Some("`model` in `f` line 1"));
        assert_eq!(told(places.of_entry("servers", "nope")).as_deref(), Some("`servers` in `f` line 4"));
        assert_eq!(told(places.of_entry("servers", "by an alias")).as_deref(), Some("`servers` in `f` line 2"));
        places.option("model", "--model");
        assert_eq!(told(places.of("model")).as_deref(), Some("`--model`"));
        places.forget("model");
        assert_eq!(told(places.of("model")), None);
    }
}
