//! The keys of `config.yaml`: one table. Reading, `.set`, what a role may set, the list of unknown keys and the manual's
//! reference derive from it.

use super::{
    AppConfig, Keybindings, Prelude, Settings, Wrap,
    lists::{Chosen, aliases},
    yaml::{Node, Yaml},
};
use crate::functions::McpApproval;
use mcp_catalog::deadline;
use std::{fmt::Write as _, path::Path, time::Duration};

/// One key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// What it may be.
    pub accepted: &'static str,
    /// What counts when it is absent.
    pub default: &'static str,
    /// Who may set it beside the file.
    pub changed_by: ChangedBy,
    /// Reads the value; `None` when it is not accepted.
    pub(super) read: fn(&mut AppConfig, &Node) -> Option<()>,
}

/// Who may set a key beside the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedBy {
    /// Nobody.
    Nobody,
    /// `.set`.
    Set,
    /// `.set`, and roles, agents and sessions: it is one of [`Settings`].
    Layers,
}

const BOOL: &str = "true or false";
const LIST: &str = "a list, or names with commas between";
const TEXT: &str = "text";
const PRELUDE: &str = "`role:<name>`, `session:<name>` or `<session>:<role>`";
const ALIASES: &str = "a mapping of names to lists";

/// Every key, in the manual's order.
pub const KEYS: &[Key] = &[
    layered("model", "The model, `client:name`", TEXT, "found", |c, n| option(&mut c.settings.model, n, Node::name)),
    layered("temperature", "Sampling temperature", "a number from 0", "the provider's", |c, n| {
        option(&mut c.settings.temperature, n, |n| n.number().filter(|n| *n >= 0.0))
    }),
    layered("top_p", "Nucleus sampling", "a number from 0 to 1", "the provider's", |c, n| {
        option(&mut c.settings.top_p, n, |n| n.number().filter(|n| (0.0..=1.0).contains(n)))
    }),
    layered(
        "enabled_tools",
        "The local tools that a request declares; `all` is every one, null none",
        LIST,
        "none",
        |c, n| put(&mut c.settings.enabled_tools, Chosen::read(n)),
    ),
    layered(
        "enabled_mcp_servers",
        "The servers; `all` is every one that is not disabled, null none",
        LIST,
        "all",
        |c, n| put(&mut c.settings.enabled_mcp_servers, Chosen::read(n)),
    ),
    layered(
        "mcp_tools",
        "The tools that may be seen of a server: globs by server or alias; layers only narrow",
        "a mapping of servers to lists of globs",
        "all",
        |c, n| c.settings.read_mcp_tools(n),
    ),
    layered("enabled_macros", "The macros; `all` and null are every one", LIST, "all", |c, n| {
        put(&mut c.settings.enabled_macros, Chosen::read(n))
    }),
    set(
        "stream",
        "Whether a reply is shown block by block while it arrives, else when it is whole",
        BOOL,
        "true",
        |c, n| or(&mut c.stream, n, true, Node::bool),
    ),
    set("function_calling_support", "Whether any function is declared", BOOL, "true", |c, n| {
        or(&mut c.function_calling_support, n, true, Node::bool)
    }),
    set("mcp_server_support", "Whether servers are used", BOOL, "true", |c, n| {
        or(&mut c.mcp_server_support, n, true, Node::bool)
    }),
    set(
        "mcp_approval",
        "Whether the user is asked before a server's tool runs",
        "`ask` or `never`",
        "`ask`",
        |c, n| {
            or(&mut c.mcp_approval, n, McpApproval::Ask, |n| match n.text()? {
                "ask" => Some(McpApproval::Ask),
                "never" => Some(McpApproval::Never),
                _ => None,
            })
        },
    ),
    set(
        "max_tool_result_chars",
        "The most characters of one result of a tool",
        "a whole number from 1",
        "the limit of a reply",
        |c, n| option(&mut c.max_tool_result_chars, n, |n| usize::try_from(n.whole()?).ok().filter(|n| *n > 0)),
    ),
    set("tool_timeout", "How long a local tool may run", "seconds, more than 0", "1800", |c, n| {
        or(&mut c.tool_timeout, n, deadline::LOCAL_TOOL, seconds)
    }),
    set(
        "compression_threshold",
        "The tokens from which a session is compressed",
        "a whole number",
        "60 % of the model's `max_input_tokens`",
        |c, n| option(&mut c.compression_threshold, n, Node::whole),
    ),
    file("mapping_tools", "Aliases of local tools", ALIASES, "none", |c, n| {
        or(&mut c.mapping_tools, n, super::Aliases::new(), aliases)
    }),
    file("mapping_mcp_servers", "Aliases of servers", ALIASES, "none", |c, n| {
        or(&mut c.mapping_mcp_servers, n, super::Aliases::new(), aliases)
    }),
    file(
        "save",
        "Whether every exchange is appended to `messages.md` in the cache directory",
        BOOL,
        "false",
        |c, n| or(&mut c.save, n, false, Node::bool),
    ),
    file(
        "save_session",
        "Null or true keeps a named session after each exchange, false only on `.save session`",
        "true, false or null",
        "null",
        |c, n| option(&mut c.save_session, n, Node::bool),
    ),
    file("summarization_prompt", "What the model is told when it compresses a session", TEXT, "built in", |c, n| {
        option(&mut c.summarization_prompt, n, text)
    }),
    file("repl_prelude", "What an interactive chat starts with", PRELUDE, "nothing", |c, n| {
        option(&mut c.repl_prelude, n, prelude)
    }),
    file("cmd_prelude", "What a one-shot chat starts with", PRELUDE, "nothing", |c, n| {
        option(&mut c.cmd_prelude, n, prelude)
    }),
    file("agent_session", "The session that an agent starts with; `temp` is thrown away", TEXT, "none", |c, n| {
        option(&mut c.agent_session, n, Node::name)
    }),
    file("keybindings", "The keys of the line editor", "`emacs` or `vi`", "`emacs`", |c, n| {
        or(&mut c.keybindings, n, Keybindings::Emacs, |n| match n.text()? {
            "emacs" => Some(Keybindings::Emacs),
            "vi" => Some(Keybindings::Vi),
            _ => None,
        })
    }),
    set("editor", "The editor", TEXT, "`VISUAL`, `EDITOR`, `nano` or `vi`", |c, n| option(&mut c.editor, n, text)),
    set("highlight", "Whether code and what is typed is coloured", BOOL, "true", |c, n| {
        or(&mut c.highlight, n, true, Node::bool)
    }),
    set("wrap", "Where lines are broken", "`no`, `auto`, or a width", "`no`", |c, n| {
        or(&mut c.wrap, n, Wrap::No, wrap)
    }),
    file("left_prompt", "The prompt of the line editor", TEXT, "built in", |c, n| option(&mut c.left_prompt, n, text)),
    // `AppConfig` reads it by itself: what is wrong with one client costs that client.
    file("clients", "Where models are: see below", "a list of clients", "found", |_, _| Some(())),
];

type Read = fn(&mut AppConfig, &Node) -> Option<()>;
type Text = &'static str;

const fn file(name: Text, what: Text, accepted: Text, default: Text, read: Read) -> Key {
    Key { name, what, accepted, default, changed_by: ChangedBy::Nobody, read }
}

const fn set(name: Text, what: Text, accepted: Text, default: Text, read: Read) -> Key {
    Key { name, what, accepted, default, changed_by: ChangedBy::Set, read }
}

const fn layered(name: Text, what: Text, accepted: Text, default: Text, read: Read) -> Key {
    Key { name, what, accepted, default, changed_by: ChangedBy::Layers, read }
}

/// The names and beginnings of keys that belong to features this program has not, and what these are.
const FOREIGN: &[(&str, &str)] = &[
    ("rag_", "RAG"),
    ("document_loaders", "RAG"),
    ("skill", "skills"),
    ("enabled_skills", "skills"),
    ("memory", "memory"),
    ("graph", "graph agents"),
    ("sandbox", "the sandbox"),
    ("vault", "the vault"),
    ("secrets_provider", "the vault"),
    ("bundle", "bundles"),
    ("visible_tools", "the list of built scripts"),
    ("sync_models", "the download of model lists"),
    ("prompt_cache", "prompt caching"),
];

/// The feature that a key belongs to, if this program has it not.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|(begins, _)| name.starts_with(begins)).map(|(_, feature)| *feature)
}

/// The keys as the manual lists them, a line each, which it may break between words.
pub fn key_list() -> String {
    let mut list = String::new();
    for key in KEYS {
        let changed_by = match key.changed_by {
            ChangedBy::Nobody => "",
            ChangedBy::Set => " Also set by `.set`.",
            ChangedBy::Layers => " Also set by `.set`, roles, agents, sessions.",
        };
        let Key { name, what, accepted, default, .. } = key;
        // Writing to a string does not fail.
        let _ = writeln!(list, "- `{name}`: {what}. Accepted: {accepted}. Default: {default}.{changed_by}");
    }
    list
}

/// A value that `.set` does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetFault {
    /// There is no such key, or it is only the file's.
    #[error("`{name}` is no key that can be set; accepted are {}", settable())]
    Key {
        /// What was given.
        name: String,
    },
    /// The value is wrong.
    #[error("`{name}` cannot be {given}; accepted is {accepted}")]
    Value {
        /// The key.
        name: &'static str,
        /// What was given.
        given: String,
        /// What is accepted.
        accepted: &'static str,
    },
}

impl AppConfig {
    /// Sets one key as `.set` does; `null` unsets it. What [`Settings`] hold is set there, which is one layer of several.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetFault> {
        let key = KEYS.iter().find(|key| key.name == name && key.changed_by != ChangedBy::Nobody);
        let key = key.ok_or_else(|| SetFault::Key { name: name.to_owned() })?;
        let wrong = |given| SetFault::Value { name: key.name, given, accepted: key.accepted };
        let node = Node::read(value, Path::new(name)).map_err(|_| wrong(format!("`{value}`")))?;
        // An unset setting is the next layer's; that a file can say `null` is another thing.
        let unset = Settings::default();
        match (node.is_null(), key.name) {
            (true, "enabled_tools") => self.settings.enabled_tools = unset.enabled_tools,
            (true, "enabled_mcp_servers") => self.settings.enabled_mcp_servers = unset.enabled_mcp_servers,
            (true, "enabled_macros") => self.settings.enabled_macros = unset.enabled_macros,
            _ => {
                // What is not accepted may have been read in part.
                let mut changed = self.clone();
                (key.read)(&mut changed, &node).ok_or_else(|| wrong(node.given()))?;
                *self = changed;
            }
        }
        Ok(())
    }
}

impl Settings {
    /// Sets one key of a layer as `.set` does; `null` unsets it.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetFault> {
        if !KEYS.iter().any(|key| key.name == name && key.changed_by == ChangedBy::Layers) {
            return Err(SetFault::Key { name: name.to_owned() });
        }
        let mut config = AppConfig { settings: self.clone(), ..AppConfig::default() };
        config.set(name, value)?;
        *self = config.settings;
        self.places.forget(name);
        Ok(())
    }

    /// Reads one key of a role, an agent or a session. `None`: it is no setting. An error: what is accepted.
    pub(crate) fn read(&mut self, name: &str, node: &Node) -> Option<Result<(), &'static str>> {
        let key = KEYS.iter().find(|key| key.name == name && key.changed_by == ChangedBy::Layers)?;
        let mut config = AppConfig { settings: std::mem::take(self), ..AppConfig::default() };
        let read = (key.read)(&mut config, node).ok_or(key.accepted);
        *self = config.settings;
        Some(read)
    }
}

fn settable() -> String {
    let keys = KEYS.iter().filter(|key| key.changed_by != ChangedBy::Nobody).map(|key| format!("`{}`", key.name));
    keys.collect::<Vec<_>>().join(", ")
}

fn put<T>(to: &mut T, value: Option<T>) -> Option<()> {
    *to = value?;
    Some(())
}

/// Null is the default.
fn or<T>(to: &mut T, node: &Node, default: T, read: impl Fn(&Node) -> Option<T>) -> Option<()> {
    put(to, if node.is_null() { Some(default) } else { read(node) })
}

/// Null is absent.
fn option<T>(to: &mut Option<T>, node: &Node, read: impl Fn(&Node) -> Option<T>) -> Option<()> {
    or(to, node, None, |node| read(node).map(Some))
}

fn text(node: &Node) -> Option<String> {
    node.text().map(str::to_owned)
}

/// A length of time in seconds.
pub(super) fn seconds(node: &Node) -> Option<Duration> {
    let seconds = node.number().filter(|seconds| *seconds > 0.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn wrap(node: &Node) -> Option<Wrap> {
    match (&node.value, node.bool()) {
        (_, Some(false)) => Some(Wrap::No),
        (Yaml::Text(text), _) if text == "auto" => Some(Wrap::Auto),
        (Yaml::Text(text), _) => text.parse().ok().filter(|width| *width > 0).map(Wrap::Width),
        (Yaml::Whole(width), _) => u16::try_from(*width).ok().filter(|width| *width > 0).map(Wrap::Width),
        _ => None,
    }
}

fn prelude(node: &Node) -> Option<Prelude> {
    let (first, second) = node.text()?.split_once(':')?;
    let (first, second) = (first.trim(), second.trim().to_owned());
    match first {
        _ if first.is_empty() || second.is_empty() => None,
        "role" => Some(Prelude::Role(second)),
        "session" => Some(Prelude::Session(second)),
        session => Some(Prelude::Both { session: session.to_owned(), role: second }),
    }
}
