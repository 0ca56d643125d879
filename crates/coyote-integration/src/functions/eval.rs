//! The sequential chain, local tools, and the run of one reply's calls (host.md "A turn", design §9).

use super::{
    ToolCall, ToolResult,
    eval_mcp::{dispatch, eval_mcp},
    partition,
};
use mcp_meta::{Answer, MetaContext};
use serde_json::Value;
use std::pin::Pin;

/// The run of a local tool.
pub type LocalCall<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// The user's own tools, which run on this machine.
pub trait LocalTools: Send + Sync {
    /// Their names.
    fn names(&self) -> Vec<String>;

    /// Runs the tool of this name; `None` when there is none.
    fn call<'a>(&'a self, name: &'a str, arguments: &'a Value) -> Option<LocalCall<'a>>;
}

/// No tools: what the command line has.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLocalTools;

impl LocalTools for NoLocalTools {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn call<'a>(&'a self, _name: &'a str, _arguments: &'a Value) -> Option<LocalCall<'a>> {
        None
    }
}

/// Runs these calls one after the other. What is no local tool goes the same way as in the concurrent chain, where an
/// undeclared name is refused (S6, R4).
pub async fn eval(
    context: &MetaContext,
    local: &dyn LocalTools,
    calls: Vec<(usize, ToolCall)>,
) -> Vec<(usize, ToolResult)> {
    let mut results = Vec::with_capacity(calls.len());
    for (place, call) in calls {
        let answer = match local.call(&call.name, &call.arguments) {
            Some(running) => running.await,
            None => dispatch(context, &call).await,
        };
        results.push((place, ToolResult::of(&call, answer)));
    }
    results
}

/// Runs all calls of one reply and gives their results in call order. The calls share what one reply may hold (S25).
pub async fn run_calls(context: &MetaContext, local: &dyn LocalTools, calls: Vec<ToolCall>) -> Vec<ToolResult> {
    let split = partition(calls);
    let shared = MetaContext { ceiling: context.ceiling.shared_by(split.len()), ..context.clone() };
    let (mut results, in_order) =
        futures_util::future::join(eval_mcp(&shared, split.meta), eval(&shared, local, split.local)).await;
    results.extend(in_order);
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests;
