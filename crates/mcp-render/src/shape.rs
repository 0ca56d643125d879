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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_keys_in_order_and_closest_only_when_there_is_some() {
        let mut shape = ErrorShape {
            tool_call_error: "`a://x` is not known".into(),
            code: Code::NotFound,
            hint: "Search for it".into(),
            closest: vec![],
        };
        insta::assert_snapshot!(shape.to_value(), @r#"{"tool_call_error":"`a://x` is not known","code":"not_found","hint":"Search for it"}"#);
        shape.closest.push("a://y".into());
        assert_eq!(shape.to_value()["closest"], serde_json::json!(["a://y"]));
    }
}
