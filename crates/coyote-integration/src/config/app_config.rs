//! `config.yaml` (host.md): every key from one table, `KEYS`.
//!
//! A text that does not parse is one fault, with file, line and the lines around it; chat refuses to start then, and
//! `coyote mcp …` goes on. A wrong value of one key is one warning that names file and line, and the rest counts. Secrets
//! stay `{{NAME}}` in memory (S47).

use super::{
    Aliases, ClientConfig, Environment, FileFault, MissingSecret, NamedBy, Paths, Settings, Warning,
    client::{Clients, SecretUse, SkippedClient},
    keys::{KEYS, foreign},
    read_text,
    settings::wrong,
    yaml::{Node, Pair},
};
use crate::functions::McpApproval;
use mcp_catalog::{closest, deadline};
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// How the line editor's keys are bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keybindings {
    /// `emacs`.
    #[default]
    Emacs,
    /// `vi`.
    Vi,
}

/// Where lines of a reply are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wrap {
    /// `no`.
    #[default]
    No,
    /// `auto`: at the terminal's width.
    Auto,
    /// At this column.
    Width(u16),
}

/// What a conversation starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prelude {
    /// `role:<name>`.
    Role(String),
    /// `session:<name>`.
    Session(String),
    /// `<session>:<role>`.
    Both {
        /// The session.
        session: String,
        /// The role in it.
        role: String,
    },
}

/// A key that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredKey {
    /// The key, with those above it: `clients.claude.prompt_cache`.
    pub name: String,
    /// Its line.
    pub line: usize,
    /// Why: the feature that it belongs to, or the closest keys.
    pub why: String,
}

/// What `config.yaml` says.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub struct AppConfig {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// Set when the file could not be read as a whole; everything else is then the default.
    pub fault: Option<FileFault>,
    /// Keys that are not read, in the file's order.
    pub ignored: Vec<IgnoredKey>,
    /// What there is to say.
    pub warnings: Vec<Warning>,
    /// The lowest layer of settings.
    pub settings: Settings,
    /// Whether replies are streamed.
    pub stream: bool,
    /// Whether every exchange is appended to `messages.md`.
    pub save: bool,
    /// How the line editor's keys are bound.
    pub keybindings: Keybindings,
    /// The editor; else VISUAL, EDITOR, then nano.
    pub editor: Option<String>,
    /// Whether code is coloured.
    pub highlight: bool,
    /// Where lines are broken.
    pub wrap: Wrap,
    /// The prompt of the line editor.
    pub left_prompt: Option<String>,
    /// Whether functions are declared at all.
    pub function_calling_support: bool,
    /// Whether servers are used.
    pub mcp_server_support: bool,
    /// Whether calls of servers' tools ask (S40).
    pub mcp_approval: McpApproval,
    /// Aliases of local tools.
    pub mapping_tools: Aliases,
    /// Aliases of servers (S5).
    pub mapping_mcp_servers: Aliases,
    /// What the REPL starts with.
    pub repl_prelude: Option<Prelude>,
    /// What a one-shot chat starts with.
    pub cmd_prelude: Option<Prelude>,
    /// The session an agent starts with.
    pub agent_session: Option<String>,
    /// Null or true keeps a named session after each exchange.
    pub save_session: Option<bool>,
    /// Tokens from which a session is compressed; absent: 60 % of the model's `max_input_tokens`.
    pub compression_threshold: Option<u64>,
    /// What the model is told when it compresses.
    pub summarization_prompt: Option<String>,
    /// The most characters of one result of a tool.
    pub max_tool_result_chars: Option<usize>,
    /// How long a local tool may run.
    pub tool_timeout: Duration,
    /// Where models are.
    pub clients: Vec<ClientConfig>,
    /// Those that cannot be used.
    pub skipped_clients: Vec<SkippedClient>,
    pub(super) secrets: Vec<SecretUse>,
}

impl Default for AppConfig {
    fn default() -> Self {
        Self {
            file: None,
            fault: None,
            ignored: Vec::new(),
            warnings: Vec::new(),
            settings: Settings::default(),
            stream: true,
            save: false,
            keybindings: Keybindings::default(),
            editor: None,
            highlight: true,
            wrap: Wrap::default(),
            left_prompt: None,
            function_calling_support: true,
            mcp_server_support: true,
            mcp_approval: McpApproval::default(),
            mapping_tools: Aliases::new(),
            mapping_mcp_servers: Aliases::new(),
            repl_prelude: None,
            cmd_prelude: None,
            agent_session: None,
            save_session: None,
            compression_threshold: None,
            summarization_prompt: None,
            max_tool_result_chars: None,
            tool_timeout: deadline::LOCAL_TOOL,
            clients: Vec::new(),
            skipped_clients: Vec::new(),
            secrets: Vec::new(),
        }
    }
}

/// Reads `config.yaml`. Without one everything is the default.
pub fn read_config(paths: &Paths) -> AppConfig {
    let file = &paths.config_file;
    match read_text(file) {
        Ok(text) => AppConfig::parse(&text, file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => AppConfig::default(),
        Err(error) => AppConfig::broken(file, format!("`{}` could not be read: {error}", file.display())),
    }
}

impl AppConfig {
    /// What `text`, which stands in `file`, says.
    pub fn parse(text: &str, file: &Path) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let node = match Node::read(text, file) {
            Ok(node) => node,
            Err(error) => return Self::broken(file, format!("`{}` does not parse: {error}", file.display())),
        };
        let mut config = Self { file: Some(file.to_owned()), ..Self::default() };
        match node.pairs() {
            Some(pairs) => pairs.iter().for_each(|pair| config.take(pair, file)),
            None if node.is_null() => {}
            None => {
                let text = format!("`{}` is {}; accepted is a mapping of keys to values", file.display(), node.kind());
                return Self::broken(file, text);
            }
        }
        config
    }

    /// The first secret of this client that has no value, where it is used.
    pub fn missing_secret(&self, client: &str, environment: &Environment) -> Option<MissingSecret> {
        self.secrets.iter().find(|secret| secret.client == client && environment.get(&secret.name).is_none()).map(
            |secret| MissingSecret {
                name: secret.name.clone(),
                file: self.file.clone().unwrap_or_default(),
                line: secret.line,
                env_file: environment.file_path().map(Path::to_owned),
            },
        )
    }

    /// Where this key stands in the file.
    pub fn named_by(&self, key: &str) -> Option<NamedBy> {
        self.settings.places.of(key)
    }

    fn broken(file: &Path, sentence: String) -> Self {
        let hint = format!("Correct `{}`; `coyote mcp …` works without it", file.display());
        let warnings = vec![Warning::file(sentence.clone())];
        Self { file: Some(file.to_owned()), fault: Some(FileFault { sentence, hint }), warnings, ..Self::default() }
    }

    fn take(&mut self, pair: &Pair, file: &Path) {
        let Pair { key: name, line, node } = pair;
        if name == "clients" {
            let Clients { clients, skipped, secrets, warnings, ignored } = Clients::read(node, file);
            (self.clients, self.skipped_clients, self.secrets) = (clients, skipped, secrets);
            self.warnings.extend(warnings);
            self.ignored.extend(ignored);
            return;
        }
        let Some(key) = KEYS.iter().find(|key| key.name == name) else {
            self.ignored.push(IgnoredKey { name: name.clone(), line: *line, why: unread(name) });
            if let Some(key) = KEYS.iter().find(|key| foreign(name).is_none() && is_slip_of(name, key.name)) {
                let (file, key) = (file.display(), key.name);
                let text =
                    format!("`{file}` line {line}: `{name}` is no key and does not count; the closest is `{key}`");
                self.warnings.push(Warning::hint(text));
            }
            return;
        };
        self.settings.places.note(pair, file);
        if (key.read)(self, node).is_none() {
            // A limit that is not understood has no default to fall back to (S7).
            let instead = if name == "mcp_tools" { HIDDEN } else { DEFAULT };
            let accepts = |pair: &Pair| (key.read)(&mut Self::default(), &pair.node).is_some();
            self.warnings.push(wrong(pair, file, key.accepted, instead, &accepts));
        }
    }
}

const DEFAULT: &str = "The default counts";
/// What counts in place of globs that are wrong.
pub(super) const HIDDEN: &str = "No tool of a server may be seen whose globs are wrong";

/// Whether `given` is `key` with one slip: a letter too many, missing, wrong, or two in each other's place.
fn is_slip_of(given: &str, key: &str) -> bool {
    let same = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let start = same(given.as_bytes(), key.as_bytes());
    let (given, key) = (given.get(start..).unwrap_or_default(), key.get(start..).unwrap_or_default());
    let end = same(&given.bytes().rev().collect::<Vec<_>>(), &key.bytes().rev().collect::<Vec<_>>());
    let middle = |text: &str| text.as_bytes().iter().copied().take(text.len() - end).collect::<Vec<_>>();
    let (given, mut key) = (middle(given), middle(key));
    key.reverse();
    (given.len() <= 1 && key.len() <= 1) || (given.len() == 2 && given == key)
}

/// Why a key is not read.
pub(super) fn unread(name: &str) -> String {
    if let Some(feature) = foreign(name) {
        return format!("belongs to {feature}, which this program has not");
    }
    let closest = closest(name, KEYS.iter().map(|key| key.name));
    closest.first().map_or_else(|| "unknown".to_owned(), |key| format!("unknown; the closest is `{key}`"))
}

#[cfg(test)]
mod tests;
