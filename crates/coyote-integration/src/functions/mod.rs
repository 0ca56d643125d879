//! A model's calls in one reply: which go to servers and which to local tools, how they run, and how they go back
//! (host.md "A turn", design §9).
//!
//! What a meta-function does is mcp-meta's; nothing here knows a verb. Both chains end in the same dispatch, so no name
//! can be read by one and fall through in the other (R4).

mod approval;
mod declarations;
mod eval;
mod eval_mcp;
mod local_tools;
mod loop_guard;
mod partition;
mod reply;
mod result;

pub use approval::{
    Approval, ApprovalPolicy, ApprovalStore, Asked, Asker, Asking, Consent, McpApproval, NobodyToAsk, Question, Subject,
};
pub use declarations::declarations_of;
pub use eval::{BothTools, LocalCall, LocalScope, LocalTools, NoLocalTools, eval, run_calls};
pub use eval_mcp::eval_mcp;
pub(crate) use local_tools::{Arguments, Parameter, Takes, function};
pub use local_tools::{Asks, BUILTINS, Builtin, LocalSetup, LocalToolBox, builtin, tool_name, withheld_names};
pub use loop_guard::LoopGuard;
pub use partition::{Partition, partition};
pub use reply::{CallWatch, ReplyRun, Unwatched, run_reply};
pub use result::{ToolCall, ToolResult};
