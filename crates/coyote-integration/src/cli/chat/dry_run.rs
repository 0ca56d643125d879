//! `--dry-run`: the request that would be sent, as JSON. Nothing of a key is in it; pictures are sizes.

use crate::model::{ChatRequest, Function, Message, Part};
use serde_json::{Value, json};

/// A request to this model.
pub(super) fn json(model: &str, request: &ChatRequest) -> Value {
    json!({
        "model": model,
        "stream": request.stream,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        "functions": request.functions.iter().map(function).collect::<Vec<_>>(),
    })
}

fn function(function: &Function) -> Value {
    json!({"name": function.name, "description": function.description, "parameters": function.parameters})
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(parts) => json!({"role": "user", "content": parts.iter().map(part).collect::<Vec<_>>()}),
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| json!({"id": call.id, "name": call.name, "arguments": call.arguments}))
                .collect();
            json!({"role": "assistant", "content": text, "calls": calls})
        }
        Message::Results(results) => {
            let results: Vec<Value> =
                results.iter().map(|result| json!({"id": result.id, "output": result.output})).collect();
            json!({"role": "tool", "results": results})
        }
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"text": text}),
        Part::Image { mime, data, name } => json!({"image": name, "mime_type": mime, "base64_bytes": data.len()}),
    }
}
