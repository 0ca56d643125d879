//! `agent__*`: what an agent does with its children.

use super::{AgentFunctions, Does, collecting};
use crate::{
    agents::{
        escalation::{Matter, Reply, Request},
        mailbox::Letter,
        supervisor::{Ended, Listed, Looked, Order, Running, Supervisor},
    },
    functions::{Arguments, Consent, LocalScope, Question, Subject},
};
use mcp_render::{ASKED_ARGUMENTS_BYTES, Ceiling, Code, DESCRIPTION_MAX_BYTES, ErrorShape, cut, json_len};
use serde_json::{Value, json};

/// The longest stretch of a task that is shown again.
const TASK_SHOWN: usize = 200;

impl AgentFunctions {
    pub(super) async fn supervise(
        &self,
        does: Does,
        supervisor: &Supervisor,
        arguments: &Arguments,
        scope: &LocalScope,
    ) -> Result<Value, ErrorShape> {
        let text = |name| arguments.text(name).unwrap_or_default();
        match does {
            Does::Spawn => {
                let (agent, task) = (text("agent").to_owned(), text("task").to_owned());
                let order = Order { agent, task, variables: arguments.pairs("variables") };
                let agent = order.agent.clone();
                let id = supervisor.spawn(order)?;
                Ok(
                    json!({"id": id, "agent": agent, "status": "running", "note": "Get its answer with `agent__collect`"}),
                )
            }
            Does::Check => {
                let mut value = match supervisor.look(text("id"))? {
                    Looked::Ended(ended) => brief(&ended),
                    Looked::Runs(running) => runs(&running),
                    Looked::Wanted(..) | Looked::Cancelled => json!({"id": text("id")}),
                };
                waiting(supervisor, &mut value);
                Ok(value)
            }
            Does::Collect => match supervisor.wait(text("id"), &scope.cancel).await? {
                Looked::Ended(ended) => collecting::page(&ended, arguments, scope.ceiling),
                Looked::Wanted(requests, letters) => Ok(wanted(text("id"), &requests, letters)),
                Looked::Runs(_) | Looked::Cancelled => Err(stopped()),
            },
            Does::Cancel => Ok(brief(&supervisor.cancel(text("id")).await?)),
            Does::ListRunning => {
                let mut value = json!({"running": supervisor.running().iter().map(runs).collect::<Vec<_>>()});
                waiting(supervisor, &mut value);
                Ok(value)
            }
            Does::ListAvailable => Ok(fitting("agents", supervisor.available().iter().map(listed), scope.ceiling)),
            Does::SendMessage => {
                supervisor.send(text("to"), text("message").to_owned())?;
                Ok(json!({"sent_to": text("to")}))
            }
            Does::CheckInbox => Ok(inbox(supervisor, scope.ceiling)),
            Does::ReplyEscalation => self.reply(supervisor, text("id"), arguments.value("answer"), scope).await,
            Does::Select | Does::Confirm | Does::Input | Does::Checkbox => Err(not_supervising("this function")),
        }
    }

    /// Answers a request of a child.
    async fn reply(
        &self,
        supervisor: &Supervisor,
        id: &str,
        answer: Option<&Value>,
        scope: &LocalScope,
    ) -> Result<Value, ErrorShape> {
        let Some(request) = supervisor.escalations().get(id) else {
            let waiting = supervisor.escalations().waiting();
            let ids: Vec<&str> = waiting.iter().map(|request| request.id.as_str()).collect();
            return Err(ErrorShape {
                tool_call_error: format!("No request `{id}` waits: it was answered, or nobody waits for it any longer"),
                code: Code::NotFound,
                hint: "`agent__list_running` shows what waits".to_owned(),
                closest: mcp_catalog::closest(id, ids),
            });
        };
        let answer = answer.cloned().unwrap_or_default();
        let unfit = |accepted: String| ErrorShape {
            tool_call_error: format!("`answer` does not fit request `{id}`; accepted is {accepted}"),
            code: Code::InvalidArguments,
            hint: "Repeat the call with an answer that fits; nothing was sent".to_owned(),
            closest: Vec::new(),
        };
        let reply = match &request.matter {
            Matter::User(question) => Reply::Answer(question.read(&answer).ok_or_else(|| unfit(question.accepted()))?),
            Matter::Approval(question) => {
                let yes = match &answer {
                    Value::Bool(yes) => *yes,
                    Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
                        "y" | "yes" | "true" => true,
                        "n" | "no" | "false" => false,
                        _ => return Err(unfit("yes or no".to_owned())),
                    },
                    _ => return Err(unfit("yes or no".to_owned())),
                };
                Reply::Consent(if yes { self.consent(question, scope).await? } else { Consent::No })
            }
        };
        let note = match &reply {
            Reply::Consent(Consent::No) if answer != Value::Bool(false) && is_yes(&answer) => {
                "The user refused; the agent was told so"
            }
            _ => "The agent goes on; get its answer with `agent__collect`",
        };
        if !supervisor.escalations().reply(id, reply) {
            return Err(ErrorShape {
                tool_call_error: format!("Nobody waits for request `{id}` any longer"),
                code: Code::NotFound,
                hint: "`agent__check` tells what became of the agent".to_owned(),
                closest: Vec::new(),
            });
        }
        Ok(json!({"id": id, "agent": request.from, "note": note}))
    }

    /// The user's yes or no to a child's call, asked where the agent's own calls ask (S40).
    async fn consent(&self, question: &Question, scope: &LocalScope) -> Result<Consent, ErrorShape> {
        if !self.approval.still_asks(question) {
            return Ok(Consent::Yes);
        }
        let questions = std::slice::from_ref(question);
        let settled = tokio::select! {
            biased;
            () = scope.cancel.cancelled() => return Err(stopped()),
            settled = self.approval.settle(questions, self.asker.as_ref()) => settled,
        };
        Ok(match settled.into_iter().next() {
            Some(None) => Consent::Yes,
            Some(Some(refused)) if refused.code == Some(Code::Cancelled) => return Err(stopped()),
            Some(Some(_)) | None => Consent::No,
        })
    }
}

fn is_yes(answer: &Value) -> bool {
    answer.as_bool().unwrap_or(true)
        && !answer.as_str().is_some_and(|word| word.trim().to_ascii_lowercase().starts_with('n'))
}

/// The call is no supervisor's to make.
pub(super) fn not_supervising(name: &str) -> ErrorShape {
    ErrorShape {
        tool_call_error: format!("`{name}` is for agents that may spawn others"),
        code: Code::Unsupported,
        hint: "Do the task yourself".to_owned(),
        closest: Vec::new(),
    }
}

fn stopped() -> ErrorShape {
    ErrorShape {
        tool_call_error: "The wait was ended: the user stopped".to_owned(),
        code: Code::Cancelled,
        hint: "Ask the user before you go on".to_owned(),
        closest: Vec::new(),
    }
}

/// A child that has ended, without what it answered.
pub(super) fn brief(ended: &Ended) -> Value {
    let mut value = json!({
        "id": ended.id,
        "agent": ended.agent,
        "status": ended.outcome.status,
        "seconds": ended.took.as_secs(),
    });
    if let Some((reason, hint)) = &ended.outcome.reason {
        value["reason"] = cut(reason, collecting::NOTE_SHOWN).into();
        value["hint"] = cut(hint, collecting::NOTE_SHOWN).into();
    }
    let notes = &ended.outcome.notes;
    if !notes.is_empty() {
        let shown =
            notes.iter().take(collecting::NOTES_SHOWN).map(|note| cut(note, collecting::NOTE_SHOWN).into_owned());
        value["notes"] = shown.collect::<Vec<_>>().into();
    }
    value
}

fn runs(running: &Running) -> Value {
    let mut value = json!({
        "id": running.id,
        "agent": running.agent,
        "status": "running",
        "seconds": running.took.as_secs(),
        "task": cut(&running.task, TASK_SHOWN),
    });
    if !running.doing.is_empty() {
        value["doing"] = cut(&running.doing, TASK_SHOWN).into();
    }
    value
}

fn listed(listed: &Listed) -> Value {
    let mut value = json!({"name": listed.name, "description": cut(&listed.description, DESCRIPTION_MAX_BYTES)});
    if !listed.variables.is_empty() {
        let variable = |variable: &crate::config::AgentVariable| {
            json!({
                "name": variable.name,
                "description": cut(&variable.description, DESCRIPTION_MAX_BYTES),
                "required": variable.default.is_none(),
            })
        };
        value["variables"] = listed.variables.iter().map(variable).collect::<Vec<_>>().into();
    }
    value
}

/// What else waits for an answer.
fn waiting(supervisor: &Supervisor, value: &mut Value) {
    let requests = supervisor.escalations().waiting();
    if !requests.is_empty() {
        value["waiting"] = requests.iter().map(request).collect::<Vec<_>>().into();
        value["hint"] = REPLY.into();
    }
    let letters = supervisor.inbox().len();
    if letters > 0 {
        value["unread_messages"] = letters.into();
    }
}

const REPLY: &str = "Answer each request with `agent__reply_escalation`; ask the user where you do not know";

/// Why a child is not waited for any longer.
fn wanted(id: &str, requests: &[Request], letters: Vec<Letter>) -> Value {
    let mut value = json!({"id": id, "status": "running"});
    if !requests.is_empty() {
        value["waiting"] = requests.iter().map(request).collect::<Vec<_>>().into();
    }
    if !letters.is_empty() {
        value["messages"] = letters.into_iter().map(letter).collect::<Vec<_>>().into();
    }
    let then = "then collect again";
    value["hint"] = if requests.is_empty() { then.into() } else { format!("{REPLY}, {then}").into() };
    value
}

fn request(request: &Request) -> Value {
    let mut value = json!({"id": request.id, "agent": request.from, "seconds": request.since.elapsed().as_secs()});
    match &request.matter {
        Matter::User(question) => {
            value["question"] = cut(&question.question, collecting::NOTE_SHOWN * 4).into();
            value["accepted"] = cut(&question.accepted(), collecting::NOTE_SHOWN * 4).into();
        }
        Matter::Approval(Question { subject, arguments }) => {
            let what = match subject {
                Subject::Server { server, tool } => json!({"server": server.as_str(), "tool": cut(tool, TASK_SHOWN)}),
                Subject::Local { tool } => json!({"tool": tool}),
            };
            value["wants_to_call"] = what;
            value["arguments"] = cut(&arguments.to_string(), ASKED_ARGUMENTS_BYTES).into();
            value["accepted"] = "yes or no; before the call runs, the user is asked too".into();
        }
    }
    value
}

fn letter(letter: Letter) -> Value {
    json!({"from": letter.from, "message": letter.text})
}

/// As many messages as one answer may hold; the rest stays.
fn inbox(supervisor: &Supervisor, ceiling: Ceiling) -> Value {
    /// Room for what stands around the messages.
    const AROUND: usize = 100;
    let mut room = ceiling.bytes().saturating_sub(AROUND);
    let mut messages = Vec::new();
    while let Some(next) =
        supervisor.inbox().take_if(|next| messages.is_empty() || json_len(&letter(next.clone())) < room)
    {
        let mut next = letter(next);
        if json_len(&next) >= room {
            // No byte of a text takes more than six of a JSON string.
            let text = next["message"].as_str().unwrap_or_default();
            next["message"] = cut(text, room / 6).into_owned().into();
        }
        room = room.saturating_sub(json_len(&next) + 1);
        messages.push(next);
    }
    json!({"messages": messages, "left": supervisor.inbox().len()})
}

/// A list that fits under the ceiling, and how much was left out.
fn fitting(name: &str, items: impl Iterator<Item = Value>, ceiling: Ceiling) -> Value {
    const AROUND: usize = 100;
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
    let mut value = json!({name: kept});
    if omitted > 0 {
        value["omitted"] = omitted.into();
    }
    value
}
