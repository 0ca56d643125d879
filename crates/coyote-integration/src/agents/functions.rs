//! `agent__*` and `user__*`: the functions of an agent beside its servers' and its local tools (host.md "Agents and the
//! Supervisor"). Declaration, dispatch and the manual derive from one table.
//!
//! `agent__*` belong to an agent that may spawn others, `user__*` to every agent. They never ask for approval themselves;
//! letting a child's call run does, where the agent's own calls ask (S40).

mod asking;
mod collecting;
mod shown;
mod supervising;

use super::{
    desk::Desk,
    supervisor::{Seat, Supervisor},
};
use crate::{
    functions::{Approval, Arguments, Asker, LocalCall, LocalScope, LocalTools, Parameter, Takes, function},
    model::Function,
};
use mcp_meta::Answer;
use serde_json::Value;
use std::{fmt, sync::Arc};

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Spawn,
    Check,
    Collect,
    Cancel,
    ListRunning,
    ListAvailable,
    SendMessage,
    CheckInbox,
    ReplyEscalation,
    Select,
    Confirm,
    Input,
    Checkbox,
}

/// One row of the table.
#[derive(Debug)]
pub struct AgentFunction {
    /// Its name.
    pub name: &'static str,
    /// What a model reads.
    pub description: &'static str,
    /// Whether it is for agents that may spawn others.
    pub supervises: bool,
    does: Does,
    parameters: &'static [Parameter],
}

const ID: Parameter = Parameter::needed("id", Takes::Text, "The id that `agent__spawn` answered");
const QUESTION: Parameter = Parameter::needed("question", Takes::Text, "What the user is asked");
const OPTIONS: Parameter = Parameter::needed("options", Takes::Texts, "What there is to choose from");

/// All functions, in the manual's order.
pub const AGENT_FUNCTIONS: &[AgentFunction] = &[
    supervises(
        Does::Spawn,
        "agent__spawn",
        "Start another agent on a task of its own. It runs beside you, knows nothing of this conversation, and has servers of \
         its own. Answers its id at once; get what it answers with `agent__collect`.",
        &[
            Parameter::needed("agent", Takes::Text, "The agent's name; `agent__list_available` names them"),
            Parameter::needed("task", Takes::Text, "All that the agent needs to know to do its work"),
            Parameter::new("variables", Takes::Pairs, "Values of the agent's variables, by name"),
        ],
    ),
    supervises(Does::Check, "agent__check", "Look at an agent that you spawned, without waiting.", &[ID]),
    supervises(
        Does::Collect,
        "agent__collect",
        "Wait for an agent that you spawned and get what it answered. It answers earlier when an agent needs a reply of yours \
         or has written to you: do that, then collect again. A long answer comes in pages and is kept whole.",
        &[
            ID,
            Parameter::new("offset", Takes::Count, "The byte to start at; `next_offset` of the page before"),
            Parameter::new("max_bytes", Takes::Count, "The most bytes of the page; 51200 when left out"),
            Parameter::new(
                "pattern",
                Takes::Text,
                "A regular expression: only matching lines, with two lines around each",
            ),
        ],
    ),
    supervises(Does::Cancel, "agent__cancel", "End an agent that you spawned.", &[ID]),
    supervises(Does::ListRunning, "agent__list_running", "List the agents that you spawned and that still run.", &[]),
    supervises(Does::ListAvailable, "agent__list_available", "List the agents that you may spawn.", &[]),
    supervises(
        Does::SendMessage,
        "agent__send_message",
        "Write to an agent that you spawned, to the agent that spawned you, or to another one that it spawned.",
        &[
            Parameter::needed("to", Takes::Text, "An agent's id, or `parent`"),
            Parameter::needed("message", Takes::Text, "What it is told"),
        ],
    ),
    supervises(
        Does::CheckInbox,
        "agent__check_inbox",
        "Read the messages that agents have written to you; each once.",
        &[],
    ),
    supervises(
        Does::ReplyEscalation,
        "agent__reply_escalation",
        "Answer what an agent that you spawned waits for: a question, or whether a call of its may run. A call that you let run \
         is put to the user first; refuse it with `no` when it does not belong to the task.",
        &[
            Parameter::needed("id", Takes::Text, "The id of the request"),
            Parameter::needed(
                "answer",
                Takes::Answer,
                "One option, several with commas between, `yes` or `no`, or a text",
            ),
        ],
    ),
    asks(Does::Select, "user__select", "Ask the user to choose one option.", &[QUESTION, OPTIONS]),
    asks(Does::Confirm, "user__confirm", "Ask the user for a yes or a no.", &[QUESTION]),
    asks(
        Does::Input,
        "user__input",
        "Ask the user for a line of text.",
        &[QUESTION, Parameter::new("default", Takes::Text, "What an empty line means")],
    ),
    asks(Does::Checkbox, "user__checkbox", "Ask the user to choose any number of options.", &[QUESTION, OPTIONS]),
];

type Text = &'static str;

const fn supervises(does: Does, name: Text, description: Text, parameters: &'static [Parameter]) -> AgentFunction {
    AgentFunction { name, description, supervises: true, does, parameters }
}

const fn asks(does: Does, name: Text, description: Text, parameters: &'static [Parameter]) -> AgentFunction {
    AgentFunction { name, description, supervises: false, does, parameters }
}

impl AgentFunction {
    /// What a request declares of it.
    pub fn function(&self) -> Function {
        function(self.name, self.description, self.parameters)
    }
}

/// Who answers what an agent asks the user.
#[derive(Clone)]
pub enum Voice {
    /// The user: the agent is at depth 0.
    Desk(Arc<dyn Desk>),
    /// The agent above.
    Up(Arc<Seat>),
}

/// The functions of one agent.
pub struct AgentFunctions {
    /// Set when the agent may spawn others.
    supervisor: Option<Supervisor>,
    voice: Voice,
    /// Where a child's calls get the user's yes.
    approval: Arc<Approval>,
    asker: Arc<dyn Asker>,
}

impl AgentFunctions {
    /// The functions of an agent.
    pub fn new(supervisor: Option<Supervisor>, voice: Voice, approval: Arc<Approval>, asker: Arc<dyn Asker>) -> Self {
        Self { supervisor, voice, approval, asker }
    }

    /// The agent's children, if it may have any.
    pub const fn supervisor(&self) -> Option<&Supervisor> {
        self.supervisor.as_ref()
    }

    fn rows(&self) -> impl Iterator<Item = &'static AgentFunction> {
        let supervises = self.supervisor.is_some();
        AGENT_FUNCTIONS.iter().filter(move |row| supervises || !row.supervises)
    }

    async fn answer(&self, row: &AgentFunction, arguments: &Value, scope: &LocalScope) -> Answer {
        let arguments = match Arguments::of(row.name, row.parameters, arguments) {
            Ok(arguments) => arguments,
            Err(shape) => return shape.into(),
        };
        let Some(kind) = asking::wanted(row.does) else {
            let Some(supervisor) = &self.supervisor else { return supervising::not_supervising(row.name).into() };
            let answered = self.supervise(row.does, supervisor, &arguments, scope).await;
            return answered.map_or_else(Into::into, |value| Answer { value, code: None });
        };
        self.ask_the_user(kind, &arguments, scope).await
    }
}

impl LocalTools for AgentFunctions {
    fn functions(&self) -> Vec<Function> {
        self.rows().map(AgentFunction::function).collect()
    }

    fn names(&self) -> Vec<String> {
        self.rows().map(|row| row.name.to_owned()).collect()
    }

    fn call<'a>(&'a self, name: &'a str, arguments: &'a Value, scope: &'a LocalScope) -> Option<LocalCall<'a>> {
        let row = self.rows().find(|row| row.name == name)?;
        Some(Box::pin(self.answer(row, arguments, scope)))
    }
}

impl fmt::Debug for AgentFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentFunctions").field("supervisor", &self.supervisor).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
