//! Texts before and after; every byte that is not the entry's stays.

use super::*;
use serde_json::json;

const USERS: &str = r#"{
    "$schema": "x",
    "mcpServers": {
        "b": { "command": "node", "x-mine": [1, {"}": "\"{"}], "big": 123456789012345678901234567890 },
        "a": {"url": "https://x/"}
    },
    "zeta": 1.0
}
"#;

fn with(text: &str, key: &str, entry: &Value) -> String {
    Document::read(text).unwrap().with(key, entry).unwrap()
}

fn without(text: &str, key: &str) -> String {
    Document::read(text).unwrap().without(key).unwrap()
}

#[test]
fn an_entry_is_added_at_the_end_in_the_files_own_style() {
    insta::assert_snapshot!(with(USERS, "new", &json!({"command": "x", "args": ["-y"]})), @r#"
    {
        "$schema": "x",
        "mcpServers": {
            "b": { "command": "node", "x-mine": [1, {"}": "\"{"}], "big": 123456789012345678901234567890 },
            "a": {"url": "https://x/"},
            "new": {
                "command": "x",
                "args": [
                    "-y"
                ]
            }
        },
        "zeta": 1.0
    }
    "#);
}

#[test]
fn an_entry_is_removed_with_its_comma_and_nothing_else() {
    insta::assert_snapshot!(without(USERS, "b"), @r#"
    {
        "$schema": "x",
        "mcpServers": {
            "a": {"url": "https://x/"}
        },
        "zeta": 1.0
    }
    "#);
    insta::assert_snapshot!(without(USERS, "a"), @r#"
    {
        "$schema": "x",
        "mcpServers": {
            "b": { "command": "node", "x-mine": [1, {"}": "\"{"}], "big": 123456789012345678901234567890 }
        },
        "zeta": 1.0
    }
    "#);
}

#[test]
fn every_style_of_a_file_is_kept() {
    let pairs = [
        ("{}", "{\n  \"mcpServers\": {\n    \"n\": {\n      \"command\": \"x\"\n    }\n  }\n}"),
        ("{\"a\":1}", "{\"a\":1,\"mcpServers\": {\"n\":{\"command\":\"x\"}}}"),
        ("{\"mcpServers\":{\"a\":{}}}", "{\"mcpServers\":{\"a\":{},\"n\": {\"command\":\"x\"}}}"),
        ("{\n\t\"mcpServers\": {}\n}", "{\n\t\"mcpServers\": {\n\t\t\"n\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}"),
        (
            "{\r\n \"mcpServers\": {\r\n  \"a\": {}\r\n }\r\n}",
            "{\r\n \"mcpServers\": {\r\n  \"a\": {},\r\n  \"n\": {\r\n   \"command\": \"x\"\r\n  }\r\n }\r\n}",
        ),
        ("\u{feff}{\"mcpServers\":{\"a\":{}}}", "\u{feff}{\"mcpServers\":{\"a\":{},\"n\": {\"command\":\"x\"}}}"),
    ];
    for (before, after) in pairs {
        let text = with(before, "n", &json!({"command": "x"}));
        assert_eq!(text, after);
        assert!(Document::read(&text).unwrap().keys().any(|key| key == "n"));
    }
}

#[test]
fn what_was_added_is_removed_without_a_trace() {
    for text in [USERS, "{\"mcpServers\":{\"a\":{}}}", "{\r\n \"mcpServers\": {\r\n  \"a\": [\"}\"]\r\n }\r\n}"] {
        assert_eq!(without(&with(text, "né\"w", &json!({"command": "x"})), "né\"w"), text);
    }
}

#[test]
fn a_key_that_stands_twice_is_removed_twice_and_an_escaped_key_is_found() {
    assert_eq!(without(r#"{"mcpServers": {"a": 1, "b": 2, "a": {"c": 3}}}"#, "a"), r#"{"mcpServers": {"b": 2}}"#);
    assert_eq!(without(r#"{"mcpServers": {"\u0061": 1}}"#, "a"), r#"{"mcpServers": {}}"#);
    assert_eq!(without(r#"{"mcpServers": {"b": 1}}"#, "a"), r#"{"mcpServers": {"b": 1}}"#);
}

#[test]
fn an_entry_is_found_as_it_was_written() {
    assert_eq!(Document::read(USERS).unwrap().entry("a"), Some(r#"{"url": "https://x/"}"#));
    assert_eq!(Document::read(USERS).unwrap().entry("c"), None);
}

#[test]
fn a_text_that_is_not_understood_is_not_edited() {
    for text in ["", "{\"mcpServers\": {", "{ // mine\n}", "[]", "{} {}", "{\"mcpServers\": []}"] {
        assert!(Document::read(text).is_err(), "{text}");
    }
}
