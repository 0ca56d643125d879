//! JSON for a person: the members of an object as lines, what is nested as indented JSON.
//!
//! It drops nothing and adds nothing; `--json` is the form for programs.

use serde_json::Value;

/// `key: value` lines of an object; any other value as JSON.
pub(super) fn readable(value: &Value) -> String {
    let Value::Object(members) = value else { return pretty(value) };
    let lines = members.iter().map(|(key, value)| match value {
        Value::String(text) if text.contains('\n') => format!("{key}:\n{}", indented(text)),
        Value::String(text) => format!("{key}: {text}"),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            format!("{key}: {}", items.join(", "))
        }
        Value::Object(_) | Value::Array(_) => format!("{key}:\n{}", indented(&pretty(value))),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("{key}: {value}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// JSON spread over lines.
pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_its_members_line_by_line() {
        let value = json!({"name": "a", "size": 3, "tags": ["x", "y"], "text": "one\ntwo", "schema": {"type": "object"}, "none": null});
        insta::assert_snapshot!(readable(&value), @r#"
        name: a
        size: 3
        tags: x, y
        text:
          one
          two
        schema:
          {
            "type": "object"
          }
        none: null
        "#);
        assert_eq!(readable(&json!([1])), "[\n  1\n]");
    }
}
