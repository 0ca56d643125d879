//! Which calls of a reply run concurrently and which in order (host.md "A turn", design §9).
//!
//! Meta-functions wait for servers and hold nothing of ours, so they run at once; local tools may change the machine and
//! run in order. Results go back in call order whatever ended first.

use super::ToolCall;
use mcp_meta::is_mcp_meta_function;
use std::collections::BTreeSet;

/// The calls of a reply, each with its place in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Partition {
    /// Meta-functions, to be run concurrently.
    pub meta: Vec<(usize, ToolCall)>,
    /// All else, to be run in order.
    pub local: Vec<(usize, ToolCall)>,
}

impl Partition {
    /// How many calls there are.
    pub fn len(&self) -> usize {
        self.meta.len() + self.local.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Splits the calls of one reply. Of two calls with one id the last counts: providers key the results by id, and a
/// stream that was begun anew repeats ids. An empty id is none.
pub fn partition(calls: Vec<ToolCall>) -> Partition {
    let mut seen = BTreeSet::new();
    let mut kept: Vec<ToolCall> =
        calls.into_iter().rev().filter(|call| call.id.is_empty() || seen.insert(call.id.clone())).collect();
    kept.reverse();
    let mut partition = Partition::default();
    for (place, call) in kept.into_iter().enumerate() {
        let side = if is_mcp_meta_function(&call.name) { &mut partition.meta } else { &mut partition.local };
        side.push((place, call));
    }
    partition
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: &str, name: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: json!({}) }
    }

    fn places(side: &[(usize, ToolCall)]) -> Vec<(usize, &str)> {
        side.iter().map(|(place, call)| (*place, call.name.as_str())).collect()
    }

    #[test]
    fn all_five_meta_functions_take_the_concurrent_path_and_nothing_else_does() {
        let names = [
            "mcp_read_x",
            "fs_cat",
            "mcp_prompt_x",
            "mcp_reader",
            "mcp_invoke_x",
            "mcp_bogus_x",
            "mcp_search_x",
            "mcp_read_",
            "mcp_describe_x",
        ];
        let split = partition(names.iter().map(|name| call(name, name)).collect());
        let meta =
            [(0, "mcp_read_x"), (2, "mcp_prompt_x"), (4, "mcp_invoke_x"), (6, "mcp_search_x"), (8, "mcp_describe_x")];
        assert_eq!(places(&split.meta), meta);
        assert_eq!(places(&split.local), [(1, "fs_cat"), (3, "mcp_reader"), (5, "mcp_bogus_x"), (7, "mcp_read_")]);
        assert_eq!(split.len(), names.len());
    }

    #[test]
    fn of_two_calls_with_one_id_the_last_counts() {
        let split =
            partition(vec![call("1", "mcp_read_a"), call("2", "fs_cat"), call("1", "mcp_read_b"), call("2", "fs_ls")]);
        assert_eq!(places(&split.meta), [(0, "mcp_read_b")]);
        assert_eq!(places(&split.local), [(1, "fs_ls")]);
    }

    #[test]
    fn calls_without_an_id_are_all_kept() {
        assert_eq!(partition(vec![call("", "a"), call("", "a")]).len(), 2);
    }
}
