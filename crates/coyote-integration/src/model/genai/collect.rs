//! A reply, put together from what arrives of it.
//!
//! Nothing that arrived is lost: arguments that are no JSON stay as text (S38), and a reply that broke off keeps its parts.

use super::{
    super::{ModelError, Reply, ReplySink, Usage},
    failure::About,
    frames::Frames,
};
use crate::{config::ClientKind, functions::ToolCall};
use genai::{
    Error,
    chat::{
        ChatResponse, ChatStreamEvent, ContentPart, StopReason, StreamEnd, ToolCall as SentCall, Usage as SentUsage,
    },
};
use mcp_render::{MODEL_REPLY_BYTES, MODEL_REPLY_CALLS};
use serde_json::{Map, Value};
use std::{collections::HashSet, sync::Arc};

/// One thing that arrived.
pub(super) enum Step {
    Text(String),
    Reasoning(String),
    Call(SentCall),
    End(Box<End>),
}

/// A reply's last word.
pub(super) struct End {
    calls: Vec<SentCall>,
    usage: Option<Usage>,
    reason: Option<StopReason>,
}

impl End {
    /// The end that the frames of a reply tell, though its stream never did.
    pub(super) fn of(frames: &Frames) -> Option<Self> {
        let reason = StopReason::from(frames.finish()?);
        Some(Self { calls: Vec::new(), usage: None, reason: Some(reason) })
    }

    /// Whether the provider said it. The library makes an end of its own where the stream of these two breaks off.
    pub(super) fn is_said(&self, kind: ClientKind) -> bool {
        match kind {
            ClientKind::Gemini => self.reason.is_some(),
            // Old servers give no reason, but every last line counts tokens.
            ClientKind::Ollama => self.reason.is_some() || self.usage.is_some(),
            ClientKind::OpenAi | ClientKind::OpenAiCompatible | ClientKind::Claude => true,
        }
    }
}

/// What an event is to a reply; `None` when it is nothing.
pub(super) fn step(event: ChatStreamEvent) -> Option<Step> {
    match event {
        ChatStreamEvent::Chunk(chunk) => Some(Step::Text(chunk.content)),
        ChatStreamEvent::ReasoningChunk(chunk) => Some(Step::Reasoning(chunk.content)),
        ChatStreamEvent::ToolCallChunk(chunk) => Some(Step::Call(chunk.tool_call)),
        ChatStreamEvent::End(end) => Some(Step::End(Box::new(ended(end)))),
        ChatStreamEvent::Start | ChatStreamEvent::Heartbeat | ChatStreamEvent::ThoughtSignatureChunk(_) => None,
    }
}

fn ended(end: StreamEnd) -> End {
    let calls = end.captured_content.map(genai::chat::MessageContent::into_tool_calls).unwrap_or_default();
    End { calls, usage: end.captured_usage.as_ref().and_then(usage), reason: end.captured_stop_reason }
}

/// A reply while it arrives.
pub(super) struct Collected {
    kind: ClientKind,
    reply: Reply,
    /// Calls, and what each holds.
    begun: Vec<(SentCall, usize)>,
    /// Where the calls are instead, if the format's frames are read beside the library.
    frames: Option<Arc<Frames>>,
}

impl Collected {
    pub(super) fn new(kind: ClientKind, frames: Option<Arc<Frames>>) -> Self {
        Self { kind, reply: Reply::default(), begun: Vec::new(), frames }
    }

    /// Takes one step; the last one is handed back.
    pub(super) fn take(&mut self, step: Step, sink: &dyn ReplySink) -> Option<Box<End>> {
        match step {
            Step::Text(more) => {
                sink.text(&more);
                self.reply.text.push_str(&more);
            }
            Step::Reasoning(more) => {
                sink.reasoning(&more);
                self.reply.reasoning.push_str(&more);
            }
            Step::Call(_) if self.frames.is_some() => {}
            Step::Call(call) => self.begin(call),
            Step::End(end) => return Some(end),
        }
        None
    }

    /// Why no more of it is taken.
    pub(super) fn overflow(&self, about: &About) -> Option<ModelError> {
        let frames = self.frames.as_deref();
        if self.begun.len() > MODEL_REPLY_CALLS || frames.is_some_and(Frames::too_many_calls) {
            return Some(about.too_many_calls());
        }
        let arguments: usize = self.begun.iter().map(|(_, bytes)| bytes).sum();
        let bytes = self.reply.text.len() + self.reply.reasoning.len() + arguments + frames.map_or(0, Frames::bytes);
        (bytes > MODEL_REPLY_BYTES).then(|| about.too_large())
    }

    /// The end that a reply has though its stream broke off: all of it had arrived.
    pub(super) fn end(&self) -> Option<End> {
        self.frames.as_deref().and_then(End::of)
    }

    /// The reply, as far as it came.
    pub(super) fn cut(mut self, error: ModelError) -> Reply {
        self.reply.calls = calls(match &self.frames {
            Some(frames) => frames.calls(),
            None => self.begun.into_iter().map(|(call, _)| call).collect(),
        });
        self.reply.cut = Some(error);
        self.reply
    }

    /// The whole reply.
    pub(super) fn ended(mut self, end: &End, about: &About) -> Reply {
        if let Some(error) = self.overflow(about) {
            return self.cut(error);
        }
        let said = end.is_said(self.kind);
        let frames = self.frames.as_deref();
        self.reply.calls = calls(frames.map_or_else(|| end.calls.clone(), Frames::calls));
        self.reply.usage = end.usage.or_else(|| frames.and_then(Frames::usage));
        self.reply.cut =
            if said { about.unnatural(end.reason.as_ref(), &self.reply) } else { Some(about.ended_early().error) };
        self.reply
    }

    /// While arguments arrive as text, each event repeats the call with more of them.
    fn begin(&mut self, call: SentCall) {
        let bytes = call.fn_arguments.as_str().map_or_else(|| call.size(), str::len);
        let same = |begun: &SentCall| begun.call_id == call.call_id && call.fn_arguments.is_string();
        match self.begun.iter_mut().find(|(begun, _)| same(begun)) {
            Some(begun) => *begun = (call, bytes),
            None => self.begun.push((call, bytes)),
        }
    }
}

/// A reply that was not streamed.
pub(super) fn whole(answer: ChatResponse, about: &About) -> Reply {
    let mut reply = Reply { usage: usage(&answer.usage), ..Reply::default() };
    reply.reasoning = answer.reasoning_content.unwrap_or_default();
    let mut sent = Vec::new();
    for part in answer.content {
        match part {
            ContentPart::Text(text) => reply.text.push_str(&text),
            ContentPart::ToolCall(call) => sent.push(call),
            _ => {}
        }
    }
    reply.calls = calls(sent);
    reply.cut = about.unnatural(answer.stop_reason.as_ref(), &reply);
    reply
}

/// A whole reply that the library threw away because the arguments of one call are no JSON; the model is to mend that call,
/// and the others count (S38). Only its `OpenAI` side does so.
pub(super) fn salvaged(error: &Error, kind: ClientKind, about: &About) -> Option<Reply> {
    let (Error::ChatResponseGeneration { response_body, .. }, ClientKind::OpenAi | ClientKind::OpenAiCompatible) =
        (error, kind)
    else {
        return None;
    };
    let choice = response_body.pointer("/choices/0")?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let sent = choice.pointer("/message/tool_calls")?.as_array()?.iter().map(|call| SentCall {
        call_id: text(call.get("id")),
        fn_name: text(call.pointer("/function/name")),
        fn_arguments: call.pointer("/function/arguments").cloned().unwrap_or_default(),
        thought_signatures: None,
    });
    let count = |at: &str| response_body.pointer(at).and_then(Value::as_u64);
    let tokens = (count("/usage/prompt_tokens"), count("/usage/completion_tokens"));
    let mut reply = Reply {
        text: text(choice.pointer("/message/content")),
        reasoning: text(choice.pointer("/message/reasoning_content")),
        calls: calls(sent.collect()),
        usage: tokens.0.zip(tokens.1).map(|(input, output)| Usage { input, output }),
        cut: None,
    };
    let reason = choice.get("finish_reason").and_then(Value::as_str).map(|reason| StopReason::from(reason.to_owned()));
    reply.cut = about.unnatural(reason.as_ref(), &reply);
    Some(reply)
}

/// Ids are made unique: Gemini sends none, and those that the library makes repeat from event to event, which would lose
/// a call (host.md "A turn": the same id twice keeps the last).
fn calls(sent: Vec<SentCall>) -> Vec<ToolCall> {
    let mut taken = HashSet::new();
    let mut calls = Vec::with_capacity(sent.len());
    for (number, call) in sent.into_iter().enumerate() {
        let mut id = call.call_id;
        if id.is_empty() || (id.starts_with("call#") && taken.contains(&id)) {
            // The shape is the library's own, so that the id is left out again when the call is sent back.
            id = format!("call#{}#{}", call.fn_name, 1_000 + number);
        }
        taken.insert(id.clone());
        calls.push(ToolCall { id, name: call.fn_name, arguments: arguments(call.fn_arguments) });
    }
    calls
}

/// Arguments that are text are parsed; no text at all is no arguments.
fn arguments(sent: Value) -> Value {
    match sent {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Null) => Value::Object(Map::new()),
            Ok(Value::String(_)) | Err(_) => Value::String(text),
            Ok(parsed) => parsed,
        },
        Value::Null => Value::Object(Map::new()),
        other => other,
    }
}

/// What was told; no reply costs nothing.
fn usage(sent: &SentUsage) -> Option<Usage> {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).filter(|tokens| *tokens > 0);
    let (input, output) = (count(sent.prompt_tokens), count(sent.completion_tokens));
    (input.is_some() || output.is_some())
        .then(|| Usage { input: input.unwrap_or_default(), output: output.unwrap_or_default() })
}
