//! The shapes of a tool result and their bound (S31, S35, C41, C45, C48–C57, C59).

use super::*;
use crate::{Code, Piece, SpillDir, SpillStore};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use std::sync::Arc;

struct Desk {
    home: tempfile::TempDir,
    spiller: Spiller,
    dir: SpillDir,
    store: Arc<SpillStore>,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(SpillStore::new(home.path().join("spills")));
        let dir = SpillDir::new("srv").unwrap();
        Self { spiller: Spiller::new(Arc::clone(&store), dir.clone()), home, dir, store }
    }

    fn result(&self, outcome: ToolOutcome, ceiling: usize) -> Value {
        let read_back = ReadBack::Read { function: "read_srv".into() };
        tool_result(Vec::new(), outcome, &self.spiller, &read_back, Ceiling::new(ceiling))
    }

    fn content(&self, blocks: Vec<Block>) -> String {
        let json = self.result(ToolOutcome { is_error: false, blocks, structured: None }, usize::MAX).to_string();
        json.replace(self.home.path().to_str().unwrap(), "<home>")
    }

    /// The full copy that a marker names.
    fn copy(&self, marker: &Value) -> Vec<u8> {
        let sha256 = marker["sha256"].as_str().unwrap();
        let stored = self.store.read_back(&self.dir, sha256).unwrap();
        assert_eq!(stored.path.to_str(), marker["path"].as_str());
        stored.bytes
    }
}

fn extension(path: &Value) -> &str {
    path.as_str().unwrap().rsplit_once('.').unwrap().1
}

fn block(body: BlockBody) -> Block {
    Block { audience: vec![], body }
}

fn text(text: &str) -> Block {
    block(BlockBody::Text(Piece::Owned(text.into())))
}

fn image(bytes: &[u8]) -> Block {
    block(BlockBody::Image { mime_type: Some("image/png".into()), data: Piece::Owned(STANDARD.encode(bytes)) })
}

fn resource(mime: &str, body: Body) -> Block {
    let content = Content { uri: "n://1".into(), mime_type: Some(mime.into()), audience: vec![], body };
    block(BlockBody::Resource(content))
}

fn done(blocks: Vec<Block>, structured: Option<Value>) -> ToolOutcome {
    ToolOutcome { is_error: false, blocks, structured }
}

#[test]
fn text_blocks_stay_and_an_unknown_audience_is_shown_as_given() {
    let odd = Block { audience: vec!["system".into()], ..text("b") };
    insta::assert_snapshot!(Desk::new().content(vec![text("a"), odd]), @r#"{"content":[{"type":"text","text":"a"},{"type":"text","audience":["system"],"text":"b"}]}"#);
}

#[test]
fn an_image_is_spilled_and_no_base64_is_left() {
    let bytes: Vec<u8> = (0..=255).cycle().take(225_000).collect();
    let json = Desk::new().content(vec![image(&bytes)]);
    assert!(!json.contains(&STANDARD.encode(&bytes[..30])));
    insta::assert_snapshot!(json);
}

#[test]
fn a_text_blob_inside_a_tool_result_is_text() {
    let blob = resource("text/markdown", Body::Blob(Piece::Owned("IyBIaQo=".into())));
    insta::assert_snapshot!(Desk::new().content(vec![blob]), @r##"{"content":[{"type":"text","uri":"n://1","mime_type":"text/markdown","text":"# Hi\n"}]}"##);
}

#[test]
fn an_embedded_binary_and_an_audio_are_spilled_with_their_type() {
    let audio = block(BlockBody::Audio { mime_type: Some("audio/wav".into()), data: Piece::Owned("AAEC".into()) });
    let binary = resource("application/pdf", Body::Blob(Piece::Owned("AAEC/w==".into())));
    insta::assert_snapshot!(Desk::new().content(vec![audio, binary]));
}

#[test]
fn a_link_is_one_line_and_never_fetched() {
    let link = |uri: &str, name: Option<&str>, size| {
        let name = name.map(str::to_owned);
        block(BlockBody::ResourceLink { uri: uri.into(), name, mime_type: None, description: None, size })
    };
    let blocks = || vec![text("done"), link("ui://v/1", None, None), link("a\nb", Some("the view"), Some(12))];
    let desk = Desk::new();
    insta::assert_snapshot!(desk.content(blocks()), @r#"{"content":[{"type":"text","text":"done"},{"type":"text","text":"ui://v/1 — read with `read_srv`"},{"type":"text","text":"a\\nb — read with `read_srv` (the view; 12 bytes)"}]}"#);
    let describe = ReadBack::Describe { function: "describe_srv".into() };
    let answer = tool_result(Vec::new(), done(blocks(), None), &desk.spiller, &describe, Ceiling::default());
    assert_eq!(answer["content"][1]["text"], "ui://v/1 — this server declares no resources, so it cannot be read");
}

#[test]
fn an_unknown_block_is_one_line_with_type_and_size() {
    let video = block(BlockBody::Unknown { type_name: "video".into(), bytes: 58 });
    insta::assert_snapshot!(Desk::new().content(vec![text("a"), video, text("b")]), @r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"A block of type `video`, 58 bytes of JSON; this client does not know the type"},{"type":"text","text":"b"}]}"#);
}

#[test]
fn a_broken_block_costs_its_siblings_nothing() {
    let fault = ItemFault { code: Code::InvalidResponse, sentence: "`data` is missing".into() };
    let url = block(BlockBody::Image { mime_type: None, data: Piece::Owned("https://h/x.png".into()) });
    insta::assert_snapshot!(Desk::new().content(vec![block(BlockBody::Broken(fault)), url, text("b")]), @r#"{"content":[{"type":"error","error":"`data` is missing","code":"invalid_response"},{"type":"image","uri":null,"mime_type":null,"error":"Blob is not base64 (length 15), and a URL in its place is never fetched","code":"invalid_response"},{"type":"text","text":"b"}]}"#);
}

#[test]
fn no_content_is_said() {
    insta::assert_snapshot!(Desk::new().content(vec![]), @r#"{"content":[],"note":"The tool returned no content"}"#);
}

#[test]
fn a_text_that_mirrors_the_structured_content_is_dropped() {
    let structured = json!({"b": [1, 2.5, null], "a": "x"});
    let mirror = text(" {\"a\": \"x\",\n \"b\": [1, 2.5, null]} ");
    let answer = Desk::new()
        .result(done(vec![mirror, text("2 rows"), text("{\"a\":1}"), text("{")], Some(structured)), usize::MAX);
    insta::assert_snapshot!(answer, @r#"{"content":[{"type":"text","text":"2 rows"},{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"{"}],"structuredContent":{"b":[1,2.5,null],"a":"x"}}"#);
}

#[test]
fn a_structured_only_result_is_shown() {
    let answer = Desk::new().result(done(vec![], Some(json!({"ok": true}))), usize::MAX);
    insta::assert_snapshot!(answer, @r#"{"content":[],"structuredContent":{"ok":true}}"#);
}

#[test]
fn a_failing_tool_keeps_all_its_blocks() {
    let blocks = vec![text("E1"), text("{\"e\":2}"), text("hint")];
    let outcome = ToolOutcome { is_error: true, blocks, structured: Some(json!({"e": 2})) };
    insta::assert_snapshot!(Desk::new().result(outcome, usize::MAX), @r#"{"isError":true,"content":[{"type":"text","text":"E1"},{"type":"text","text":"{\"e\":2}"},{"type":"text","text":"hint"}],"structuredContent":{"e":2}}"#);
}

#[test]
fn an_oversized_text_is_cut_behind_a_marker_and_kept_whole() {
    let desk = Desk::new();
    let long = "läng\n".repeat(200_000);
    let answer = desk.result(done(vec![text(&long)], None), usize::MAX);
    let sent = json_len(&answer);
    assert!(sent <= 204_800 && sent > 204_700, "{sent}");
    let cut = &answer["content"][0];
    let keys: Vec<_> = cut.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["type", "truncated", "shown_bytes", "total_bytes", "path", "sha256", "note", "text"],
        "the marker first"
    );
    let shown = cut["text"].as_str().unwrap();
    assert!(long.starts_with(shown));
    assert_eq!((&cut["shown_bytes"], &cut["total_bytes"]), (&shown.len().into(), &long.len().into()));
    assert_eq!(desk.copy(cut), long.as_bytes());
    assert_eq!(extension(&cut["path"]), "txt");
    let sha256 = cut["sha256"].as_str().unwrap();
    let note = "Only the head is shown; one answer holds at most 204800 bytes of JSON. All of it: `read_srv` with `uri` `spill:";
    assert_eq!(cut["note"], format!("{note}{sha256}`, and `pattern` or `offset` for a part"));
}

#[test]
fn an_oversized_structured_content_is_a_marker_and_kept_whole() {
    let desk = Desk::new();
    let rows = json!({"rows": vec![json!({"id": 1, "name": "n"}); 20_000]});
    let answer = desk.result(done(vec![text(&rows.to_string()), text("20000 rows")], Some(rows.clone())), usize::MAX);
    assert_eq!(
        answer["content"],
        json!([{"type": "text", "text": "20000 rows"}]),
        "the mirror is dropped all the same"
    );
    let marker = &answer["structuredContent"];
    assert_eq!((&marker["truncated"], &marker["shown_bytes"]), (&true.into(), &0.into()));
    assert_eq!(desk.copy(marker), rows.to_string().as_bytes());
    assert_eq!(extension(&marker["path"]), "json");
}

/// Found by the law `tool_result`: the room left for the blocks was smaller than the marker's reserve.
#[test]
fn long_structured_content_leaves_the_blocks_room_under_the_lowest_ceiling() {
    let blocks = (0..6).map(|_| text(&"\n".repeat(700))).collect();
    let answer = Desk::new().result(done(blocks, Some(json!({"a": "y".repeat(3_000)}))), 0);
    assert!(answer.to_string().len() <= crate::CEILING_MIN_BYTES, "{answer}");
    assert_eq!(answer["structuredContent"]["truncated"], true);
    assert_eq!(answer["content"][0]["text"], "\n".repeat(700));
    assert_eq!(answer["content"][1]["omitted_items"], 5);
}

#[test]
fn a_full_copy_that_cannot_be_kept_is_said() {
    let desk = Desk::new();
    std::fs::write(desk.store.root(), "a file").unwrap();
    let answer = desk.result(done(vec![text(&"x".repeat(300_000))], None), usize::MAX);
    let cut = &answer["content"][0];
    assert_eq!((&cut["path"], &cut["code"]), (&Value::Null, &"spill_failed".into()));
    assert!(cut["note"].as_str().unwrap().contains("Not kept on disk"), "{}", cut["note"]);
}

#[test]
fn a_short_hint_behind_a_long_text_is_still_there() {
    let answer = Desk::new()
        .result(done(vec![text(&"E".repeat(500_000)), text("hint"), text(&"x".repeat(10_000))], None), usize::MAX);
    assert_eq!(answer["content"][0]["truncated"], true);
    assert_eq!(answer["content"][1], json!({"type": "text", "text": "hint"}));
    assert_eq!(answer["content"][2]["text"].as_str().unwrap().len(), 10_000);
}

#[test]
fn blocks_that_do_not_fit_are_named_and_kept() {
    let desk = Desk::new();
    let blocks: Vec<_> = (0..1_200_u16).map(|i| image(&[&i.to_le_bytes()[..], b"\0\xff"].concat())).collect();
    let answer = desk.result(done(blocks, None), usize::MAX);
    assert!(json_len(&answer) <= 204_800);
    let content = answer["content"].as_array().unwrap();
    let marker = content.last().unwrap();
    assert_eq!(marker["omitted_items"], 1_200 - (content.len() - 1));
    assert_eq!(marker["omitted"][0]["index"], content.len() - 1);
    let kept: Vec<Value> = serde_json::from_slice(&desk.copy(marker)).unwrap();
    assert_eq!(kept.len() + content.len() - 1, 1_200);
    assert_eq!(kept[0]["type"], "image");
}

fn any_block() -> impl Strategy<Value = Block> {
    let long = (any::<String>(), 1usize..1_000).prop_map(|(text, times)| text.repeat(times));
    prop_oneof![
        4 => long.prop_map(|long| text(&long)),
        1 => any::<String>().prop_map(|uri| {
            let link = BlockBody::ResourceLink { uri: uri.repeat(50), name: Some(uri), mime_type: None, description: None, size: None };
            block(link)
        }),
        1 => (any::<String>(), any::<String>()).prop_map(|(mime, data)| {
            resource(&mime.repeat(50), Body::Blob(Piece::Owned(STANDARD.encode(data + "\0"))))
        }),
        1 => any::<String>().prop_map(|name| block(BlockBody::Unknown { type_name: name.repeat(20), bytes: 9 })),
        1 => any::<String>().prop_map(|data| block(BlockBody::Image { mime_type: Some(data.repeat(30)), data: Piece::Owned(data) })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn no_tool_result_exceeds_its_ceiling_after_escaping(
        blocks in prop::collection::vec(any_block(), 0..20),
        structured in prop::option::of(prop::collection::vec(any::<String>(), 0..300)),
        is_error in any::<bool>(),
        ceiling in 0usize..60_000,
    ) {
        let outcome = ToolOutcome { is_error, blocks, structured: structured.map(|list| json!({ "list": list })) };
        let ceiling = Ceiling::new(ceiling);
        let answer = Desk::new().result(outcome, ceiling.bytes());
        let sent = answer.to_string().len();
        prop_assert!(sent <= ceiling.bytes(), "{} of {}", sent, ceiling.bytes());
    }
}
