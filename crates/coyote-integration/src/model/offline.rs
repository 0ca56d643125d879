//! The embedded `offline` model: a small grammar in place of a language model, so that the whole loop can be tried without
//! a network (host.md "The embedded defaults").
//!
//! It never pretends: its preface says what it is, and whatever it does not understand shows what would have been sent. It
//! writes Markdown, as models do: what is no Markdown of its own stands in a fence, so that its lines and indents stay.

use super::{
    Abilities, ChatModel, ChatRequest, Chatting, Function, Message, ModelError, ModelFault, Part, Reply, ReplySink,
};
use crate::functions::{ToolCall, ToolResult};
use mcp_meta::{MetaName, Verb};
use serde_json::{Value, json};
use std::fmt::Write as _;
use tokio_util::sync::CancellationToken;

/// What it says first.
const PREFACE: &str = "This is `offline`, no language model: it only follows `find <words>`, `read <uri>`, `describe <kind> <id>` and \
                       `call <function> <json>`. To configure a real one, set `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` or \
                       `GEMINI_API_KEY`, start an Ollama, or write `clients` into config.yaml (`read coyote://manual/models`).";

/// How much of a result it shows, in characters.
const SHOWN_MAX: usize = 2_000;

/// The shortest fence of Markdown.
const FENCE: usize = 3;

/// The embedded model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

impl Offline {
    /// Its name. It belongs to no client.
    pub const ID: &str = "offline";

    /// The model.
    pub const fn new() -> Self {
        Self
    }
}

impl ChatModel for Offline {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn abilities(&self) -> Abilities {
        Abilities { max_input_tokens: None, max_output_tokens: None, function_calling: true, vision: true }
    }

    fn preface(&self) -> Option<&str> {
        Some(PREFACE)
    }

    fn chat<'a>(&'a self, request: ChatRequest, sink: &'a dyn ReplySink, cancel: CancellationToken) -> Chatting<'a> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(ModelError {
                    fault: ModelFault::Cancelled,
                    text: "The reply of `offline` was stopped".to_owned(),
                    hint: "Ask again".to_owned(),
                });
            }
            let reply = answer(&request);
            for line in reply.text.split_inclusive('\n') {
                sink.text(line);
            }
            Ok(reply)
        })
    }
}

/// What it does with a request: results are shown, a command is followed, anything else is told about.
fn answer(request: &ChatRequest) -> Reply {
    match request.messages.last() {
        Some(Message::Results(results)) => said(shown(results)),
        Some(Message::User(parts)) => {
            let typed = parts.iter().rev().find_map(|part| match part {
                Part::Text(text) => Some(text.trim()),
                Part::Image { .. } => None,
            });
            follow(typed.unwrap_or_default(), request)
        }
        _ => said(outline(request)),
    }
}

fn said(text: String) -> Reply {
    Reply { text, ..Reply::default() }
}

fn follow(typed: &str, request: &ChatRequest) -> Reply {
    let line = typed.lines().next().unwrap_or_default();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if rest.is_empty() {
        return said(outline(request));
    }
    let calls = match word {
        "find" => called(&of_verb(request, Verb::Search), &json!({"query": rest})),
        "read" => called(&reader(request, rest), &json!({"uri": rest})),
        "describe" => match rest.split_once(char::is_whitespace) {
            Some((kind, id)) => called(&of_verb(request, Verb::Describe), &json!({"kind": kind, "tool": id.trim()})),
            None => {
                return said(
                    "Write `describe <kind> <id>`; a kind is `tool`, `prompt`, `resource` or `resource_template`.\n"
                        .to_owned(),
                );
            }
        },
        "call" => {
            let (function, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, "{}"));
            // Arguments that are no JSON go on as text, as a model's would: the call says what is wrong with them.
            let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments));
            called(&[function], &arguments)
        }
        _ => return said(outline(request)),
    };
    if calls.is_empty() {
        return said(format!("No declared function can do `{word}`.\n\n{}", outline(request)));
    }
    Reply { calls, ..Reply::default() }
}

fn called(functions: &[&str], arguments: &Value) -> Vec<ToolCall> {
    let numbered = functions.iter().enumerate();
    numbered
        .map(|(index, name)| ToolCall {
            id: format!("offline_{}", index + 1),
            name: (*name).to_owned(),
            arguments: arguments.clone(),
        })
        .collect()
}

/// The declared functions of a verb, in the order of their servers.
fn of_verb(request: &ChatRequest, verb: Verb) -> Vec<&str> {
    let names = request.functions.iter().map(|function: &Function| function.name.as_str());
    names.filter(|name| MetaName::parse(name).is_some_and(|own| own.verb() == verb)).collect()
}

/// Who reads a URI: a server whose name is its scheme, as `coyote`'s is; else every other server that reads, since
/// the URI alone does not say whose it is.
fn reader<'a>(request: &'a ChatRequest, uri: &str) -> Vec<&'a str> {
    let readers = of_verb(request, Verb::Read);
    let server = |name: &str| MetaName::parse(name).map(|own| own.server_part().to_owned());
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme.to_owned());
    if let Some(own) = readers.iter().find(|name| server(name) == scheme) {
        return vec![own];
    }
    let others: Vec<&str> = readers.iter().copied().filter(|name| server(name).as_deref() != Some("coyote")).collect();
    if others.is_empty() { readers } else { others }
}

/// Results, each under its function; an item a line where there are items.
fn shown(results: &[ToolResult]) -> String {
    let mut text = String::new();
    for result in results {
        let _ = writeln!(text, "{}{}:", result.name, if result.code.is_some() { " failed" } else { "" });
        text.push_str(&body(&result.output));
        text.push('\n');
    }
    text
}

fn body(output: &Value) -> String {
    if let Some(items) = ["items", "results", "matches"].iter().find_map(|key| output.get(key)?.as_array()) {
        return bounded(&items.iter().map(item).collect::<String>());
    }
    match ["text", "content"].iter().find_map(|key| output.get(key)?.as_str()) {
        Some(text) if is_markdown(output) => bounded(&format!("{text}\n")),
        Some(text) => fenced(text, ""),
        None => fenced(&serde_json::to_string_pretty(output).unwrap_or_default(), "json"),
    }
}

/// Whether a text is to be read as Markdown: what says so, and what says nothing.
fn is_markdown(output: &Value) -> bool {
    let claimed = output.get("mime_type").and_then(Value::as_str).unwrap_or("text/markdown");
    claimed.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/markdown")
}

/// A text that stays as it is: between two fences longer than any in it.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(FENCE - 1) + 1);
    let text = bounded(text.strip_suffix('\n').unwrap_or(text));
    format!("{fence}{language}\n{}\n{fence}\n", text.strip_suffix('\n').unwrap_or(&text))
}

fn item(item: &Value) -> String {
    let text = |keys: &[&str]| keys.iter().find_map(|key| item.get(key)?.as_str()).unwrap_or_default().to_owned();
    let (kind, id) = (text(&["kind"]), text(&["id", "uri", "name"]));
    if id.is_empty() {
        return format!("- {item}\n");
    }
    let about = text(&["description", "title"]);
    let about = about.lines().next().unwrap_or_default();
    format!("- {kind} {id}{}{about}\n", if about.is_empty() { "" } else { ": " })
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        None => text.to_owned(),
        Some((end, _)) => {
            format!("{}…\n({} more bytes)\n", text.get(..end).unwrap_or_default(), text.len().saturating_sub(end))
        }
    }
}

/// What would have been sent to a language model.
fn outline(request: &ChatRequest) -> String {
    let mut text = "A language model would have been sent:\n".to_owned();
    for message in &request.messages {
        let (role, size, more) = match message {
            Message::System(said) => ("system", said.len(), String::new()),
            Message::User(parts) => {
                let pictures = parts.iter().filter(|part| matches!(part, Part::Image { .. })).count();
                let size = parts.iter().map(|part| match part {
                    Part::Text(said) => said.len(),
                    Part::Image { data, .. } => data.len(),
                });
                ("user", size.sum(), counted(pictures, "picture"))
            }
            Message::Assistant { text, calls } => ("assistant", text.len(), counted(calls.len(), "call")),
            Message::Results(results) => {
                let size = results.iter().map(|result| result.output.to_string().len()).sum();
                ("results", size, counted(results.len(), "result"))
            }
        };
        let _ = writeln!(text, "- {role}: {size} bytes{more}");
    }
    if request.functions.is_empty() {
        text.push_str("\nNo functions are declared.\n");
    } else {
        let _ = writeln!(text, "\nDeclared functions ({}):", request.functions.len());
        for function in &request.functions {
            let _ = writeln!(text, "- {}", function.name);
        }
    }
    text
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!(", 1 {what}"),
        _ => format!(", {count} {what}s"),
    }
}

#[cfg(test)]
mod tests;
