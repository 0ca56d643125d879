//! The sequential chain, local tools, and the run of one reply's calls (host.md "A turn", design §9).

use super::{
    ToolCall, ToolResult,
    eval_mcp::{dispatch, eval_mcp},
    partition,
};
use crate::model::Function;
use futures_util::FutureExt;
use mcp_meta::{Answer, MetaContext};
use mcp_render::{Ceiling, Code, ErrorShape, SpillStore};
use serde_json::Value;
use std::{panic::AssertUnwindSafe, pin::Pin, sync::Arc};
use tokio_util::sync::CancellationToken;

/// The run of a local tool.
pub type LocalCall<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// What a local tool works with besides its arguments.
#[derive(Debug, Clone)]
pub struct LocalScope {
    /// What its answer may hold (S25).
    pub ceiling: Ceiling,
    /// Stops it.
    pub cancel: CancellationToken,
    /// Where the full copy of an answer over the ceiling goes (S31).
    pub spills: Arc<SpillStore>,
}

impl LocalScope {
    /// The part of a reply's context that concerns a local tool.
    pub fn of(context: &MetaContext) -> Self {
        Self { ceiling: context.ceiling, cancel: context.budget.cancel.clone(), spills: Arc::clone(&context.spills) }
    }
}

/// Functions that run on this machine and are no server's.
pub trait LocalTools: Send + Sync {
    /// What a request declares of them.
    fn functions(&self) -> Vec<Function>;

    /// Their names.
    fn names(&self) -> Vec<String> {
        self.functions().into_iter().map(|function| function.name).collect()
    }

    /// Whether the user is asked before it runs (S40).
    fn asks(&self, _name: &str) -> bool {
        false
    }

    /// Runs the tool of this name; `None` when there is none. The arguments are an object. Dropping the run ends it.
    fn call<'a>(&'a self, name: &'a str, arguments: &'a Value, scope: &'a LocalScope) -> Option<LocalCall<'a>>;
}

/// The tools of two, as one; of two with a name the first counts.
pub struct BothTools {
    first: Arc<dyn LocalTools>,
    second: Arc<dyn LocalTools>,
}

impl BothTools {
    /// Those of `first`, then those of `second`.
    pub fn new(first: Arc<dyn LocalTools>, second: Arc<dyn LocalTools>) -> Self {
        Self { first, second }
    }

    /// Whose the tool of this name is.
    fn owner(&self, name: &str) -> &dyn LocalTools {
        let owner = if self.first.names().iter().any(|own| own == name) { &self.first } else { &self.second };
        owner.as_ref()
    }
}

impl LocalTools for BothTools {
    fn functions(&self) -> Vec<Function> {
        let mut functions = self.first.functions();
        let others = self.second.functions();
        let taken: Vec<String> = functions.iter().map(|function| function.name.clone()).collect();
        functions.extend(others.into_iter().filter(|other| !taken.contains(&other.name)));
        functions
    }

    fn asks(&self, name: &str) -> bool {
        self.owner(name).asks(name)
    }

    fn call<'a>(&'a self, name: &'a str, arguments: &'a Value, scope: &'a LocalScope) -> Option<LocalCall<'a>> {
        self.owner(name).call(name, arguments, scope)
    }
}

/// No tools: what the command line has.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLocalTools;

impl LocalTools for NoLocalTools {
    fn functions(&self) -> Vec<Function> {
        Vec::new()
    }

    fn call<'a>(&'a self, _name: &'a str, _arguments: &'a Value, _scope: &'a LocalScope) -> Option<LocalCall<'a>> {
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
    let scope = LocalScope::of(context);
    let mut results = Vec::with_capacity(calls.len());
    for (place, call) in calls {
        let answer = answer_to(context, local, &scope, &call).await;
        results.push((place, ToolResult::of(&call, answer)));
    }
    results
}

/// One call of the sequential chain.
pub(super) async fn answer_to(
    context: &MetaContext,
    local: &dyn LocalTools,
    scope: &LocalScope,
    call: &ToolCall,
) -> Answer {
    match local.call(&call.name, &call.arguments, scope) {
        // A defect in one tool must not cost the answers of the others.
        Some(running) => AssertUnwindSafe(running).catch_unwind().await.unwrap_or_else(|_| {
            ErrorShape {
                tool_call_error: format!("The local tool `{}` could not be run", call.name),
                code: Code::InvalidResponse,
                hint: "This is a defect of coyote; its log has the details. Try other arguments".to_owned(),
                closest: Vec::new(),
            }
            .into()
        }),
        None => dispatch(context, call).await,
    }
}

/// Runs all calls that a person made at once, and gives their results in call order: nothing is asked and nothing guarded
/// (S40). A model's go through [`run_reply`](super::run_reply). The calls share what one reply may hold (S25).
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
