//! The error shape that a model sees (S39).

use crate::Code;
use serde::Serialize;
use serde_json::Value;

/// `{"tool_call_error", "code", "hint", "closest"?}` (S39).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorShape {
    /// One sentence: what was given and what is wrong with it.
    pub tool_call_error: String,
    /// The code (S19).
    pub code: Code,
    /// The next step.
    pub hint: String,
    /// Close matches, when a name is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closest: Vec<String>,
}

impl ErrorShape {
    /// The shape as JSON.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
