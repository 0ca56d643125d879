//! Approval (S40): which calls the user is asked about, and what an answer means.
//!
//! The decision is pure. It knows no terminal: an [`Asker`] asks, of all calls of one reply together, and a child agent's
//! asks somebody else. What a server says of its own tools never waives a question, and search, describe, read and prompt
//! never ask. Nobody to ask is a no.

mod ask;
mod standing;
mod store;

pub use ask::{Asked, Asker, Asking, Consent, NobodyToAsk, Question, Subject};
pub use store::ApprovalStore;

use super::{LocalTools, ToolCall};
use crate::config::ConfiguredServer;
use mcp_catalog::ServerName;
use mcp_meta::{Answer, Declarations, Verb};
use mcp_render::{Code, ErrorShape, QUOTED_NAME_MAX_BYTES, cut};
use standing::Standing;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// `mcp_approval` of config.yaml.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum McpApproval {
    /// `ask`.
    #[default]
    Ask,
    /// `never`: tool calls of servers run unasked. Local tools ask all the same.
    Never,
}

/// What the user settled ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApprovalPolicy {
    /// `mcp_approval`.
    pub mcp: McpApproval,
    /// `--yes`: everything runs unasked.
    pub yes: bool,
}

/// Who decides in one process: the policy, the servers' standing, and what the user has answered so far.
#[derive(Debug)]
pub struct Approval {
    /// `--yes`.
    yes: bool,
    answers: Mutex<Answers>,
}

#[derive(Debug)]
struct Answers {
    mcp: McpApproval,
    standings: BTreeMap<ServerName, Standing>,
    store: ApprovalStore,
    /// Approved until this process ends, also when the store could not be written.
    tools: BTreeSet<Subject>,
    servers: BTreeSet<ServerName>,
    /// What could not be kept.
    trouble: Vec<String>,
}

impl Approval {
    /// The approval of calls to these servers.
    pub fn new<'a>(
        policy: ApprovalPolicy,
        servers: impl IntoIterator<Item = &'a ConfiguredServer>,
        store: ApprovalStore,
    ) -> Self {
        let ApprovalPolicy { mcp, yes } = policy;
        let (tools, trouble) = (BTreeSet::new(), Vec::new());
        let answers = Answers { mcp, standings: standings(servers), store, tools, servers: BTreeSet::new(), trouble };
        Self { yes, answers: Mutex::new(answers) }
    }

    /// What there is to ask about a call, if anything.
    pub fn question(&self, call: &ToolCall, declared: &Declarations, local: &dyn LocalTools) -> Option<Question> {
        let question = Question::of(call, declared, local)?;
        self.asks(&question.subject).then_some(question)
    }

    /// Whether the user would still be asked about it: another answer may have settled it since.
    pub fn still_asks(&self, question: &Question) -> bool {
        self.asks(&question.subject)
    }

    /// Asks about all of these calls together. The answer to each: `None` to run it, or its refusal.
    pub async fn settle(&self, questions: &[Question], asker: &dyn Asker) -> Vec<Option<Answer>> {
        if questions.is_empty() {
            return Vec::new();
        }
        let consents = match asker.ask(questions).await {
            Asked::Answered(consents) => consents,
            Asked::Nobody => return questions.iter().map(|question| Some(nobody(&question.subject))).collect(),
            Asked::Cancelled => return questions.iter().map(|question| Some(cancelled(&question.subject))).collect(),
        };
        let mut consents = consents.into_iter();
        // A question without an answer was not answered with yes.
        questions
            .iter()
            .map(|question| {
                let consent = consents.next().unwrap_or(Consent::No);
                self.keep(&question.subject, consent);
                (consent == Consent::No).then(|| denied(&question.subject))
            })
            .collect()
    }

    /// Decides by these from now on: the files were read again, or `.set` changed `mcp_approval`. What the user answered about
    /// a server whose entry is gone or has become another is forgotten: a namesake inherits nothing (S40).
    pub fn stand<'a>(&self, mcp: McpApproval, servers: impl IntoIterator<Item = &'a ConfiguredServer>) {
        let mut answers = self.answers();
        answers.mcp = mcp;
        let before = std::mem::replace(&mut answers.standings, standings(servers));
        let Answers { standings, tools, servers, .. } = &mut *answers;
        let same = |server: &ServerName| {
            standings.get(server).map(|standing| standing.spec) == before.get(server).map(|standing| standing.spec)
        };
        servers.retain(same);
        tools.retain(|subject| match subject {
            Subject::Server { server, .. } => same(server),
            Subject::Local { .. } => true,
        });
    }

    /// What could not be kept for the next time, told once.
    pub fn take_trouble(&self) -> Vec<String> {
        std::mem::take(&mut self.answers().trouble)
    }

    fn asks(&self, subject: &Subject) -> bool {
        if self.yes {
            return false;
        }
        let answers = self.answers();
        if answers.tools.contains(subject) {
            return false;
        }
        match subject {
            Subject::Local { tool } => !(subject.is_kept() && answers.store.has_local(tool)),
            Subject::Server { server, tool } => {
                // A server that nobody configured has no standing, so it is asked about.
                let standing = answers.standings.get(server);
                !(answers.mcp == McpApproval::Never
                    || answers.servers.contains(server)
                    || standing.is_some_and(|standing| standing.trusted || answers.store.has(&standing.spec, tool)))
            }
        }
    }

    fn keep(&self, subject: &Subject, consent: Consent) {
        let mut answers = self.answers();
        match (consent, subject) {
            // A local tool belongs to no server: then the last is as good as a yes.
            (Consent::No | Consent::Yes, _) | (Consent::ServerForSession, Subject::Local { .. }) => {}
            (Consent::ServerForSession, Subject::Server { server, .. }) => {
                answers.servers.insert(server.clone());
            }
            (Consent::AlwaysTool, subject) => {
                answers.tools.insert(subject.clone());
                let kept = match subject {
                    subject if !subject.is_kept() => Ok(()),
                    Subject::Local { tool } => answers.store.add_local(tool),
                    Subject::Server { server, tool } => {
                        match answers.standings.get(server).map(|standing| standing.spec) {
                            Some(spec) => answers.store.add(&spec, server, tool),
                            None => Ok(()),
                        }
                    }
                };
                answers.trouble.extend(kept.err());
            }
        }
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn standings<'a>(servers: impl IntoIterator<Item = &'a ConfiguredServer>) -> BTreeMap<ServerName, Standing> {
    servers.into_iter().map(|server| (server.entry.name.clone(), Standing::of(server))).collect()
}

fn denied(subject: &Subject) -> Answer {
    let hint = "Do not repeat the call; ask the user what to do in its place";
    refused(subject, Code::Denied, "was refused by the user", hint)
}

fn nobody(subject: &Subject) -> Answer {
    let hint = "Go on without it, and tell the user that `--yes` runs such calls where there is no terminal to ask at";
    refused(subject, Code::Denied, "needs the user's yes, and there is no terminal to ask at", hint)
}

fn cancelled(subject: &Subject) -> Answer {
    refused(subject, Code::Cancelled, "was not run: the user stopped", "Ask the user before repeating it")
}

fn refused(subject: &Subject, code: Code, why: &str, hint: &str) -> Answer {
    let short = |text: &str| cut(text, QUOTED_NAME_MAX_BYTES).into_owned();
    let what = match subject {
        Subject::Server { server, tool } => {
            format!("The call of tool `{}` of server `{}`", short(tool), short(server.as_str()))
        }
        Subject::Local { tool } => format!("The call of `{}`", short(tool)),
    };
    ErrorShape { tool_call_error: format!("{what} {why}"), code, hint: hint.to_owned(), closest: Vec::new() }.into()
}

/// The verb whose calls may change something. The match is exhaustive, so that a new verb has to decide.
const fn changes(verb: Verb) -> bool {
    match verb {
        Verb::Invoke => true,
        Verb::Search | Verb::Describe | Verb::Read | Verb::Prompt => false,
    }
}

#[cfg(test)]
mod tests;
