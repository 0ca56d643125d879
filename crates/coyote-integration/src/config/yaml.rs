//! YAML as it was written: a tree whose every node knows its line, so that a wrong value is named by file and line
//! (host.md "config.yaml").
//!
//! One wrapper around the parser, which refuses alias bombs early: what a person writes has a few hundred nodes. It reads
//! no file and knows no key. An error shows the place, but no value that may be a secret (S47).

use regex::Regex;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::{fmt, path::Path, sync::LazyLock};

/// The most nodes of one text, those that aliases repeat included.
const MAX_NODES: usize = 5_000;
/// The deepest nesting.
const MAX_DEPTH: usize = 16;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The value.
    pub(crate) value: Yaml,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Yaml {
    /// `null`, `~`, or nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number that is not negative.
    Whole(u64),
    /// Any other number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in order; a key stands in it once.
    Map(Vec<Pair>),
}

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    /// The key.
    pub(crate) key: String,
    /// The line of the key, from 1.
    pub(crate) line: usize,
    /// Its value.
    pub(crate) node: Node,
}

impl Node {
    /// Reads a text; nothing but comments is null. `file` is named in the error, which shows the place.
    pub(crate) fn read(text: &str, file: &Path) -> Result<Self, String> {
        if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
            return Ok(Self { line: 1, value: Yaml::Null });
        }
        parse(text).map_err(|error| shown(text, &error, file))
    }

    /// A value of JSON, which knows no lines.
    pub(crate) fn of(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        let value = match value {
            Value::Null => Yaml::Null,
            Value::Bool(value) => Yaml::Bool(*value),
            Value::Number(number) => {
                number.as_u64().map_or_else(|| Yaml::Number(number.as_f64().unwrap_or(f64::NAN)), Yaml::Whole)
            }
            Value::String(text) => Yaml::Text(text.clone()),
            Value::Array(items) => Yaml::List(items.iter().map(Self::of).collect()),
            Value::Object(members) => {
                let pair = |(key, value): (&String, &Value)| Pair { key: key.clone(), line: 0, node: Self::of(value) };
                Yaml::Map(members.iter().map(pair).collect())
            }
        };
        Self { line: 0, value }
    }

    /// Whether it is null.
    pub(crate) fn is_null(&self) -> bool {
        self.value == Yaml::Null
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Yaml::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Text, or a number as text: names of models look like either.
    pub(crate) fn name(&self) -> Option<String> {
        let name = match &self.value {
            Yaml::Text(text) => text.trim().to_owned(),
            Yaml::Whole(number) => number.to_string(),
            Yaml::Number(number) => number.to_string(),
            _ => return None,
        };
        (!name.is_empty()).then_some(name)
    }

    /// A truth value; `yes`, `on`, `no` and `off` are as good.
    pub(crate) fn bool(&self) -> Option<bool> {
        match &self.value {
            Yaml::Bool(value) => Some(*value),
            Yaml::Text(text) => match text.to_ascii_lowercase().as_str() {
                "yes" | "on" => Some(true),
                "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A whole number that is not negative.
    pub(crate) const fn whole(&self) -> Option<u64> {
        match self.value {
            Yaml::Whole(number) => Some(number),
            _ => None,
        }
    }

    /// A finite number.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.value {
            // What is asked for is a temperature or a share; no such number has 53 bits.
            #[expect(clippy::cast_precision_loss, reason = "a setting is small")]
            Yaml::Whole(number) => Some(number as f64),
            Yaml::Number(number) => Some(number).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    /// The pairs of a mapping.
    pub(crate) fn pairs(&self) -> Option<&[Pair]> {
        match &self.value {
            Yaml::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Yaml::List(items) => Some(items),
            _ => None,
        }
    }

    /// A list of texts, or one text with commas; blanks around an entry and empty entries are dropped.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        match &self.value {
            Yaml::List(items) => {
                let names: Option<Vec<String>> = items.iter().map(Self::name).collect();
                names
            }
            Yaml::Text(text) => {
                Some(text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect())
            }
            _ => self.name().map(|name| vec![name]),
        }
    }

    /// What it is, in words that hold no value (S47).
    pub(crate) const fn kind(&self) -> &'static str {
        match &self.value {
            Yaml::Null => "null",
            Yaml::Bool(_) => "a truth value",
            Yaml::Whole(_) | Yaml::Number(_) => "a number",
            Yaml::Text(_) => "text",
            Yaml::List(_) => "a list",
            Yaml::Map(_) => "a mapping",
        }
    }

    /// What was given, for a message about a key that holds no secret.
    pub(crate) fn given(&self) -> String {
        match &self.value {
            Yaml::Bool(value) => format!("`{value}`"),
            Yaml::Whole(number) => format!("`{number}`"),
            Yaml::Number(number) => format!("`{number}`"),
            Yaml::Text(text) => format!("`{}`", cut(text)),
            Yaml::Null | Yaml::List(_) | Yaml::Map(_) => self.kind().to_owned(),
        }
    }
}

/// The first words of a text on one line.
fn cut(text: &str) -> String {
    const MOST: usize = 40;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    if text.chars().count() > MOST { line + "…" } else { line }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Yaml>::deserialize(deserializer)?;
        Ok(Self { line: line_of(&spanned), value: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

/// Where it is used: of a value that an alias repeats, the alias.
fn line_of<T>(spanned: &Spanned<T>) -> usize {
    usize::try_from(spanned.referenced.line()).unwrap_or(usize::MAX)
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        Yaml::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Yaml, E> {
        Ok(Yaml::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Yaml, E> {
        Ok(Yaml::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Yaml, E> {
        #[expect(clippy::cast_precision_loss, reason = "no setting takes a negative number; it is only told")]
        Ok(u64::try_from(value).map_or(Yaml::Number(value as f64), Yaml::Whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Yaml, E> {
        Ok(Yaml::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Yaml, E> {
        Ok(Yaml::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Node>()? {
            list.push(item);
        }
        Ok(Yaml::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Yaml, A::Error> {
        let mut map: Vec<Pair> = Vec::new();
        while let Some(key) = pairs.next_key::<Spanned<String>>()? {
            let line = line_of(&key);
            if map.iter().any(|pair| pair.key == key.value) {
                return Err(A::Error::custom(format!("`{}` stands twice", key.value)));
            }
            map.push(Pair { key: key.value, line, node: pairs.next_value::<Node>()? });
        }
        Ok(Yaml::Map(map))
    }
}

fn parse(text: &str) -> Result<Node, serde_saphyr::Error> {
    let budget = serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 4 * MAX_NODES, max_depth: MAX_DEPTH, flow_nesting_limit: MAX_DEPTH };
    let options = serde_saphyr::options! {
        budget: budget,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_NODES },
        // A server may be called `off`; where a truth value is wanted, `Node::bool` takes the word.
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options(text, options)
}

/// The error with the lines around it. A value that may be a secret is blotted out; if the text then fails elsewhere, the
/// lines are left out.
fn shown(text: &str, error: &serde_saphyr::Error, file: &Path) -> String {
    let name = file.display().to_string();
    let place = |error: &serde_saphyr::Error| error.location().map(|at| (at.line(), at.column()));
    let blotted = parse(&blot(text)).err().filter(|other| place(other) == place(error));
    let options = serde_saphyr::render_options! {
        formatter: &serde_saphyr::UserMessageFormatter,
        source_name: Some(name.as_str()),
    };
    let mut told = match &blotted {
        Some(blotted) => blotted.render_with_options(options),
        None => error.without_snippet().render_with_options(options),
    };
    // Whoever shows it says itself that it is an error.
    if let Some(rest) = told.strip_prefix("error: ") {
        told = rest.to_owned();
    }
    let line = place(error).and_then(|(line, _)| text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?));
    if line.is_some_and(|line| line.contains(": {{")) {
        told.push_str("\nA value that begins with `{{` stands in quotes: `'{{NAME}}'`");
    }
    // What went wrong is said by whoever hands this on.
    told.strip_prefix("error: ").map_or(told.clone(), str::to_owned)
}

/// The text with each value that may be a secret made of `x`, at the same places.
fn blot(text: &str) -> String {
    static SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?im)((?:key|token|secret|passw\w*|authorization|proxy|api_base)\w*[\x22']?[ \t]*:[ \t]*)([^\r\n]+)$",
        )
        .ok()
    });
    let Some(secret) = SECRET.as_ref() else { return String::new() };
    let blotted = secret.replace_all(text, |found: &regex::Captures<'_>| {
        let part = |group| found.get(group).map_or("", |part: regex::Match<'_>| part.as_str());
        let value = part(2);
        // `{{NAME}}` is a name and no value.
        let hidden = |value: &str| value.chars().map(|c| if c.is_alphanumeric() { 'x' } else { c }).collect::<String>();
        let value = if value.contains("{{") { value.to_owned() } else { hidden(value) };
        format!("{}{value}", part(1))
    });
    blotted.into_owned()
}

#[cfg(test)]
mod tests;
