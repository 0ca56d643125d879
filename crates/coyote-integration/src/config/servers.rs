//! The configured servers of this process: the user's, and the embedded one.

use super::{McpJson, MissingSecret, Warning};
use crate::{
    builtin,
    mcp::{Origin, ServerEntry, Transport},
};
use mcp_catalog::{Enabled, ServerName, closest, expand_enabled};
use mcp_render::{Code, ErrorShape};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// One configured server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// The entry. Its strings hold `{{NAME}}` where a value is missing.
    pub entry: ServerEntry,
    /// The first secret that has no value. Such a server is never started.
    pub missing: Option<MissingSecret>,
}

/// Why a configured server is not started.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotStartable {
    /// The user switched it off.
    #[error("Server `{0}` is disabled in `mcp.json`")]
    Disabled(ServerName),
    /// It needs a secret that nobody set.
    #[error("Server `{server}` cannot be started: {missing}")]
    MissingSecret {
        /// The server.
        server: ServerName,
        /// The secret.
        missing: MissingSecret,
    },
}

impl NotStartable {
    /// The code of S19.
    pub const fn code(&self) -> Code {
        match self {
            Self::Disabled(_) => Code::Denied,
            Self::MissingSecret { .. } => Code::SpawnFailed,
        }
    }

    /// The error as it is answered.
    pub fn shape(&self) -> ErrorShape {
        let hint = match self {
            Self::Disabled(_) => "Remove `\"disabled\": true` from its entry to use it".to_owned(),
            Self::MissingSecret { missing, .. } => missing.hint(),
        };
        ErrorShape { tool_call_error: self.to_string(), code: self.code(), hint, closest: Vec::new() }
    }
}

impl ConfiguredServer {
    /// The entry, if it may be started.
    pub fn startable(&self) -> Result<&ServerEntry, NotStartable> {
        let server = self.entry.name.clone();
        if self.entry.disabled {
            return Err(NotStartable::Disabled(server));
        }
        match &self.missing {
            Some(missing) => Err(NotStartable::MissingSecret { server, missing: missing.clone() }),
            None => Ok(&self.entry),
        }
    }
}

/// All configured servers, in the file's order, the embedded one last.
#[derive(Debug)]
pub struct Servers {
    all: Vec<ConfiguredServer>,
    skipped: Vec<(String, String)>,
    file: Option<PathBuf>,
    /// Where a file would be looked for first.
    expected: PathBuf,
    warnings: Vec<Warning>,
}

impl Servers {
    /// The servers of `file` and the embedded one, unless an entry of its name replaces it.
    pub fn new(file: McpJson, expected: PathBuf) -> Self {
        let McpJson { path, mut servers, skipped, warnings } = file;
        let embedded = builtin::name();
        if !servers.iter().any(|server| server.entry.name == embedded) {
            let mut entry = ServerEntry::new(embedded, Transport::Embedded);
            entry.origin = Origin::Embedded;
            entry.trust = true;
            servers.push(ConfiguredServer { entry, missing: None });
        }
        Self { all: servers, skipped, file: path, expected, warnings }
    }

    /// Every server, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ConfiguredServer> {
        self.all.iter()
    }

    /// What is wrong with the files.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The file that the servers come from; `None` when there is none.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The server of this key. An unknown one is `not_found` with the closest keys, and with the reason when its entry
    /// was skipped.
    pub fn get(&self, key: &str) -> Result<&ConfiguredServer, ErrorShape> {
        self.all.iter().find(|server| server.entry.name.as_str() == key).ok_or_else(|| self.unknown(key))
    }

    /// The server whose part of a function's name is `slug` (S3). Of two with one, the first has the functions.
    pub fn of_slug(&self, slug: &str) -> Option<&ConfiguredServer> {
        self.all.iter().find(|server| server.entry.name.slug() == slug)
    }

    /// The servers that a setting enables; `None` is `all` (S5). Disabled servers are no members of `all`.
    pub fn enabled(&self, setting: Option<&[String]>) -> Enabled {
        let known: Vec<ServerName> = self.all.iter().map(|server| server.entry.name.clone()).collect();
        let startable = self.all.iter().filter(|server| !server.entry.disabled);
        let all: Vec<ServerName> = startable.map(|server| server.entry.name.clone()).collect();
        expand_enabled(setting, &known, &all, &BTreeMap::new())
    }

    fn unknown(&self, key: &str) -> ErrorShape {
        let file = self.file.as_deref().unwrap_or(&self.expected).display();
        let skipped = self.skipped.iter().find(|(skipped, _)| skipped == key);
        let (tool_call_error, hint) = match skipped {
            Some((_, why)) => (
                format!("Server `{key}` has an entry that is not usable: {why}"),
                format!("Correct the entry in `{file}`"),
            ),
            None => (
                format!("No server `{key}` is configured"),
                format!("`coyote mcp list` shows the servers; they stand in `{file}`"),
            ),
        };
        let keys = self.all.iter().map(|server| server.entry.name.as_str());
        ErrorShape { tool_call_error, code: Code::NotFound, hint, closest: closest(key, keys) }
    }
}

#[cfg(test)]
mod tests;
