//! Our conversation as the library's.
//!
//! It drops nothing but a model's reasoning, which is never sent back.

use super::super::{ChatRequest, Message, Part};
use crate::{
    config::ClientKind,
    functions::{ToolCall, ToolResult},
};
use genai::chat::{
    Binary, ChatMessage, ChatRequest as Sent, ContentPart, MessageContent, Tool, ToolCall as SentCall, ToolResponse,
};
use serde_json::{Value, json};

/// The request for this kind of provider; `functions` is whether the model takes any.
pub(super) fn of(request: ChatRequest, kind: ClientKind, functions: bool) -> Sent {
    let messages = request.messages.into_iter().flat_map(|own| message(own, kind)).collect();
    let sent = Sent::from_messages(messages);
    if !functions || request.functions.is_empty() {
        return sent;
    }
    sent.with_tools(request.functions.into_iter().map(|function| {
        Tool::new(function.name).with_description(function.description).with_schema(function.parameters)
    }))
}

fn message(message: Message, kind: ClientKind) -> Vec<ChatMessage> {
    let sent = match message {
        Message::System(text) => ChatMessage::system(text),
        Message::User(parts) => {
            ChatMessage::user(MessageContent::from_parts(parts.into_iter().map(part).collect::<Vec<_>>()))
        }
        Message::Assistant { text, calls } => {
            let text = (!text.is_empty()).then(|| ContentPart::from(text));
            let calls = calls.into_iter().map(|own| ContentPart::ToolCall(call(own)));
            let parts: Vec<ContentPart> = text.into_iter().chain(calls).collect();
            // Providers refuse a message of nothing, which a cut reply may leave.
            if parts.is_empty() {
                return Vec::new();
            }
            ChatMessage::assistant(MessageContent::from_parts(parts))
        }
        Message::Results(results) => {
            let responses = results.into_iter().map(result);
            // For Ollama the library keeps only the last result of a message; the others want those of one reply together.
            return if kind == ClientKind::Ollama {
                responses.map(|response| tool(vec![response])).collect()
            } else {
                vec![tool(responses.collect())]
            };
        }
    };
    vec![sent]
}

fn tool(responses: Vec<ToolResponse>) -> ChatMessage {
    ChatMessage::tool(MessageContent::from_tool_responses(responses))
}

fn part(part: Part) -> ContentPart {
    match part {
        Part::Text(text) => ContentPart::from(text),
        Part::Image { mime, data, name } => ContentPart::Binary(Binary::from_base64(mime, data, Some(name))),
    }
}

/// Providers take an object alone. Arguments that were none go back as what they were, inside of one.
fn call(call: ToolCall) -> SentCall {
    let fn_arguments = match call.arguments {
        Value::Object(members) => Value::Object(members),
        Value::Null => json!({}),
        other => json!({"malformed_arguments": other}),
    };
    SentCall { call_id: call.id, fn_name: call.name, fn_arguments, thought_signatures: None }
}

fn result(result: ToolResult) -> ToolResponse {
    ToolResponse::new(result.id, result.output.to_string()).with_fn_name(result.name)
}
