//! Expressions beyond level 1 (S37), by the RFC's own examples.

use super::*;
use rstest::rstest;

fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "var" => "value",
        "hello" => "Hello World!",
        "half" => "50%",
        "path" => "/foo/bar",
        "base" => "http://example.com/home/",
        "empty" => "",
        "v" => "6",
        "x" => "1024",
        "y" => "768",
        "who" => "fred",
        "dub" => "me/too",
        "semi" => ";",
        "wide" => "é€😀",
        "odd" => "%ee%2e%ee%",
        _ => return None,
    })
}

/// The examples of the RFC's section 3.2 that are about texts.
#[rstest]
#[case("var", "value")]
#[case("hello", "Hello%20World%21")]
#[case("half", "50%25")]
#[case("x,empty", "1024,")]
#[case("x,hello,y", "1024,Hello%20World%21,768")]
#[case("undef,y", "768")]
#[case("undef", "")]
#[case("var:3", "val")]
#[case("var:30", "value")]
#[case("semi:2", "%3B")]
#[case("+var", "value")]
#[case("+hello", "Hello%20World!")]
#[case("+half", "50%25")]
#[case("+base", "http://example.com/home/")]
#[case("+x,hello,y", "1024,Hello%20World!,768")]
#[case("+path,x", "/foo/bar,1024")]
#[case("+path:6", "/foo/b")]
#[case("#var", "#value")]
#[case("#path,x", "#/foo/bar,1024")]
#[case("#path:6", "#/foo/b")]
#[case("#empty", "#")]
#[case("#undef", "")]
#[case(".who", ".fred")]
#[case(".who,who", ".fred.fred")]
#[case(".half,who", ".50%25.fred")]
#[case(".var:3", ".val")]
#[case(".empty", ".")]
#[case("/who,dub", "/fred/me%2Ftoo")]
#[case("/var,empty", "/value/")]
#[case("/var,undef", "/value")]
#[case("/var:1,var", "/v/value")]
#[case(";who", ";who=fred")]
#[case(";empty", ";empty")]
#[case(";v,empty,who", ";v=6;empty;who=fred")]
#[case(";v,bar,who", ";v=6;who=fred")]
#[case(";hello:5", ";hello=Hello")]
#[case("?x,y,empty", "?x=1024&y=768&empty=")]
#[case("?x,y,undef", "?x=1024&y=768")]
#[case("?var:3", "?var=val")]
#[case("&x,y,empty", "&x=1024&y=768&empty=")]
#[case("&var:3", "&var=val")]
#[case("x*,y*", "1024,768")]
#[case("wide:2", "%C3%A9%E2%82%AC")]
#[case("+odd", "%ee%2e%ee%25")]
fn an_expression_is_expanded_as_the_rfc_shows(#[case] expression: &str, #[case] expanded: &str) {
    assert_eq!(expand(expression, value, 1_000).as_deref(), Some(expanded));
}

#[rstest]
#[case::a_prefix_of_five_digits("o:85152")]
#[case::a_prefix_of_nothing("var:")]
#[case::a_prefix_of_zero("var:0")]
#[case::a_prefix_of_letters("var:a")]
#[case::a_prefix_with_a_sign("var:+3")]
#[case::a_prefix_and_an_explosion("var:3*")]
#[case::two_explosions("var**")]
#[case::kept_for_later("=var")]
#[case::kept_for_later_too("|var")]
#[case::no_name("?")]
#[case::no_second_name("?x,")]
#[case::no_name_but_a_prefix("?:a%é")]
#[case::nothing("")]
#[case::letters_beyond_ascii("é")]
fn what_is_no_expression_has_no_expansion(#[case] expression: &str) {
    assert_eq!(expand(expression, value, 1_000), None);
}

#[test]
fn what_is_too_long_has_no_expansion() {
    assert_eq!(expand("x,x,x", value, 13), None);
    assert_eq!(expand("x,x,x", value, 14).as_deref(), Some("1024,1024,1024"));
}
