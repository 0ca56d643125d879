//! Tools on this machine (host.md "Files", "A turn"): the user's own from `functions/`, and built-in ones.
//!
//! The built-in ones stand in one table, from which declarations, dispatch and the manual derive. A user's program wins over
//! a built-in tool of its name and runs unasked; `fs_write` and `execute_command` ask (S40). No key of a provider reaches a
//! program (S47), and every answer is bounded (S25, S31). Which tools a conversation has is the selection's business.

mod arguments;
mod fault;
mod file_search;
mod files;
mod output;
mod place;
mod program;
mod table;
mod user_tool;
mod withheld;

pub(crate) use arguments::{Arguments, Parameter, Takes, function};
pub use table::{Asks, BUILTINS, Builtin, builtin};
pub use withheld::withheld_names;

use super::{LocalCall, LocalScope, LocalTools};
use crate::{config::Warning, mcp::ChildEnv, model::Function};
use serde_json::Value;
use std::{path::PathBuf, sync::Arc, time::Duration};
use user_tool::UserTool;

/// Where local tools work, and with what.
#[derive(Debug, Clone)]
pub struct LocalSetup {
    /// `<config>/functions`: `functions.json` and `bin/`.
    pub functions_dir: PathBuf,
    /// What relative paths start from, and where programs run.
    pub working_dir: PathBuf,
    /// What programs inherit: [`ParentEnv::without`](crate::mcp::ParentEnv::without) the [`withheld_names`].
    pub environment: ChildEnv,
    /// `tool_timeout`: how long a program may run.
    pub timeout: Duration,
}

/// All tools of this machine.
#[derive(Debug, Clone)]
pub struct LocalToolBox {
    setup: Arc<LocalSetup>,
    tools: Vec<Tool>,
}

#[derive(Debug, Clone)]
enum Tool {
    User(Arc<UserTool>),
    Builtin(&'static Builtin),
}

impl Tool {
    fn name(&self) -> &str {
        match self {
            Self::User(tool) => &tool.function.name,
            Self::Builtin(tool) => tool.name,
        }
    }
}

impl LocalToolBox {
    /// Reads the user's tools. What cannot be used is one warning each; the others load.
    pub fn load(setup: LocalSetup) -> (Self, Vec<Warning>) {
        let (users, warnings) = user_tool::read(&setup.functions_dir);
        let mut tools: Vec<Tool> = users.into_iter().map(|tool| Tool::User(Arc::new(tool))).collect();
        for builtin in BUILTINS {
            if !tools.iter().any(|tool| tool.name() == builtin.name) {
                tools.push(Tool::Builtin(builtin));
            }
        }
        (Self { setup: Arc::new(setup), tools }, warnings)
    }

    /// The names of all tools, the user's own first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(Tool::name)
    }

    /// Those whose name is enabled.
    #[must_use]
    pub fn select(&self, enabled: impl Fn(&str) -> bool) -> Self {
        let tools = self.tools.iter().filter(|tool| enabled(tool.name())).cloned().collect();
        Self { setup: Arc::clone(&self.setup), tools }
    }

    fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }
}

impl LocalTools for LocalToolBox {
    fn functions(&self) -> Vec<Function> {
        let function = |tool: &Tool| match tool {
            Tool::User(tool) => tool.function.clone(),
            Tool::Builtin(tool) => tool.function(),
        };
        self.tools.iter().map(function).collect()
    }

    fn asks(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Tool::Builtin(tool)) if tool.asks != Asks::Never)
    }

    fn call<'a>(&'a self, name: &'a str, arguments: &'a Value, scope: &'a LocalScope) -> Option<LocalCall<'a>> {
        let reads = self.find(FILE_READER).is_some();
        let bench = Bench { setup: &self.setup, scope, reads };
        match self.find(name)? {
            Tool::User(tool) => Some(Box::pin(async move { tool.run(bench, arguments).await })),
            Tool::Builtin(tool) => Some(Box::pin(async move { tool.call(bench, arguments).await })),
        }
    }
}

/// The tool that reads what was kept of an answer over the ceiling.
const FILE_READER: &str = "fs_cat";

/// A tool's name as it may be written: with the suffix of its script (`fs_cat.sh` is `fs_cat`).
///
/// ```
/// use coyote_integration::functions::tool_name;
/// assert_eq!([tool_name("fs_cat.sh"), tool_name("fs_cat"), tool_name("a.b")], ["fs_cat", "fs_cat", "a.b"]);
/// ```
pub fn tool_name(written: &str) -> &str {
    match written.rsplit_once('.') {
        Some((name, suffix)) if !name.is_empty() && SCRIPT_SUFFIXES.contains(&suffix) => name,
        _ => written,
    }
}

/// What a script's file name may end with.
const SCRIPT_SUFFIXES: [&str; 13] =
    ["sh", "bash", "py", "js", "mjs", "ts", "rb", "pl", "lua", "ps1", "cmd", "bat", "exe"];

/// What one call works with.
#[derive(Clone, Copy)]
struct Bench<'a> {
    setup: &'a LocalSetup,
    scope: &'a LocalScope,
    /// Whether the conversation has the tool that reads files.
    reads: bool,
}

#[cfg(test)]
mod tests;
