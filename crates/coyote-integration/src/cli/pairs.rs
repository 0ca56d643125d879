//! `key=value` words of a command line.
//!
//! The shell has taken the quotes; what stands after the first `=` is the value, byte for byte. A tool's values get the
//! types of its schema; templates and prompts know only strings.

use super::exit::Failure;
use serde_json::{Map, Value};

/// The pairs, in order. A word without `=`, an empty key and a repeated key are wrong usage (S42).
pub(super) fn parse(words: &[String]) -> Result<Vec<(&str, &str)>, Failure> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            let hint = "Write key=value; put the whole word in quotes when the value holds blanks";
            return Err(Failure::usage(format!("`{word}` is no key=value"), hint));
        };
        if key.is_empty() {
            return Err(Failure::usage(format!("`{word}` has no key"), "Write key=value"));
        }
        if pairs.iter().any(|(seen, _)| *seen == key) {
            return Err(Failure::usage(format!("`{key}` is given twice"), "Give each key once"));
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}

/// The pairs as strings, for templates and prompts.
pub(super) fn strings(words: &[String]) -> Result<Map<String, Value>, Failure> {
    Ok(parse(words)?.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect())
}

/// The pairs as a tool's arguments: each value in the type that `schema` says of its key. A value that does not fit its
/// type is sent as a string, so that the server's own message names what is wrong with it.
pub(super) fn typed(pairs: &[(&str, &str)], schema: Option<&Value>) -> Map<String, Value> {
    let declared = |key: &str| schema?.get("properties")?.get(key)?.get("type");
    pairs.iter().map(|(key, value)| ((*key).to_owned(), value_of(value, declared(key)))).collect()
}

fn value_of(text: &str, declared: Option<&Value>) -> Value {
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    let names: Vec<&str> = match declared {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        // The schema does not say: JSON when it looks like JSON.
        _ => return parsed.unwrap_or_else(|| text.into()),
    };
    let fits = |value: &Value| names.iter().any(|name| is_of(value, name));
    match parsed {
        // `"5"` in quotes is meant as it stands when a string is declared.
        Some(value) if !value.is_string() && fits(&value) => value,
        _ => text.into(),
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_value_begins_after_the_first_equals_sign_and_keeps_its_bytes() {
        let words = words(&["a=b=c", "d=", "e= x 'y' "]);
        assert_eq!(parse(&words).unwrap(), [("a", "b=c"), ("d", ""), ("e", " x 'y' ")]);
    }

    #[test]
    fn words_that_are_no_pair_are_wrong_usage_and_say_how_to_write_one() {
        let error = |given: &[&str]| {
            let failure = parse(&words(given)).unwrap_err();
            assert_eq!(failure.status().number(), 2);
            format!("{}. {}", failure.shape.tool_call_error, failure.shape.hint)
        };
        insta::assert_snapshot!(error(&["topic"]), @"`topic` is no key=value. Write key=value; put the whole word in quotes when the value holds blanks");
        insta::assert_snapshot!(error(&["=x"]), @"`=x` has no key. Write key=value");
        insta::assert_snapshot!(error(&["a=1", "b=2", "a=3"]), @"`a` is given twice. Give each key once");
    }

    #[test]
    fn values_get_the_types_that_the_schema_declares() {
        let schema = json!({"properties": {
            "text": {"type": "string"}, "n": {"type": "integer"}, "x": {"type": "number"}, "on": {"type": "boolean"},
            "list": {"type": "array"}, "maybe": {"type": ["integer", "null"]}, "any": {},
        }});
        let given =
            words(&["text=5", "n=5", "x=0.5", "on=true", "list=[1]", "maybe=null", "any={\"a\":1}", "new=word"]);
        let pairs = parse(&given).unwrap();
        let expected = json!({"text": "5", "n": 5, "x": 0.5, "on": true, "list": [1], "maybe": null, "any": {"a": 1}, "new": "word"});
        assert_eq!(Value::Object(typed(&pairs, Some(&schema))), expected);
    }

    #[test]
    fn a_value_that_does_not_fit_its_type_is_sent_as_a_string() {
        let schema = json!({"properties": {"n": {"type": "integer"}, "t": {"type": "string"}}});
        let pairs = [("n", "five"), ("t", "\"quoted\"")];
        assert_eq!(Value::Object(typed(&pairs, Some(&schema))), json!({"n": "five", "t": "\"quoted\""}));
        assert_eq!(typed(&[("n", "1.5")], Some(&schema))["n"], json!("1.5"));
    }

    #[test]
    fn without_a_schema_what_looks_like_json_is_json() {
        assert_eq!(
            Value::Object(typed(&[("a", "007"), ("b", "7"), ("c", "x")], None)),
            json!({"a": "007", "b": 7, "c": "x"})
        );
    }
}
