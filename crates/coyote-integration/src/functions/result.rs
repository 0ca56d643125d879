//! One call of a model, and what it gets back.

use mcp_meta::Answer;
use mcp_render::Code;
use serde_json::Value;

/// A call, as a model wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The call's id, which the result repeats.
    pub id: String,
    /// The function's name.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

/// What a call answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The function's name.
    pub name: String,
    /// The JSON that the model gets.
    pub output: Value,
    /// Set when it is an error (S39).
    pub code: Option<Code>,
}

impl ToolResult {
    /// The result of `call`.
    pub fn of(call: &ToolCall, answer: Answer) -> Self {
        Self { id: call.id.clone(), name: call.name.clone(), output: answer.value, code: answer.code }
    }
}
