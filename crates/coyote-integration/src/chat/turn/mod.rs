//! One turn: what the user says, then requests, replies and calls until a reply calls nothing (host.md "A turn").
//!
//! The driver alone: what follows a reply is decided in `step`, what stays of it by [`Transcript`]. It prints nothing and
//! asks nothing; both are its ports' matter. Whatever ends it, the conversation stays one that a provider accepts (S13).

mod port;
mod step;

pub use port::{Round, Running, Toolbox, TurnView};
pub use step::MAX_ROUNDS;

use super::Transcript;
use crate::{
    functions::{ToolCall, ToolResult},
    model::{ChatModel, ChatRequest, ModelError, ModelFault, Part, Reply, ReplySink, Usage},
};
use mcp_catalog::{Progress, deadline::HANDING_BACK};
use mcp_render::{Code, ErrorShape};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use step::{Next, after};
use tokio_util::sync::CancellationToken;

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Whether replies are streamed.
    pub stream: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// With a reply that calls nothing.
    Answered,
    /// The reply was cut; what had arrived was shown and is kept, its calls were not run.
    Cut(ModelError),
    /// The model did not answer.
    Failed(ModelError),
    /// The model still called functions in request number [`MAX_ROUNDS`].
    TooManyRounds,
    /// The user stopped it; what had arrived is kept.
    Cancelled,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// How it ended.
    pub end: TurnEnd,
    /// What its requests cost together, where told.
    pub usage: Option<Usage>,
    /// How many requests were sent.
    pub rounds: usize,
}

impl Taken {
    /// This and what followed it, as one.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self { end: next.end, usage: sum(self.usage, next.usage), rounds: self.rounds + next.rounds }
    }
}

/// What a turn works with.
pub struct Turn<'a> {
    /// The model.
    pub model: &'a dyn ChatModel,
    /// What may be called.
    pub toolbox: &'a dyn Toolbox,
    /// Who watches.
    pub view: Arc<dyn TurnView>,
    /// How the model is asked.
    pub sampling: Sampling,
    /// Cancelled by the user.
    pub cancel: CancellationToken,
}

impl Turn<'_> {
    /// Says this to the model, and runs what it calls until it has answered.
    pub async fn take(&self, transcript: &mut Transcript, said: Vec<Part>) -> Taken {
        transcript.user(said);
        self.resume(transcript).await
    }

    /// The same for what stands last in the conversation and has no answer: the user's words, or results of calls.
    pub async fn resume(&self, transcript: &mut Transcript) -> Taken {
        let mut taken = Taken { end: TurnEnd::TooManyRounds, usage: None, rounds: 0 };
        loop {
            let tools = self.toolbox.declare();
            tools.notes().iter().for_each(|note| self.view.note(note));
            taken.rounds += 1;
            let reply = match self.ask(self.request(transcript, tools.as_ref())).await {
                Ok(reply) => reply,
                Err(error) => {
                    transcript.take_back();
                    let cancelled = error.fault == ModelFault::Cancelled;
                    taken.end = if cancelled { TurnEnd::Cancelled } else { TurnEnd::Failed(error) };
                    return taken;
                }
            };
            taken.usage = sum(taken.usage, reply.usage);
            match after(&reply, taken.rounds) {
                Next::End(end) => {
                    transcript.answer(&reply.text);
                    transcript.take_back();
                    taken.end = end;
                    return taken;
                }
                Next::Run(calls) => {
                    let results = self.run(tools.as_ref(), calls.clone()).await;
                    transcript.round(&reply.text, calls, results);
                    if self.cancel.is_cancelled() {
                        taken.end = TurnEnd::Cancelled;
                        return taken;
                    }
                }
            }
        }
    }

    /// The request that comes next; `--dry-run` prints it.
    pub fn request(&self, transcript: &Transcript, tools: &dyn Round) -> ChatRequest {
        let Sampling { temperature, top_p, stream } = self.sampling;
        let functions = if self.model.abilities().function_calling { tools.functions() } else { Vec::new() };
        ChatRequest { messages: transcript.messages().to_vec(), functions, temperature, top_p, stream }
    }

    /// The reply. When the user stops it, what had arrived of it.
    async fn ask(&self, request: ChatRequest) -> Result<Reply, ModelError> {
        self.view.asked(self.model.id());
        let sink = Heard { view: self.view.as_ref(), text: Mutex::default() };
        let chatting = self.model.chat(request, &sink, self.cancel.clone());
        let reply = match self.until_cancelled(chatting).await {
            Some(reply) => reply,
            None => Ok(Reply { text: sink.so_far(), cut: Some(cancelled()), ..Reply::default() }),
        };
        if let Ok(reply) = &reply
            && sink.so_far().is_empty()
            && !reply.text.is_empty()
        {
            self.view.text(&reply.text);
        }
        self.view.replied(reply.as_ref().ok().and_then(|reply| reply.usage));
        reply
    }

    /// One result a call, in call order. A call that did not end in time after the user stopped it has the result that it
    /// was cancelled; the others keep theirs (S13).
    async fn run(&self, tools: &dyn Round, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let watch = Arc::new(Watch { view: Arc::clone(&self.view), ended: Mutex::default() });
        let view = Arc::clone(&watch) as Arc<dyn TurnView>;
        let done = self.until_cancelled(tools.run(calls.clone(), view, self.cancel.clone())).await;
        let results = done.unwrap_or_else(|| watch.ended());
        let result = |call: &ToolCall| results.iter().find(|result| result.id == call.id).cloned();
        calls.iter().map(|call| result(call).unwrap_or_else(|| stopped(call))).collect()
    }

    /// The result of `work`; `None` when it has not ended [`HANDING_BACK`] after the user stopped it.
    async fn until_cancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let given_up = async {
            self.cancel.cancelled().await;
            tokio::time::sleep(HANDING_BACK).await;
        };
        tokio::select! {
            biased;
            done = work => Some(done),
            () = given_up => None,
        }
    }
}

/// Hands a reply on, and remembers its text.
struct Heard<'a> {
    view: &'a dyn TurnView,
    text: Mutex<String>,
}

impl Heard<'_> {
    fn so_far(&self) -> String {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ReplySink for Heard<'_> {
    fn text(&self, more: &str) {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(more);
        self.view.text(more);
    }

    fn reasoning(&self, more: &str) {
        self.view.reasoning(more);
    }

    fn retrying(&self, fault: &ModelError, pause: Duration) {
        self.view.retrying(fault, pause);
    }
}

/// Hands on what happens to calls, and remembers the results.
struct Watch {
    view: Arc<dyn TurnView>,
    ended: Mutex<Vec<ToolResult>>,
}

impl Watch {
    fn ended(&self) -> Vec<ToolResult> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl TurnView for Watch {
    fn text(&self, more: &str) {
        self.view.text(more);
    }

    fn call_started(&self, call: &ToolCall) {
        self.view.call_started(call);
    }

    fn progress(&self, call: &ToolCall, progress: &Progress) {
        self.view.progress(call, progress);
    }

    fn call_ended(&self, call: &ToolCall, result: &ToolResult) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(result.clone());
        self.view.call_ended(call, result);
    }

    fn note(&self, text: &str) {
        self.view.note(text);
    }
}

fn cancelled() -> ModelError {
    ModelError { fault: ModelFault::Cancelled, text: "Cancelled".to_owned(), hint: String::new() }
}

fn stopped(call: &ToolCall) -> ToolResult {
    let shape = ErrorShape {
        tool_call_error: format!("The user stopped `{}` before it answered", call.name),
        code: Code::Cancelled,
        hint: "Ask the user before you call it again".to_owned(),
        closest: Vec::new(),
    };
    ToolResult::of(call, shape.into())
}

/// What was told of both.
fn sum(one: Option<Usage>, other: Option<Usage>) -> Option<Usage> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Usage {
            input: one.input.saturating_add(other.input),
            output: one.output.saturating_add(other.output),
        }),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests;
