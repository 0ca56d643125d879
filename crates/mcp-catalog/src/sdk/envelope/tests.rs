//! Ids that are found in unreadable lines, and laws over any bytes.

use super::*;
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case(br#"{"jsonrpc":"2.0","id":7,"result":{"#, b"", Some(7))]
#[case(br#"{"jsonrpc":"2.0","id":"7","result":{"#, b"", Some(7))]
#[case(br#"{"result":{"id":7,"x":"#, b"", None)]
#[case(br#"{"jsonrpc":"2.0","id":7"#, b"", None)]
#[case(br#"{"jsonrpc":"2.0","id":7}"#, b"", Some(7))]
#[case(b"", br#"xxx"},"jsonrpc":"2.0","id":7}"#, Some(7))]
#[case(b"", br#"xxx"},"id":7,"jsonrpc":"2.0"}  "#, Some(7))]
#[case(b"", br#"{"id":5}},"id":7,"jsonrpc":"2.0"}"#, Some(7))]
#[case(b"", br#"xxx","id":5}}"#, None)]
#[case(b"", br#"text \"id\":5}"#, None)]
#[case(b"", br#""id":5,"result":{"cut"#, None)]
#[case(b"not json", b"", None)]
fn an_id_is_found_at_the_start_or_at_the_end_and_never_inside(
    #[case] head: &[u8],
    #[case] tail: &[u8],
    #[case] expected: Option<Id>,
) {
    assert_eq!(glimpse(head, tail), Glimpse { id: expected, method: false });
}

#[test]
fn a_line_that_starts_with_a_method_is_no_reply() {
    assert!(glimpse(br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"#, b"").method);
}

/// The result's range is its own text in the line, whatever stands around it.
#[test]
fn a_result_is_a_range_of_its_line() {
    let line = b"\xEF\xBB\xBF {\"id\":3, \"result\" : {\"a\": 1} ,\"jsonrpc\":\"2.0\"} ";
    let Frame::Reply { id: 3, body: Body::Result(range) } = read(line) else { panic!("{:?}", read(line)) };
    assert_eq!(&line[range], br#"{"a": 1}"#);
}

proptest! {
    #[test]
    fn any_bytes_are_classified_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
        let _ = glimpse(&bytes, &bytes);
    }

    /// However a good reply is cut, it is that request's, nobody's, or noise: never another's.
    #[test]
    fn a_cut_reply_never_names_another_request(id in 0_i64..1_000_000, cut in 0_usize..80) {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"id":5,"items":[{{"id":6}}]}}}}"#);
        let cut = cut.min(line.len() - 1);
        match read(&line.as_bytes()[..cut]) {
            Frame::Broken { id: Some(found), .. } => prop_assert_eq!(found, id),
            Frame::Broken { id: None, .. } | Frame::Noise => {}
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn an_id_of_ours_is_read_in_every_spelling(id in 0_i64..9_000_000_000_000_000) {
        for spelling in [format!("{id}"), format!("\"{id}\""), format!("{id}.0"), format!("\"{id}.0\"")] {
            prop_assert_eq!(request_id(&spelling), Some(id));
        }
    }
}
