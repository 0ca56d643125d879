//! The arguments of a function of ours, leniently typed as those of a meta-function are (S38): `null` is absent, a number
//! may be a numeric string. An unknown parameter is an error, since a typo that is ignored gives an answer that looks right.

use super::fault::invalid;
use crate::model::Function;
use mcp_render::{ErrorShape, QUOTED_NAME_MAX_BYTES, cut};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What kind of value a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A string.
    Text,
    /// A whole number from 0.
    Count,
    /// A list of strings; one string is a list of it.
    Texts,
    /// An object whose values are strings; other scalars become strings.
    Pairs,
    /// A string, a list of strings, or true or false.
    Answer,
}

impl Takes {
    /// As a person says it.
    const fn accepted(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Count => "a whole number from 0",
            Self::Texts => "a list of strings",
            Self::Pairs => "an object of strings",
            Self::Answer => "a string, a list of strings, or true or false",
        }
    }

    fn schema(self) -> Value {
        match self {
            // Not every provider takes a list of types.
            Self::Text | Self::Answer => json!({"type": "string"}),
            Self::Count => json!({"type": "integer"}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::Pairs => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        }
    }
}

/// One parameter of a built-in tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) takes: Takes,
    /// Whether a call must give it.
    pub(crate) required: bool,
    /// What a model reads of it.
    pub(crate) description: &'static str,
}

impl Parameter {
    /// One that may be left out.
    pub(crate) const fn new(name: &'static str, takes: Takes, description: &'static str) -> Self {
        Self { name, takes, required: false, description }
    }

    /// One that a call must give.
    pub(crate) const fn needed(name: &'static str, takes: Takes, description: &'static str) -> Self {
        Self { name, takes, required: true, description }
    }
}

/// What a request declares of a function with these parameters.
pub(crate) fn function(name: &str, description: &str, parameters: &[Parameter]) -> Function {
    let properties: Map<String, Value> = parameters
        .iter()
        .map(|parameter| {
            let mut schema = parameter.takes.schema();
            if let Some(members) = schema.as_object_mut() {
                members.insert("description".to_owned(), parameter.description.into());
            }
            (parameter.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = parameters.iter().filter(|known| known.required).map(|known| known.name).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if let (Some(schema), false) = (schema.as_object_mut(), required.is_empty()) {
        schema.insert("required".to_owned(), required.into());
    }
    Function { name: name.to_owned(), description: description.to_owned(), parameters: schema }
}

/// The arguments of one call, owned, so that they can go to another thread.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks `given` against the parameters.
    pub(crate) fn of(tool: &str, parameters: &[Parameter], given: &Value) -> Result<Self, ErrorShape> {
        let accepted = || {
            let names: Vec<String> = parameters.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
            if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") }
        };
        let mut map = given.as_object().cloned().unwrap_or_default();
        map.retain(|_, value| !value.is_null());
        if let Some(name) = map.keys().find(|name| !parameters.iter().any(|known| known.name == **name)) {
            let name = cut(name, QUOTED_NAME_MAX_BYTES);
            return Err(invalid(
                format!("`{name}` is no parameter of `{tool}`"),
                format!("`{tool}` takes {}", accepted()),
            ));
        }
        for parameter in parameters {
            match map.get_mut(parameter.name) {
                None if parameter.required => {
                    return Err(invalid(
                        format!("`{}` is missing; `{tool}` needs it", parameter.name),
                        format!("`{tool}` takes {}", accepted()),
                    ));
                }
                None => {}
                Some(value) => fit(parameter, value)?,
            }
        }
        Ok(Self(map))
    }

    /// A text, if it was given.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A text, or `default` where it was not given or is empty.
    pub(crate) fn text_or<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.text(name).filter(|text| !text.is_empty()).unwrap_or(default)
    }

    /// A number, if it was given.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_u64)
    }

    /// A list of texts; empty where it was not given.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }

    /// Pairs of texts; empty where they were not given.
    pub(crate) fn pairs(&self, name: &str) -> BTreeMap<String, String> {
        let pairs = self.0.get(name).and_then(Value::as_object).into_iter().flatten();
        pairs.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
    }

    /// What was given, as it was given.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

/// Brings a value into its parameter's type, or refuses it.
fn fit(parameter: &Parameter, value: &mut Value) -> Result<(), ErrorShape> {
    let fitting = match parameter.takes {
        Takes::Text => value.is_string(),
        Takes::Count => {
            if let Some(number) = count(value) {
                *value = number.into();
            }
            value.is_u64()
        }
        Takes::Texts => {
            if value.is_string() {
                *value = Value::Array(vec![value.take()]);
            }
            value.as_array_mut().is_some_and(|items| items.iter_mut().all(scalar))
        }
        Takes::Pairs => {
            if let Some(Ok(object @ Value::Object(_))) = value.as_str().map(serde_json::from_str) {
                *value = object;
            }
            value.as_object_mut().is_some_and(|pairs| pairs.values_mut().all(scalar))
        }
        Takes::Answer => match &mut *value {
            Value::Array(items) => items.iter_mut().all(scalar),
            Value::Bool(_) => true,
            other => scalar(other),
        },
    };
    if fitting {
        return Ok(());
    }
    let (name, given, accepted) = (parameter.name, value.to_string(), parameter.takes.accepted());
    let given = cut(&given, QUOTED_NAME_MAX_BYTES);
    Err(invalid(format!("`{name}` is {given}; {accepted} is accepted"), format!("Give `{name}` as {accepted}")))
}

/// Makes a scalar a string (S38).
fn scalar(value: &mut Value) -> bool {
    match value {
        Value::Bool(_) | Value::Number(_) => *value = value.to_string().into(),
        _ => {}
    }
    value.is_string()
}

fn count(value: &Value) -> Option<u64> {
    let text = match value {
        Value::Number(number) if number.is_u64() => return number.as_u64(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    let whole = text.strip_suffix(".0").unwrap_or(&text);
    whole.parse().ok()
}
