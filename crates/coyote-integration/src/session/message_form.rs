//! A message as a session file holds it (host.md): `{role, content}`, where content is text, parts, or
//! `{tool_results, text}`.
//!
//! A reply with calls and what they answered are one entry, so that no hand can part them (S13). What is not understood is
//! an error and not left out: the file is written again.

use crate::{
    functions::{ToolCall, ToolResult},
    model::{Message, Part},
};
use mcp_render::Code;
use serde_json::{Map, Value, json};

/// These messages, one entry each; calls and their results are one.
pub(super) fn to_values(messages: &[Message]) -> Vec<Value> {
    let mut values = Vec::with_capacity(messages.len());
    let mut rest = messages.iter().peekable();
    while let Some(message) = rest.next() {
        let results = rest.next_if(|next| matches!(next, Message::Results(_)));
        values.push(match (message, results) {
            (Message::Assistant { text, calls }, Some(Message::Results(results))) => {
                entry("assistant", with_results(text, calls, results))
            }
            (Message::Assistant { text, .. }, _) => entry("assistant", Value::from(text.as_str())),
            (Message::System(text), _) => entry("system", Value::from(text.as_str())),
            (Message::User(parts), _) => entry("user", content_of(parts)),
            // Results whose calls are gone are what no provider takes, and no transcript holds them.
            (Message::Results(_), _) => continue,
        });
    }
    values
}

/// The messages of these entries; the error is the entry's place in the list, from 0, and what is wrong with it.
pub(super) fn from_values(values: &[Value]) -> Result<Vec<Message>, (usize, String)> {
    let mut messages = Vec::with_capacity(values.len());
    for (number, value) in (1..).zip(values) {
        let read = from_value(value, number).map_err(|why| (number - 1, format!("message {number} {why}")))?;
        messages.extend(read);
    }
    Ok(messages)
}

fn entry(role: &str, content: Value) -> Value {
    Value::Object([("role".to_owned(), Value::from(role)), ("content".to_owned(), content)].into_iter().collect())
}

fn content_of(parts: &[Part]) -> Value {
    match parts {
        [Part::Text(text)] => Value::from(text.as_str()),
        parts => parts.iter().map(part_value).collect(),
    }
}

fn part_value(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image { mime, data, name } => {
            let mut value = json!({"type": "image_url", "image_url": {"url": format!("data:{mime};base64,{data}")}});
            if !name.is_empty()
                && let Some(object) = value.as_object_mut()
            {
                object.insert("name".to_owned(), Value::from(name.as_str()));
            }
            value
        }
    }
}

fn with_results(text: &str, calls: &[ToolCall], results: &[ToolResult]) -> Value {
    let pairs = calls.iter().zip(results).map(|(call, result)| {
        let ToolCall { id, name, arguments } = call;
        json!({"call": {"name": name, "arguments": arguments, "id": id}, "output": result.output})
    });
    json!({"text": text, "tool_results": pairs.collect::<Vec<_>>()})
}

fn from_value(value: &Value, number: usize) -> Result<Vec<Message>, String> {
    let role =
        value.get("role").and_then(Value::as_str).ok_or("has no `role`; accepted are `user`, `assistant`, `system`")?;
    let content = value.get("content").unwrap_or(&Value::Null);
    match (role, content) {
        ("user", Value::String(text)) => Ok(vec![Message::user(text)]),
        ("user", Value::Array(parts)) => {
            let parts = parts.iter().map(part).collect::<Result<_, _>>()?;
            Ok(vec![Message::User(parts)])
        }
        ("assistant", Value::Object(reply)) => reply_of(reply, number),
        ("assistant" | "system", Value::String(_) | Value::Array(_)) => {
            let text = text_of(content)?;
            let answer = |text| Message::Assistant { text, calls: Vec::new() };
            Ok(vec![if role == "system" { Message::System(text) } else { answer(text) }])
        }
        ("user" | "assistant" | "system", _) => {
            Err("has a `content` that is not understood; accepted are text, parts, and `{tool_results, text}`"
                .to_owned())
        }
        (role, _) => Err(format!("has the role `{}`; accepted are `user`, `assistant`, `system`", short(role))),
    }
}

/// What a call and its result are.
const CALL: &str = "accepted is `{call: {name, arguments}, output}`";

/// A reply with calls, each with what it answered.
fn reply_of(reply: &Map<String, Value>, number: usize) -> Result<Vec<Message>, String> {
    let text = reply.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let pairs = match reply.get("tool_results") {
        None | Some(Value::Null) => &[],
        Some(Value::Array(pairs)) => pairs.as_slice(),
        Some(_) => return Err("has `tool_results` that are no list; accepted is a list of `{call, output}`".to_owned()),
    };
    let (mut calls, mut results) = (Vec::with_capacity(pairs.len()), Vec::with_capacity(pairs.len()));
    for (place, pair) in (1..).zip(pairs) {
        let call = pair.get("call").ok_or_else(|| format!("has a tool result {place} without its `call`; {CALL}"))?;
        let name = call.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| format!("has a call {place} without a `name`; {CALL}"))?.to_owned();
        let arguments = call.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        // Providers pair calls and results by their ids.
        let id = id.map_or_else(|| format!("call_{number}_{place}"), str::to_owned);
        let output = pair.get("output").cloned().unwrap_or(Value::Null);
        let code = output.get("tool_call_error").and(output.get("code")).and_then(Value::as_str);
        let code = code.and_then(|code| Code::ALL.into_iter().find(|known| known.as_str() == code));
        results.push(ToolResult { id: id.clone(), name: name.clone(), output, code });
        calls.push(ToolCall { id, name, arguments });
    }
    if calls.is_empty() {
        return Ok(vec![Message::Assistant { text, calls }]);
    }
    Ok(vec![Message::Assistant { text, calls }, Message::Results(results)])
}

fn part(part: &Value) -> Result<Part, String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match part.get("type").and_then(Value::as_str) {
        Some("text") => text(part.get("text"))
            .map(Part::Text)
            .ok_or_else(|| "has a text part without `text`; accepted is `{type: text, text}`".to_owned()),
        Some("image_url") => {
            let url = text(part.get("image_url").and_then(|image| image.get("url")));
            let url =
                url.ok_or("has an image part without its address; accepted is `{type: image_url, image_url: {url}}`")?;
            let name = text(part.get("name")).unwrap_or_default();
            let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
            // A picture elsewhere is never fetched because a file says so; its address stays.
            Ok(data.map_or_else(
                || Part::Text(format!("Picture: {url}")),
                |(mime, data)| Part::Image { mime: mime.to_owned(), data: data.to_owned(), name },
            ))
        }
        _ => Err("has a part whose `type` is not understood; accepted are `text` and `image_url`".to_owned()),
    }
}

/// The text of a content that holds nothing else.
fn text_of(content: &Value) -> Result<String, String> {
    match content {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => {
            let texts: Result<Vec<String>, String> = parts
                .iter()
                .map(|one| match part(one)? {
                    Part::Text(text) => Ok(text),
                    Part::Image { .. } => Err("is no user's and has a picture; accepted is text".to_owned()),
                })
                .collect();
            Ok(texts?.join("\n"))
        }
        _ => Err("has a `content` that is no text; accepted is text".to_owned()),
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}
