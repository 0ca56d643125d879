//! Exit statuses (contracts.md §7): one function from a code and the phase it happened in.

use mcp_render::{Code, ErrorShape};
use serde_json::Value;
use std::process::ExitCode;

/// Where a command was when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before its server had ever answered: looking it up, starting it, shaking hands.
    Start,
    /// Afterwards.
    Call,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Done; `list` once it reported.
    Done,
    /// The call answered an error.
    Failed,
    /// Wrong usage, wrong or missing arguments.
    Usage,
    /// The server does not exist or could not be started.
    NoServer,
    /// A started server did not answer in time.
    Timeout,
    /// The user stopped it.
    Cancelled,
}

impl Status {
    /// The status of a failure.
    pub const fn of(code: Code, phase: Phase) -> Self {
        match (code, phase) {
            (Code::Cancelled, _) => Self::Cancelled,
            (_, Phase::Start) | (Code::SpawnFailed | Code::HandshakeFailed, Phase::Call) => Self::NoServer,
            (Code::InvalidArguments, Phase::Call) => Self::Usage,
            (Code::Timeout, Phase::Call) => Self::Timeout,
            (
                Code::AuthRequired
                | Code::ConnectionClosed
                | Code::FrameTooLarge
                | Code::ProtocolError
                | Code::InvalidResponse
                | Code::InputRequired
                | Code::NotFound
                | Code::MethodNotFound
                | Code::ServerError
                | Code::Denied
                | Code::TooLarge
                | Code::SpillFailed
                | Code::Unsupported,
                Phase::Call,
            ) => Self::Failed,
        }
    }

    /// The status of an answer that is no error of S39. A tool that says it failed has failed, and so has a read of which
    /// no item could be taken; an item that is lost beside others is not the end (S30).
    pub fn of_answer(value: &Value) -> Self {
        let broken = |item: &Value| item.get("error").is_some() && item.get("code").is_some();
        let failed = match value {
            Value::Array(items) => !items.is_empty() && items.iter().all(broken),
            Value::Object(_) => broken(value) || value.get("isError") == Some(&Value::Bool(true)),
            _ => false,
        };
        if failed { Self::Failed } else { Self::Done }
    }

    /// The number that the shell sees.
    pub const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NoServer => 3,
            Self::Timeout => 4,
            Self::Cancelled => 130,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.number())
    }
}

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What is answered, and shown.
    pub shape: ErrorShape,
    /// Where it happened.
    pub phase: Phase,
}

impl Failure {
    /// A failure before the server answered anything.
    pub const fn start(shape: ErrorShape) -> Self {
        Self { shape, phase: Phase::Start }
    }

    /// A failure of a call.
    pub const fn call(shape: ErrorShape) -> Self {
        Self { shape, phase: Phase::Call }
    }

    /// Arguments that are wrong, with what to write instead.
    pub fn usage(sentence: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::call(ErrorShape {
            tool_call_error: sentence.into(),
            code: Code::InvalidArguments,
            hint: hint.into(),
            closest: Vec::new(),
        })
    }

    /// The user stopped it.
    pub fn cancelled() -> Self {
        Self::call(ErrorShape {
            tool_call_error: "Cancelled".to_owned(),
            code: Code::Cancelled,
            hint: "Run the command again to start over".to_owned(),
            closest: Vec::new(),
        })
    }

    /// The exit status.
    pub const fn status(&self) -> Status {
        Status::of(self.shape.code, self.phase)
    }
}

/// How a command ends without a result: what a model would get, and what a person is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// The JSON for stdout, when JSON is wanted.
    pub answer: Value,
    /// The talk, and the exit status.
    pub failure: Box<Failure>,
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self { answer: failure.shape.to_value(), failure: Box::new(failure) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fmt::Write;

    #[test]
    fn every_code_has_an_exit_status_in_each_phase() {
        let table = Code::ALL.iter().fold(String::new(), |mut table, code| {
            let [start, call] = [Phase::Start, Phase::Call].map(|phase| Status::of(*code, phase).number());
            writeln!(table, "{:<18} start {start:<4} call {call}", code.as_str()).unwrap();
            table
        });
        insta::assert_snapshot!(table);
    }

    #[test]
    fn an_answer_fails_when_the_tool_says_so_or_no_item_could_be_taken() {
        let broken = json!({"uri": "a", "mime_type": null, "error": "x", "code": "too_large"});
        let text = json!({"uri": "b", "text": "ok"});
        for (value, status) in [
            (json!({"content": [], "isError": true}), Status::Failed),
            (json!({"content": [], "isError": false}), Status::Done),
            (json!({"content": []}), Status::Done),
            (broken.clone(), Status::Failed),
            (json!([broken, broken]), Status::Failed),
            (json!([broken, text]), Status::Done),
            (json!([]), Status::Done),
            (json!({"spilled": true, "code": "spill_failed"}), Status::Done),
        ] {
            assert_eq!(Status::of_answer(&value), status, "{value}");
        }
    }
}
