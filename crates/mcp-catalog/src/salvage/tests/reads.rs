//! Contents of reads (S30, C35–C37, D3) and the questions of S17.

use super::{framed, raw, text};
use crate::{PortError, salvage::contents};
use mcp_render::{Body, Code, Content, Piece};
use proptest::prelude::*;
use rstest::rstest;

const ASKED: &str = "asked://uri";

fn read(items: &str) -> Vec<Content> {
    contents(&raw(&format!(r#"{{"contents":[{items}]}}"#)), ASKED).unwrap()
}

/// An item's body in one line.
fn shown(body: &Body) -> String {
    match body {
        Body::Text(Piece::Owned(text)) => format!("owned text {text:?}"),
        Body::Text(Piece::InFrame(range)) => format!("text of {}", range.len()),
        Body::Blob(Piece::Owned(blob)) => format!("owned blob {blob:?}"),
        Body::Blob(Piece::InFrame(range)) => format!("blob of {}", range.len()),
        Body::Broken(fault) => format!("{}: {}", fault.code, fault.sentence),
    }
}

#[rstest]
#[case::text(r#"{"text":"abc"}"#, "text of 3")]
#[case::blob(r#"{"blob":"AAAA"}"#, "blob of 4")]
#[case::escaped(r#"{"text":"a\nb"}"#, "owned text \"a\\nb\"")]
#[case::escaped_blob(r#"{"blob":"AA\/A"}"#, "owned blob \"AA/A\"")]
#[case::lone_empty_text(r#"{"text":""}"#, "text of 0")]
#[case::lone_empty_blob(r#"{"blob":""}"#, "text of 0")]
#[case::both_empty(r#"{"text":"","blob":""}"#, "text of 0")]
#[case::empty_text_beside_blob(r#"{"text":"","blob":"AAAA"}"#, "blob of 4")]
#[case::empty_blob_beside_text(r#"{"text":"abc","blob":""}"#, "text of 3")]
#[case::null_text_beside_blob(r#"{"text":null,"blob":"AAAA"}"#, "blob of 4")]
#[case::null_blob_beside_text(r#"{"text":"abc","blob":null}"#, "text of 3")]
#[case::number_beside_blob(r#"{"text":5,"blob":"AAAA"}"#, "blob of 4")]
#[case::number_beside_text(r#"{"text":"abc","blob":5}"#, "text of 3")]
#[case::both(r#"{"text":"a","blob":"AAAA"}"#, "invalid_response: Item has both `text` and `blob`")]
#[case::neither(r#"{"mimeType":"text/plain"}"#, "invalid_response: Item has neither `text` nor `blob`")]
#[case::two_nulls(r#"{"text":null,"blob":null}"#, "invalid_response: Item has neither `text` nor `blob`")]
#[case::php(r"[]", "invalid_response: Item has neither `text` nor `blob`")]
#[case::number(r#"{"text":5}"#, "invalid_response: `text` is a number, not a string")]
#[case::object(r#"{"blob":{}}"#, "invalid_response: `blob` is an object, not a string")]
#[case::surrogate(
    r#"{"text":"\ud800"}"#,
    "invalid_response: `text` cannot be read: unexpected end of hex escape at line 1 column 8"
)]
#[case::bare_string(r#""text""#, "invalid_response: Item is a string, not an object")]
#[case::huge_number("1e400", "invalid_response: Item is a number, not an object")]
fn an_item_is_text_or_blob_or_says_why_not(#[case] item: &str, #[case] body: &str) {
    let items = read(&format!(r#"{item},{{"uri":"a://2","text":"ok"}}"#));
    assert_eq!(items.len(), 2);
    assert_eq!((shown(&items[0].body).as_str(), items[0].uri.as_str()), (body, ASKED));
    assert_eq!((shown(&items[1].body).as_str(), items[1].uri.as_str()), ("text of 2", "a://2"));
}

#[test]
fn an_item_keeps_its_uri_mime_and_audience_as_given() {
    let items = read(
        r#"{"uri":"Notes://Team/Ünï?Q=a+b&x=%7e#Frag","mimeType":" application/JSON ","text":"x",
            "annotations":{"audience":["system"]},"_meta":7}"#,
    );
    assert_eq!(
        items,
        [Content {
            uri: "Notes://Team/Ünï?Q=a+b&x=%7e#Frag".to_owned(),
            mime_type: Some(" application/JSON ".to_owned()),
            audience: vec!["system".to_owned()],
            body: items[0].body.clone(),
        }]
    );
}

#[rstest]
#[case::missing(r#"{"text":"x"}"#)]
#[case::null(r#"{"uri":null,"mimeType":5,"text":"x"}"#)]
#[case::number(r#"{"uri":5,"annotations":[],"text":"x"}"#)]
fn an_item_without_a_uri_has_the_one_that_was_asked_for(#[case] item: &str) {
    let items = read(item);
    assert_eq!((items[0].uri.as_str(), &items[0].mime_type, items[0].audience.len()), (ASKED, &None, 0));
}

#[test]
fn two_representations_of_one_uri_both_stay_in_order() {
    let items = read(
        r#"{"uri":"a://1","mimeType":"text/plain","text":"t"},{"uri":"a://1","mimeType":"application/pdf","blob":"AA=="}"#,
    );
    let kinds: Vec<_> = items.iter().map(|item| (item.uri.as_str(), shown(&item.body))).collect();
    assert_eq!(kinds, [("a://1", "text of 1".to_owned()), ("a://1", "blob of 4".to_owned())]);
}

#[test]
fn pieces_are_ranges_of_the_whole_frame() {
    let raw = framed(r#"{ "contents" : [ {"uri":"a://1","blob": "QUJD" } ,{"text":"é中\u0041"},{"text":"é中"}]}"#);
    let items = contents(&raw, ASKED).unwrap();
    let pieces: Vec<(bool, String)> = items
        .iter()
        .map(|item| match &item.body {
            Body::Text(piece) | Body::Blob(piece) => (matches!(piece, Piece::InFrame(_)), text(&raw, piece)),
            Body::Broken(fault) => panic!("{fault:?}"),
        })
        .collect();
    assert_eq!(pieces, [(true, "QUJD".to_owned()), (false, "é中A".to_owned()), (true, "é中".to_owned())]);
}

#[test]
fn a_large_blob_is_pointed_at_and_not_copied() {
    let blob = "A".repeat(8 << 20);
    let raw = framed(&format!(r#"{{"contents":[{{"blob":"{blob}"}}]}}"#));
    let items = contents(&raw, ASKED).unwrap();
    assert_eq!(shown(&items[0].body), format!("blob of {}", 8 << 20));
}

#[test]
fn an_empty_resource_is_no_error() {
    assert_eq!(contents(&raw(r#"{"contents":[]}"#), ASKED), Ok(Vec::new()));
}

#[rstest]
#[case::bare(r#"{"contentCount":1,"uri":"m://s"}"#, r#"Result has no `contents`: {"contentCount":1,"uri":"m://s"}"#)]
#[case::null(r#"{"contents":null}"#, r#"Result has no `contents`: {"contents":null}"#)]
#[case::content(r#"{"content":[]}"#, r#"Result has no `contents`: {"content":[]}"#)]
#[case::object(
    r#"{"contents":{"uri":"a","text":"b"}}"#,
    r#"`contents` is an object, not an array: {"contents":{"uri":"a","text":"b"}}"#
)]
fn a_read_without_contents_is_invalid_and_shows_what_came(#[case] json: &str, #[case] cause: &str) {
    assert_eq!(contents(&raw(json), ASKED), Err(PortError::InvalidResponse { cause: cause.to_owned() }));
}

#[test]
fn the_excerpt_of_a_wrong_result_is_bounded() {
    let error = contents(&raw(&format!(r#"{{"content":"{}"}}"#, "é".repeat(100_000))), ASKED).unwrap_err();
    assert!(error.to_string().len() < 400, "{}", error.to_string().len());
    assert!(error.to_string().ends_with('…'));
}

#[test]
fn contents_beside_messages_are_contents() {
    let items = contents(&raw(r#"{"messages":[],"contents":[{"text":"x"}],"content":[],"isError":true}"#), ASKED);
    assert_eq!(items.map(|items| items.len()), Ok(1));
}

#[test]
fn items_beyond_the_bound_are_named_by_a_last_one() {
    let items = read(&vec![r#"{"text":""}"#; 10_002].join(","));
    assert_eq!(items.len(), 10_001);
    assert_eq!(shown(&items[10_000].body), "too_large: Result holds 10002 items; only the first 10000 are read");
}

#[rstest]
#[case::elicitation(
    r#"{"resultType":"input_required","inputRequests":{"q1":{"method":"elicitation/create","params":{"message":"Which account?","requestedSchema":{}}}}}"#,
    "Which account?"
)]
#[case::several(
    r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"One?"}},"b":7,"c":{"method":"roots/list"}}}"#,
    "One?; roots/list"
)]
#[case::url(
    r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","message":"Log in","url":"https://h/x"}}}}"#,
    "Log in (https://h/x)"
)]
#[case::message(r#"{"resultType":"input_required","message":"Who are you?"}"#, "Who are you?")]
#[case::nothing(r#"{"resultType":"input_required"}"#, "(no question given)")]
#[case::beside_contents(r#"{"contents":[],"resultType":"input_required","inputRequests":[]}"#, "(no question given)")]
fn a_question_is_an_error_with_its_text(#[case] json: &str, #[case] question: &str) {
    let error = contents(&raw(json), ASKED).unwrap_err();
    assert_eq!(error, PortError::InputRequired { question: question.to_owned() });
    assert_eq!(error.code(), Code::InputRequired);
}

#[test]
fn a_question_is_bounded() {
    let long = "?".repeat(50_000);
    let error = contents(&raw(&format!(r#"{{"resultType":"input_required","message":"{long}"}}"#)), ASKED).unwrap_err();
    let PortError::InputRequired { question } = error else { panic!("{error:?}") };
    assert_eq!(question.len(), 4_096);
}

proptest! {
    /// What a server wrote is what is read, whether it is pointed at or copied.
    #[test]
    fn text_comes_through_byte_for_byte(written in "\\PC{0,40}|[\\x00-\\x7f]{0,40}") {
        let raw = framed(&serde_json::json!({"contents": [{"text": written}]}).to_string());
        let items = contents(&raw, ASKED).unwrap();
        let Body::Text(piece) = &items[0].body else { panic!("{items:?}") };
        prop_assert_eq!(text(&raw, piece), written);
    }
}
