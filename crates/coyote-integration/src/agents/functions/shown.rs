//! How children, requests and messages look to a model: small JSON objects, each part of them bounded (S25).

use crate::{
    agents::{
        escalation::{Matter, Request},
        mailbox::Letter,
        supervisor::{Ended, Listed, Running, Supervisor},
    },
    config::AgentVariable,
    functions::{Question, Subject},
};
use mcp_render::{ASKED_ARGUMENTS_BYTES, Ceiling, DESCRIPTION_MAX_BYTES, cut, json_len};
use serde_json::{Map, Value, json};

/// The longest stretch of a task that is shown again.
const TASK_SHOWN: usize = 200;
/// The longest note in an answer.
const NOTE_SHOWN: usize = 300;
/// The most notes in an answer.
const NOTES_SHOWN: usize = 5;
/// The longest question in an answer.
const QUESTION_SHOWN: usize = 1_200;
/// Room for what stands around a list.
const AROUND: usize = 100;
/// What a parent is told to do about requests.
const REPLY: &str = "Answer each request with `agent__reply_escalation`; ask the user where you do not know";

/// An object that is put together.
#[derive(Debug, Default)]
pub(super) struct Shown(Map<String, Value>);

impl Shown {
    /// The same with one more member.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The same, with one more member if there is anything to say.
    fn with_some(self, name: &str, values: Vec<Value>) -> Self {
        if values.is_empty() { self } else { self.with(name, values) }
    }
}

impl From<Shown> for Value {
    fn from(shown: Shown) -> Self {
        Self::Object(shown.0)
    }
}

/// A child that has ended, without what it answered.
pub(super) fn brief(ended: &Ended) -> Shown {
    let shown = Shown::default()
        .with("id", ended.id.as_str())
        .with("agent", ended.agent.as_str())
        .with("status", ended.outcome.status)
        .with("seconds", ended.took.as_secs());
    let shown = match &ended.outcome.reason {
        Some((reason, hint)) => shown.with("reason", cut(reason, NOTE_SHOWN)).with("hint", cut(hint, NOTE_SHOWN)),
        None => shown,
    };
    let notes = ended.outcome.notes.iter().take(NOTES_SHOWN);
    shown.with_some("notes", notes.map(|note| cut(note, NOTE_SHOWN).into()).collect())
}

/// A child that runs.
pub(super) fn runs(running: &Running) -> Shown {
    let shown = Shown::default()
        .with("id", running.id.as_str())
        .with("agent", running.agent.as_str())
        .with("status", "running")
        .with("seconds", running.took.as_secs())
        .with("task", cut(&running.task, TASK_SHOWN));
    if running.doing.is_empty() { shown } else { shown.with("doing", cut(&running.doing, TASK_SHOWN)) }
}

/// An agent that may be spawned.
pub(super) fn listed(listed: &Listed) -> Value {
    let variable = |variable: &AgentVariable| {
        json!({
            "name": variable.name,
            "description": cut(&variable.description, DESCRIPTION_MAX_BYTES),
            "required": variable.default.is_none(),
        })
    };
    Shown::default()
        .with("name", listed.name.as_str())
        .with("description", cut(&listed.description, DESCRIPTION_MAX_BYTES))
        .with_some("variables", listed.variables.iter().map(variable).collect())
        .into()
}

/// The same with what else waits for an answer.
pub(super) fn waiting(supervisor: &Supervisor, shown: Shown) -> Shown {
    let requests = supervisor.escalations().waiting();
    let shown = if requests.is_empty() {
        shown
    } else {
        shown.with("waiting", requests.iter().map(request).collect::<Vec<_>>()).with("hint", REPLY)
    };
    let letters = supervisor.inbox().len();
    if letters == 0 { shown } else { shown.with("unread_messages", letters) }
}

/// Why a child is not waited for any longer.
pub(super) fn wanted(id: &str, requests: &[Request], letters: &[Letter]) -> Value {
    let then = "then collect again";
    let hint = if requests.is_empty() { then.to_owned() } else { format!("{REPLY}, {then}") };
    Shown::default()
        .with("id", id)
        .with("status", "running")
        .with_some("waiting", requests.iter().map(request).collect())
        .with_some("messages", letters.iter().map(letter).collect())
        .with("hint", hint)
        .into()
}

/// As many messages as one answer may hold; the rest stays.
pub(super) fn inbox(supervisor: &Supervisor, ceiling: Ceiling) -> Value {
    let mut room = ceiling.bytes().saturating_sub(AROUND);
    let mut messages = Vec::new();
    while let Some(next) = supervisor.inbox().take_if(|next| messages.is_empty() || json_len(&letter(next)) < room) {
        let fits = json_len(&letter(&next)) < room;
        // No byte of a text takes more than six of a JSON string.
        let text = if fits { next.text } else { cut(&next.text, room / 6).into_owned() };
        let shown = letter(&Letter { text, ..next });
        room = room.saturating_sub(json_len(&shown) + 1);
        messages.push(shown);
    }
    json!({"messages": messages, "left": supervisor.inbox().len()})
}

/// A list that fits under the ceiling, and how much was left out.
pub(super) fn fitting(name: &str, items: impl Iterator<Item = Value>, ceiling: Ceiling) -> Value {
    let mut room = ceiling.bytes().saturating_sub(AROUND);
    let (mut kept, mut omitted) = (Vec::new(), 0_usize);
    for item in items {
        let len = json_len(&item) + 1;
        if omitted == 0 && len <= room {
            room -= len;
            kept.push(item);
        } else {
            omitted += 1;
        }
    }
    let shown = Shown::default().with(name, kept);
    if omitted == 0 { shown.into() } else { shown.with("omitted", omitted).into() }
}

fn request(request: &Request) -> Value {
    let shown = Shown::default()
        .with("id", request.id.as_str())
        .with("agent", request.from.as_str())
        .with("seconds", request.since.elapsed().as_secs());
    match &request.matter {
        Matter::User(question) => shown
            .with("question", cut(&question.question, QUESTION_SHOWN))
            .with("accepted", cut(&question.accepted(), QUESTION_SHOWN)),
        Matter::Approval(Question { subject, arguments }) => {
            let what = match subject {
                Subject::Server { server, tool } => json!({"server": server.as_str(), "tool": cut(tool, TASK_SHOWN)}),
                Subject::Local { tool } => json!({"tool": tool}),
            };
            shown
                .with("wants_to_call", what)
                .with("arguments", cut(&arguments.to_string(), ASKED_ARGUMENTS_BYTES))
                .with("accepted", "yes or no; before the call runs, the user is asked too")
        }
    }
    .into()
}

fn letter(letter: &Letter) -> Value {
    json!({"from": letter.from, "message": letter.text})
}
