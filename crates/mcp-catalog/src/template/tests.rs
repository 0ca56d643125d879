//! Templates (S37, C60–C62). What every template keeps stands in the laws of the acceptance tests.

use super::Template;
use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Map, Value, json};

fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

fn expand(template: &str, value: Value) -> Result<String, String> {
    let expanded = Template::parse(template).and_then(|template| template.expand(&arguments(value)));
    expanded.map_err(|error| format!("{} | {}", error.sentence, error.hint))
}

#[rstest]
#[case::reserved("ev://{topic}", json!({"topic": "foo/bar baz?é"}), "ev://foo%2Fbar%20baz%3F%C3%A9")]
#[case::percent_once("v://{v}", json!({"v": "%2e%2e%2fetc"}), "v://%252e%252e%252fetc")]
#[case::empty_value("v://{v}/x", json!({"v": ""}), "v:///x")]
#[case::unreserved("v://{v}", json!({"v": "aZ09-._~"}), "v://aZ09-._~")]
#[case::number("v://{v}", json!({"v": 7}), "v://7")]
#[case::float("v://{v}", json!({"v": 1.5}), "v://1.5")]
#[case::boolean("v://{v}", json!({"v": true}), "v://true")]
#[case::twice("v://{v}/{v}", json!({"v": "a b"}), "v://a%20b/a%20b")]
#[case::braces_in_a_value("v://{v}", json!({"v": "{x}"}), "v://%7Bx%7D")]
#[case::hyphen("v://{user-id}", json!({"user-id": 1}), "v://1")]
#[case::dots_and_triplets("v://{a.b}/{c%20d}", json!({"a.b": 1, "c%20d": 2}), "v://1/2")]
#[case::no_variables("v://x", json!({}), "v://x")]
#[case::literal_space("v://a b/{v}", json!({"v": 1}), "v://a%20b/1")]
#[case::literal_outside_the_repertoire("v://<\"^`|\\>é/{v}", json!({"v": 1}), "v://%3C%22%5E%60%7C%5C%3E%C3%A9/1")]
#[case::literal_reserved("v://a'(b)*,;:@&=+$!~[::1]/?q#f/{v}", json!({"v": 1}), "v://a'(b)*,;:@&=+$!~[::1]/?q#f/1")]
#[case::triplets_stay("v://%7e%2F%é%zz%4/{v}%", json!({"v": 1}), "v://%7e%2F%25%C3%A9%25zz%254/1%25")]
#[case::case_is_kept("FILE:///C%3A/{v}", json!({"v": "X"}), "FILE:///C%3A/X")]
fn a_level_1_template_is_expanded(#[case] template: &str, #[case] value: Value, #[case] uri: &str) {
    assert_eq!(expand(template, value).as_deref(), Ok(uri));
}

#[rstest]
#[case::missing(
    "gh://{owner}/{repo}", json!({"owner": "o"}),
    "No value for `repo` (`gh://{owner}/{repo}`) | Give `arguments` with exactly `owner`, `repo`"
)]
#[case::null_is_missing(
    "gh://{owner}/{repo}", json!({"owner": null}),
    "No value for `owner`, `repo` (`gh://{owner}/{repo}`) | Give `arguments` with exactly `owner`, `repo`"
)]
#[case::unknown(
    "gh://{owner}", json!({"owner": "o", "w": 1}),
    "`w` is no variable of the template (`gh://{owner}`) | Give `arguments` with exactly `owner`"
)]
#[case::no_variables(
    "gh://x", json!({"w": 1}),
    "`w` is no variable of the template (`gh://x`) | The template has no variables; leave `arguments` out"
)]
#[case::array(
    "gh://{owner}", json!({"owner": ["o"]}),
    "`owner` is an array; a template takes a string, a number or a boolean (`gh://{owner}`) | Give `arguments` with exactly `owner`"
)]
#[case::object(
    "gh://{owner}", json!({"owner": {}}),
    "`owner` is an object; a template takes a string, a number or a boolean (`gh://{owner}`) | Give `arguments` with exactly `owner`"
)]
#[case::operator(
    "m://i/{id}{?state,limit}", json!({"id": 7}),
    "`{?state,limit}` in the template `m://i/{id}{?state,limit}` is beyond RFC 6570 level 1, of which only `{name}` is supported | Expand the template yourself and pass the result as `uri` without `arguments`, for example `m://i/7`"
)]
#[case::operator_with_its_values(
    "m://i/{id}{?state,limit}", json!({"id": 7, "limit": "a b"}),
    "`{?state,limit}` in the template `m://i/{id}{?state,limit}` is beyond RFC 6570 level 1, of which only `{name}` is supported | Expand the template yourself and pass the result as `uri` without `arguments`, for example `m://i/7?limit=a%20b`"
)]
#[case::operator_without_the_rest(
    "m://i/{id}{+path}", json!({}),
    "`{+path}` in the template `m://i/{id}{+path}` is beyond RFC 6570 level 1, of which only `{name}` is supported | Expand the template yourself and pass the result as `uri` without `arguments`"
)]
#[case::a_value_with_triplets_that_are_no_utf8(
    "{+p}", json!({"p": "%ee%2e%ee"}),
    "`{+p}` in the template `{+p}` is beyond RFC 6570 level 1, of which only `{name}` is supported | Expand the template yourself and pass the result as `uri` without `arguments`, for example `%ee%2e%ee`"
)]
#[case::a_prefix_longer_than_any_text(
    "{o:85152}", json!({"o": "x"}),
    "`{o:85152}` in the template `{o:85152}` is beyond RFC 6570 level 1, of which only `{name}` is supported | Expand the template yourself and pass the result as `uri` without `arguments`"
)]
#[case::a_percent_before_a_letter_beyond_ascii(
    "m://é%é%2Fb/{id}{?x}", json!({"id": 7, "x": "a"}),
    "`{?x}` in the template `m://é%é%2Fb/{id}{?x}` is beyond RFC 6570 level 1, of which only `{name}` is supported | Expand the template yourself and pass the result as `uri` without `arguments`, for example `m://%C3%A9%25%C3%A9%2Fb/7?x=a`"
)]
#[case::an_expression_that_is_no_expression(
    "m://{?:a%é}", json!({}),
    "`{?:a%é}` in the template `m://{?:a%é}` is beyond RFC 6570 level 1, of which only `{name}` is supported | Expand the template yourself and pass the result as `uri` without `arguments`"
)]
#[case::unclosed(
    "m://{id", json!({"id": 1}),
    "`m://{id` is no URI template: a `{` is never closed | Pass the expanded URI as `uri` without `arguments`"
)]
#[case::stray(
    "m://id}/{x}", json!({"x": 1}),
    "`m://id}/{x}` is no URI template: a `}` closes nothing | Pass the expanded URI as `uri` without `arguments`"
)]
#[case::stray_at_the_end(
    "m://{x}}", json!({"x": 1}),
    "`m://{x}}` is no URI template: a `}` closes nothing | Pass the expanded URI as `uri` without `arguments`"
)]
#[case::nested(
    "m://{a{b}}", json!({"x": 1}),
    "`m://{a{b}}` is no URI template: a `{` stands inside an expression | Pass the expanded URI as `uri` without `arguments`"
)]
#[case::nameless(
    "m://{}", json!({}),
    "`m://{}` is no URI template: `{}` names no variable | Pass the expanded URI as `uri` without `arguments`"
)]
fn what_cannot_be_expanded_says_what_to_do(#[case] template: &str, #[case] value: Value, #[case] message: &str) {
    assert_eq!(expand(template, value), Err(message.to_owned()));
}

#[rstest]
#[case::prefix("m://{id:3}", "{id:3}")]
#[case::explode("m://{path*}", "{path*}")]
#[case::list("m://{a,b}", "{a,b}")]
#[case::reserved("m://{+a}", "{+a}")]
#[case::fragment("m://{#a}", "{#a}")]
#[case::label("m://{.a}", "{.a}")]
#[case::segment("m://{/a}", "{/a}")]
#[case::parameter("m://{;a}", "{;a}")]
#[case::query("m://{?a}", "{?a}")]
#[case::more_query("m://{&a}", "{&a}")]
#[case::reserved_operator("m://{=a}", "{=a}")]
#[case::space("m://{a b}", "{a b}")]
fn everything_beyond_level_1_is_named(#[case] template: &str, #[case] expression: &str) {
    let every = json!({"id": "x", "path": "x", "a": "x", "b": "x", "a b": "x"});
    let error = expand(template, every).unwrap_err();
    assert!(error.starts_with(&format!("`{expression}` in the template")), "{error}");
}

#[test]
fn variables_are_listed_in_order_each_once_and_with_their_support() {
    let template = Template::parse("a://{b}/{a}/{b}{?c,d*,b}{+e:3}").unwrap();
    let listed: Vec<_> = template.variables();
    let expected = [("b", false), ("a", true), ("c", false), ("d", false), ("e", false)];
    assert_eq!(listed, expected.map(|(name, supported)| (name.to_owned(), supported)));
}

/// A server writes the template, and a model the value: together they could make any length.
#[test]
fn a_uri_of_any_length_is_refused_before_it_is_made() {
    let template = "{v}".repeat(100_000);
    let error = expand(&template, json!({"v": "x".repeat(1_000)})).unwrap_err();
    assert!(error.starts_with("The URI is longer than 1024 KiB, the most that is asked for (`{v}{v}"), "{error}");
    assert!(error.len() < 1_000, "{error}");
    let hinted = expand(&format!("{{?w}}{template}"), json!({"v": "x".repeat(1_000), "w": 1})).unwrap_err();
    assert!(hinted.ends_with("without `arguments`"), "{hinted}");
}

#[test]
fn messages_stay_short_for_long_templates() {
    let names: Vec<String> = (0..400).map(|n| format!("{{variable_{n}}}")).collect();
    let error = expand(&format!("m://{}", names.join("/")), json!({})).unwrap_err();
    assert!(error.len() < 1_200, "{}", error.len());
    assert!(error.contains("and 380 more"), "{error}");
}

proptest! {
    /// What is given is what a server reads: nothing is lost, nothing is decoded twice.
    #[test]
    fn an_expanded_value_decodes_to_what_was_given(value in "\\PC{0,20}|[\\x00-\\x7f]{0,20}") {
        let uri = expand("a://{v}/z", json!({"v": value})).unwrap();
        let encoded = uri.strip_prefix("a://").unwrap().strip_suffix("/z").unwrap();
        prop_assert_eq!(percent_decode_str(encoded).decode_utf8().unwrap(), value.as_str());
        prop_assert!(encoded.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%".contains(&b)));
    }

    /// Whatever a server calls a template, no brace and no character outside the repertoire reaches the wire.
    #[test]
    fn no_brace_reaches_the_wire(template in "[a-z:/{}%?+,. é\"<]{0,24}", value in "\\PC{0,8}") {
        let names = Template::parse(&template).map(|template| template.variables()).unwrap_or_default();
        let given: Map<String, Value> = names.into_iter().map(|(name, _)| (name, json!(value))).collect();
        if let Ok(uri) = Template::parse(&template).and_then(|template| template.expand(&given)) {
            prop_assert!(uri.is_ascii() && !uri.contains(['{', '}', ' ', '"', '<']), "{}", uri);
        }
    }

    /// Nor through a refusal, whose hint shows a URI.
    #[test]
    fn no_brace_reaches_a_hint(template in "[a-c:/%é€]{0,8}([{][?+&:a-c%é,*0-9]{0,8}[}][%a-c€]{0,3}){1,3}", value in "[%é2F€a]{0,4}") {
        if let Ok(template) = Template::parse(&template) {
            let given = template.variables().into_iter().map(|(name, _)| (name, json!(value))).collect();
            if let Err(error) = template.expand(&given) && let Some((_, uri)) = error.hint.split_once("for example ") {
                prop_assert!(uri.is_ascii() && !uri.contains(['{', '}', ' ', '"', '<']), "{}", uri);
            }
        }
    }

    #[test]
    fn parsing_never_panics(text in "\\PC{0,30}") {
        if let Ok(template) = Template::parse(&text) {
            prop_assert!(template.variables().len() <= text.len());
        }
    }
}
