//! What follows a reply: the decision alone, without a model or a server.

use super::TurnEnd;
use crate::{
    functions::{ToolCall, partition},
    model::{ModelFault, Reply},
};
use std::collections::BTreeSet;

/// The most requests of one turn. A model that still calls after so many goes in circles, and each costs the user.
pub const MAX_ROUNDS: usize = 50;

/// What follows.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// These calls run, and the next request carries their results. Each has an id, and no two have one.
    Run(Vec<ToolCall>),
    /// The turn is over.
    End(TurnEnd),
}

/// What follows the reply to request number `round`, the first being 1. The calls of a reply that was cut are incomplete
/// and are not run.
pub(super) fn after(reply: &Reply, round: usize) -> Next {
    match &reply.cut {
        Some(cut) if cut.fault == ModelFault::Cancelled => Next::End(TurnEnd::Cancelled),
        Some(cut) => Next::End(TurnEnd::Cut(cut.clone())),
        None if reply.calls.is_empty() => Next::End(TurnEnd::Answered),
        None if round >= MAX_ROUNDS => Next::End(TurnEnd::TooManyRounds),
        None => Next::Run(named(reply.calls.clone())),
    }
}

/// The calls that count, by the rule of [`partition`], each with an id: a result is found by it.
fn named(calls: Vec<ToolCall>) -> Vec<ToolCall> {
    let split = partition(calls);
    let mut calls: Vec<(usize, ToolCall)> = split.meta.into_iter().chain(split.local).collect();
    calls.sort_by_key(|(place, _)| *place);
    let mut calls: Vec<ToolCall> = calls.into_iter().map(|(_, call)| call).collect();
    let taken: BTreeSet<String> = calls.iter().map(|call| call.id.clone()).collect();
    let mut fresh = (1..).map(|number: usize| format!("call_{number}")).filter(|id| !taken.contains(id));
    for call in calls.iter_mut().filter(|call| call.id.is_empty()) {
        call.id = fresh.next().unwrap_or_default();
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelError;
    use serde_json::json;

    fn call(id: &str, name: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: json!({}) }
    }

    fn reply(calls: Vec<ToolCall>, cut: Option<ModelFault>) -> Reply {
        let cut = cut.map(|fault| ModelError { fault, text: "cut".to_owned(), hint: String::new() });
        Reply { calls, cut, ..Reply::default() }
    }

    #[test]
    fn the_calls_of_a_reply_that_was_cut_are_not_run() {
        let calls = vec![call("1", "f")];
        assert!(matches!(after(&reply(calls.clone(), Some(ModelFault::Connection)), 1), Next::End(TurnEnd::Cut(_))));
        assert_eq!(after(&reply(calls, Some(ModelFault::Cancelled)), 1), Next::End(TurnEnd::Cancelled));
    }

    #[test]
    fn a_reply_without_calls_ends_the_turn_and_so_do_calls_after_the_last_round() {
        assert_eq!(after(&reply(Vec::new(), None), MAX_ROUNDS), Next::End(TurnEnd::Answered));
        assert_eq!(after(&reply(vec![call("1", "f")], None), MAX_ROUNDS), Next::End(TurnEnd::TooManyRounds));
        assert_eq!(after(&reply(vec![call("1", "f")], None), MAX_ROUNDS - 1), Next::Run(vec![call("1", "f")]));
    }

    #[test]
    fn calls_keep_their_order_and_each_has_an_id_of_its_own() {
        let calls =
            vec![call("", "fs_cat"), call("call_1", "mcp_read_a"), call("x", "f"), call("x", "g"), call("", "h")];
        let run = [call("call_2", "fs_cat"), call("call_1", "mcp_read_a"), call("x", "g"), call("call_3", "h")];
        assert_eq!(after(&reply(calls, None), 1), Next::Run(run.to_vec()));
    }
}
