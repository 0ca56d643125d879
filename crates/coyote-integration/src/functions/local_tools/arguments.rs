//! The arguments of a built-in tool, leniently typed as those of a meta-function are (S38): `null` is absent, a number may be
//! a numeric string. An unknown parameter is an error, since a typo that is ignored gives an answer that looks right.

use super::fault::invalid;
use mcp_render::{ErrorShape, QUOTED_NAME_MAX_BYTES, cut};
use serde_json::{Map, Value};

/// What kind of value a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// A string.
    Text,
    /// A whole number from 0.
    Count,
}

/// One parameter of a built-in tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    /// Its name.
    pub(super) name: &'static str,
    /// What it takes.
    pub(super) takes: Takes,
    /// Whether a call must give it.
    pub(super) required: bool,
    /// What a model reads of it.
    pub(super) description: &'static str,
}

/// The arguments of one call, owned, so that they can go to another thread.
#[derive(Debug, Clone)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks `given` against the parameters.
    pub(super) fn of(tool: &str, parameters: &[Parameter], given: &Value) -> Result<Self, ErrorShape> {
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
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A text, or `default` where it was not given or is empty.
    pub(super) fn text_or<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.text(name).filter(|text| !text.is_empty()).unwrap_or(default)
    }

    /// A number, if it was given.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_u64)
    }
}

/// Brings a value into its parameter's type, or refuses it.
fn fit(parameter: &Parameter, value: &mut Value) -> Result<(), ErrorShape> {
    let (fitting, accepted) = match parameter.takes {
        Takes::Text => (value.is_string(), "a string"),
        Takes::Count => {
            if let Some(number) = count(value) {
                *value = number.into();
            }
            (value.is_u64(), "a whole number from 0")
        }
    };
    if fitting {
        return Ok(());
    }
    let (name, given) = (parameter.name, value.to_string());
    let given = cut(&given, QUOTED_NAME_MAX_BYTES);
    Err(invalid(format!("`{name}` is {given}; {accepted} is accepted"), format!("Give `{name}` as {accepted}")))
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
