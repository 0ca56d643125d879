//! A chat completion as its frames tell it, read beside the library, which sees the same frames after us.
//!
//! The library keeps calls in a list as long as the largest `index` that a server names, merges two calls that share one,
//! drops a call without one, and knows no end but `[DONE]`. Here an index is a name like any other, and a reply whose
//! `finish_reason` arrived is whole. It never keeps more than a reply may hold.

use super::super::Usage;
use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef, ToolCall as SentCall};
use mcp_render::{MODEL_REPLY_BYTES, MODEL_REPLY_CALLS};
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The frames of one reply.
#[derive(Default)]
pub(super) struct Frames(Mutex<State>);

#[derive(Default)]
struct State {
    calls: Vec<Begun>,
    bytes: usize,
    too_many: bool,
    finish: Option<String>,
    usage: Option<Usage>,
}

/// A call whose arguments arrive.
struct Begun {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// One entry of `delta.tool_calls`.
struct Entry {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Frames {
    /// The calls so far, in the order of their beginnings.
    pub(super) fn calls(&self) -> Vec<SentCall> {
        let call = |begun: &Begun| SentCall {
            call_id: begun.id.clone(),
            fn_name: begun.name.clone(),
            fn_arguments: Value::String(begun.arguments.clone()),
            thought_signatures: None,
        };
        self.state().calls.iter().map(call).collect()
    }

    /// What the calls hold.
    pub(super) fn bytes(&self) -> usize {
        self.state().bytes
    }

    /// Whether there were more calls than a reply may hold.
    pub(super) fn too_many_calls(&self) -> bool {
        self.state().too_many
    }

    /// Why the reply ended, once it has.
    pub(super) fn finish(&self) -> Option<String> {
        self.state().finish.clone()
    }

    /// What it cost, once that is told.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.state().usage
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatFrameSink for Frames {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        // The last frame, `[DONE]`, is no JSON; what else is none is the library's to report.
        if let Ok(frame) = serde_json::from_str(frame.data) {
            self.state().take(&frame);
        }
    }
}

impl State {
    fn take(&mut self, frame: &Value) {
        let count = |at: &str| frame.pointer(at).and_then(Value::as_u64);
        if let (Some(input), Some(output)) = (count("/usage/prompt_tokens"), count("/usage/completion_tokens")) {
            self.usage = Some(Usage { input, output });
        }
        let Some(choice) = frame.pointer("/choices/0") else { return };
        for entry in choice.pointer("/delta/tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.call(Entry::read(entry));
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
    }

    fn call(&mut self, entry: Entry) {
        self.bytes = self.bytes.saturating_add(entry.id.len() + entry.name.len() + entry.arguments.len());
        if self.bytes > MODEL_REPLY_BYTES {
            return;
        }
        if let Some(begun) = self.calls.iter_mut().rev().find(|begun| begun.goes_on_with(&entry)) {
            begun.arguments.push_str(&entry.arguments);
            if begun.id.is_empty() {
                begun.id = entry.id;
            }
            if begun.name.is_empty() {
                begun.name = entry.name;
            }
        } else if self.calls.len() >= MODEL_REPLY_CALLS {
            self.too_many = true;
        } else {
            let Entry { index, id, name, arguments } = entry;
            self.calls.push(Begun { index, id, name, arguments });
        }
    }
}

impl Begun {
    /// Whether an entry is more of this call. One with another id and a name is a new call, whatever its index: there are
    /// servers that number every call 0.
    fn goes_on_with(&self, entry: &Entry) -> bool {
        let names_itself = !entry.name.is_empty();
        let other_id = !entry.id.is_empty() && !self.id.is_empty() && entry.id != self.id;
        match entry.index {
            Some(_) => entry.index == self.index && !(names_itself && other_id),
            None => !names_itself,
        }
    }
}

impl Entry {
    fn read(entry: &Value) -> Self {
        let text = |at: &str| entry.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
        let arguments = match entry.pointer("/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            // Not as the format has it, and plain enough.
            Some(other) => other.to_string(),
        };
        let index = entry.get("index").and_then(Value::as_u64);
        Self { index, id: text("/id"), name: text("/function/name"), arguments }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn calls(entries: &[Value]) -> Vec<(String, String, String)> {
        let mut state = State::default();
        for entry in entries {
            state.take(&json!({"choices": [{"delta": {"tool_calls": [entry]}}]}));
        }
        state.calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    fn told(of: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
        of.iter().map(|&(id, name, arguments)| (id.to_owned(), name.to_owned(), arguments.to_owned())).collect()
    }

    fn begin(index: u64, id: &str, name: &str) -> Value {
        json!({"index": index, "id": id, "function": {"name": name, "arguments": ""}})
    }

    fn more(index: u64, arguments: &str) -> Value {
        json!({"index": index, "function": {"arguments": arguments}})
    }

    #[test]
    fn arguments_go_to_the_call_of_their_index_however_they_alternate() {
        let entries =
            [begin(0, "a", "f"), begin(1, "b", "g"), more(1, "{2"), more(0, "{1"), more(1, "}"), more(0, "}")];
        assert_eq!(calls(&entries), told(&[("a", "f", "{1}"), ("b", "g", "{2}")]));
    }

    #[test]
    fn an_index_is_a_name_and_no_length() {
        let huge = u64::MAX;
        assert_eq!(calls(&[begin(huge, "a", "f"), more(huge, "{}")]), told(&[("a", "f", "{}")]));
    }

    #[test]
    fn calls_that_share_an_index_are_told_apart_by_their_ids() {
        let whole = |id: &str, name: &str| json!({"index": 0, "id": id, "function": {"name": name, "arguments": "{}"}});
        assert_eq!(calls(&[whole("a", "f"), whole("b", "f")]), told(&[("a", "f", "{}"), ("b", "f", "{}")]));
        // The same id again is the same call.
        let again = json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "1}"}});
        let first = json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}});
        assert_eq!(calls(&[first, again]), told(&[("a", "f", "{1}")]));
    }

    #[test]
    fn a_call_without_an_index_is_kept_and_goes_on() {
        let begin = json!({"id": "a", "function": {"name": "f", "arguments": {"q": 1}}});
        let next = json!({"id": "b", "function": {"name": "g"}});
        let more = json!({"function": {"arguments": "{}"}});
        assert_eq!(calls(&[begin, next, more]), told(&[("a", "f", "{\"q\":1}"), ("b", "g", "{}")]));
    }

    #[test]
    fn more_calls_than_a_reply_may_hold_are_counted_and_not_kept() {
        let mut state = State::default();
        for index in 0..=MODEL_REPLY_CALLS as u64 {
            state.take(&json!({"choices": [{"delta": {"tool_calls": [begin(index, "", "f")]}}]}));
        }
        assert!(state.too_many);
        assert_eq!(state.calls.len(), MODEL_REPLY_CALLS);
    }

    #[test]
    fn more_bytes_than_a_reply_may_hold_are_counted_and_not_kept() {
        let mut state = State::default();
        let entry = more(0, &"x".repeat(MODEL_REPLY_BYTES / 2));
        for _ in 0..5 {
            state.take(&json!({"choices": [{"delta": {"tool_calls": [entry]}}]}));
        }
        assert!(state.bytes > MODEL_REPLY_BYTES);
        assert!(state.calls.iter().map(|call| call.arguments.len()).sum::<usize>() <= MODEL_REPLY_BYTES);
    }

    #[test]
    fn the_end_and_the_cost_are_read_where_they_stand() {
        let mut state = State::default();
        state.take(&json!({"choices": [{"delta": {"content": "x"}, "finish_reason": null}], "usage": null}));
        assert_eq!((state.finish.clone(), state.usage), (None, None));
        state.take(&json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
        state.take(&json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}));
        assert_eq!((state.finish.as_deref(), state.usage), (Some("stop"), Some(Usage { input: 3, output: 4 })));
    }
}
