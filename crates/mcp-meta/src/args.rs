//! A model's arguments, leniently typed (S38).
//!
//! `null` is absent, an integer may be a numeric string or `0.0`, an object may be the JSON text of one. What cannot be
//! meant otherwise is taken; nothing else is: an unknown parameter is an error that names the accepted ones, since a
//! typo that is ignored gives a wrong answer that looks right.

use crate::error::MetaError;
use crate::{ParameterType, Verb};
use mcp_render::{Filter, PAGE_DEFAULT_BYTES, PageRequest, QUOTED_NAME_MAX_BYTES};
use serde_json::{Map, Number, Value};

/// The parameter that filters a text's lines.
pub(crate) const PATTERN: &str = "pattern";
/// The parameter that says where a page starts.
pub(crate) const OFFSET: &str = "offset";
/// The parameter that bounds a page.
pub(crate) const MAX_BYTES: &str = "max_bytes";

/// The arguments of one call. Each parameter is taken out by its name.
#[derive(Debug)]
pub(crate) struct Arguments {
    verb: Verb,
    given: Map<String, Value>,
}

impl Arguments {
    /// Takes the arguments of a call of `verb`: `null`, an object, or the JSON text of one.
    pub(crate) fn of(verb: Verb, value: Value) -> Result<Self, MetaError> {
        let mut given = match value {
            Value::Null => Map::new(),
            value => object(value).map_err(|given| MetaError::NoArguments { verb, given: kind_of(&given) })?,
        };
        given.retain(|_, value| !value.is_null());
        let known = |name: &str| verb.parameters().iter().any(|parameter| parameter.name == name);
        match given.keys().find(|name| !known(name)) {
            Some(name) => Err(MetaError::UnknownParameter { verb, name: name.clone() }),
            None => Ok(Self { verb, given }),
        }
    }

    /// A string, if it was given.
    pub(crate) fn text(&mut self, parameter: &'static str) -> Result<Option<String>, MetaError> {
        match self.given.remove(parameter) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(parameter, &other, ParameterType::String)),
        }
    }

    /// A string that must be given and not be empty.
    pub(crate) fn required_text(&mut self, parameter: &'static str) -> Result<String, MetaError> {
        match self.text(parameter)? {
            Some(text) if !text.is_empty() => Ok(text),
            given => Err(MetaError::MissingParameter { verb: self.verb, parameter, empty: given.is_some() }),
        }
    }

    /// One of the values that the table accepts, if it was given. An empty string is an unused parameter filled in.
    pub(crate) fn choice(&mut self, parameter: &'static str) -> Result<Option<String>, MetaError> {
        let choices =
            self.verb.parameters().iter().find(|known| known.name == parameter).map_or(&[][..], |known| known.choices);
        match self.text(parameter)?.filter(|given| !given.is_empty()) {
            Some(given) if !choices.contains(&given.as_str()) => Err(MetaError::NoChoice { parameter, given, choices }),
            given => Ok(given),
        }
    }

    /// Which page of a text is wanted (D3, D4). An empty pattern filters nothing.
    pub(crate) fn page(&mut self) -> Result<PageRequest, MetaError> {
        let filter = self
            .text(PATTERN)?
            .filter(|pattern| !pattern.is_empty())
            .map(|pattern| Filter::parse(&pattern))
            .transpose();
        let filter = filter.map_err(|source| MetaError::Pattern { source })?;
        let offset = self.count(OFFSET)?.unwrap_or(0);
        let max_bytes =
            self.count(MAX_BYTES)?.map_or(PAGE_DEFAULT_BYTES, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(PageRequest { offset, max_bytes, filter, item: None })
    }

    /// A whole number from 0, if it was given.
    pub(crate) fn count(&mut self, parameter: &'static str) -> Result<Option<u64>, MetaError> {
        let Some(value) = self.given.remove(parameter) else { return Ok(None) };
        let count = match &value {
            Value::Number(number) => whole(number),
            Value::String(text) => numeric(text).as_ref().and_then(whole),
            _ => None,
        };
        count.map(Some).ok_or_else(|| self.wrong(parameter, &value, ParameterType::Integer))
    }

    /// An object, if it was given.
    pub(crate) fn object(&mut self, parameter: &'static str) -> Result<Option<Map<String, Value>>, MetaError> {
        match self.given.remove(parameter) {
            None => Ok(None),
            Some(value) => {
                object(value).map(Some).map_err(|other| self.wrong(parameter, &other, ParameterType::Object))
            }
        }
    }

    fn wrong(&self, parameter: &'static str, given: &Value, accepted: ParameterType) -> MetaError {
        MetaError::WrongType { verb: self.verb, parameter, given: shown(given), accepted }
    }
}

/// The value's JSON type with its article, to follow "is".
pub(crate) const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What was given, short enough for a sentence.
fn shown(value: &Value) -> String {
    format!("{} ({})", kind_of(value), mcp_render::cut(&value.to_string(), QUOTED_NAME_MAX_BYTES))
}

/// An object, or the string that holds one; anything else comes back.
fn object(value: Value) -> Result<Map<String, Value>, Value> {
    match value {
        Value::Object(object) => Ok(object),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err(Value::String(text)),
        },
        other => Err(other),
    }
}

fn numeric(text: &str) -> Option<Number> {
    text.trim().parse::<u64>().map(Number::from).ok().or_else(|| text.trim().parse().ok().and_then(Number::from_f64))
}

/// A whole number from 0: `3` or `3.0`.
fn whole(number: &Number) -> Option<u64> {
    /// Up to here every whole number is a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_u64().or_else(|| {
        let float = number.as_f64().filter(|float| (0.0..=EXACT).contains(float) && float.fract() == 0.0)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and within 0..=2^53")]
        Some(float as u64)
    })
}

#[cfg(test)]
mod tests;
