//! The seam between approval and whoever can answer: a terminal, a parent agent, a test.

use super::changes;
use crate::functions::{Asks, LocalTools, ToolCall, builtin};
use mcp_catalog::ServerName;
use mcp_meta::Declarations;
use serde_json::Value;
use std::{fmt, pin::Pin};

/// What would be run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A tool of a server.
    Server {
        /// The server.
        server: ServerName,
        /// The tool, as the model named it.
        tool: String,
    },
    /// A tool on this machine.
    Local {
        /// Its name.
        tool: String,
    },
}

impl Subject {
    /// Whether a yes to it may be kept for good. A yes to one command would be one to every other (S40).
    pub fn is_kept(&self) -> bool {
        !matches!(self, Self::Local { tool } if builtin(tool).is_some_and(|tool| tool.asks == Asks::EachSession))
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { server, tool } => write!(f, "{}: {tool}", server.as_str()),
            Self::Local { tool } => f.write_str(tool),
        }
    }
}

/// One call to be approved; foreign text throughout.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What would be run.
    pub subject: Subject,
    /// With what.
    pub arguments: Value,
}

impl Question {
    /// What a call would run, if that is anything to ask about at all (S40).
    pub(super) fn of(call: &ToolCall, declared: &Declarations, local: &dyn LocalTools) -> Option<Self> {
        match mcp_meta::route(&call.name, declared) {
            Ok((verb, _)) if !changes(verb) => None,
            Ok((_, server)) => {
                // A name that is no text is refused by the call itself, and shown as what it is here.
                let tool = match call.arguments.get("tool") {
                    Some(Value::String(tool)) => tool.clone(),
                    other => other.map(Value::to_string).unwrap_or_default(),
                };
                let arguments = call.arguments.get("arguments").cloned().unwrap_or_default();
                Some(Self { subject: Subject::Server { server, tool }, arguments })
            }
            Err(_) => local.asks(&call.name).then(|| Self {
                subject: Subject::Local { tool: call.name.clone() },
                arguments: call.arguments.clone(),
            }),
        }
    }
}

/// What the user said about one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Run it this once.
    Yes,
    /// Do not.
    No,
    /// Run it, and do not ask about this tool again; until the program ends where that cannot be kept.
    AlwaysTool,
    /// Run it, and do not ask about this server until the program ends.
    ServerForSession,
}

/// What became of the questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// One answer a question, in their order.
    Answered(Vec<Consent>),
    /// Nobody is there to answer.
    Nobody,
    /// The user stopped everything.
    Cancelled,
}

/// Questions that wait for their answers.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Asked> + Send + 'a>>;

/// Somebody who can be asked.
pub trait Asker: Send + Sync {
    /// Asks about all calls of one reply together. There is at least one.
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a>;
}

/// Nobody: where there is no terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyToAsk;

impl Asker for NobodyToAsk {
    fn ask<'a>(&'a self, _questions: &'a [Question]) -> Asking<'a> {
        Box::pin(async { Asked::Nobody })
    }
}
