//! Pages of listings (S20, C24, C25, C78).

use super::raw;
use crate::{
    CatalogKind, Details, PortError,
    salvage::{Page, REASONS_MAX, node::Node, page},
};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn names(page: &Page) -> Vec<&str> {
    page.items.iter().map(|item| item.name.as_str()).collect()
}

fn tools(entries: &str) -> Page {
    page(&raw(&format!(r#"{{"tools":[{entries}]}}"#)), CatalogKind::Tool).unwrap()
}

fn resources(entries: &str) -> Page {
    page(&raw(&format!(r#"{{"resources":[{entries}]}}"#)), CatalogKind::Resource).unwrap()
}

fn prompts(entries: &str) -> Page {
    page(&raw(&format!(r#"{{"prompts":[{entries}]}}"#)), CatalogKind::Prompt).unwrap()
}

#[test]
fn one_bad_tool_schema_is_skipped_with_its_field_and_its_siblings_stay() {
    let page = tools(
        r#"{"name":"ok","inputSchema":{"type":"object"}},
           {"name":"alt","inputSchema":{"anyOf":[{"type":"object"}]}},
           {"name":"bad","inputSchema":null}"#,
    );
    assert_eq!(names(&page), ["ok", "alt"]);
    assert_eq!(page.skipped, ["`bad`: `inputSchema` is missing or null, not an object"]);
}

#[rstest]
#[case::boolean("true", "`t`: `inputSchema` is a boolean, not an object")]
#[case::string(r#""object""#, "`t`: `inputSchema` is a string, not an object")]
#[case::list(r#"["a"]"#, "`t`: `inputSchema` is an array, not an object")]
#[case::huge_number(
    r#"{"maximum":1e400}"#,
    "`t`: `inputSchema` cannot be read: number out of range at line 1 column 16"
)]
#[case::surrogate(
    r#"{"title":"\ud800"}"#,
    "`t`: `inputSchema` cannot be read: unexpected end of hex escape at line 1 column 17"
)]
fn a_schema_that_is_no_object_is_named(#[case] schema: &str, #[case] reason: &str) {
    let page = tools(&format!(r#"{{"name":"t","inputSchema":{schema}}},{{"name":"u","inputSchema":{{}}}}"#));
    assert_eq!(names(&page), ["u"]);
    assert_eq!(page.skipped, [reason]);
}

#[test]
fn a_schema_that_is_nested_100_000_deep_loses_only_its_tool() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    let page = tools(&format!(r#"{{"name":"deep","inputSchema":{deep}}},{{"name":"flat","inputSchema":{{}}}}"#));
    assert_eq!(names(&page), ["flat"]);
    assert!(page.skipped[0].starts_with("`deep`: `inputSchema` cannot be read: recursion limit"), "{:?}", page.skipped);
}

#[rstest]
#[case::missing(r#"{"inputSchema":{}}"#, "entry 0: `name` is missing")]
#[case::number(r#"{"name":7,"inputSchema":{}}"#, "entry 0: `name` is a number, not a string")]
#[case::empty(r#"{"name":"","inputSchema":{}}"#, "entry 0: `name` is empty")]
#[case::dot(r#"{"name":".","inputSchema":{}}"#, "`.`: `name` is `.`")]
#[case::dots(r#"{"name":"..","inputSchema":{}}"#, "`..`: `name` is `..`")]
#[case::control(r#"{"name":"a\u0007","inputSchema":{}}"#, "`a\u{7}`: `name` holds U+0007, which cannot be seen")]
#[case::bidi(r#"{"name":"a\u202eb","inputSchema":{}}"#, "`a\u{202e}b`: `name` holds U+202E, which cannot be seen")]
#[case::zero_width(
    r#"{"name":"a\u200bb","inputSchema":{}}"#,
    "`a\u{200b}b`: `name` holds U+200B, which cannot be seen"
)]
#[case::filler(r#"{"name":"a\u3164","inputSchema":{}}"#, "`a\u{3164}`: `name` holds U+3164, which cannot be seen")]
#[case::variation(r#"{"name":"a\ufe0f","inputSchema":{}}"#, "`a\u{fe0f}`: `name` holds U+FE0F, which cannot be seen")]
#[case::no_break_space(
    r#"{"name":"a\u00a0b","inputSchema":{}}"#,
    "`a\u{a0}b`: `name` holds U+00A0, which cannot be seen"
)]
#[case::blank(r#"{"name":"  ","inputSchema":{}}"#, "`  `: `name` is blank")]
#[case::not_an_object("7", "entry 0: is a number, not an object")]
#[case::text(r#""tool""#, "entry 0: is a string, not an object")]
#[case::empty_array("[]", "entry 0: `name` is missing")]
#[case::surrogate(
    r#"{"name":"\ud800","inputSchema":{}}"#,
    "entry 0: `name` cannot be read: unexpected end of hex escape at line 1 column 8"
)]
fn a_tool_that_cannot_be_called_is_skipped(#[case] entry: &str, #[case] reason: &str) {
    let page = tools(&format!(r#"{entry},{{"name":"good","inputSchema":{{}}}}"#));
    assert_eq!(names(&page), ["good"]);
    assert_eq!(page.skipped, [reason]);
    assert_eq!(page.skipped_count, 1);
}

#[rstest]
#[case::at_the_limit(128, true)]
#[case::over_it(129, false)]
fn a_tool_name_has_at_most_128_bytes(#[case] length: usize, #[case] kept: bool) {
    let page = tools(&format!(r#"{{"name":"{}","inputSchema":{{}}}}"#, "n".repeat(length)));
    assert_eq!(page.items.len(), usize::from(kept));
    if !kept {
        assert!(page.skipped[0].ends_with("`name` is 129 bytes long; the limit is 128"), "{:?}", page.skipped);
    }
}

#[test]
fn an_unusual_tool_name_that_can_be_seen_is_kept() {
    let page = tools(r#"{"name":"mein werkzeug/ü:中","inputSchema":{}}"#);
    assert_eq!(names(&page), ["mein werkzeug/ü:中"]);
}

#[test]
fn an_empty_array_where_an_object_belongs_is_an_empty_object() {
    let page = tools(r#"{"name":"php","inputSchema":[],"annotations":[],"outputSchema":[ ],"_meta":[]}"#);
    assert_eq!(page.items[0].annotations, Some(json!({})));
    assert_eq!(page.items[0].details, Details::Tool { input_schema: json!({}), output_schema: Some(json!({})) });
    assert_eq!(page.mended, 3);
    assert!(page.skipped.is_empty());
}

#[test]
fn an_empty_object_where_the_list_belongs_is_an_empty_list() {
    let page = page(&raw(r#"{"tools":{}}"#), CatalogKind::Tool).unwrap();
    assert_eq!((page.items.len(), page.mended), (0, 1));
}

#[test]
fn a_bad_optional_field_is_dropped_and_counted() {
    let page = resources(
        r#"{"uri":"a://1","name":"n","title":7,"description":["x"],"mimeType":{},"size":"5","annotations":"none"}"#,
    );
    let item = &page.items[0];
    assert_eq!((item.name.as_str(), item.id.as_str()), ("n", "a://1"));
    assert_eq!((&item.title, &item.description, &item.mime_type, item.size), (&None, &None, &None, None));
    assert_eq!(item.annotations, None);
    assert_eq!(page.mended, 5);
}

#[test]
fn null_in_an_optional_field_is_absent_and_not_counted() {
    let page = resources(r#"{"uri":"a://1","name":null,"title":null,"size":null,"annotations":null}"#);
    assert_eq!(names(&page), ["a://1"]);
    assert_eq!(page.mended, 0);
}

#[test]
fn a_lone_surrogate_in_a_description_loses_the_description_only() {
    let page = tools(r#"{"name":"t","description":"cut \ud83d","inputSchema":{}}"#);
    assert_eq!((names(&page), &page.items[0].description, page.mended), (vec!["t"], &None, 1));
}

#[rstest]
#[case::missing(r#"{"uri":"a://b c/%7e?Q=Ü#F"}"#)]
#[case::empty(r#"{"uri":"a://b c/%7e?Q=Ü#F","name":""}"#)]
#[case::number(r#"{"uri":"a://b c/%7e?Q=Ü#F","name":3}"#)]
fn a_resource_without_a_name_is_called_by_its_uri_byte_for_byte(#[case] entry: &str) {
    let page = resources(entry);
    assert_eq!((page.items[0].name.as_str(), page.items[0].id.as_str()), ("a://b c/%7e?Q=Ü#F", "a://b c/%7e?Q=Ü#F"));
}

#[rstest]
#[case("5", Some(5))]
#[case("5.0", Some(5))]
#[case("5e2", Some(500))]
#[case("0", Some(0))]
#[case("18446744073709551615", Some(u64::MAX))]
#[case("5.5", None)]
#[case("-1", None)]
#[case("1e400", None)]
#[case("1e300", None)]
#[case("true", None)]
fn a_size_is_a_whole_number_or_dropped(#[case] size: &str, #[case] read: Option<u64>) {
    let page = resources(&format!(r#"{{"uri":"a://1","size":{size}}}"#));
    assert_eq!((page.items[0].size, page.mended), (read, usize::from(read.is_none())));
}

#[rstest]
#[case::unknown_value(r#"{"audience":["system","user"]}"#, &["system", "user"], 0)]
#[case::bare_string(r#"{"audience":"user"}"#, &["user"], 1)]
#[case::odd_element(r#"{"audience":["user",7]}"#, &["user"], 1)]
#[case::object(r#"{"audience":{"user":true}}"#, &[], 1)]
#[case::empty_object(r#"{"audience":{}}"#, &[], 0)]
#[case::fractional_priority(r#"{"audience":["user"],"priority":0.6}"#, &["user"], 0)]
#[case::huge_priority(r#"{"audience":["user"],"priority":1e400}"#, &["user"], 1)]
fn the_audience_is_shown_as_given(#[case] annotations: &str, #[case] audience: &[&str], #[case] mended: usize) {
    let page = resources(&format!(r#"{{"uri":"a://1","name":"n","annotations":{annotations}}}"#));
    assert_eq!(page.items[0].audience, audience);
    assert_eq!(page.mended, mended);
}

#[test]
fn a_long_annotations_object_still_tells_its_audience() {
    let long = "x".repeat(5_000);
    let page = resources(&format!(r#"{{"uri":"a://1","annotations":{{"audience":["user"],"note":"{long}"}}}}"#));
    assert_eq!((&page.items[0].audience[..], &page.items[0].annotations), (&["user".to_owned()][..], &None));
}

#[test]
fn a_template_needs_its_template_and_nothing_else() {
    let json = r#"{"resourceTemplates":[{"uriTemplate":"log://{day}"},{"name":"no template"}]}"#;
    let page = page(&raw(json), CatalogKind::ResourceTemplate).unwrap();
    assert_eq!(names(&page), ["log://{day}"]);
    assert_eq!(page.skipped, ["`no template`: `uriTemplate` is missing"]);
}

#[test]
fn a_uri_too_long_to_be_repeated_is_skipped_with_its_length() {
    let page = resources(&format!(r#"{{"uri":"a://{}","name":"long"}}"#, "x".repeat(5_000)));
    assert_eq!(page.skipped, ["`long`: `uri` is 5004 bytes long; the limit is 4096"]);
}

#[test]
fn a_prompt_keeps_its_usable_arguments_in_order() {
    let page = prompts(
        r#"{"name":"p","arguments":[
             {"name":"b","required":true,"description":"B","title":"Bee"},
             {"name":"a","required":"yes"},
             {"description":"nameless"},
             "c",
             {"name":"b","required":false}]}"#,
    );
    let Details::Prompt { arguments } = &page.items[0].details else { panic!("{page:?}") };
    let read: Vec<_> = arguments.iter().map(|a| (a.name.as_str(), a.required, a.title.as_deref())).collect();
    assert_eq!(read, [("b", true, Some("Bee")), ("a", false, None)]);
    assert_eq!(page.mended, 4);
}

#[rstest]
#[case::object(r#"{"topic":{}}"#, 1)]
#[case::empty_object("{}", 1)]
#[case::null("null", 0)]
fn odd_arguments_are_no_arguments(#[case] arguments: &str, #[case] mended: usize) {
    let page = prompts(&format!(r#"{{"name":"p","arguments":{arguments}}}"#));
    assert_eq!(page.items[0].details, Details::Prompt { arguments: Vec::new() });
    assert_eq!(page.mended, mended);
}

#[rstest]
#[case::null(r#"{"tools":[],"nextCursor":null}"#, None)]
#[case::absent(r#"{"tools":[]}"#, None)]
#[case::empty(r#"{"tools":[],"nextCursor":""}"#, Some(""))]
#[case::opaque(r#"{"tools":[],"nextCursor":" a\n"}"#, Some(" a\n"))]
fn only_null_and_absence_end_a_listing(#[case] json: &str, #[case] cursor: Option<&str>) {
    let page = page(&raw(json), CatalogKind::Tool).unwrap();
    assert_eq!((page.next_cursor.as_deref(), page.cursor_fault), (cursor, None));
}

#[test]
fn a_cursor_that_is_no_string_is_a_fault_and_not_the_end() {
    let page = page(&raw(r#"{"tools":[],"nextCursor":5}"#), CatalogKind::Tool).unwrap();
    assert_eq!(
        (page.next_cursor, page.cursor_fault.as_deref()),
        (None, Some("`nextCursor` is a number, not a string"))
    );
}

#[rstest]
#[case::missing(r#"{"prompts":[]}"#, r#"Result has no `tools`: {"prompts":[]}"#)]
#[case::null(r#"{"tools":null}"#, r#"Result has no `tools`: {"tools":null}"#)]
#[case::object(r#"{"tools":{"a":1}}"#, r#"`tools` is an object, not an array: {"tools":{"a":1}}"#)]
#[case::text(r#""tools""#, r#"Result is a string, not an object: "tools""#)]
#[case::null_result("null", "Result is null, not an object: null")]
#[case::truncated(
    r#"{"tools":["#,
    r#"Result cannot be read: EOF while parsing a list at line 1 column 10: {"tools":["#
)]
#[case::more(
    r#"{"tools":[]} {}"#,
    r#"Result cannot be read: trailing characters at line 1 column 14: {"tools":[]} {}"#
)]
#[case::result_type(r#"{"resultType":"weird","tools":[]}"#, "`resultType` is `weird`, which this client does not know")]
#[case::result_type_shape(r#"{"resultType":5,"tools":[]}"#, "`resultType` is a number, not a string")]
fn a_result_without_its_list_says_what_came(#[case] json: &str, #[case] cause: &str) {
    let error = page(&raw(json), CatalogKind::Tool).unwrap_err();
    assert_eq!(error, PortError::InvalidResponse { cause: cause.to_owned() });
}

#[test]
fn bytes_that_are_not_utf8_are_an_invalid_result() {
    let raw = crate::RawResult::whole(b"{\"tools\":[\"\xb0\xa1\"]}".to_vec());
    let error = page(&raw, CatalogKind::Tool).unwrap_err();
    assert!(error.to_string().contains("Result is not UTF-8"), "{error}");
}

#[rstest]
#[case::complete(r#"{"resultType":"complete","tools":[]}"#)]
#[case::null(r#"{"resultType":null,"tools":[]}"#)]
#[case::mixed(r#"{"tools":[],"content":[],"messages":[],"completion":{},"contents":[]}"#)]
#[case::foreign_key(r#"{"\ud800":1,"tools":[]}"#)]
#[case::repeated(r#"{"tools":5,"tools":[]}"#)]
fn a_result_is_taken_for_what_was_asked(#[case] json: &str) {
    assert_eq!(page(&raw(json), CatalogKind::Tool), Ok(Page::default()));
}

#[test]
fn reasons_are_bounded_and_all_of_the_entries_are_counted() {
    let page = tools(&vec!["{}"; 1_000].join(","));
    assert_eq!((page.skipped_count, page.skipped.len()), (1_000, REASONS_MAX));
}

#[test]
fn a_page_keeps_no_more_items_than_a_listing_may_hold() {
    let page = resources(&(0..10_003).map(|n| format!(r#"{{"uri":"a://{n}"}}"#)).collect::<Vec<_>>().join(","));
    assert_eq!((page.items.len(), page.beyond), (10_000, 3));
}

#[rstest]
#[case::exact("[1,2]", 3, Ok(0))]
#[case::strings(r#"{"a":"[,:\"{\\","b":[]}"#, 9, Ok(4))]
#[case::too_many("[[],[],[]]", 6, Err("holds too many values (7)"))]
#[case::broken(r#"["\ud800"]"#, 6, Err("cannot be read: unexpected end of hex escape at line 1 column 9"))]
fn the_values_that_are_built_are_bounded(#[case] json: &str, #[case] room: usize, #[case] left: Result<usize, &str>) {
    let mut now = room;
    let read = Node::object(json).value(&mut now);
    assert_eq!(read.map(|_| now).map_err(|odd| odd.to_string()), left.map_err(str::to_owned));
}

#[test]
fn the_schemas_of_a_page_are_counted() {
    let page = tools(r#"{"name":"a","inputSchema":{"enum":[1]}},{"name":"b","inputSchema":{},"outputSchema":{"a":1}}"#);
    assert_eq!(page.values, 6);
}

proptest! {
    /// Whatever stands between them, the good entries come through in order and the bad ones are counted.
    #[test]
    fn good_entries_survive_any_siblings(bad in proptest::collection::vec(prop_oneof![
        Just("null"), Just("7"), Just("\"x\""), Just("[1]"), Just("{}"), Just("{\"uri\":1}"), Just("{\"uri\":\"\\ud800\"}"),
    ], 0..12)) {
        let mut entries = Vec::new();
        for (n, bad) in bad.iter().enumerate() {
            entries.push((*bad).to_owned());
            entries.push(format!(r#"{{"uri":"a://{n}"}}"#));
        }
        let page = resources(&entries.join(","));
        let expected: Vec<String> = (0..bad.len()).map(|n| format!("a://{n}")).collect();
        prop_assert_eq!(names(&page), expected);
        prop_assert_eq!(page.skipped_count, bad.len());
    }

    /// No bytes make salvage panic, and none make it more than one of the two outcomes.
    #[test]
    fn any_bytes_are_a_page_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for kind in CatalogKind::ALL {
            let result = page(&crate::RawResult::whole(bytes.clone()), kind);
            let expected = matches!(result, Ok(_) | Err(PortError::InvalidResponse { .. }));
            prop_assert!(expected, "{result:?}");
        }
    }
}
