//! What a session file holds (host.md): settings, the role, messages; and keys that others put there, which stay.
//!
//! It is read with limits of its own, since it holds what servers answered. What is wrong with a setting is a warning; a
//! message that is not understood is an error, since the file is written again.

use super::message_form::{from_values, to_values};
use crate::{
    config::{Chosen, Settings, yaml::Node},
    model::Message,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::Path;

/// The most nodes of a file: some hundred thousand messages, and no bomb.
const MAX_NODES: usize = 2_000_000;
/// The deepest nesting: that of the JSON which tools may answer, and the file's own.
const MAX_DEPTH: usize = 160;

/// A session's content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionDocument {
    /// The session's layer of settings.
    pub settings: Settings,
    /// The name of its role.
    pub role_name: Option<String>,
    /// The text of a role that was only typed.
    pub role_prompt: Option<String>,
    /// What was said and is sent to the model.
    pub messages: Vec<Message>,
    /// What was said before and stands in `messages` as a summary; it is not sent any more.
    pub compressed: Vec<Message>,
    /// Keys that are not ours.
    pub others: Map<String, Value>,
    /// What is wrong with its settings; not part of the file.
    pub warnings: Vec<String>,
}

impl SessionDocument {
    /// What `text`, which stands in `file`, says. The error names the place.
    pub fn parse(text: &str, file: &Path) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let shown = file.display();
        let mut document = Self::default();
        let read = if text.trim().is_empty() { Ok(Value::Null) } else { parse(text) };
        let root = match read {
            Ok(Value::Null) => return Ok(document),
            Ok(Value::Object(root)) => root,
            Ok(other) => {
                let kind = Node::of(&other).kind();
                return Err(format!("`{shown}` is {kind}; accepted is a mapping of keys to values"));
            }
            // Without the lines around it: they are what somebody said.
            Err(error) => return Err(format!("`{shown}` does not parse: {}", error.without_snippet())),
        };
        for (key, value) in root {
            document.settings.places.note_at(&key, file, line_of(text, &key));
            let list = |value: &Value| match value {
                Value::Null => Ok(Vec::new()),
                Value::Array(values) => from_values(values)
                    .map_err(|(place, why)| format!("{}: {why} (`{key}`)", at(file, line_of_entry(text, &key, place)))),
                other => {
                    let kind = Node::of(other).kind();
                    let place = at(file, line_of(text, &key));
                    Err(format!("{place}: `{key}` is {kind}; accepted is a list of messages `{{role, content}}`"))
                }
            };
            match key.as_str() {
                "messages" => document.messages = list(&value)?,
                "compressed_messages" => document.compressed = list(&value)?,
                "role_name" => document.role_name = given(&value),
                "role_prompt" => document.role_prompt = given(&value),
                _ => {
                    let node = Node::of(&value);
                    match document.settings.read(&key, &node) {
                        Some(Ok(())) => {}
                        Some(Err(accepted)) => document.warnings.push(format!(
                            "{}: `{key}` is {}; accepted is {accepted}. It does not count",
                            at(file, line_of(text, &key)),
                            node.given()
                        )),
                        None => drop(document.others.insert(key, value)),
                    }
                }
            }
        }
        Ok(document)
    }

    /// The file's text.
    pub fn to_text(&self) -> Result<String, String> {
        let value = Value::Object(self.to_map());
        let options = serde_saphyr::ser_options! {
            prefer_block_scalars: true,
            // A line of a message is a line of the file: folding would move its blanks.
            folded_wrap_chars: usize::MAX,
        };
        let text = serde_saphyr::to_string_with_options(&value, options).map_err(|error| error.to_string())?;
        // What cannot be read back is not written. JSON is YAML, and holds any text.
        let whole = parse(&text).is_ok_and(|read: Value| read == value);
        if whole { Ok(text) } else { serde_json::to_string_pretty(&value).map_err(|error| error.to_string()) }
    }

    fn to_map(&self) -> Map<String, Value> {
        let mut map = settings_map(&self.settings);
        let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
        for (key, text) in [("role_name", &self.role_name), ("role_prompt", &self.role_prompt)] {
            if let Some(text) = text {
                put(key, Value::from(text.as_str()));
            }
        }
        for (key, value) in &self.others {
            put(key, value.clone());
        }
        if !self.compressed.is_empty() {
            put("compressed_messages", Value::from(to_values(&self.compressed)));
        }
        put("messages", Value::from(to_values(&self.messages)));
        map
    }
}

/// A layer of settings as keys of a file; what is absent is left out.
pub(crate) fn settings_map(settings: &Settings) -> Map<String, Value> {
    let Settings {
        model,
        temperature,
        top_p,
        enabled_tools,
        enabled_mcp_servers,
        enabled_macros,
        mcp_tools,
        places: _,
    } = settings;
    let list = |chosen: &Chosen| match chosen {
        Chosen::Unset => None,
        Chosen::Null => Some(Value::Null),
        Chosen::Names(names) => Some(Value::from(names.as_slice())),
    };
    let globs: Map<String, Value> =
        mcp_tools.iter().map(|(server, globs)| (server.clone(), Value::from(globs.as_slice()))).collect();
    let pairs = [
        ("model", model.as_deref().map(Value::from)),
        ("temperature", temperature.map(Value::from)),
        ("top_p", top_p.map(Value::from)),
        ("enabled_tools", list(enabled_tools)),
        ("enabled_mcp_servers", list(enabled_mcp_servers)),
        ("enabled_macros", list(enabled_macros)),
        ("mcp_tools", Some(globs).filter(|globs| !globs.is_empty()).map(Value::Object)),
    ];
    pairs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// A text that is not empty.
fn given(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A file, and a line of it if that is known.
fn at(file: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| format!("`{}`", file.display()), |line| format!("`{}` line {line}", file.display()))
}

/// The line of a key of the file, from 1: what somebody said stands deeper.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let json = format!("  \"{key}\"");
    let begins = |line: &str| {
        let rest = line.strip_prefix(key).or_else(|| line.strip_prefix(&json));
        rest.is_some_and(|rest| rest.starts_with(':'))
    };
    text.lines().position(begins).map(|index| index + 1)
}

/// The line of an entry of a list: the file is parsed once more, which is done for an error alone.
fn line_of_entry(text: &str, key: &str, place: usize) -> Option<usize> {
    let root: Node = parse(text).ok()?;
    let list = &root.pairs()?.iter().find(|pair| pair.key == key)?.node;
    list.items()?.get(place).map(|item| item.line)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    let budget = serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 4 * MAX_NODES, max_depth: MAX_DEPTH, flow_nesting_limit: MAX_DEPTH };
    let options = serde_saphyr::options! {
        budget: budget,
        // What we write has none, and what a hand writes few.
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 10_000 },
    };
    serde_saphyr::from_str_with_options(text, options)
}

#[cfg(test)]
mod tests;
