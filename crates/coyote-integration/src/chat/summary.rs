//! What a person is told of a call's result: its size, how many things are in it, and the files that were kept for it.
//!
//! It reads the JSON that the model gets and nothing else, so that it says what the model sees (S25, S30–S36).

use crate::functions::ToolResult;
use mcp_render::{Code, json_len};
use serde_json::Value;
use std::fmt;

/// A result in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The bytes of the JSON.
    pub bytes: usize,
    /// How many items it holds, when it is a list.
    pub items: Option<usize>,
    /// Files that hold what did not fit or is no text (S31, S33).
    pub spilled: Vec<String>,
    /// Set when the call answered an error.
    pub error: Option<(Code, String)>,
    /// Set when the tool itself says that it failed (S35).
    pub failed: bool,
}

impl Summary {
    /// The summary of a result.
    pub fn of(result: &ToolResult) -> Self {
        let output = &result.output;
        let mut spilled = Vec::new();
        files(output, &mut spilled);
        let sentence = || output.get("tool_call_error").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            bytes: json_len(output),
            items: items(output),
            spilled,
            error: result.code.map(|code| (code, sentence())),
            failed: output.get("isError") == Some(&Value::Bool(true)),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((code, sentence)) = &self.error {
            return write!(f, "{code}: {sentence}");
        }
        if self.failed {
            f.write_str("the tool says it failed, ")?;
        }
        write!(f, "{} {}", self.bytes, if self.bytes == 1 { "byte" } else { "bytes" })?;
        if let Some(items) = self.items {
            write!(f, ", {items} {}", if items == 1 { "item" } else { "items" })?;
        }
        self.spilled.iter().try_for_each(|path| write!(f, ", kept in {path}"))
    }
}

/// The number of things in a search, a tool result, or several contents.
fn items(output: &Value) -> Option<usize> {
    let list = ["items", "content"].iter().find_map(|key| output.get(key)?.as_array());
    list.or_else(|| output.as_array()).map(Vec::len)
}

/// The paths of S33's objects and S31's markers, wherever they stand. Depth is bounded by the JSON parser's own.
fn files(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let kept = ["spilled", "truncated"].iter().any(|key| members.get(*key) == Some(&Value::Bool(true)));
            let path = members.get("path").and_then(Value::as_str).filter(|_| kept && members.contains_key("sha256"));
            if let Some(path) = path.filter(|path| !found.iter().any(|known| known == path)) {
                found.push(path.to_owned());
            }
            members.values().for_each(|member| files(member, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| files(element, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(output: Value, code: Option<Code>) -> String {
        Summary::of(&ToolResult { id: String::new(), name: "f".to_owned(), output, code }).to_string()
    }

    #[test]
    fn a_summary_says_bytes_items_and_where_files_were_kept() {
        let sha = "0".repeat(64);
        let spilled = json!({"type": "image", "spilled": true, "path": "/c/a.png", "sha256": sha});
        for (output, said) in [
            (json!({"items": [1, 2], "total": 9, "next_offset": null, "notes": []}), "55 bytes, 2 items"),
            (json!({"text": "x"}), "12 bytes"),
            (json!([{"text": "x"}]), "14 bytes, 1 item"),
            (json!({"isError": true, "content": []}), "the tool says it failed, 29 bytes, 0 items"),
            (json!({"path": "/not/ours"}), "20 bytes"),
        ] {
            assert_eq!(line(output, None), said);
        }
        let said = line(json!({"content": [spilled, spilled, {"type": "text", "text": "x"}]}), None);
        assert!(said.ends_with(" bytes, 3 items, kept in /c/a.png"), "{said}");
        let marker = json!({"structuredContent": {"truncated": true, "path": "/c/b.json", "sha256": sha}});
        assert!(line(marker, None).ends_with(" bytes, kept in /c/b.json"));
    }

    #[test]
    fn an_error_is_its_code_and_its_sentence() {
        let error = json!({"tool_call_error": "No tool `x`", "code": "not_found", "hint": "Search"});
        assert_eq!(line(error, Some(Code::NotFound)), "not_found: No tool `x`");
    }
}
