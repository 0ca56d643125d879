//! `agent__*`: what an agent does with its children.

use super::{
    AgentFunctions, Does, collecting,
    shown::{Shown, brief, fitting, inbox, listed, runs, waiting, wanted},
};
use crate::{
    agents::{
        desk,
        escalation::{Matter, Reply},
        supervisor::{Looked, Order, Supervisor},
    },
    functions::{Arguments, Consent, LocalScope, Question},
};
use mcp_render::{Code, ErrorShape};
use serde_json::{Value, json};

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
                let shown = match supervisor.look(text("id"))? {
                    Looked::Ended(ended) => brief(&ended),
                    Looked::Runs(running) => runs(&running),
                    Looked::Wanted(..) | Looked::Cancelled => return Err(stopped()),
                };
                Ok(waiting(supervisor, shown).into())
            }
            Does::Collect => match supervisor.wait(text("id"), &scope.cancel).await? {
                Looked::Ended(ended) => collecting::page(&ended, arguments, scope.ceiling),
                Looked::Wanted(requests, letters) => Ok(wanted(text("id"), &requests, &letters)),
                Looked::Runs(_) | Looked::Cancelled => Err(stopped()),
            },
            Does::Cancel => Ok(brief(&supervisor.cancel(text("id")).await?).into()),
            Does::ListRunning => {
                let running: Vec<Value> = supervisor.running().iter().map(|running| runs(running).into()).collect();
                Ok(waiting(supervisor, Shown::default().with("running", running)).into())
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
        let mut note = "The agent goes on; get its answer with `agent__collect`";
        let reply = match &request.matter {
            Matter::User(question) => Reply::Answer(question.read(&answer).ok_or_else(|| unfit(question.accepted()))?),
            Matter::Approval(question) => {
                let wants = yes_or_no(&answer).ok_or_else(|| unfit("yes or no".to_owned()))?;
                let consent = if wants { self.consent(question, scope).await? } else { Consent::No };
                if wants && consent == Consent::No {
                    note = "The user refused; the agent was told so";
                }
                Reply::Consent(consent)
            }
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

fn yes_or_no(answer: &Value) -> Option<bool> {
    match answer {
        Value::Bool(yes) => Some(*yes),
        Value::String(word) => desk::yes_or_no(word),
        _ => None,
    }
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
