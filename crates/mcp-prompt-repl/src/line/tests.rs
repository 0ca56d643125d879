//! S41: what the lexer reads, and the laws of its places.

use super::{Line, quote, quote_key};
use proptest::prelude::*;
use rstest::rstest;

fn values(text: &str) -> Vec<String> {
    Line::lex(text).words().iter().map(|word| word.value().to_owned()).collect()
}

#[rstest]
#[case::nothing("", &[])]
#[case::blanks(" \t\n ", &[])]
#[case::a_quote_in_a_word_is_a_quote("don't it\"s", &["don't", "it\"s"])]
#[case::single_quotes_are_literal(r#"'a \" b'"#, &[r#"a \" b"#])]
#[case::double_quotes_know_two_escapes(r#""a\"b\\c\nd""#, &[r#"a"b\c\nd"#])]
#[case::a_backslash_is_a_backslash(r"path=C:\new\x", &[r"path=C:\new\x"])]
#[case::a_quote_after_the_first_equals_opens("k='a b'", &["k=a b"])]
#[case::a_quote_after_the_second_equals_does_not("k=a='b c'", &["k=a='b", "c'"])]
#[case::an_empty_value("k= next", &["k=", "next"])]
#[case::what_follows_a_closed_quote_belongs_to_the_word("'a b'c'd", &["a bc'd"])]
#[case::a_quoted_key("'a=b'=c", &["a=b=c"])]
#[case::a_newline_ends_a_word("a\nb", &["a", "b"])]
#[case::an_open_quote_takes_the_rest("k='a b", &["k=a b"])]
fn words_end_at_blanks_and_quotes_open_at_two_places_s41(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(values(text), expected);
}

#[rstest]
#[case("k=v", Some(("k", "v")))]
#[case("k=", Some(("k", "")))]
#[case("=v", Some(("", "v")))]
#[case("k=a=b", Some(("k", "a=b")))]
#[case("'a=b'=c", Some(("a=b", "c")))]
#[case("'k=a b'", Some(("k", "a b")))]
#[case("word", None)]
fn a_pair_is_split_at_its_first_equals(#[case] text: &str, #[case] pair: Option<(&str, &str)>) {
    assert_eq!(Line::lex(text).words()[0].pair(), pair);
}

#[test]
fn an_open_quote_is_told_with_its_column_s41() {
    let line = Line::lex("é x='a b");
    let open = line.open_quote().unwrap();
    assert_eq!((open.quote, open.offset, open.column), ('\'', 5, 5));
    assert_eq!(Line::lex("don't").open_quote(), None);
}

#[test]
fn a_cursor_inside_a_word_knows_what_is_typed_of_it_and_where_it_ends() {
    let line = Line::lex("one 'two three' four");
    let cursor = line.at(8);
    assert_eq!(cursor.before.len(), 1);
    assert_eq!((cursor.typed.value(), cursor.typed.span(), cursor.word_end), ("two", 4..8, 15));
    assert_eq!(cursor.after[0].value(), "four");
    assert_eq!(line.at(3).typed.value(), "one", "the end of a word is still in it");
    assert_eq!(line.at(15).typed.value(), "two three");
    assert_eq!(Line::lex("a  b").at(2).typed.span(), 2..2, "between words nothing is typed");
    assert_eq!(line.at(usize::MAX).typed.value(), "four");
}

/// Text in which everything that the lexer knows is likely.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("'".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just("=".to_owned()),
        Just(" ".to_owned()),
        Just("\u{a0}é".to_owned()),
        "[a-z]{1,3}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_quoted_is_read_back_as_one_word(value in text()) {
        let source = quote(&value);
        let line = Line::lex(&source);
        prop_assert_eq!(line.open_quote(), None);
        prop_assert_eq!(line.words().len(), 1);
        prop_assert_eq!(line.words()[0].value(), value);
    }

    #[test]
    fn a_quoted_key_and_value_are_read_back_as_a_pair(key in text(), value in text()) {
        let source = format!("{}={}", quote_key(&key), quote(&value));
        let line = Line::lex(&source);
        prop_assert_eq!(line.words().len(), 1);
        prop_assert_eq!(line.words()[0].pair(), Some((key.as_str(), value.as_str())));
    }

    #[test]
    fn the_places_of_words_cover_the_line_but_for_its_blanks(text in text()) {
        let line = Line::lex(&text);
        let mut end = 0;
        for word in line.words() {
            let span = word.span();
            prop_assert!(text[end..span.start].chars().all(char::is_whitespace));
            prop_assert!(span.end > span.start);
            prop_assert_eq!(&text[span.clone()], word.source());
            end = span.end;
        }
        prop_assert!(text[end..].chars().all(char::is_whitespace));
    }

    #[test]
    fn any_cursor_in_any_line_has_a_place(text in text(), cursor in 0usize..120) {
        let line = Line::lex(&text);
        let place = line.at(cursor);
        let here = text.floor_char_boundary(cursor);
        prop_assert_eq!(place.typed.span().end, here);
        prop_assert!(here <= place.word_end && place.word_end <= text.len());
        prop_assert!(place.before.iter().all(|word| word.span().end <= place.typed.span().start));
        prop_assert!(place.after.iter().all(|word| word.span().start >= place.word_end));
    }
}
