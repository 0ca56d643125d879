//! Templates over any text, against an expansion that goes byte by byte (S37).
//!
//! The first line is the template, the others are the values of its variables in order. It knows no operator beyond
//! level 1: such a template must be refused, and the example in the refusal be a URI's text.

use mcp_catalog::Template;
use serde_json::{Map, Value};
use std::fmt::Write;

/// What is expanded equals the reference, is a URI's text, and needs exactly the template's variables.
pub fn template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let source = lines.next().unwrap_or_default();
    let Ok(template) = Template::parse(source) else { return };
    let variables = template.variables();
    let mut arguments = Map::new();
    for (name, _) in &variables {
        let twice = arguments.insert(name.clone(), Value::from(lines.next().unwrap_or("a/b é%41{x}")));
        assert!(twice.is_none(), "`{name}` is listed twice");
    }
    let expanded = template.expand(&arguments);
    if let Some((name, _)) = variables.iter().find(|(_, supported)| !supported) {
        let error = expanded.expect_err(&format!("`{name}` is beyond level 1"));
        // What a model is told to pass instead must be the text of a URI, too.
        if let Some((_, shown)) = error.hint.split_once("for example `") {
            let uri = shown.strip_suffix('`').expect("the example ends the hint");
            assert!(uri.bytes().all(|byte| is_unreserved(byte) || is_reserved(byte) || byte == b'%'), "{uri}");
        }
        return;
    }
    let expanded = expanded.expect("every variable has a value");
    assert_eq!(expanded, reference(source, &arguments));
    assert!(expanded.bytes().all(|byte| is_unreserved(byte) || is_reserved(byte) || byte == b'%'), "{expanded}");
    for (name, _) in &variables {
        let mut fewer = arguments.clone();
        fewer.insert(name.clone(), Value::Null);
        assert!(template.expand(&fewer).is_err(), "`{name}` is missing");
    }
    let mut more = arguments;
    more.insert("no such variable".to_owned(), Value::from("x"));
    assert!(template.expand(&more).is_err(), "an unknown variable passed");
}

/// Level 1, one character after the other.
fn reference(source: &str, arguments: &Map<String, Value>) -> String {
    let mut uri = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let behind = rest.split_at(c.len_utf8()).1;
        if let Some((name, after)) = behind.split_once('}').filter(|_| c == '{') {
            let value = arguments.get(name).and_then(Value::as_str).unwrap_or_default();
            value.bytes().for_each(|byte| push(&mut uri, byte, is_unreserved(byte)));
            rest = after;
            continue;
        }
        let triplet = c == '%' && behind.len() >= 2 && behind.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            push(&mut uri, byte, triplet || is_unreserved(byte) || is_reserved(byte));
        }
        rest = behind;
    }
    uri
}

fn push(uri: &mut String, byte: u8, plain: bool) {
    if plain {
        uri.push(char::from(byte));
    } else {
        write!(uri, "%{byte:02X}").expect("a string takes everything");
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}
