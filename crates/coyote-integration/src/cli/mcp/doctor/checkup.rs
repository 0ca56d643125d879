//! What was found of one server, as text and as JSON. What a server wrote stands on lines of its own, escaped (S46).

use super::{
    KindCheck,
    verdict::{Finding, findings},
};
use crate::{
    cli::host::Host,
    mcp::{ServerEntry, Transport},
};
use mcp_catalog::{Handshake, ServerName, sdk::WireStats};
use mcp_render::{ErrorShape, shown_line};
use serde_json::{Map, Value, json};
use std::{fmt::Write, time::Duration};

/// One server.
#[derive(Debug)]
pub(super) struct Checkup {
    pub(super) name: ServerName,
    pub(super) origin: &'static str,
    /// How long its start took.
    pub(super) took: Option<Duration>,
    /// The same when it is worth a finding: a start beside many others says little about a server.
    pub(super) slow_start: Option<Duration>,
    pub(super) outcome: Outcome,
    /// The last lines of its stderr; foreign text.
    pub(super) stderr: Vec<String>,
    /// The names that `.env` sets and its entry does not pass on (S18).
    pub(super) env_names: Vec<String>,
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Outcome {
    Disabled,
    Failed(ErrorShape),
    Ready(Box<Ready>),
}

/// A server that answered.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) handshake: Handshake,
    pub(super) kinds: Vec<KindCheck>,
    /// `None` for a server of this process.
    pub(super) stats: Option<WireStats>,
    /// It hung up while it was asked.
    pub(super) closed: bool,
    /// What its figures are figures of.
    pub(super) over: Over,
}

/// What a server speaks over: a process has a stdout and a stderr, a server behind a URL has bodies and events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Stdio,
    Http,
}

impl Over {
    /// A server of this process has no figures.
    pub(super) const fn of(transport: &Transport) -> Self {
        match transport {
            Transport::Http { .. } => Self::Http,
            Transport::Stdio { .. } | Transport::Unsupported { .. } | Transport::Embedded => Self::Stdio,
        }
    }
}

impl Checkup {
    pub(super) fn new(
        host: &Host,
        entry: &ServerEntry,
        took: Option<Duration>,
        outcome: Outcome,
        stderr: Vec<String>,
    ) -> Self {
        let env_names = super::verdict::names_not_passed(host.app.environment.file_names(), entry);
        let (name, origin) = (entry.name.clone(), entry.origin.as_str());
        Self { name, origin, took, slow_start: None, outcome, stderr, env_names }
    }

    /// A server whose entry is not known any longer.
    pub(super) fn unknown(name: ServerName, outcome: Outcome) -> Self {
        Self { name, origin: "user", took: None, slow_start: None, outcome, stderr: Vec::new(), env_names: Vec::new() }
    }

    /// One word for the whole.
    pub(super) fn word(&self) -> &'static str {
        match &self.outcome {
            Outcome::Disabled => "disabled",
            Outcome::Failed(_) => "does not start",
            Outcome::Ready(_) if findings(self).is_empty() => "works",
            Outcome::Ready(_) => "works, with faults",
        }
    }

    /// A block of lines, with at most so many of its stderr.
    pub(super) fn to_text(&self, stderr_lines: usize) -> String {
        let mut text = format!("{}: {}", line(self.name.as_str()), self.word());
        let mut fact = |label: &str, value: &str| {
            // Writing to a string does not fail.
            let _ = write!(text, "\n  {label:<18} {value}");
        };
        if let Outcome::Ready(ready) = &self.outcome {
            facts(ready, self.took, &mut fact);
        }
        for Finding { text, next } in findings(self) {
            fact("finding", &line(&text));
            fact("next step", &line(&next));
        }
        let from = self.stderr.len().saturating_sub(stderr_lines);
        let last = self.stderr.get(from..).unwrap_or_default();
        if !last.is_empty() {
            fact("stderr, at the end", "");
            for last in last {
                let _ = write!(text, "\n    | {}", line(last));
            }
        }
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn to_value(&self) -> Value {
        let mut value = Map::new();
        value.insert("name".to_owned(), json!(self.name.as_str()));
        value.insert("origin".to_owned(), json!(self.origin));
        value.insert("verdict".to_owned(), json!(self.word()));
        value.insert("start_ms".to_owned(), json!(self.took.map(millis)));
        match &self.outcome {
            Outcome::Disabled => {}
            Outcome::Failed(shape) => {
                value.insert("error".to_owned(), json!({"code": shape.code, "cause": shape.tool_call_error}));
            }
            Outcome::Ready(ready) => {
                value.insert("protocol".to_owned(), json!(ready.handshake.protocol));
                value.insert("server".to_owned(), json!(ready.handshake.server_info));
                value.insert("declared".to_owned(), declared(&ready.handshake).into());
                value.insert("round_trip_ms".to_owned(), json!(round_trip(ready).map(millis)));
                let kinds: Map<String, Value> =
                    ready.kinds.iter().map(|check| (check.kind.as_str().to_owned(), check.to_value())).collect();
                value.insert("kinds".to_owned(), kinds.into());
                value.insert("wire".to_owned(), ready.stats.as_ref().map_or(Value::Null, wire));
            }
        }
        let findings: Vec<Value> =
            findings(self).iter().map(|found| json!({"finding": found.text, "next": found.next})).collect();
        value.insert("findings".to_owned(), findings.into());
        value.insert("stderr".to_owned(), json!(self.stderr));
        Value::Object(value)
    }
}

fn facts(ready: &Ready, took: Option<Duration>, fact: &mut impl FnMut(&str, &str)) {
    let handshake = &ready.handshake;
    if let Some(info) = &handshake.server_info {
        fact("server", &line(info));
    }
    if !handshake.protocol.is_empty() {
        fact("protocol", &line(&handshake.protocol));
    }
    if let Some(took) = took {
        fact("start", &duration(took));
    }
    if let Some(fastest) = round_trip(ready) {
        fact("round trip", &duration(fastest));
    }
    let declared = declared(handshake);
    fact("declares", &if declared.is_empty() { "nothing".to_owned() } else { declared.join(", ") });
    for check in &ready.kinds {
        let found = check.found();
        let found = match (check.declared, check.items) {
            (true, _) => found,
            (false, 0) => "not declared".to_owned(),
            (false, _) => format!("not declared, yet: {found}"),
        };
        fact(check.kind.plural(), &found);
    }
    if let Some(stats) = &ready.stats {
        match ready.over {
            Over::Stdio => {
                let noise = match stats.noise {
                    1 => "1 line of noise".to_owned(),
                    lines => format!("{lines} lines of noise"),
                };
                fact("stdout", &format!("longest line {} bytes, {noise}", stats.longest_line));
            }
            Over::Http => {
                let broken = match stats.broken {
                    1 => "1 could not be read".to_owned(),
                    answers => format!("{answers} could not be read"),
                };
                fact("answers", &format!("longest body or event {} bytes, {broken}", stats.longest_line));
            }
        }
    }
}

/// How many servers ended in each way.
pub(super) fn summary<'a>(checkups: impl Iterator<Item = &'a Checkup>) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in checkups.map(Checkup::word) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by_key(|(word, _)| *word != "works");
    counts.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join("; ")
}

/// The fastest answer of all.
fn round_trip(ready: &Ready) -> Option<Duration> {
    ready.kinds.iter().filter_map(|check| check.round_trip).min()
}

/// The names of what is declared.
pub(super) fn declared(handshake: &Handshake) -> Vec<&'static str> {
    let Some(declared) = handshake.capabilities else { return Vec::new() };
    let named = [
        (declared.tools, "tools"),
        (declared.resources, "resources"),
        (declared.prompts, "prompts"),
        (declared.completions, "completions"),
    ];
    named.into_iter().filter_map(|(declared, name)| declared.then_some(name)).collect()
}

fn wire(stats: &WireStats) -> Value {
    json!({
        "noise": stats.noise,
        "broken": stats.broken,
        "oversized": stats.oversized,
        "unclaimed": stats.unclaimed,
        "notifications": stats.notifications,
        "longest_line": stats.longest_line,
    })
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// `4 ms`, `12.3 s`.
pub(super) fn duration(duration: Duration) -> String {
    match duration.as_millis() {
        0 => "under 1 ms".to_owned(),
        millis @ 1..10_000 => format!("{millis} ms"),
        _ => format!("{:.1} s", duration.as_secs_f32()),
    }
}

fn line(text: &str) -> String {
    shown_line(text, usize::MAX).to_string()
}
