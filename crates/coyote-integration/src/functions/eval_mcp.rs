//! The concurrent chain: meta-functions, all at once (design §9, S13).

use super::{ToolCall, ToolResult};
use futures_util::FutureExt;
use mcp_meta::{Answer, MetaContext};
use mcp_prompt_repl::quote;
use mcp_render::{Code, ErrorShape, shown_line};
use std::panic::AssertUnwindSafe;

/// Runs these calls concurrently; each answer stands beside its place. One that fails costs nothing of the others.
pub async fn eval_mcp(context: &MetaContext, calls: Vec<(usize, ToolCall)>) -> Vec<(usize, ToolResult)> {
    let running = calls.into_iter().map(|(place, call)| async move {
        let answer = dispatch(context, &call).await;
        (place, ToolResult::of(&call, answer))
    });
    futures_util::future::join_all(running).await
}

/// The one way from a call to a meta-function, shared by both chains (R4). A defect of ours in one call must not cost the
/// answers of the others, so it ends here (S13).
pub(super) async fn dispatch(context: &MetaContext, call: &ToolCall) -> Answer {
    let answer = mcp_meta::call(context, &call.name, call.arguments.clone());
    let answer = AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| {
        ErrorShape {
            tool_call_error: format!("The answer to `{}` could not be handled", call.name),
            code: Code::InvalidResponse,
            hint: "This is a defect of coyote; its log has the details. Try other arguments".to_owned(),
            closest: Vec::new(),
        }
        .into()
    });
    with_login(context, call, answer)
}

/// A login is never started by a call; its answer names the command that starts one (S47).
fn with_login(context: &MetaContext, call: &ToolCall, mut answer: Answer) -> Answer {
    if answer.code == Some(Code::AuthRequired)
        && let Ok((_, server)) = mcp_meta::route(&call.name, &context.declared)
        && let Some(hint) = answer.value.get_mut("hint")
    {
        let typed = shown_line(&quote(server.as_str()), 80).to_string();
        *hint = format!(
            "Ask the user to log in (`.mcp auth {typed}` in the REPL, else `coyote mcp auth '{server}'`), then repeat the call"
        )
        .into();
    }
    answer
}
