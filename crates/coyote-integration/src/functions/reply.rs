//! The calls of one reply of a model, from what it wrote to what it gets back (host.md "A turn").
//!
//! Malformed arguments and unknown functions become errors that a model can mend (S38, S39); then the loop guard, the
//! user's approval of all calls together (S40), and only then does anything run: meta-functions at once, local tools in
//! order. Every call has a result, and results stand in call order.

use super::{
    Approval, Asker, LocalScope, LocalTools, LoopGuard, Partition, Question, ToolCall, ToolResult, eval::answer_to,
    eval_mcp::dispatch, partition,
};
use futures_util::future::{join, join_all};
use mcp_catalog::{ProgressSink, closest};
use mcp_meta::{Answer, Declarations, MetaContext};
use mcp_render::{Code, ErrorShape, QUOTED_JSON_MAX_BYTES, QUOTED_NAME_MAX_BYTES, cut};
use serde_json::{Value, json};

/// Who sees calls start and end.
pub trait CallWatch: Send + Sync {
    /// The call runs now.
    fn started(&self, _call: &ToolCall) {}

    /// Where the progress goes that a server reports of this call.
    fn progress(&self, _call: &ToolCall) -> Option<ProgressSink> {
        None
    }

    /// The call has its result. One that was refused has not started.
    fn finished(&self, _call: &ToolCall, _result: &ToolResult) {}
}

/// Nobody looks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl CallWatch for Unwatched {}

/// What the calls of a reply are run with.
#[derive(Clone, Copy)]
pub struct ReplyRun<'a> {
    /// Servers, declared functions, the host's ceiling (`max_tool_result_chars`), and who cancels.
    pub context: &'a MetaContext,
    /// The local tools that the request declared.
    pub local: &'a dyn LocalTools,
    /// What needs a yes.
    pub approval: &'a Approval,
    /// Who can give it.
    pub asker: &'a dyn Asker,
    /// Who looks on.
    pub watch: &'a dyn CallWatch,
}

/// Runs the calls of one reply and gives their results in call order. Of two calls with one id the last counts. The calls
/// share what one reply may hold (S25). Cancelling `context.budget.cancel` ends what runs; each call still has a result.
pub async fn run_reply(run: ReplyRun<'_>, guard: &mut LoopGuard, calls: Vec<ToolCall>) -> Vec<ToolResult> {
    let calls = partition(calls);
    let context = MetaContext { ceiling: run.context.ceiling.shared_by(calls.len()), ..run.context.clone() };
    let run = ReplyRun { context: &context, ..run };
    let mut results = Vec::with_capacity(calls.len());
    let checked = Partition {
        meta: run.check(calls.meta, guard, &mut results),
        local: run.check(calls.local, guard, &mut results),
    };
    let admitted = run.approve(checked, &mut results).await;
    let (meta, local) = join(run.at_once(admitted.meta), run.in_order(admitted.local)).await;
    let mut ran = [meta, local].concat();
    ran.sort_by_key(|(place, ..)| *place);
    for (_, call, result) in &ran {
        guard.record(call, result, &context.declared);
    }
    results.extend(ran.into_iter().map(|(place, _, result)| (place, result)));
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A call at its place in the reply.
type Placed = (usize, ToolCall);
/// The same with its result.
type Ran = (usize, ToolCall, ToolResult);

impl ReplyRun<'_> {
    /// Keeps the calls that can be run; the others get their error.
    fn check(&self, calls: Vec<Placed>, guard: &LoopGuard, results: &mut Vec<(usize, ToolResult)>) -> Vec<Placed> {
        let declared = &self.context.declared;
        let mut kept = Vec::with_capacity(calls.len());
        for (place, mut call) in calls {
            let checked = known(&call, declared, self.local)
                .and_then(|()| object(&mut call))
                .and_then(|()| guard.refusal(&call, declared).map_or(Ok(()), Err));
            match checked {
                Ok(()) => kept.push((place, call)),
                Err(refusal) => results.push((place, self.refused(&call, refusal.into()))),
            }
        }
        kept
    }

    /// Asks about what needs a yes, all of it together and in call order, and drops what did not get one.
    async fn approve(&self, calls: Partition, results: &mut Vec<(usize, ToolResult)>) -> Partition {
        let mut asked: Vec<(usize, Question)> = calls
            .meta
            .iter()
            .chain(&calls.local)
            .filter_map(|(place, call)| {
                Some((*place, self.approval.question(call, &self.context.declared, self.local)?))
            })
            .collect();
        asked.sort_by_key(|(place, _)| *place);
        let (places, questions): (Vec<usize>, Vec<Question>) = asked.into_iter().unzip();
        let answers = self.approval.settle(&questions, self.asker).await;
        let mut refusals: Vec<(usize, Answer)> =
            places.into_iter().zip(answers).filter_map(|(place, answer)| Some((place, answer?))).collect();
        let mut admit = |calls: Vec<Placed>| {
            let mut admitted = Vec::with_capacity(calls.len());
            for (place, call) in calls {
                match refusals.iter().position(|(refused, _)| *refused == place) {
                    Some(at) => results.push((place, self.refused(&call, refusals.swap_remove(at).1))),
                    None => admitted.push((place, call)),
                }
            }
            admitted
        };
        Partition { meta: admit(calls.meta), local: admit(calls.local) }
    }

    /// The concurrent chain.
    async fn at_once(&self, calls: Vec<Placed>) -> Vec<Ran> {
        let running = calls.into_iter().map(|(place, call)| async move {
            self.watch.started(&call);
            let mut context = self.context.clone();
            context.budget.progress = self.watch.progress(&call).or(context.budget.progress);
            let answer = dispatch(&context, &call).await;
            self.ran(place, call, answer)
        });
        join_all(running).await
    }

    /// The sequential chain. What waits when the user stops is not begun.
    async fn in_order(&self, calls: Vec<Placed>) -> Vec<Ran> {
        let scope = LocalScope::of(self.context);
        let mut ran = Vec::with_capacity(calls.len());
        for (place, call) in calls {
            let answer = if scope.cancel.is_cancelled() {
                not_begun(&call).into()
            } else {
                self.watch.started(&call);
                answer_to(self.context, self.local, &scope, &call).await
            };
            ran.push(self.ran(place, call, answer));
        }
        ran
    }

    fn ran(&self, place: usize, call: ToolCall, answer: Answer) -> Ran {
        let result = ToolResult::of(&call, answer);
        self.watch.finished(&call, &result);
        (place, call, result)
    }

    fn refused(&self, call: &ToolCall, answer: Answer) -> ToolResult {
        let result = ToolResult::of(call, answer);
        self.watch.finished(call, &result);
        result
    }
}

/// Whether the request declared the function (S6). The refusal names what is close among all functions.
fn known(call: &ToolCall, declared: &Declarations, local: &dyn LocalTools) -> Result<(), ErrorShape> {
    let Err(mut refusal) = mcp_meta::route(&call.name, declared) else { return Ok(()) };
    let names = local.names();
    if names.contains(&call.name) && !mcp_meta::is_mcp_meta_function(&call.name) {
        return Ok(());
    }
    let functions = declared.functions.iter().map(|function| function.name.as_str());
    refusal.closest = closest(&call.name, functions.chain(names.iter().map(String::as_str)));
    if !names.is_empty() && !mcp_meta::is_mcp_meta_function(&call.name) {
        let shown = names.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(NAMED_MAX);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        refusal.hint = format!("{}. Local tools: {shown}{more}", refusal.hint);
    }
    Err(refusal)
}

/// The most names in one sentence.
const NAMED_MAX: usize = 20;

/// Makes the arguments an object: `null` and an empty text are none, the JSON text of an object is that object (S38).
fn object(call: &mut ToolCall) -> Result<(), ErrorShape> {
    let given = match &call.arguments {
        Value::Object(_) => return Ok(()),
        Value::Null => {
            call.arguments = json!({});
            return Ok(());
        }
        Value::String(text) if text.trim().is_empty() => {
            call.arguments = json!({});
            return Ok(());
        }
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(object @ Value::Object(_)) => {
                call.arguments = object;
                return Ok(());
            }
            Ok(_) => format!("`{}`", cut(text, QUOTED_JSON_MAX_BYTES)),
            Err(error) => format!("`{}`, which is no JSON: {error}", cut(text, QUOTED_JSON_MAX_BYTES)),
        },
        other => format!("`{}`", cut(&other.to_string(), QUOTED_JSON_MAX_BYTES)),
    };
    let name = cut(&call.name, QUOTED_NAME_MAX_BYTES);
    Err(ErrorShape {
        tool_call_error: format!("The arguments of `{name}` must be one JSON object; given was {given}"),
        code: Code::InvalidArguments,
        hint: "Repeat the call with one JSON object by the function's schema; `{}` when it needs no arguments"
            .to_owned(),
        closest: Vec::new(),
    })
}

fn not_begun(call: &ToolCall) -> ErrorShape {
    ErrorShape {
        tool_call_error: format!("`{}` was not run: the user stopped", cut(&call.name, QUOTED_NAME_MAX_BYTES)),
        code: Code::Cancelled,
        hint: "Ask the user before repeating it".to_owned(),
        closest: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
