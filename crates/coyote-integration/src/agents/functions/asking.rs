//! `user__*`: at depth 0 the user is asked, deeper the agent above. Where nobody is there, the answer says so in a form
//! that a model can act on: `needs_human`.

use super::{AgentFunctions, Does, Voice, shown::Shown};
use crate::{
    agents::{
        desk::{Told, UserQuestion, Wanted},
        escalation::{Escalated, Matter, Reply},
    },
    functions::{Arguments, LocalScope},
};
use mcp_meta::Answer;
use mcp_render::{Code, ErrorShape};
use serde_json::{Value, json};
use std::time::Duration;

/// What kind of answer a function wants of the user; `None` when it asks nobody.
pub(super) const fn wanted(does: Does) -> Option<Wanted> {
    match does {
        Does::Select => Some(Wanted::One),
        Does::Confirm => Some(Wanted::YesOrNo),
        Does::Input => Some(Wanted::Line),
        Does::Checkbox => Some(Wanted::Some),
        Does::Spawn
        | Does::Check
        | Does::Collect
        | Does::Cancel
        | Does::ListRunning
        | Does::ListAvailable
        | Does::SendMessage
        | Does::CheckInbox
        | Does::ReplyEscalation => None,
    }
}

impl AgentFunctions {
    pub(super) async fn ask_the_user(&self, wanted: Wanted, arguments: &Arguments, scope: &LocalScope) -> Answer {
        let question = UserQuestion {
            question: arguments.text("question").unwrap_or_default().to_owned(),
            wanted,
            options: arguments.texts("options"),
            default: arguments.text("default").map(str::to_owned),
        };
        if matches!(wanted, Wanted::One | Wanted::Some) && question.options.is_empty() {
            let hint = "Give at least one option, or ask with `user__input`";
            return error(Code::InvalidArguments, "`options` is empty", hint);
        }
        match &self.voice {
            Voice::Desk(desk) => {
                let told = tokio::select! {
                    biased;
                    () = scope.cancel.cancelled() => Told::Cancelled,
                    told = desk.ask(&question) => told,
                };
                match told {
                    Told::Answered(answer) => answered(&answer.to_value()),
                    Told::Declined => {
                        error(Code::Denied, "The user gave no answer", "Go on without it, or ask otherwise")
                    }
                    Told::Nobody => Answer { value: needs_human(&question), code: None },
                    Told::Cancelled => stopped(),
                }
            }
            Voice::Up(seat) => match seat.escalate(Matter::User(question)).await {
                Escalated::Replied(Reply::Answer(answer)) => answered(&answer.to_value()),
                // What was asked was no approval.
                Escalated::Replied(Reply::Consent(_)) | Escalated::Cancelled => stopped(),
                Escalated::TimedOut(limit) => nobody_in_time(limit),
            },
        }
    }
}

fn answered(answer: &Value) -> Answer {
    Answer { value: json!({"answer": answer}), code: None }
}

/// What a model gets where nobody can be asked.
fn needs_human(question: &UserQuestion) -> Value {
    let shown = Shown::default()
        .with("needs_human", true)
        .with("question", question.question.as_str())
        .with("accepted", question.accepted());
    let shown = if question.options.is_empty() { shown } else { shown.with("options", question.options.clone()) };
    let note = "There is no terminal to ask at. Decide by yourself where that is safe; else end your turn with this question, \
                so that the user can start again with the answer";
    shown.with("note", note).into()
}

fn nobody_in_time(limit: Duration) -> Answer {
    let sentence = format!("Nobody answered within {} s (`escalation_timeout`)", limit.as_secs_f64());
    error(Code::Timeout, &sentence, "Go on without the answer, and say in your own answer what you had to assume")
}

fn stopped() -> Answer {
    error(Code::Cancelled, "The question was taken back: the user stopped", "Ask again when the user goes on")
}

fn error(code: Code, sentence: &str, hint: &str) -> Answer {
    let (tool_call_error, hint) = (sentence.to_owned(), hint.to_owned());
    ErrorShape { tool_call_error, code, hint, closest: Vec::new() }.into()
}
