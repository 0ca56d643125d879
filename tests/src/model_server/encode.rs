//! A reply in each of the four wire formats, streamed and whole. Every frame is what the format's server would flush at
//! once.

use super::{
    Api,
    answer::{Answer, Finish, Piece},
};
use serde_json::{Value, json};

/// The content type of a streamed reply.
pub(super) const fn content_type(api: Api) -> &'static str {
    match api {
        Api::OpenAi | Api::Anthropic | Api::Gemini => "text/event-stream",
        Api::Ollama => "application/x-ndjson",
    }
}

/// A streamed reply.
pub(super) fn frames(api: Api, answer: &Answer) -> Vec<String> {
    match api {
        Api::OpenAi => openai(answer),
        Api::Anthropic => anthropic(answer),
        Api::Gemini => gemini(answer),
        Api::Ollama => ollama(answer),
    }
}

/// A whole reply.
pub(super) fn whole(api: Api, answer: &Answer) -> Value {
    match api {
        Api::OpenAi => openai_whole(answer),
        Api::Anthropic => anthropic_whole(answer),
        Api::Gemini => gemini_chunk(&answer.pieces.iter().map(gemini_part).collect::<Vec<_>>(), Some(answer), answer),
        Api::Ollama => ollama_whole(answer),
    }
}

/// A list of models.
pub(super) fn models(api: Api, names: &[String]) -> Value {
    let of = |model: fn(&str) -> Value| names.iter().map(|name| model(name)).collect::<Vec<_>>();
    match api {
        Api::OpenAi => json!({"object": "list", "data": of(|name| json!({"id": name, "object": "model"}))}),
        Api::Anthropic => json!({"data": of(|name| json!({"id": name, "type": "model"})), "has_more": false}),
        Api::Gemini => json!({"models": of(|name| json!({"name": format!("models/{name}")}))}),
        Api::Ollama => json!({"models": of(|name| json!({"name": name}))}),
    }
}

fn has_calls(answer: &Answer) -> bool {
    answer.pieces.iter().any(|piece| matches!(piece, Piece::Call { .. }))
}

fn texts(answer: &Answer) -> String {
    answer
        .pieces
        .iter()
        .filter_map(|piece| if let Piece::Text(text) = piece { Some(text.as_str()) } else { None })
        .collect()
}

fn reasonings(answer: &Answer) -> String {
    let reasonings = answer.pieces.iter();
    reasonings.filter_map(|piece| if let Piece::Reasoning(text) = piece { Some(text.as_str()) } else { None }).collect()
}

/// Text that is JSON as itself, any other as a JSON string.
fn as_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// A few characters at a time, as models write arguments.
fn slices(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(7).map(|chunk| chunk.iter().collect()).collect()
}

fn sse(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn openai_finish(answer: &Answer) -> &'static str {
    match answer.finish {
        Finish::Length => "length",
        Finish::Natural if has_calls(answer) => "tool_calls",
        Finish::Natural => "stop",
    }
}

fn openai(answer: &Answer) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| {
        sse(&json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
    };
    let mut frames = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    let mut index = 0;
    for piece in &answer.pieces {
        match piece {
            Piece::Text(text) => frames.push(chunk(json!({"content": text}), Value::Null)),
            Piece::Reasoning(text) => frames.push(chunk(json!({"reasoning_content": text}), Value::Null)),
            Piece::Call { id, name, arguments } => {
                let start = json!({"tool_calls": [{"index": index, "id": id, "type": "function",
                                                   "function": {"name": name, "arguments": ""}}]});
                frames.push(chunk(start, Value::Null));
                for slice in slices(arguments) {
                    let more = json!({"tool_calls": [{"index": index, "function": {"arguments": slice}}]});
                    frames.push(chunk(more, Value::Null));
                }
                index += 1;
            }
        }
    }
    frames.push(chunk(json!({}), json!(openai_finish(answer))));
    if let Some((input, output)) = answer.usage {
        frames.push(sse(
            &json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
            "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output}}),
        ));
    }
    if answer.ending == super::Ending::Whole {
        frames.push("data: [DONE]\n\n".to_owned());
    }
    frames
}

fn openai_whole(answer: &Answer) -> Value {
    let calls: Vec<Value> = answer
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Call { id, name, arguments } => {
                Some(json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}))
            }
            Piece::Text(_) | Piece::Reasoning(_) => None,
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": texts(answer)});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if !reasonings(answer).is_empty() {
        message["reasoning_content"] = json!(reasonings(answer));
    }
    let mut body = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": openai_finish(answer)}]});
    if let Some((input, output)) = answer.usage {
        body["usage"] = json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
    }
    body
}

fn anthropic_finish(answer: &Answer) -> &'static str {
    match answer.finish {
        Finish::Length => "max_tokens",
        Finish::Natural if has_calls(answer) => "tool_use",
        Finish::Natural => "end_turn",
    }
}

fn anthropic(answer: &Answer) -> Vec<String> {
    let event = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let (input, output) = answer.usage.unwrap_or((0, 0));
    let mut frames = vec![event(
        "message_start",
        json!({"type": "message_start", "message": {"id": "m-1", "type": "message", "role": "assistant", "model": "m",
               "content": [], "stop_reason": null, "usage": {"input_tokens": input, "output_tokens": 1}}}),
    )];
    frames.push(event("ping", json!({"type": "ping"})));
    let delta = |index: usize, delta: Value| {
        event("content_block_delta", json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let mut index = 0;
    let mut open: Option<&'static str> = None;
    for piece in &answer.pieces {
        let (kind, start) = match piece {
            Piece::Text(_) => ("text", json!({"type": "text", "text": ""})),
            Piece::Reasoning(_) => ("thinking", json!({"type": "thinking", "thinking": "", "signature": ""})),
            Piece::Call { id, name, .. } => {
                ("tool_use", json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
            }
        };
        if open.is_none_or(|open| open != kind || kind == "tool_use") {
            if open.is_some() {
                frames.push(event("content_block_stop", json!({"type": "content_block_stop", "index": index})));
                index += 1;
            }
            let start = json!({"type": "content_block_start", "index": index, "content_block": start});
            frames.push(event("content_block_start", start));
            open = Some(kind);
        }
        match piece {
            Piece::Text(text) => frames.push(delta(index, json!({"type": "text_delta", "text": text}))),
            Piece::Reasoning(text) => frames.push(delta(index, json!({"type": "thinking_delta", "thinking": text}))),
            Piece::Call { arguments, .. } => frames.extend(
                slices(arguments)
                    .into_iter()
                    .map(|slice| delta(index, json!({"type": "input_json_delta", "partial_json": slice}))),
            ),
        }
    }
    if open.is_some() {
        frames.push(event("content_block_stop", json!({"type": "content_block_stop", "index": index})));
    }
    frames.push(event(
        "message_delta",
        json!({"type": "message_delta", "delta": {"stop_reason": anthropic_finish(answer)},
               "usage": {"output_tokens": output}}),
    ));
    if answer.ending == super::Ending::Whole {
        frames.push(event("message_stop", json!({"type": "message_stop"})));
    }
    frames
}

fn anthropic_whole(answer: &Answer) -> Value {
    let mut content = Vec::new();
    if !reasonings(answer).is_empty() {
        content.push(json!({"type": "thinking", "thinking": reasonings(answer), "signature": "s"}));
    }
    if !texts(answer).is_empty() {
        content.push(json!({"type": "text", "text": texts(answer)}));
    }
    content.extend(answer.pieces.iter().filter_map(|piece| match piece {
        Piece::Call { id, name, arguments } => {
            Some(json!({"type": "tool_use", "id": id, "name": name, "input": as_json(arguments)}))
        }
        Piece::Text(_) | Piece::Reasoning(_) => None,
    }));
    let (input, output) = answer.usage.unwrap_or((0, 0));
    json!({"id": "m-1", "type": "message", "role": "assistant", "model": "m", "content": content,
           "stop_reason": anthropic_finish(answer), "usage": {"input_tokens": input, "output_tokens": output}})
}

fn gemini_part(piece: &Piece) -> Value {
    match piece {
        Piece::Text(text) => json!({"text": text}),
        Piece::Reasoning(text) => json!({"text": text, "thought": true}),
        Piece::Call { name, arguments, .. } => json!({"functionCall": {"name": name, "args": as_json(arguments)}}),
    }
}

/// `last` is given for the chunk that ends the reply.
fn gemini_chunk(parts: &[Value], last: Option<&Answer>, answer: &Answer) -> Value {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let Some(last) = last {
        candidate["finishReason"] = json!(if last.finish == Finish::Length { "MAX_TOKENS" } else { "STOP" });
    }
    let mut chunk = json!({"candidates": [candidate], "modelVersion": "m"});
    if let Some((input, output)) = answer.usage {
        chunk["usageMetadata"] =
            json!({"promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output});
    }
    chunk
}

/// Every call is in a frame of its own, as parallel calls may be.
fn gemini(answer: &Answer) -> Vec<String> {
    let mut frames: Vec<String> =
        answer.pieces.iter().map(|piece| sse(&gemini_chunk(&[gemini_part(piece)], None, answer))).collect();
    if answer.ending == super::Ending::Whole {
        frames.push(sse(&gemini_chunk(&[json!({"text": ""})], Some(answer), answer)));
    }
    frames
}

fn ollama_call(piece: &Piece) -> Option<Value> {
    match piece {
        Piece::Call { name, arguments, .. } => {
            Some(json!({"function": {"name": name, "arguments": as_json(arguments)}}))
        }
        Piece::Text(_) | Piece::Reasoning(_) => None,
    }
}

fn ollama_last(answer: &Answer, message: &Value) -> Value {
    let (input, output) = answer.usage.unwrap_or((0, 0));
    let reason = if answer.finish == Finish::Length { "length" } else { "stop" };
    json!({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true, "done_reason": reason,
           "prompt_eval_count": input, "eval_count": output})
}

fn ollama(answer: &Answer) -> Vec<String> {
    let line = |message: Value| {
        let line = json!({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false});
        format!("{line}\n")
    };
    let mut frames = Vec::new();
    for piece in &answer.pieces {
        let message = match piece {
            Piece::Text(text) => json!({"role": "assistant", "content": text}),
            Piece::Reasoning(text) => json!({"role": "assistant", "content": "", "thinking": text}),
            Piece::Call { .. } => json!({"role": "assistant", "content": "", "tool_calls": [ollama_call(piece)]}),
        };
        frames.push(line(message));
    }
    if answer.ending == super::Ending::Whole {
        frames.push(format!("{}\n", ollama_last(answer, &json!({"role": "assistant", "content": ""}))));
    }
    frames
}

fn ollama_whole(answer: &Answer) -> Value {
    let calls: Vec<Value> = answer.pieces.iter().filter_map(ollama_call).collect();
    let mut message = json!({"role": "assistant", "content": texts(answer)});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if !reasonings(answer).is_empty() {
        message["thinking"] = json!(reasonings(answer));
    }
    ollama_last(answer, &message)
}
