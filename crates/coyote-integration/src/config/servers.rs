//! The configured servers of this process: the user's, and the embedded one.

use super::{McpJson, MissingSecret, Warning};
use crate::{
    builtin,
    mcp::{Origin, ServerEntry, SpecKey, Transport},
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
    /// The key of the entry as it is written, `{{NAME}}` unfilled: what approvals are bound to (S40). A secret that is
    /// rotated is not another server.
    pub written: SpecKey,
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

/// All configured servers, in the file's order, then the workspace's, the embedded one last.
#[derive(Debug, Clone)]
pub struct Servers {
    all: Vec<ConfiguredServer>,
    skipped: Vec<Skipped>,
    file: Option<PathBuf>,
    /// The workspace's file, trusted or not.
    workspace: Option<PathBuf>,
    /// The keys in a workspace file that is not trusted.
    untrusted: Vec<String>,
    /// Where a file would be looked for first.
    expected: PathBuf,
    warnings: Vec<Warning>,
    fault: Option<String>,
}

/// An entry that is not usable.
#[derive(Debug, Clone)]
struct Skipped {
    key: String,
    why: String,
    file: PathBuf,
}

impl Skipped {
    fn all(skipped: Vec<(String, String)>, file: &Path) -> impl Iterator<Item = Self> {
        skipped.into_iter().map(|(key, why)| Self { key, why, file: file.to_owned() })
    }
}

impl Servers {
    /// The servers of `file` and the embedded one, unless an entry of its name replaces it.
    pub fn new(file: McpJson, expected: PathBuf) -> Self {
        let McpJson { path, mut servers, skipped, warnings, fault } = file;
        let embedded = builtin::name();
        if !servers.iter().any(|server| server.entry.name == embedded) {
            let mut entry = ServerEntry::new(embedded, Transport::Embedded);
            entry.origin = Origin::Embedded;
            entry.trust = true;
            let written = entry.spec_key();
            servers.push(ConfiguredServer { entry, missing: None, written });
        }
        let skipped = Skipped::all(skipped, path.as_deref().unwrap_or(&expected)).collect();
        let (workspace, untrusted) = (None, Vec::new());
        Self { all: servers, skipped, file: path, workspace, untrusted, expected, warnings, fault }
    }

    /// Adds the servers of a trusted workspace file. One that has the key of another replaces it where it stands.
    #[must_use]
    pub fn with_workspace(mut self, workspace: McpJson) -> Self {
        let McpJson { path, servers, skipped, warnings, fault: _ } = workspace;
        let mut place = self.all.iter().filter(|own| own.entry.origin != Origin::Embedded).count();
        for server in servers {
            if let Some(own) = self.all.iter_mut().find(|own| own.entry.name == server.entry.name) {
                *own = server;
            } else {
                self.all.insert(place, server);
                place += 1;
            }
        }
        let path = path.unwrap_or_default();
        self.skipped.extend(Skipped::all(skipped, &path));
        self.workspace = Some(path);
        self.warnings.extend(warnings);
        self
    }

    /// Remembers the keys of a workspace file that is not trusted, so that asking for one of them says so.
    #[must_use]
    pub fn without_workspace(mut self, workspace: &McpJson) -> Self {
        self.workspace.clone_from(&workspace.path);
        self.untrusted = workspace.servers.iter().map(|server| server.entry.name.as_str().to_owned()).collect();
        self
    }

    /// Whether a workspace's file counts.
    pub fn uses_workspace(&self) -> bool {
        self.workspace.is_some() && self.untrusted.is_empty()
    }

    /// The same where this server is not switched off, whatever its file says.
    #[must_use]
    pub fn switched_on(mut self, server: &ServerName) -> Self {
        for own in self.all.iter_mut().filter(|own| own.entry.name == *server) {
            own.entry.disabled = false;
        }
        self
    }

    /// Every server, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ConfiguredServer> {
        self.all.iter()
    }

    /// What is wrong with the files.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Why nothing of the user's own file can be used, when that is so.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The file that the servers come from; `None` when there is none.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The file that this entry stands in; `None` for the embedded server.
    pub fn file_of(&self, entry: &ServerEntry) -> Option<&Path> {
        match entry.origin {
            Origin::User => self.file(),
            Origin::Workspace => self.workspace.as_deref(),
            Origin::Embedded => None,
        }
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
        let skipped = self.skipped.iter().find(|skipped| skipped.key == key);
        let untrusted = self.workspace.as_ref().filter(|_| self.untrusted.iter().any(|untrusted| untrusted == key));
        let (code, tool_call_error, hint) = match (skipped, untrusted) {
            (_, Some(file)) => (
                Code::Denied,
                format!("Server `{key}` stands in the workspace file `{}`, which is not trusted", file.display()),
                "`coyote mcp trust` shows what it would run, and asks".to_owned(),
            ),
            (Some(Skipped { why, file, .. }), None) => (
                Code::NotFound,
                format!("Server `{key}` has an entry that is not usable: {why}"),
                format!("Correct the entry in `{}`", file.display()),
            ),
            (None, None) => {
                let file = self.file.as_deref().unwrap_or(&self.expected).display();
                let hint = format!("`coyote mcp list` shows the servers; they stand in `{file}`");
                (Code::NotFound, format!("No server `{key}` is configured"), hint)
            }
        };
        let keys = self.all.iter().map(|server| server.entry.name.as_str());
        ErrorShape { tool_call_error, code, hint, closest: closest(key, keys) }
    }
}

#[cfg(test)]
mod tests;
