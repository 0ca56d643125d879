//! Read: URIs byte for byte, templates, pages of one version, what a failure means (S19, S24, S28, S30, S34, S37).

use crate::Verb;
use crate::rehearsal::{Rehearsal, Script, refused};
use mcp_catalog::Request;
use mcp_render::{Code, json_len};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn contents(text: &str) -> Value {
    json!({"contents": [{"uri": "a://b", "mimeType": "text/plain", "text": text}]})
}

/// A server whose every resource is this.
fn serving(result: Value) -> Rehearsal {
    Rehearsal::new(json!({"resources": [], "templates": []}), move |_request| -> Script { Ok(result.clone()) })
}

/// A server whose resource can be changed while it runs.
fn changing(text: &str) -> (Rehearsal, Arc<Mutex<String>>) {
    let text = Arc::new(Mutex::new(text.to_owned()));
    let served = Arc::clone(&text);
    let script = move |_request: &Request| -> Script { Ok(contents(&served.lock().unwrap())) };
    (Rehearsal::new(json!({"resources": [], "templates": []}), script), text)
}

#[test]
fn a_text_comes_as_one_page() {
    let stage = serving(contents("one\ntwo\n"));
    let expected = json!({
        "uri": "a://b", "mime_type": "text/plain", "truncated": false, "next_offset": null, "total_bytes": 8, "text": "one\ntwo\n",
    });
    assert_eq!(stage.get(Verb::Read, json!({"uri": "a://b"})).to_string(), expected.to_string());
    assert_eq!(stage.wire(), ["resources/read"], "a read lists nothing (S24)");
}

#[rstest]
#[case::another_scheme("jdbc-mcp://c/x")]
#[case::a_web_page("http://internal/doc")]
#[case::data("data:,x")]
#[case::a_windows_drive("file:///c%3A/My%20Docs/100%25.txt")]
#[case::a_backslash(r"file:///C:\a b\c")]
#[case::query_fragment_case_and_unicode("Notes://Team/Ünï?Q=a+b&x=%7e#Frag")]
#[case::a_space_and_a_newline("a b\n")]
#[case::no_uri_at_all("readme")]
#[case::a_scheme_called_spill("spill:today")]
#[case::braces_that_are_no_template("odd://{x}/}")]
fn a_uri_is_opaque_and_arrives_byte_for_byte(#[case] uri: &str) {
    // C64, C65, C66.
    for arguments in [json!(null), json!({}), json!({"x": null})] {
        let stage = serving(contents("x"));
        stage.get(Verb::Read, json!({"uri": uri, "arguments": arguments}));
        assert_eq!(stage.uris(), [uri]);
    }
}

#[test]
fn a_template_is_expanded_with_its_values() {
    let stage = serving(contents("x"));
    stage.get(Verb::Read, json!({"uri": "ev://{topic}/{n}", "arguments": {"topic": "foo/bar baz?é", "n": 7}}));
    stage.get(Verb::Read, json!({"uri": "ev://{topic}", "arguments": "{\"topic\": \"a\"}"}));
    assert_eq!(stage.uris(), ["ev://foo%2Fbar%20baz%3F%C3%A9/7", "ev://a"]);
    assert_eq!(stage.wire().len(), 2, "nothing is listed for a template with values");
}

#[rstest]
#[case::missing("ev://{a}/{b}", json!({"a": 1}), "`b`")]
#[case::unknown("ev://{a}", json!({"a": 1, "w": 1}), "`w`")]
#[case::beyond_level_one("m://i/{id}{?state,limit}", json!({"id": 7}), "m://i/7")]
#[case::no_template("a://b", json!({"id": 7}), "`id`")]
#[case::an_array("ev://{a}", json!({"a": [1]}), "`a`")]
fn a_template_that_cannot_be_expanded_is_a_teaching_error_and_no_brace_is_sent(
    #[case] uri: &str,
    #[case] values: Value,
    #[case] names: &str,
) {
    // C61, C62.
    let stage = serving(contents("x"));
    let error = stage.fail(Verb::Read, json!({"uri": uri, "arguments": values}), Code::InvalidArguments);
    assert!(error.to_string().contains(names), "{error}");
    assert_eq!(stage.wire(), [""; 0]);
}

#[test]
fn a_known_template_without_values_is_an_error_that_lists_its_variables() {
    let catalog = json!({"resources": [], "templates": [{"uriTemplate": "m://{id}{?q}", "name": "m"}]});
    let stage = Rehearsal::new(catalog, |_request| Ok(contents("x")));
    let error = stage.fail(Verb::Read, json!({"uri": "m://{id}{?q}"}), Code::InvalidArguments);
    insta::assert_json_snapshot!(error);
    assert_eq!(stage.wire(), ["resources/templates/list"]);
}

#[rstest]
#[case::it_is_not_listed(json!([]))]
#[case::the_listing_failed(json!(-32000))]
fn a_uri_with_a_brace_that_is_no_known_template_is_sent_as_given(#[case] templates: Value) {
    let stage = Rehearsal::new(json!({"resources": [], "templates": templates}), |_request| Ok(contents("x")));
    stage.get(Verb::Read, json!({"uri": "odd://{x}"}));
    assert_eq!(stage.wire(), ["resources/templates/list", "resources/read"]);
    assert_eq!(stage.uris(), ["odd://{x}"]);
}

#[test]
fn pages_belong_to_one_version_and_the_resource_crosses_the_wire_once() {
    let text = (0..5_000).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
    let (stage, served) = changing(&text);
    let (mut offset, mut read) = (json!(0), String::new());
    while !offset.is_null() {
        let page = stage.get(Verb::Read, json!({"uri": "a://b", "offset": offset, "max_bytes": 10_000}));
        read += page["text"].as_str().unwrap();
        offset = page["next_offset"].clone();
        "changed".clone_into(&mut served.lock().unwrap());
    }
    assert_eq!(read, text);
    assert_eq!(stage.wire(), ["resources/read"]);
}

#[test]
fn offset_zero_without_item_always_asks_the_server() {
    let (stage, served) = changing("old");
    stage.get(Verb::Read, json!({"uri": "a://b"}));
    "new".clone_into(&mut served.lock().unwrap());
    let page = stage.get(Verb::Read, json!({"uri": "a://b"}));
    assert_eq!((&page["text"], page.get("note")), (&json!("new"), None));
    let page = stage.get(Verb::Read, json!({"uri": "a://b", "pattern": "new"}));
    assert_eq!(page["text"], "1:new\n");
    assert_eq!(stage.wire().len(), 3);
}

#[test]
fn a_page_that_had_to_be_fetched_again_says_when_the_resource_changed() {
    let (stage, served) = changing("first version");
    stage.get(Verb::Read, json!({"uri": "a://b", "max_bytes": 5}));
    stage.change(); // The server's list changed, so the snapshot is stale (S17).
    let same = stage.get(Verb::Read, json!({"uri": "a://b", "offset": 6}));
    assert_eq!((&same["text"], same.get("note")), (&json!("version"), None), "fetched again, and the same");
    stage.change();
    "other version".clone_into(&mut served.lock().unwrap());
    let changed = stage.get(Verb::Read, json!({"uri": "a://b", "offset": 6}));
    assert_eq!(changed["text"], "version");
    assert!(changed["note"].as_str().is_some_and(|note| note.contains("changed")), "{changed}");
    assert_eq!(stage.wire().len(), 3);
    let next = stage.get(Verb::Read, json!({"uri": "a://b", "offset": 8}));
    assert_eq!((next.get("note"), stage.wire().len()), (None, 3), "from the new version's snapshot");
}

#[test]
fn a_page_that_was_never_read_before_has_no_note() {
    let (stage, _served) = changing("some text");
    let page = stage.get(Verb::Read, json!({"uri": "a://b", "offset": 5}));
    assert_eq!((&page["text"], page.get("note")), (&json!("text"), None));
}

#[test]
fn an_expanded_uri_and_the_same_uri_given_whole_share_a_version() {
    let (stage, _served) = changing("some text");
    stage.get(Verb::Read, json!({"uri": "a://{x}", "arguments": {"x": "b"}}));
    stage.get(Verb::Read, json!({"uri": "a://b", "offset": 2}));
    stage.get(Verb::Read, json!({"uri": "a://c", "offset": 2}));
    assert_eq!(stage.uris(), ["a://b", "a://c"]);
}

#[test]
fn one_item_of_several_comes_from_the_version_that_was_read() {
    let two = json!({"contents": [{"uri": "a://1", "text": "one"}, {"uri": "a://2", "text": "two"}]});
    let stage = serving(two);
    let both = stage.get(Verb::Read, json!({"uri": "a://b"}));
    assert_eq!(both.as_array().map(Vec::len), Some(2));
    assert_eq!(stage.get(Verb::Read, json!({"uri": "a://b", "item": 1})), both[1]);
    assert_eq!(stage.get(Verb::Read, json!({"uri": "a://b", "item": "0.0"})), both[0]);
    let error = stage.fail(Verb::Read, json!({"uri": "a://b", "item": 2}), Code::InvalidArguments);
    assert_eq!(error["tool_call_error"], "`item` is 2; the resource has 2 item(s), numbered from 0");
    assert_eq!(stage.wire().len(), 1);
}

#[test]
fn an_item_with_neither_text_nor_blob_costs_no_sibling() {
    // C35.
    let stage =
        serving(json!({"contents": [{"uri": "a://1", "mimeType": "text/plain"}, {"uri": "a://2", "text": "ok"}]}));
    let items = stage.get(Verb::Read, json!({"uri": "a://b"}));
    assert_eq!((&items[0]["code"], &items[1]["text"]), (&json!("invalid_response"), &json!("ok")));
}

#[rstest]
#[case::wrong_member(json!({"contentCount": 1, "uri": "m://s"}))]
#[case::null(json!({"contents": null}))]
fn a_result_without_contents_is_invalid_and_an_empty_one_is_not(#[case] result: Value) {
    // C36.
    serving(result).fail(Verb::Read, json!({"uri": "m://s"}), Code::InvalidResponse);
    let empty = serving(json!({"contents": []})).get(Verb::Read, json!({"uri": "m://s"}));
    assert_eq!((&empty["text"], &empty["total_bytes"]), (&json!(""), &json!(0)));
}

#[test]
fn a_question_in_place_of_a_resource_is_told() {
    // C40.
    let result =
        json!({"resultType": "input_required", "inputRequests": {"q": {"params": {"message": "Which year?"}}}});
    let error = serving(result).fail(Verb::Read, json!({"uri": "m://s"}), Code::InputRequired);
    assert!(error["tool_call_error"].as_str().unwrap().contains("Which year?"), "{error}");
}

#[test]
fn a_binary_is_a_file_with_its_metadata() {
    let stage = serving(json!({"contents": [{"uri": "n://2", "mimeType": "image/jpeg", "blob": "/9j/4A=="}]}));
    let result = stage.get(Verb::Read, json!({"uri": "n://2"}));
    insta::assert_json_snapshot!(stage.tidied(&result));
    let again = stage.get(Verb::Read, json!({"uri": format!("spill:{}", result["sha256"].as_str().unwrap())}));
    assert_eq!((&again["path"], &again["size_bytes"]), (&result["path"], &json!(4)));
    assert_eq!(stage.wire().len(), 1, "a spill is read back without the server");
}

#[test]
fn a_spill_id_that_is_none_is_an_error_and_is_not_sent() {
    let stage = serving(contents("x"));
    stage.fail(Verb::Read, json!({"uri": "spill:abc123"}), Code::InvalidArguments);
    let error = stage.fail(Verb::Read, json!({"uri": format!("spill:{}", "F".repeat(64))}), Code::NotFound);
    assert!(error["tool_call_error"].as_str().unwrap().contains("spill:ffff"), "{error}");
    assert_eq!(stage.wire(), [""; 0]);
}

#[test]
fn a_spill_of_another_server_is_not_read() {
    let stage = serving(json!({"contents": [{"uri": "n://2", "blob": "/9j/4A=="}]}));
    let result = stage.get(Verb::Read, json!({"uri": "n://2"}));
    let other = Rehearsal::new(json!({"tools": []}), |_request| Ok(json!({})));
    let mut other_context = other.context.clone();
    other_context.spills = Arc::clone(&stage.context.spills);
    other_context.runtime = mcp_catalog::McpRuntime::new([Arc::new(mcp_catalog::LocalPort::new(
        mcp_catalog::ServerName::new("other").unwrap(),
        mcp_catalog::Handshake::of(mcp_catalog::Capabilities::default()),
        Arc::new(|_request| Ok(json!({}))),
    )) as Arc<dyn mcp_catalog::ServerPort>]);
    let name = mcp_catalog::ServerName::new("other").unwrap();
    let arguments = json!({"kind": "spill", "tool": result["sha256"]});
    let answer = crate::rehearsal::run(crate::call_verb(&other_context, Verb::Describe, &name, arguments));
    assert_eq!(answer.code, Some(Code::NotFound));
}

#[test]
fn the_audience_of_the_last_listing_is_told_and_a_read_never_lists_for_it() {
    // S24.
    let catalog = json!({"resources": [
        {"uri": "a://b", "name": "b", "annotations": {"audience": ["user"]}},
    ], "templates": [{"uriTemplate": "t://{x}", "name": "t", "annotations": {"audience": ["assistant"]}}]});
    let stage = Rehearsal::new(catalog, |request| match request {
        Request::ReadResource { uri } if uri.as_str() == "t://1" => {
            Ok(json!({"contents": [{"uri": "t://1", "text": "x"}]}))
        }
        _ => Ok(contents("x")),
    });
    let page = |arguments: Value| stage.get(Verb::Read, arguments);
    assert_eq!(page(json!({"uri": "a://b"})).get("audience"), None);
    stage.get(Verb::Search, json!({"kind": "resource"}));
    assert_eq!(page(json!({"uri": "a://b"}))["audience"], json!(["user"]));
    stage.get(Verb::Search, json!({}));
    assert_eq!(page(json!({"uri": "t://{x}", "arguments": {"x": "1"}}))["audience"], json!(["assistant"]));
    let own = serving(json!({"contents": [{"uri": "a://b", "text": "x", "annotations": {"audience": ["system"]}}]}));
    assert_eq!(own.get(Verb::Read, json!({"uri": "a://b"}))["audience"], json!(["system"]));
}

fn failing(code: i64, catalog: Value) -> Rehearsal {
    Rehearsal::new(catalog, move |_request| Err(refused(code, "Resource not found")))
}

#[rstest]
#[case::the_old_code(-32002)]
#[case::invalid_params(-32602)]
#[case::anything_else(-32000)]
fn a_uri_that_the_server_and_its_listing_do_not_know_is_not_found_with_the_closest(#[case] code: i64) {
    // C39, S19.
    let catalog = json!({"resources": [{"uri": "log://big", "name": "l"}], "templates": [{"uriTemplate": "day://{day}", "name": "d"}]});
    let stage = failing(code, catalog);
    let error = stage.fail(Verb::Read, json!({"uri": "log://bog"}), Code::NotFound);
    assert_eq!(error["closest"][0], "log://big");
    assert_eq!(stage.wire(), ["resources/read", "resources/list", "resources/templates/list"]);
}

#[rstest]
#[case::a_listed_resource("log://big", json!(null))]
#[case::a_uri_that_a_template_could_make("day://today", json!(null))]
#[case::a_template_with_its_values("day://{day}", json!({"day": "é"}))]
fn an_error_about_a_known_uri_is_the_servers_own_whatever_its_words(#[case] uri: &str, #[case] arguments: Value) {
    let catalog = json!({"resources": [{"uri": "log://big", "name": "l"}], "templates": [{"uriTemplate": "day://{day}", "name": "d"}]});
    let error = failing(-32000, catalog.clone()).fail(
        Verb::Read,
        json!({"uri": uri, "arguments": arguments}),
        Code::ServerError,
    );
    assert!(error["tool_call_error"].as_str().unwrap().contains("Resource not found"), "{error}");
    // The old code for it says so by itself.
    failing(-32002, catalog).fail(Verb::Read, json!({"uri": uri, "arguments": arguments}), Code::NotFound);
}

#[rstest]
#[case::failed(json!({"resources": -32000, "templates": []}))]
#[case::slow(json!({"resources": [], "templates": "slow"}))]
#[case::not_implemented(json!({"resources": -32601, "templates": []}))]
fn an_error_is_the_servers_own_when_the_listing_tells_nothing(#[case] catalog: Value) {
    failing(-32000, catalog).fail(Verb::Read, json!({"uri": "log://bog"}), Code::ServerError);
}

#[test]
fn a_read_that_is_not_implemented_is_that_and_no_missing_resource() {
    let stage = failing(-32601, json!({"resources": [], "templates": []}));
    stage.fail(Verb::Read, json!({"uri": "log://bog"}), Code::MethodNotFound);
    assert_eq!(stage.wire(), ["resources/read"]);
}

#[test]
fn a_broken_pattern_is_a_teaching_error_before_anything_is_asked() {
    let stage = serving(contents("x"));
    let error = stage.fail(Verb::Read, json!({"uri": "a://b", "pattern": "(a"}), Code::InvalidArguments);
    insta::assert_json_snapshot!(error);
    assert_eq!(stage.wire(), [""; 0]);
}

#[test]
fn an_empty_pattern_filters_nothing() {
    let page = serving(contents("one\n")).get(Verb::Read, json!({"uri": "a://b", "pattern": ""}));
    assert_eq!(page["text"], "one\n");
}

#[test]
fn a_multi_item_read_that_changed_says_so_on_each_page() {
    let flip = Arc::new(Mutex::new(0));
    let count = Arc::clone(&flip);
    let stage = Rehearsal::new(json!({"resources": []}), move |_request| {
        let mut version = count.lock().unwrap();
        *version += 1;
        Ok(json!({"contents": [{"uri": "a://1", "text": format!("one {version}")}, {"uri": "a://2", "text": "two"}]}))
    });
    stage.get(Verb::Read, json!({"uri": "a://b"}));
    stage.change();
    let items = stage.get(Verb::Read, json!({"uri": "a://b", "offset": 1}));
    for item in items.as_array().unwrap() {
        assert!(item["note"].as_str().is_some_and(|note| note.contains("changed")), "{items}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_text_is_read_whole_by_its_pages(text in "[^\\x00]{0,600}", max_bytes in 0usize..200) {
        let stage = serving(contents(&text));
        let (mut offset, mut read) = (json!(0), String::new());
        while !offset.is_null() {
            let page = stage.get(Verb::Read, json!({"uri": "a://b", "offset": offset, "max_bytes": max_bytes}));
            prop_assert!(json_len(&page) <= stage.context.ceiling.bytes());
            read += page["text"].as_str().unwrap();
            offset = page["next_offset"].clone();
        }
        prop_assert_eq!(read, text);
        prop_assert_eq!(stage.wire(), ["resources/read"]);
    }

    #[test]
    fn any_uri_arrives_byte_for_byte(uri in "(?s).{1,60}") {
        let stage = serving(contents("x"));
        let _answer = stage.ask(Verb::Read, json!({"uri": uri}));
        prop_assert_eq!(stage.uris(), [uri]);
    }
}
