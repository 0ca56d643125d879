//! The loop guard (host.md "A turn"): a call that has given the same result three times in a row is refused, with a hint.
//!
//! It is pure and belongs to one conversation. A result that is new, of whatever call, means that something was learnt or
//! changed, so all counts start over: a test that is run after each edit is no loop. Looking is never one: search,
//! describe and read are exempt, and so are a conversation's own `agent__*` and `user__*`, whose answers come from
//! somebody who may take their time.

use super::{ToolCall, ToolResult};
use mcp_meta::{Declarations, Verb};
use mcp_render::{Code, ErrorShape, QUOTED_NAME_MAX_BYTES, cut};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// How often a call may give the same result.
const SAME_RESULTS_MAX: u32 = 3;
/// Functions that wait for an agent or for the user.
const WAITING: [&str; 2] = ["agent__", "user__"];

type Hash = [u8; 32];

/// What the calls of one conversation have given.
#[derive(Debug, Clone, Default)]
pub struct LoopGuard {
    seen: HashMap<Hash, Seen>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    result: Hash,
    times: u32,
}

impl LoopGuard {
    /// The refusal of a call that goes in circles.
    pub fn refusal(&self, call: &ToolCall, declared: &Declarations) -> Option<ErrorShape> {
        let seen = self.seen.get(&call_hash(call))?;
        if seen.times < SAME_RESULTS_MAX || is_exempt(call, declared) {
            return None;
        }
        let name = cut(&call.name, QUOTED_NAME_MAX_BYTES);
        Some(ErrorShape {
            tool_call_error: format!(
                "`{name}` with these arguments has given the same result {SAME_RESULTS_MAX} times in a row, so it was not \
                 called again"
            ),
            code: Code::Denied,
            hint: "Use the result that you have, call it with other arguments, or tell the user what is missing"
                .to_owned(),
            closest: Vec::new(),
        })
    }

    /// Remembers what a call that was run has given.
    pub fn record(&mut self, call: &ToolCall, result: &ToolResult, declared: &Declarations) {
        if is_exempt(call, declared) {
            return;
        }
        let (key, result) = (call_hash(call), hash(&result.output));
        match self.seen.get_mut(&key) {
            Some(seen) if seen.result == result => seen.times += 1,
            _ => {
                self.seen.clear();
                self.seen.insert(key, Seen { result, times: 1 });
            }
        }
    }
}

fn is_exempt(call: &ToolCall, declared: &Declarations) -> bool {
    match mcp_meta::route(&call.name, declared) {
        Ok((Verb::Search | Verb::Describe | Verb::Read, _)) => true,
        Ok((Verb::Invoke | Verb::Prompt, _)) => false,
        Err(_) => WAITING.iter().any(|prefix| call.name.starts_with(prefix)),
    }
}

/// Name and canonical arguments: the order of an object's members makes no difference.
fn call_hash(call: &ToolCall) -> Hash {
    let mut sha = Sha256::new();
    sha.update(call.name.len().to_le_bytes());
    sha.update(&call.name);
    canonical(&call.arguments, &mut sha);
    sha.finalize().into()
}

fn hash(value: &Value) -> Hash {
    let mut sha = Sha256::new();
    canonical(value, &mut sha);
    sha.finalize().into()
}

fn canonical(value: &Value, sha: &mut Sha256) {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(name, _)| name.as_str());
            sha.update([b'{']);
            sha.update(members.len().to_le_bytes());
            for (name, value) in members {
                sha.update(name.len().to_le_bytes());
                sha.update(name);
                canonical(value, sha);
            }
        }
        Value::Array(items) => {
            sha.update([b'[']);
            sha.update(items.len().to_le_bytes());
            for item in items {
                canonical(item, sha);
            }
        }
        leaf => {
            let text = leaf.to_string();
            sha.update([b'v']);
            sha.update(text.len().to_le_bytes());
            sha.update(text);
        }
    }
}

#[cfg(test)]
mod tests;
