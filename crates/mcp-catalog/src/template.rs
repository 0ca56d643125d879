//! URI templates, RFC 6570 level 1 only (S37).
use serde_json::{Map, Value};
use thiserror::Error;
/// A parsed template.
#[derive(Debug, Clone)]
pub struct Template { _text: String }
/// Why a template or its arguments are refused; all `invalid_arguments`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct TemplateError { /// One sentence naming what was given and what is accepted.
    pub sentence: String, /// The next step.
    pub hint: String }
impl Template {
    /// Parses `text`; a template with operators beyond level 1 parses too, so that its variables can be shown.
    pub fn parse(_text: &str) -> Result<Self, TemplateError> { todo!() }
    /// The variables in order, each once, and whether each stands in a supported expression.
    pub fn variables(&self) -> Vec<(String, bool)> { todo!() }
    /// Expands with scalars; missing, unknown, array and object values and unsupported operators are errors.
    pub fn expand(&self, _arguments: &Map<String, Value>) -> Result<String, TemplateError> { todo!() }
}
