//! What is wrong with a server, and the next step for each: pure, and every sentence is pinned by a test.
//!
//! A finding says whose fault it is. coyote bounds and mends what it can, so most of them cost a little and not the
//! server.

use super::checkup::{Checkup, Outcome, Over, Ready, declared, duration};
use crate::{
    cli::hints,
    mcp::{ServerEntry, Transport},
};
use mcp_catalog::{NoteKind, PortError, sdk::WireStats};

/// How many names of `.env` are told when none of them was mentioned.
const ENV_NAMES_MAX: usize = 8;

/// One thing that is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) text: String,
    pub(super) next: String,
}

fn finding(text: impl Into<String>, next: impl Into<String>) -> Finding {
    Finding { text: text.into(), next: next.into() }
}

/// Everything that is wrong with a server.
pub(super) fn findings(checkup: &Checkup) -> Vec<Finding> {
    match &checkup.outcome {
        Outcome::Disabled => Vec::new(),
        Outcome::Failed(shape) => {
            let prefix = hints::named(checkup.name.as_str(), "");
            let cause = shape.tool_call_error.strip_prefix(&prefix).unwrap_or(&shape.tool_call_error);
            let mut found = vec![finding(format!("{cause} ({})", shape.code), shape.hint.clone())];
            found.extend(env_hint(checkup));
            found
        }
        Outcome::Ready(ready) => {
            let mut found = Vec::new();
            if let Some(took) = checkup.slow_start {
                let next =
                    "A program that is downloaded at each start (`npx`, `uvx`) starts faster once it is installed";
                found.push(finding(format!("Its start took {}", duration(took)), next));
            }
            capabilities(ready, &mut found);
            listings(ready, &mut found);
            ready.stats.iter().for_each(|stats| wire(stats, ready.over, &mut found));
            if ready.closed {
                let next = match ready.over {
                    Over::Stdio => "Its stderr may say why; what a server lists must not end it",
                    Over::Http => "The log (`coyote --info`) holds what went wrong on the way",
                };
                found.push(finding("It hung up while it was asked for what it lists", next));
                found.extend(env_hint(checkup));
            }
            found
        }
    }
}

/// Declared against answered.
fn capabilities(ready: &Ready, found: &mut Vec<Finding>) {
    if declared(&ready.handshake).iter().all(|name| *name == "completions") {
        let next = "Its tools are offered all the same; its author should declare what it has";
        found.push(finding("It declares neither tools, resources nor prompts", next));
    }
    for check in &ready.kinds {
        let plural = check.kind.plural();
        if !check.declared && check.answered() && check.items > 0 {
            let text = format!("It lists {} {plural} that it does not declare, so they are not offered", check.items);
            found.push(finding(text, format!("Its author should declare {plural} in the handshake")));
        }
    }
}

fn listings(ready: &Ready, found: &mut Vec<Finding>) {
    const AUTHOR: &str = "The fault is the server's; tell its author what stands here";
    for check in ready.kinds.iter().filter(|check| check.declared) {
        for note in &check.notes {
            let next = match &note.what {
                NoteKind::Failed(PortError::Timeout { .. }) => match ready.over {
                    Over::Stdio => "It may be waiting for something; its stderr may say for what",
                    Over::Http => "It may be waiting for something; its author can look into its own log",
                },
                NoteKind::Failed(PortError::AuthRequired) => "It wants a login or a token",
                NoteKind::Failed(_) | NoteKind::Skipped { .. } | NoteKind::Mended { .. } => AUTHOR,
                NoteKind::NotImplemented => "Nothing is lost: it is as if it offered none",
                NoteKind::Partial { .. } => "What was read is used; the rest cannot be reached",
                NoteKind::Duplicates { .. } => {
                    "The first of each is used; its author should give each a name of its own"
                }
                _ => continue,
            };
            // A template listing that is not implemented is so common beside resources that it is no fault.
            let usual = check.kind == mcp_catalog::CatalogKind::ResourceTemplate;
            if !(usual && note.what == NoteKind::NotImplemented) {
                found.push(finding(note.to_string(), next));
            }
        }
    }
}

fn wire(stats: &WireStats, over: Over, found: &mut Vec<Finding>) {
    let mut tell = |count: u64, one: &str, many: &str, next: &str| match count {
        0 => {}
        1 => found.push(finding(one, next)),
        count => found.push(finding(format!("{count} {many}"), next)),
    };
    tell(
        stats.noise,
        "A line on stdout was no MCP message and was passed over",
        "lines on stdout were no MCP messages and were passed over",
        "A server should write its log to stderr; a start through a shell or `npm run` may print there, too",
    );
    tell(
        stats.broken,
        "A reply could not be read",
        "replies could not be read",
        "The fault is the server's; the log (`coyote --info`) says what was wrong",
    );
    let [one, many, next] = match over {
        Over::Stdio => [
            "A line was over the limit and was discarded",
            "lines were over the limit and were discarded",
            "What such a line answered is out of reach; ask the server for less",
        ],
        Over::Http => [
            "An answer was over the limit and was discarded",
            "answers were over the limit and were discarded",
            "What it held is out of reach; ask the server for less",
        ],
    };
    tell(stats.oversized, one, many, next);
    tell(
        stats.unclaimed,
        "An answer belonged to no request",
        "answers belonged to no request",
        "Nothing is lost; a server should answer each request once",
    );
}

/// A server that fails may miss what stands in `.env`, which it does not inherit (S18).
fn env_hint(checkup: &Checkup) -> Option<Finding> {
    let said = |name: &String| {
        let cause = match &checkup.outcome {
            Outcome::Failed(shape) => shape.tool_call_error.as_str(),
            _ => "",
        };
        checkup.stderr.iter().map(String::as_str).chain([cause]).any(|line| mentions(line, name))
    };
    let mentioned: Vec<&String> = checkup.env_names.iter().filter(|name| said(name)).collect();
    let (names, text) = match mentioned.as_slice() {
        [] if checkup.env_names.is_empty() => return None,
        [] => {
            let names: Vec<&String> = checkup.env_names.iter().take(ENV_NAMES_MAX).collect();
            let text = format!("`.env` does not reach a server; of it, this entry does not pass on {}", list(&names));
            (names, text)
        }
        names => {
            (names.to_vec(), format!("It speaks of {}, which `.env` sets and its entry does not pass on", list(names)))
        }
    };
    let first = names.first()?;
    Some(finding(
        text,
        format!("If it needs one, write `\"env\": {{\"{first}\": \"{{{{{first}}}}}\"}}` into its entry"),
    ))
}

fn list(names: &[&String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Whether a line holds the name as a word.
fn mentions(line: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.split(|c: char| !part(c)).any(|word| word == name)
}

/// The names of `.env` that the entry's `env` does not set. A server that is no program inherits nothing.
pub(super) fn names_not_passed<'a>(names: impl Iterator<Item = &'a str>, entry: &ServerEntry) -> Vec<String> {
    let Transport::Stdio { env, .. } = &entry.transport else { return Vec::new() };
    let passed = |name: &str| env.iter().any(|(own, _)| own == name);
    names.filter(|name| !passed(name) && !name.starts_with("COYOTE_")).map(str::to_owned).collect()
}
