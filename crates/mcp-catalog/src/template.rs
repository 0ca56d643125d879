//! URI templates, RFC 6570 level 1 only (S37).
//!
//! A template is taken apart here, because servers write literals that the grammar forbids and names that it does not
//! know (`{user-id}`); what is encoded is the library's work. Nothing is normalised, and no brace ever reaches the wire.

mod rfc;

use crate::excerpt::{NAME_MAX_BYTES, excerpt};
use mcp_render::{EXPANDED_URI_MAX_BYTES, METADATA_STRING_MAX_BYTES};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use thiserror::Error;

/// What is encoded in a value: everything but RFC 3986's unreserved characters, `%` included (C62).
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What is encoded in a literal: everything outside the URI repertoire. `%` is decided by what follows it.
const LITERAL: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// How many variables a message names.
const NAMED_MAX: usize = 20;

/// A parsed template.
///
/// ```
/// use mcp_catalog::Template;
/// use serde_json::json;
///
/// # fn main() -> Result<(), mcp_catalog::TemplateError> {
/// let template = Template::parse("ev://{topic}")?;
/// assert_eq!(template.variables(), [("topic".to_owned(), true)]);
/// let arguments = json!({"topic": "foo/bar baz?é"});
/// let uri = template.expand(arguments.as_object().unwrap_or(&Default::default()))?;
/// assert_eq!(uri, "ev://foo%2Fbar%20baz%3F%C3%A9");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

/// Why a template or its arguments are refused; all `invalid_arguments`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct TemplateError {
    /// One sentence naming what was given and what is accepted.
    pub sentence: String,
    /// The next step.
    pub hint: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Text between expressions, as the server wrote it.
    Literal(String),
    /// `{name}`.
    Variable(String),
    /// An expression beyond level 1, without its braces.
    Beyond(String),
}

impl Template {
    /// Parses `text`; a template with operators beyond level 1 parses too, so that its variables can be shown.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let (expression, after) = after.split_once('}').ok_or_else(|| broken(text, "a `{` is never closed"))?;
            if literal.contains('}') {
                return Err(broken(text, "a `}` closes nothing"));
            }
            if expression.is_empty() {
                return Err(broken(text, "`{}` names no variable"));
            }
            if expression.contains('{') {
                return Err(broken(text, "a `{` stands inside an expression"));
            }
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.to_owned()));
            }
            parts.push(if is_name(expression) {
                Part::Variable(expression.to_owned())
            } else {
                Part::Beyond(expression.to_owned())
            });
            rest = after;
        }
        if rest.contains('}') {
            return Err(broken(text, "a `}` closes nothing"));
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The variables in order, each once, and whether each stands in supported expressions only.
    pub fn variables(&self) -> Vec<(String, bool)> {
        let mut variables: Vec<(String, bool)> = Vec::new();
        for (name, supported) in self.parts.iter().flat_map(Part::names) {
            match variables.iter_mut().find(|(known, _)| known == name) {
                Some((_, all)) => *all &= supported,
                None => variables.push((name.to_owned(), supported)),
            }
        }
        variables
    }

    /// Expands with scalars; missing, unknown, array and object values and unsupported operators are errors.
    pub fn expand(&self, arguments: &Map<String, Value>) -> Result<String, TemplateError> {
        let variables = self.variables();
        let beyond = self.parts.iter().find_map(|part| match part {
            Part::Beyond(expression) => Some(expression),
            Part::Literal(_) | Part::Variable(_) => None,
        });
        if let Some(expression) = beyond {
            return Err(self.beyond(expression, arguments));
        }
        let known = |key: &str| variables.iter().any(|(name, _)| name == key);
        if let Some(unknown) = arguments.keys().find(|key| !known(key)) {
            let unknown = excerpt(unknown, NAME_MAX_BYTES);
            return Err(self.refuse(&format!("`{unknown}` is no variable of the template"), &variables));
        }
        let mut values = Map::new();
        for (name, value) in arguments {
            if let Some(text) = scalar(value).map_err(|what| {
                self.refuse(
                    &format!("`{name}` is {what}; a template takes a string, a number or a boolean"),
                    &variables,
                )
            })? {
                values.insert(name.clone(), Value::String(text));
            }
        }
        let missing: Vec<&str> =
            variables.iter().map(|(name, _)| name.as_str()).filter(|name| !values.contains_key(*name)).collect();
        if !missing.is_empty() {
            return Err(self.refuse(&format!("No value for {}", quoted(&missing)), &variables));
        }
        let mut uri = String::new();
        for part in &self.parts {
            uri.push_str(&part.expanded(&values));
            if uri.len() > EXPANDED_URI_MAX_BYTES {
                let what =
                    format!("The URI is longer than {} KiB, the most that is asked for", EXPANDED_URI_MAX_BYTES >> 10);
                return Err(self.refuse(&what, &variables));
            }
        }
        Ok(uri)
    }

    fn refuse(&self, what: &str, variables: &[(String, bool)]) -> TemplateError {
        let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
        let hint = if names.is_empty() {
            "The template has no variables; leave `arguments` out".to_owned()
        } else {
            format!("Give `arguments` with exactly {}", quoted(&names))
        };
        TemplateError { sentence: format!("{what} (`{}`)", self.shown()), hint }
    }

    /// The refusal of an expression beyond level 1, with the URI to pass instead when the arguments make one (C61).
    fn beyond(&self, expression: &str, arguments: &Map<String, Value>) -> TemplateError {
        let expression = excerpt(expression, NAME_MAX_BYTES);
        let sentence = format!(
            "`{{{expression}}}` in the template `{}` is beyond RFC 6570 level 1, of which only `{{name}}` is supported",
            self.shown()
        );
        let way_out = "Expand the template yourself and pass the result as `uri` without `arguments`";
        let hint = match self.by_the_rfc(arguments) {
            Some(uri) => format!("{way_out}, for example `{uri}`"),
            None => way_out.to_owned(),
        };
        TemplateError { sentence, hint }
    }

    /// The whole template expanded by the RFC, for a hint. Variables that are not given expand to nothing, so at least
    /// the level 1 ones must be.
    fn by_the_rfc(&self, arguments: &Map<String, Value>) -> Option<String> {
        let mut values = Map::new();
        for (name, value) in arguments {
            if let Some(text) = scalar(value).ok()? {
                values.insert(name.clone(), Value::String(text));
            }
        }
        let value = |name: &str| values.get(name).and_then(Value::as_str);
        let mut uri = String::new();
        for part in &self.parts {
            let limit = METADATA_STRING_MAX_BYTES.checked_sub(uri.len())?;
            uri.push_str(&match part {
                Part::Literal(text) if text.len() <= limit => encoded_literal(text),
                Part::Literal(_) => return None,
                Part::Variable(name) => {
                    let given = value(name)?;
                    rfc::expand(name, |_| Some(given), limit)?
                }
                Part::Beyond(expression) => rfc::expand(expression, value, limit)?,
            });
        }
        (uri.len() <= METADATA_STRING_MAX_BYTES).then_some(uri)
    }

    fn shown(&self) -> String {
        excerpt(&self.text, NAME_MAX_BYTES)
    }
}

impl Part {
    /// The variables of this part, and whether it is supported.
    fn names(&self) -> Vec<(&str, bool)> {
        match self {
            Self::Literal(_) => Vec::new(),
            Self::Variable(name) => vec![(name, true)],
            Self::Beyond(expression) => {
                let list = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|']);
                let bare = |spec: &'_ str| spec.split([':', '*']).next().map(str::len).unwrap_or_default();
                list.split(',').map(|spec| (spec.get(..bare(spec)).unwrap_or_default(), false)).collect()
            }
        }
    }

    fn expanded(&self, values: &Map<String, Value>) -> String {
        match self {
            Self::Literal(text) => encoded_literal(text),
            Self::Variable(name) => {
                let value = values.get(name).and_then(Value::as_str).unwrap_or_default();
                utf8_percent_encode(value, VALUE).to_string()
            }
            // `expand` has refused it.
            Self::Beyond(_) => String::new(),
        }
    }
}

/// Whether `{text}` is a level 1 expression. `-` is no part of the RFC's names, but of those that servers match.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '%' | '.')) && !text.starts_with('.')
}

/// A literal as it may stand in a URI: triplets stay, a lone `%` becomes one.
fn encoded_literal(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    let mut pieces = text.split('%');
    encoded.extend(pieces.next().map(|head| utf8_percent_encode(head, LITERAL)).into_iter().flatten());
    for piece in pieces {
        let is_triplet = piece.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
        encoded.push_str(if is_triplet { "%" } else { "%25" });
        encoded.extend(utf8_percent_encode(piece, LITERAL));
    }
    encoded
}

/// A scalar as text, `None` for `null`, which is missing; or what it is instead.
fn scalar(value: &Value) -> Result<Option<String>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Bool(flag) => Ok(Some(flag.to_string())),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::Array(_) => Err("an array"),
        Value::Object(_) => Err("an object"),
    }
}

fn quoted(names: &[&str]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(NAMED_MAX).map(|name| format!("`{}`", excerpt(name, NAME_MAX_BYTES))).collect();
    if names.len() > NAMED_MAX {
        shown.push(format!("and {} more", names.len() - NAMED_MAX));
    }
    shown.join(", ")
}

fn broken(text: &str, what: &str) -> TemplateError {
    TemplateError {
        sentence: format!("`{}` is no URI template: {what}", excerpt(text, NAME_MAX_BYTES)),
        hint: "Pass the expanded URI as `uri` without `arguments`".to_owned(),
    }
}

#[cfg(test)]
mod tests;
