//! Tool results (S31, S35).
use crate::{Block, Ceiling, ReadBack, Spiller};
use serde_json::Value;
/// A tool's result, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome { /// `isError`.
    pub is_error: bool, /// The blocks in order.
    pub blocks: Vec<Block>, /// `structuredContent`.
    pub structured: Option<Value> }
/// Renders a tool result. Blocking: binaries and oversized text are spilled.
pub fn tool_result(_frame: Vec<u8>, _outcome: ToolOutcome, _spiller: &Spiller, _read_back: &ReadBack, _ceiling: Ceiling) -> Value { todo!() }
