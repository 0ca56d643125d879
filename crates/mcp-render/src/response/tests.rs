//! The shapes of a read's answer and the laws that bound them (S25, S26, S27, S30, C35–C38).

use super::*;
use crate::{Code, Filter, PAGE_DEFAULT_BYTES, Spilled};
use proptest::prelude::*;

fn text(uri: &str, text: &str) -> Settled {
    Settled::Text(SettledText {
        uri: uri.into(),
        mime_type: Some("text/plain".into()),
        audience: vec![],
        text: text.into(),
    })
}

fn picture(uri: &str) -> Settled {
    Settled::Spilled(Spilled {
        path: Some(format!("/cache/mcp-resources/srv/{}.png", "a".repeat(64))),
        uri: uri.into(),
        mime_type: Some("image/png".into()),
        size_bytes: 1234,
        sha256: "a".repeat(64),
        audience: vec!["user".into()],
        detected_mime: Some("image/png"),
        code: None,
        note: None,
    })
}

fn broken(uri: &str) -> Settled {
    let fault = ItemFault { code: Code::InvalidResponse, sentence: "Item has neither `text` nor `blob`".into() };
    Settled::Failed { uri: uri.into(), mime_type: None, fault }
}

fn page(offset: u64, max_bytes: usize) -> PageRequest {
    PageRequest { offset, max_bytes, ..PageRequest::default() }
}

fn full(items: &[Settled], request: &PageRequest) -> Value {
    respond(items, request, Ceiling::default()).unwrap()
}

#[test]
fn one_text_is_one_object_with_the_paging_keys_before_the_text() {
    let Settled::Text(mut item) = text("log://1", "one\ntwo\nthree\n") else { unreachable!() };
    item.audience = vec!["user".into(), "system".into()];
    insta::assert_snapshot!(full(&[Settled::Text(item)], &page(4, 6)), @r#"{"uri":"log://1","mime_type":"text/plain","truncated":true,"next_offset":10,"total_bytes":14,"audience":["user","system"],"text":"two\nth"}"#);
}

#[test]
fn the_last_page_is_not_truncated() {
    insta::assert_snapshot!(full(&[text("log://1", "one\ntwo\n")], &page(4, 6)), @r#"{"uri":"log://1","mime_type":"text/plain","truncated":false,"next_offset":null,"total_bytes":8,"text":"two\n"}"#);
}

#[test]
fn an_offset_past_the_end_answers_empty_text_and_a_note_with_the_total() {
    insta::assert_snapshot!(full(&[text("log://1", "one")], &page(99, 6)), @r#"{"uri":"log://1","mime_type":"text/plain","truncated":false,"next_offset":null,"total_bytes":3,"note":"Offset 99 is past the end of the text; `total_bytes` is 3","text":""}"#);
    assert_eq!(full(&[text("log://1", "one")], &page(u64::MAX, 6))["text"], "");
}

#[test]
fn an_empty_text_needs_no_note() {
    insta::assert_snapshot!(full(&[text("log://1", "")], &page(0, 6)), @r#"{"uri":"log://1","mime_type":"text/plain","truncated":false,"next_offset":null,"total_bytes":0,"text":""}"#);
}

#[test]
fn an_empty_resource_is_no_error() {
    insta::assert_snapshot!(full(&[], &page(0, 6)), @r#"{"uri":null,"mime_type":null,"truncated":false,"next_offset":null,"total_bytes":0,"note":"The resource is empty: the server returned no contents","text":""}"#);
}

#[test]
fn a_filtered_page_counts_in_the_filtered_text() {
    let filter = |pattern| PageRequest { filter: Some(Filter::parse(pattern).unwrap()), ..page(0, 8) };
    let item = [text("log://1", "a\nERROR\nb\n")];
    insta::assert_snapshot!(full(&item, &filter("ERROR")), @r#"{"uri":"log://1","mime_type":"text/plain","truncated":true,"next_offset":8,"total_bytes":16,"text":"1-a\n2:ER"}"#);
    insta::assert_snapshot!(full(&item, &filter("nothing")), @r#"{"uri":"log://1","mime_type":"text/plain","truncated":false,"next_offset":null,"total_bytes":0,"note":"No line matches `pattern`","text":""}"#);
    insta::assert_snapshot!(full(&item, &filter("a\nE"))["note"], @r#""No line matches `pattern`; lines are matched one by one, so a pattern that holds a line end matches nothing""#);
    let past = PageRequest { offset: 50, ..filter("ERROR") };
    insta::assert_snapshot!(full(&item, &past)["note"], @r#""Offset 50 is past the end of the filtered text; `total_bytes` is 16""#);
}

#[test]
fn a_callers_note_stands_beside_our_own() {
    let noted = |offset| {
        respond_with_note(&[text("l://1", "one")], &page(offset, 9), Ceiling::default(), "The resource changed")
    };
    insta::assert_snapshot!(noted(0).unwrap(), @r#"{"uri":"l://1","mime_type":"text/plain","truncated":false,"next_offset":null,"total_bytes":3,"note":"The resource changed","text":"one"}"#);
    assert_eq!(
        noted(9).unwrap()["note"],
        "Offset 9 is past the end of the text; `total_bytes` is 3. The resource changed"
    );
}

#[test]
fn a_spilled_item_and_a_failed_item_have_their_own_shapes() {
    insta::assert_snapshot!(full(&[picture("p://1")], &page(0, 6)), @r#"{"spilled":true,"path":"/cache/mcp-resources/srv/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.png","uri":"p://1","mime_type":"image/png","sniffed":false,"size_bytes":1234,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","audience":["user"],"detected_mime":"image/png"}"#);
    insta::assert_snapshot!(full(&[broken("b://1")], &page(0, 6)), @r#"{"uri":"b://1","mime_type":null,"error":"Item has neither `text` nor `blob`","code":"invalid_response"}"#);
}

#[test]
fn several_contents_are_an_array_in_order_and_paging_applies_to_each_text() {
    let answer = full(&[text("t://1", "first"), picture("p://1"), broken("b://1"), text("t://2", "x")], &page(1, 3));
    insta::assert_json_snapshot!(answer);
}

#[test]
fn item_selects_one_object_and_out_of_range_names_the_count() {
    let items = [text("t://1", "first"), broken("b://1"), text("t://2", "second")];
    let item = |index| respond(&items, &PageRequest { item: Some(index), ..page(0, 100) }, Ceiling::default());
    assert_eq!(item(2).unwrap()["text"], "second");
    assert_eq!(item(1).unwrap()["code"], "invalid_response", "error items count");
    let error = item(3).unwrap_err();
    assert_eq!(error, RenderError::ItemOutOfRange { given: 3, count: 3 });
    assert_eq!(error.to_string(), "`item` is 3; the resource has 3 item(s), numbered from 0");
}

#[test]
fn what_does_not_fit_is_named_in_a_last_element() {
    let items: Vec<_> = (0..7).map(|i| text(&format!("t://{i}"), &"x".repeat(45_000))).collect();
    let answer = full(&items, &page(0, PAGE_DEFAULT_BYTES));
    let list = answer.as_array().unwrap();
    assert_eq!(list.len(), 6, "four whole, one shrunk, the marker");
    assert_eq!(list[3]["truncated"], false);
    assert_eq!(list[4]["truncated"], true);
    insta::assert_snapshot!(list[5], @r#"{"truncated":true,"omitted_items":2,"omitted":[{"index":5,"bytes":45000},{"index":6,"bytes":45000}],"note":"2 of 7 items do not fit into the 204800 bytes of one answer; `item` reads one by its index, 5 for the next"}"#);
}

#[test]
fn a_long_list_of_omitted_items_stays_within_its_reserve() {
    let items: Vec<_> = (0..20_000).map(|i| broken(&format!("b://{i}"))).collect();
    let answer = full(&items, &page(0, PAGE_DEFAULT_BYTES));
    let list = answer.as_array().unwrap();
    let marker = list.last().unwrap();
    assert_eq!(marker["omitted_items"], 20_000 - (list.len() - 1));
    assert_eq!(marker["omitted"][0]["index"], list.len() - 1);
    assert!(json_len(marker) <= OMITTED_RESERVE_BYTES && json_len(marker) > 1_900);
    assert!(json_len(&answer) <= Ceiling::default().bytes() && json_len(&answer) > 200_000);
}

#[test]
fn a_page_of_escapes_shrinks_to_the_ceiling() {
    let answer = full(&[text("t://1", &"\u{1}\"".repeat(100_000))], &page(0, usize::MAX));
    let sent = json_len(&answer);
    assert!(sent <= 204_800 && sent > 204_700, "{sent}");
    assert_eq!(answer["next_offset"], answer["text"].as_str().unwrap().len());
}

#[test]
fn metadata_strings_of_a_server_are_cut() {
    let Settled::Text(mut item) = text(&"u".repeat(10_000), "x") else { unreachable!() };
    item.mime_type = Some("\u{7}".repeat(10_000));
    item.audience = vec!["a".repeat(5_000), "b".into()];
    let answer = full(&[Settled::Text(item)], &page(0, 9));
    let len = |key: &str| json_len(&answer[key]) - 2;
    assert!(len("uri") == 4_096 && len("mime_type") <= 4_096 && len("audience") <= 4_096);
    assert!(answer["uri"].as_str().unwrap().ends_with('…'));
}

fn item() -> impl Strategy<Value = Settled> {
    let text = (any::<String>(), 1usize..2_000, any::<String>(), prop::collection::vec(any::<String>(), 0..4));
    let text = text.prop_map(|(text, times, uri, audience)| {
        Settled::Text(SettledText { mime_type: Some(uri.repeat(50)), uri, audience, text: text.repeat(times).into() })
    });
    prop_oneof![4 => text, 1 => any::<String>().prop_map(|uri| picture(&uri.repeat(100))), 1 => any::<String>().prop_map(|uri| broken(&uri))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_answer_exceeds_its_ceiling_after_escaping(
        items in prop::collection::vec(item(), 0..8),
        ceiling in 0usize..300_000,
        offset in 0u64..5_000,
        max_bytes in 0usize..300_000,
        filter in prop::option::of(prop_oneof![Just("a"), Just("."), Just("^$")]),
        note in any::<String>(),
    ) {
        let filter = filter.map(|pattern| Filter::parse(pattern).unwrap());
        let request = PageRequest { filter, ..page(offset, max_bytes) };
        let ceiling = Ceiling::new(ceiling);
        let answer = respond_with_note(&items, &request, ceiling, &note).unwrap();
        prop_assert!(answer.to_string().len() <= ceiling.bytes());
        if items.len() > 1 {
            prop_assert!(answer[0].get("omitted").is_none(), "the first item is always there");
        }
    }

    #[test]
    fn answers_at_any_offset_and_size_concatenate_to_the_text(
        content in any::<String>(),
        times in 1usize..300,
        max_bytes in 0usize..3_000,
        filtered in any::<bool>(),
    ) {
        let content = content.repeat(times);
        let filter = filtered.then(|| Filter::parse(".").unwrap());
        let expected = filter.as_ref().map_or_else(|| content.clone(), |filter| filter.apply(&content));
        let item = [text("t://1", &content)];
        let (mut offset, mut all) = (0, String::new());
        let max_bytes = max_bytes.max(expected.len() / 200);
        loop {
            let request = PageRequest { offset, max_bytes, filter: filter.clone(), item: None };
            let answer = respond(&item, &request, Ceiling::new(0)).unwrap();
            all += answer["text"].as_str().unwrap();
            prop_assert_eq!(&answer["total_bytes"], &Value::from(expected.len()));
            prop_assert_eq!(&answer["truncated"], &Value::from(!answer["next_offset"].is_null()));
            let Some(next) = answer["next_offset"].as_u64() else { break };
            prop_assert!(next > offset);
            offset = next;
        }
        prop_assert_eq!(all, expected);
    }
}
