//! What YAML is read as, and what its errors show.

use super::*;
use std::fmt::Write as _;

fn read(text: &str) -> Result<Node, String> {
    Node::read(text, Path::new("config.yaml"))
}

fn value(text: &str) -> Yaml {
    let node = read(&format!("key: {text}\n")).unwrap();
    node.pairs().unwrap()[0].node.value.clone()
}

#[test]
fn a_value_is_what_a_person_means_by_it() {
    assert_eq!(value("null"), Yaml::Null);
    assert_eq!(value("~"), Yaml::Null);
    assert_eq!(value(""), Yaml::Null);
    assert_eq!(value("true"), Yaml::Bool(true));
    assert_eq!(value("80"), Yaml::Whole(80));
    assert_eq!(value("0.5"), Yaml::Number(0.5));
    assert_eq!(value("-1"), Yaml::Number(-1.0));
    assert_eq!(value("'80'"), Yaml::Text("80".to_owned()));
    assert_eq!(value("gpt-4o"), Yaml::Text("gpt-4o".to_owned()));
    for no in ["no", "off", "false"] {
        assert_eq!(read(&format!("key: {no}")).unwrap().pairs().unwrap()[0].node.bool(), Some(false), "{no}");
    }
}

#[test]
fn every_node_knows_its_line() {
    let node = read("# first\na: 1\nb:\n  - x\n  - c: y\n").unwrap();
    let pairs = node.pairs().unwrap();
    assert_eq!((pairs[0].line, pairs[1].line), (2, 3));
    let items = pairs[1].node.items().unwrap();
    assert_eq!((items[0].line, items[1].pairs().unwrap()[0].node.line), (4, 5));
}

#[test]
fn nothing_and_comments_are_null() {
    assert!(read("").unwrap().is_null());
    assert!(read("\n# nothing yet\n").unwrap().is_null());
}

#[test]
fn a_list_of_names_may_be_a_list_or_a_text_with_commas() {
    let names = |text: &str| read(&format!("key: {text}")).unwrap().pairs().unwrap()[0].node.names();
    let both = Some(vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(names("a , b,"), both);
    assert_eq!(names("[a, ' b ']"), both);
    assert_eq!(names("''"), Some(Vec::new()));
    assert_eq!(names("[a, [b]]"), None);
    assert_eq!(names("{a: b}"), None);
    // Words that are truth values elsewhere: a limit on servers must not be lost because one is called so.
    assert_eq!(names("[off, no, y]"), Some(vec!["off".to_owned(), "no".to_owned(), "y".to_owned()]));
}

#[test]
fn a_text_that_does_not_parse_is_shown_with_its_place() {
    insta::assert_snapshot!(read("model: openai:gpt-4o\nclients: [\nsave: true\n").unwrap_err());
}

#[test]
fn a_key_that_stands_twice_is_an_error() {
    insta::assert_snapshot!(read("save: true\nstream: true\nsave: false\n").unwrap_err());
}

#[test]
fn an_unquoted_secret_is_an_error_that_says_how_to_write_it() {
    insta::assert_snapshot!(read("clients:\n  - type: openai\n    api_key: {{OPENAI_API_KEY}}\n").unwrap_err());
}

#[test]
fn the_lines_around_an_error_hold_no_secret() {
    let text =
        "clients:\n  - type: openai\n    api_key: sk-live-1234\n    \"Authorization\": 'Bearer abc'\n    models: [\n";
    let error = read(text).unwrap_err();
    assert!(!error.contains("1234") && !error.contains("abc"), "{error}");
    assert!(error.contains("xx-xxxx-xxxx"), "the lines are missing: {error}");
}

#[test]
fn an_alias_bomb_is_refused_at_once() {
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, before) in ["b", "c", "d", "e", "f", "g", "h", "i"].iter().zip(["a", "b", "c", "d", "e", "f", "g", "h"])
    {
        let nine = vec![format!("*{before}"); 9].join(", ");
        writeln!(text, "{name}: &{name} [{nine}]").unwrap();
    }
    insta::assert_snapshot!(read(&text).unwrap_err());
}

#[test]
fn nesting_without_end_is_refused() {
    assert!(read(&format!("a: {}", "[".repeat(10_000))).is_err());
    assert!(read(&format!("a: {}{}", "[".repeat(200), "]".repeat(200))).is_err());
}
