//! What becomes of items: text, a spill, an error item, each by itself (S29, S30, C35, C37, C41–C47).

use super::*;
use crate::{SpillDir, SpillStore};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn settle_all(contents: Vec<Content>) -> (Vec<Settled>, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(SpillStore::new(home.path().join("spills")));
    (settle(Vec::new(), contents, &Spiller::new(store, SpillDir::new("srv").unwrap())), home)
}

fn settle_one(mime_type: Option<&str>, body: Body) -> (Settled, tempfile::TempDir) {
    let content = Content { uri: "n://1".into(), mime_type: mime_type.map(str::to_owned), audience: vec![], body };
    let (mut all, home) = settle_all(vec![content]);
    (all.remove(0), home)
}

fn blob(text: &str) -> Body {
    Body::Blob(Piece::Owned(text.to_owned()))
}

fn text_of(settled: &Settled) -> &str {
    match settled {
        Settled::Text(text) => text.text.as_str(),
        other => panic!("no text: {other:?}"),
    }
}

fn fault_of(settled: &Settled) -> (Code, &str) {
    match settled {
        Settled::Failed { fault, .. } => (fault.code, &fault.sentence),
        other => panic!("no fault: {other:?}"),
    }
}

fn spilled(settled: &Settled) -> &Spilled {
    match settled {
        Settled::Spilled(spilled) => spilled,
        other => panic!("no spill: {other:?}"),
    }
}

fn extension(spilled: &Spilled) -> &str {
    spilled.path.as_ref().unwrap().rsplit_once('.').unwrap().1
}

#[test]
fn a_blob_that_is_utf8_is_paged_as_text() {
    let (item, _home) = settle_one(Some("text/markdown"), blob("IyBIaQo="));
    assert_eq!(text_of(&item), "# Hi\n");
    let (item, _home) = settle_one(Some("image/png"), blob(&STANDARD.encode("läng")));
    assert_eq!(text_of(&item), "läng", "whatever the claim");
    let (item, _home) = settle_one(None, blob(""));
    assert_eq!(text_of(&item), "");
}

#[test]
fn bytes_with_a_nul_are_binary_whether_they_came_as_blob_or_as_text() {
    for body in [blob(&STANDARD.encode("a\0b")), Body::Text(Piece::Owned("a\0b".into()))] {
        let (item, _home) = settle_one(Some("text/plain"), body);
        let spilled = spilled(&item);
        assert_eq!(spilled.size_bytes, 3);
        assert_eq!(extension(spilled), "txt");
        assert_eq!(std::fs::read(spilled.path.as_ref().unwrap()).unwrap(), b"a\0b");
    }
}

#[test]
fn a_blob_without_mime_is_spilled_as_bin() {
    let (item, _home) = settle_one(None, blob("/9j/4A=="));
    let spilled = spilled(&item);
    assert_eq!((spilled.mime_type.as_deref(), spilled.size_bytes), (None, 4));
    assert_eq!(extension(spilled), "bin");
}

#[test]
fn a_lying_mime_is_reported_as_claimed_beside_what_the_bytes_look_like() {
    let webp = STANDARD.encode(b"RIFF\x24\0\0\0WEBPVP8 ");
    let (item, _home) = settle_one(Some("image/png"), blob(&webp));
    let spilled = spilled(&item);
    assert_eq!((spilled.mime_type.as_deref(), spilled.detected_mime), (Some("image/png"), Some("image/webp")));
    assert_eq!(extension(spilled), "png", "the extension is the claim's");
}

#[test]
fn line_wrapped_base64_is_decoded() {
    let bytes: Vec<u8> = (0..200).collect();
    let text = STANDARD.encode(&bytes);
    let lines: Vec<_> = text.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let (item, _home) = settle_one(None, blob(&lines.join("\r\n")));
    assert_eq!(std::fs::read(spilled(&item).path.as_ref().unwrap()).unwrap(), bytes);
}

#[test]
fn a_data_prefix_is_stripped_and_its_mime_used_when_none_is_claimed() {
    let data = format!("data:image/png;base64,{}", STANDARD.encode(PNG));
    let (item, _home) = settle_one(None, blob(&data));
    assert_eq!(spilled(&item).mime_type.as_deref(), Some("image/png"));
    assert_eq!(std::fs::read(spilled(&item).path.as_ref().unwrap()).unwrap(), PNG);
    let (item, _home) = settle_one(Some("image/gif"), blob(&data));
    assert_eq!(spilled(&item).mime_type.as_deref(), Some("image/gif"));
}

#[test]
fn a_url_in_place_of_base64_is_an_error_and_not_fetched() {
    let (item, _home) = settle_one(Some("image/png"), blob("https://h/x.png"));
    let sentence = "Blob is not base64 (length 15), and a URL in its place is never fetched";
    assert_eq!(fault_of(&item), (Code::InvalidResponse, sentence));
    let (item, _home) = settle_one(None, blob("data:text/plain,hello"));
    assert_eq!(fault_of(&item), (Code::InvalidResponse, "Blob is not base64 (length 21)"));
}

#[test]
fn a_bad_item_costs_its_siblings_nothing() {
    let content = |uri: &str, body| Content { uri: uri.into(), mime_type: None, audience: vec![], body };
    let neither = ItemFault { code: Code::InvalidResponse, sentence: "Item has neither `text` nor `blob`".into() };
    let (items, _home) = settle_all(vec![
        content("a://1", Body::Broken(neither.clone())),
        content("a://2", blob("@@@")),
        content("a://3", Body::Text(Piece::Owned("ok".into()))),
        content("a://4", Body::Text(Piece::InFrame(5..9))),
        content("a://5", blob(&STANDARD.encode(PNG))),
    ]);
    assert_eq!(items[0], Settled::Failed { uri: "a://1".into(), mime_type: None, fault: neither });
    assert_eq!(fault_of(&items[1]), (Code::InvalidResponse, "Blob is not base64 (length 3)"));
    assert_eq!(text_of(&items[2]), "ok");
    assert_eq!(fault_of(&items[3]), (Code::InvalidResponse, "Item does not lie inside its frame"));
    assert_eq!(spilled(&items[4]).size_bytes, PNG.len() as u64);
}

#[test]
fn a_blob_over_the_limit_is_refused_with_the_limit_and_the_way_out() {
    let (item, _home) = settle_one(None, blob(&"A".repeat(64 << 20)));
    assert_eq!(spilled(&item).size_bytes, 48 << 20);
    let (item, _home) = settle_one(None, blob(&"A".repeat((61 << 20) / 3 * 4)));
    let sentence = "Blob is 61 MiB decoded; the limit is 50 MiB. Ask the server for a smaller part";
    assert_eq!(fault_of(&item), (Code::TooLarge, sentence));
    let (item, _home) = settle_one(None, blob(&"A".repeat(((50 << 20) / 3 + 1) * 4)));
    let sentence = "Blob is 50.1 MiB decoded; the limit is 50 MiB. Ask the server for a smaller part";
    assert_eq!(fault_of(&item), (Code::TooLarge, sentence));
}

#[test]
fn a_disk_that_keeps_nothing_fails_the_spill_but_not_the_item() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("spills");
    std::fs::write(&root, "a file").unwrap();
    let spiller = Spiller::new(Arc::new(SpillStore::new(root)), SpillDir::new("srv").unwrap());
    let body = blob(&STANDARD.encode(PNG));
    let content =
        Content { uri: "a://1".into(), mime_type: Some("image/png".into()), audience: vec!["user".into()], body };
    let items = settle(Vec::new(), vec![content], &spiller);
    let value = spilled(&items[0]).to_value();
    assert_eq!((&value["path"], &value["code"]), (&serde_json::Value::Null, &"spill_failed".into()));
    assert_eq!(value["sha256"], crate::sniff::sha256_hex(PNG));
    assert!(value["note"].as_str().unwrap().starts_with("Not kept on disk: "), "{value}");
}

#[test]
fn blobs_and_texts_of_one_frame_are_settled_where_they_stand() {
    let mut frame = Vec::new();
    let mut put = |part: &str| {
        frame.extend_from_slice(b"\",\"");
        let start = frame.len();
        frame.extend_from_slice(part.as_bytes());
        Piece::InFrame(start..frame.len())
    };
    let long = "läng ".repeat(100);
    let bodies = [
        Body::Blob(put(&STANDARD.encode(PNG))),
        Body::Text(put(&long)),
        Body::Blob(put(&format!("data:text/x;base64,{}", STANDARD.encode("decoded")))),
        Body::Blob(put("@")),
        Body::Text(put("last")),
    ];
    let contents = bodies.into_iter().map(|body| Content { uri: "u".into(), mime_type: None, audience: vec![], body });
    let home = tempfile::tempdir().unwrap();
    let spiller = Spiller::new(Arc::new(SpillStore::new(home.path().into())), SpillDir::new("srv").unwrap());
    let size = frame.len();
    let items = settle(frame, contents.collect(), &spiller);
    assert_eq!(std::fs::read(spilled(&items[0]).path.as_ref().unwrap()).unwrap(), PNG);
    assert_eq!(text_of(&items[1]), long);
    assert_eq!(text_of(&items[2]), "decoded");
    assert_eq!(fault_of(&items[3]).0, Code::InvalidResponse);
    assert_eq!(text_of(&items[4]), "last");
    // The frame is kept once and accounted for once.
    let texts: usize =
        items.iter().map(|item| if let Settled::Text(text) = item { text.text.held_bytes() } else { 0 }).sum();
    assert!(texts >= long.len() + 11 && texts <= size, "{texts} of {size}");
}

#[test]
fn a_small_text_does_not_keep_a_large_frame() {
    let mut frame = vec![b'A'; 100_000];
    frame.extend_from_slice(b"small");
    let contents = [Body::Text(Piece::InFrame(100_000..100_005))].map(|body| Content {
        uri: String::new(),
        mime_type: None,
        audience: vec![],
        body,
    });
    let home = tempfile::tempdir().unwrap();
    let spiller = Spiller::new(Arc::new(SpillStore::new(home.path().into())), SpillDir::new("srv").unwrap());
    let items = settle(frame, contents.into(), &spiller);
    assert_eq!(text_of(&items[0]), "small");
    assert!(items[0].held_bytes() < 1_000);
}

#[test]
fn a_fingerprint_tells_changed_contents_from_equal_ones() {
    let of = |text: &str| fingerprint(&[settle_one(None, Body::Text(Piece::Owned(text.into()))).0]);
    assert_eq!(of("a"), of("a"));
    assert_ne!(of("a"), of("b"));
    let (item, _home) = settle_one(None, blob("/9j/4A=="));
    assert_ne!(fingerprint(&[item]), fingerprint(&[]));
}
