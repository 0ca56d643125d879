//! What a call answers: the JSON a model gets, and the code when it is an error.
use mcp_render::{Code, ErrorShape};
use serde_json::Value;
/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer { /// The JSON that the model gets.
    pub value: Value, /// Set when it is an error (S39).
    pub code: Option<Code> }
impl From<ErrorShape> for Answer { fn from(shape: ErrorShape) -> Self { Self { code: Some(shape.code), value: shape.to_value() } } }
