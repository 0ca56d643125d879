//! What a call answers: the JSON a model gets, and the code when it is an error.
//!
//! An answer is bounded by the ceiling whatever it is (S25), so an error is cut too.

use crate::Verb;
use crate::error::MetaError;
use mcp_catalog::{PortError, ServerName};
use mcp_render::{Ceiling, Code, ErrorShape, cut, json_len};
use serde_json::Value;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The JSON that the model gets.
    pub value: Value,
    /// Set when it is an error (S39). A tool's own failure is none: it is a result with `isError` (S35).
    pub code: Option<Code>,
}

impl Answer {
    /// The answer when `server` could not be asked for `verb`, for hosts that learn it before a call is made.
    pub fn failed(server: &ServerName, verb: Verb, error: PortError) -> Self {
        MetaError::Port { server: server.clone(), verb, source: error }.to_shape().into()
    }

    /// The answer to a tool call that the user or a policy refused (S40).
    pub fn denied(server: &ServerName, tool: &str) -> Self {
        MetaError::Denied { server: server.clone(), tool: tool.to_owned() }.to_shape().into()
    }

    /// A result.
    pub(crate) fn result(value: Value) -> Self {
        Self { value, code: None }
    }

    /// An error within the ceiling: first the far matches go, then the longer of sentence and hint is cut.
    pub(crate) fn error(mut shape: ErrorShape, ceiling: Ceiling) -> Self {
        while json_len(&shape) > ceiling.bytes() {
            if shape.closest.pop().is_some() {
                continue;
            }
            let longer = if shape.hint.len() > shape.tool_call_error.len() {
                &mut shape.hint
            } else {
                &mut shape.tool_call_error
            };
            *longer = cut(longer, longer.len() / 2).into_owned();
        }
        shape.into()
    }
}

impl From<ErrorShape> for Answer {
    fn from(shape: ErrorShape) -> Self {
        Self { code: Some(shape.code), value: shape.to_value() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn an_error_fits_under_the_lowest_ceiling(
            sentence in "[a\n\u{1}é]{0,2000}",
            hint in "[a\n\u{1}é]{0,2000}",
            closest in prop::collection::vec("[a\n\u{1}é]{0,900}", 0..5),
        ) {
            let shape = ErrorShape { tool_call_error: sentence, code: Code::NotFound, hint, closest };
            let whole = json_len(&shape) <= Ceiling::new(0).bytes();
            let answer = Answer::error(shape.clone(), Ceiling::new(0));
            prop_assert!(json_len(&answer.value) <= Ceiling::new(0).bytes());
            prop_assert!(!whole || answer.value == shape.to_value());
        }
    }
}
