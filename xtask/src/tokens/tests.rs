//! What the row of tokens holds and what it leaves out.

use super::*;

fn row(text: &str) -> Vec<Kind> {
    flatten(text.parse().unwrap()).into_iter().map(|token| token.kind).collect()
}

fn texts(text: &str) -> Vec<String> {
    flatten(text.parse().unwrap()).iter().filter_map(|token| token.text().map(str::to_owned)).collect()
}

#[test]
fn string_literals_of_every_kind_have_their_value() {
    let found = texts(r##"("a\u{5f}b", r"c\d", r#"e"f"#, b"g\x68", br"i", c"j", 'k', b'l', 1)"##);
    assert_eq!(found, ["a_b", "c\\d", "e\"f", "gh", "i", "j"]);
}

#[test]
fn documentation_is_no_token_and_other_attributes_are() {
    let text =
        "//! one\n/// two\n#[doc = \"three\"]\n#[doc(alias = \"four\")]\n#[serde(rename = \"five\")]\nstruct A; // six";
    assert_eq!(texts(text), ["four", "five"]);
}

#[test]
fn macro_bodies_and_attributes_lie_in_the_row() {
    let expected = [
        Kind::Ident("m".to_owned()),
        Kind::Punct('!'),
        Kind::Open('{'),
        Kind::Ident("x".to_owned()),
        Kind::Open('['),
        Kind::Literal("1".to_owned()),
        Kind::Close(']'),
        Kind::Close('}'),
    ];
    assert_eq!(row("m! { x[1] }"), expected);
}

#[test]
fn a_sequence_matches_words_and_signs_and_never_the_text_of_a_literal() {
    let tokens = flatten("std::io::stdout(); \"io\"".parse().unwrap());
    let tokens: Vec<&Token> = tokens.iter().collect();
    assert!(starts_with(&tokens, 3, &["io", ":", ":", "stdout", "(", ")"]));
    assert!(!starts_with(&tokens, 0, &["io"]));
    assert!(!starts_with(&tokens, tokens.len() - 1, &["io"]));
    assert!(!starts_with(&tokens, tokens.len(), &["io"]));
}

#[test]
fn a_group_ends_after_its_own_bracket() {
    let tokens = flatten("f((a)[b]) c".parse().unwrap());
    let tokens: Vec<&Token> = tokens.iter().collect();
    assert_eq!(after_group(&tokens, 1), tokens.len() - 1);
    assert_eq!(after_group(&tokens, 2), 5);
}
