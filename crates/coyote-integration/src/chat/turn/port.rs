//! What a turn is told and tells: what may be called, and who watches.

use crate::{
    functions::{ToolCall, ToolResult},
    model::{Function, ModelError, Usage},
};
use mcp_catalog::Progress;
use std::{pin::Pin, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Calls on their way.
pub type Running<'a> = Pin<Box<dyn Future<Output = Vec<ToolResult>> + Send + 'a>>;

/// What a conversation may call: servers and local tools.
pub trait Toolbox: Send + Sync {
    /// What the next request declares, fixed for it and for the calls of its reply (S6). Servers that became ready since
    /// the last request are in it (S14).
    fn declare(&self) -> Box<dyn Round>;
}

/// What one request declares, and how the calls of its reply run.
pub trait Round: Send + Sync {
    /// The declared functions, in order.
    fn functions(&self) -> Vec<Function>;

    /// What the user should know of them.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Runs calls, each id of them unique; the results are in call order, one a call. `cancel` ends those in flight, with
    /// the code `cancelled`.
    fn run(&self, calls: Vec<ToolCall>, view: Arc<dyn TurnView>, cancel: CancellationToken) -> Running<'_>;
}

/// Who watches a turn. Each method must return at once.
pub trait TurnView: Send + Sync {
    /// A request is on its way to this model.
    fn asked(&self, _model: &str) {}

    /// More of the reply's text.
    fn text(&self, more: &str);

    /// More of its reasoning.
    fn reasoning(&self, _more: &str) {}

    /// The request failed and is sent again after `pause`.
    fn retrying(&self, _fault: &ModelError, _pause: Duration) {}

    /// The reply has ended.
    fn replied(&self, _usage: Option<Usage>) {}

    /// A call begins to run.
    fn call_started(&self, _call: &ToolCall) {}

    /// A server reports progress of a call.
    fn progress(&self, _call: &ToolCall, _progress: &Progress) {}

    /// A call has its result.
    fn call_ended(&self, _call: &ToolCall, _result: &ToolResult) {}

    /// Something that the user should know.
    fn note(&self, _text: &str) {}
}
