//! `.resource` as it runs: the same read and the same renderer as a model's, shown to a person (S44).
//!
//! What `--send` says to the model is the JSON that a model's own read would have answered, as text that no command parser
//! takes (R14).

use super::{ListingView, for_a_person, listing::shape_of};
use mcp_meta::{Verb, call_verb};
use mcp_prompt_repl::{ChatText, ResourceLine};
use mcp_render::ErrorShape;
use serde_json::{Map, Value};

/// What a resource showed.
#[derive(Debug, PartialEq)]
pub struct Shown {
    /// The text for the person; foreign, to be escaped by whoever shows it (S46).
    pub text: String,
    /// What there is to say about it, a line each; foreign likewise.
    pub notes: Vec<String>,
    /// What is said to the model, when it was asked for and there is something.
    pub send: Option<ChatText>,
}

/// Reads a resource.
pub async fn read_resource(view: &ListingView, line: ResourceLine) -> Result<Shown, ErrorShape> {
    if let Some(why) = view.refusal(&line.server) {
        return Err(why);
    }
    let (server, send) = (line.server.clone(), line.send);
    let answer = call_verb(view.meta(), Verb::Read, &server, arguments(line)).await;
    if answer.code.is_some() {
        return Err(for_a_person(Verb::Read, &server, shape_of(&answer)));
    }
    let parts = match &answer.value {
        Value::Array(items) => items.iter().map(part).collect(),
        one => vec![part(one)],
    };
    let send = if send { said(&answer.value) } else { None };
    let (texts, notes): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let text = texts.into_iter().flatten().collect::<Vec<_>>().join("\n");
    Ok(Shown { text, notes: notes.into_iter().flatten().collect(), send })
}

/// The arguments of the read.
fn arguments(line: ResourceLine) -> Value {
    let ResourceLine { uri, arguments, pattern, offset, item, .. } = line;
    let mut read = Map::new();
    read.insert("uri".to_owned(), uri.as_str().into());
    if !arguments.is_empty() {
        let values: Map<String, Value> = arguments.into_iter().map(|(key, value)| (key, value.into())).collect();
        read.insert("arguments".to_owned(), values.into());
    }
    let given =
        [("pattern", pattern.map(Value::from)), ("offset", offset.map(Value::from)), ("item", item.map(Value::from))];
    read.extend(given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    read.into()
}

/// One item: its text, and what there is to say about it.
fn part(item: &Value) -> (Option<String>, Vec<String>) {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let number = |key: &str| item.get(key).and_then(Value::as_u64);
    let uri = text("uri").unwrap_or_default();
    let mut notes = Vec::new();
    if let Some(error) = text("error") {
        notes.push(format!("{uri}: {error} ({})", text("code").unwrap_or_default()));
    } else if item.get("spilled") == Some(&Value::Bool(true)) {
        let kind = text("mime_type").unwrap_or("no mime type");
        let size = number("size_bytes").unwrap_or_default();
        notes.push(match text("path") {
            Some(path) => format!("{uri}: {kind}, {size} bytes, in `{path}`"),
            None => format!("{uri}: {kind}, {size} bytes, could not be kept"),
        });
    }
    notes.extend(text("note").map(str::to_owned));
    if let (Some(next), Some(total)) = (number("next_offset"), number("total_bytes")) {
        notes.push(format!("More follows: `--offset {next}` of {total} bytes"));
    }
    (text("text").map(str::to_owned), notes)
}

/// What the model is told: the one text as it is, everything else as the JSON that its own read would give.
fn said(answer: &Value) -> Option<ChatText> {
    let whole = |item: &Value| {
        let alone = item.get("truncated") == Some(&Value::Bool(false)) && item.get("note").is_none();
        item.get("text").and_then(Value::as_str).filter(|_| alone).map(str::to_owned)
    };
    match whole(answer) {
        Some(text) => ChatText::of_resource(text),
        None => ChatText::of_resource(answer.to_string()),
    }
}

#[cfg(test)]
mod tests;
