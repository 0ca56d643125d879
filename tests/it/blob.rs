//! Blobs: text that came as one, and everything else kept as a file (S29, S30, S32, S33, D3).

use crate::rig::{Rig, read_of, resource};
use acceptance::fixture::generated_blob;
use base64::{Engine, prelude::BASE64_STANDARD};
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{fmt::Write, fs, path::Path};

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

// C37
#[tokio::test]
async fn several_representations_of_one_uri_come_in_order() {
    let contents = json!([
        {"uri": "a://1", "mimeType": "text/plain", "text": "the text"},
        {"uri": "a://1", "mimeType": "application/pdf", "blob": BASE64_STANDARD.encode(b"%PDF-1.7\n\x00\xff")},
    ]);
    let (rig, answer) = read_of(contents).await;
    assert_eq!(answer[0]["text"], "the text");
    assert_eq!(answer[1]["spilled"], true);
    assert_snapshot!(rig.document(&answer));
}

// C41
#[tokio::test]
async fn a_blob_that_is_utf8_is_paged_as_text() {
    let (_, page) = read_of(json!([{"uri": "n://1", "mimeType": "text/markdown", "blob": "IyBIaQo="}])).await;
    assert_eq!(
        page,
        json!({"uri": "n://1", "mime_type": "text/markdown", "truncated": false, "next_offset": null, "total_bytes": 5, "text": "# Hi\n"})
    );
}

#[rstest]
#[case::as_a_blob(json!({"uri": "a://1", "blob": BASE64_STANDARD.encode("a\0b")}))]
#[case::as_text(json!({"uri": "a://1", "text": "a\0b"}))]
#[tokio::test]
async fn content_with_a_nul_is_binary(#[case] item: Value) {
    let (_, answer) = read_of(json!([item])).await;
    assert_eq!(
        (&answer["spilled"], &answer["size_bytes"], &answer["sniffed"]),
        (&json!(true), &json!(3), &json!(false))
    );
    assert_eq!(answer["sha256"], sha256(b"a\0b"));
}

// C42
#[tokio::test]
async fn a_blob_without_a_mime_type_is_spilled_as_bin() {
    let (rig, answer) = read_of(json!([{"uri": "n://2", "blob": "/9j/4A=="}])).await;
    assert_eq!((&answer["mime_type"], &answer["detected_mime"]), (&json!(null), &json!("image/jpeg")));
    assert_eq!(Path::new(answer["path"].as_str().unwrap()).extension().unwrap(), "bin");
    assert_snapshot!(rig.document(&answer));
}

// C43
#[rstest]
#[case("Image/PNG", "png")]
#[case(" application/JSON ", "json")]
#[case("text/plain; charset=utf-8", "txt")]
#[case("application/x-sh", "bin")]
#[case("a/../../sh", "bin")]
#[tokio::test]
async fn a_mime_type_is_compared_by_its_essence_and_reported_as_given(#[case] mime: &str, #[case] extension: &str) {
    let (_, answer) = read_of(json!([{"uri": "a://1", "mimeType": mime, "blob": "/////w=="}])).await;
    assert_eq!(answer["mime_type"], mime);
    let path = answer["path"].as_str().unwrap();
    assert_eq!(path.rsplit('.').next().unwrap(), extension);
}

// C44, C45
#[rstest]
#[case::wrapped("////////////////////////\r\n//8AAP///////////////w==\r\n")]
#[case::unpadded("//////////////////////////8AAP///////////////w")]
#[case::url_safe("__________________________8AAP_______________w==")]
#[case::data_uri("data:image/png;base64,//////////////////////////8AAP///////////////w==")]
#[tokio::test]
async fn base64_is_decoded_leniently(#[case] blob: &str) {
    let expected = [[0xFF; 20].as_slice(), &[0; 2], &[0xFF; 12]].concat();
    let (_, answer) = read_of(json!([{"uri": "a://1", "blob": blob}])).await;
    assert_eq!((&answer["spilled"], &answer["sha256"]), (&json!(true), &json!(sha256(&expected))));
    let claimed = if blob.starts_with("data:") { json!("image/png") } else { json!(null) };
    assert_eq!(answer["mime_type"], claimed);
}

// C45, C46
#[rstest]
#[case::a_url("https://h/x.png", "url")]
#[case::garbage("@@@", "garbage")]
#[tokio::test]
async fn what_is_no_base64_is_an_error_item_beside_its_sibling(#[case] blob: &str, #[case] suffix: &str) {
    let (rig, answer) = read_of(json!([{"uri": "a://1", "blob": blob}, {"uri": "a://2", "text": "ok"}])).await;
    assert_eq!((&answer[0]["code"], &answer[1]["text"]), (&json!("invalid_response"), &json!("ok")));
    insta::with_settings!({snapshot_suffix => suffix}, {
        assert_snapshot!(rig.document(&answer));
    });
}

// C47
#[tokio::test]
async fn a_claimed_and_a_detected_mime_type_are_both_told() {
    let webp = [b"RIFF\x10\0\0\0WEBPVP8 ".as_slice(), &[0xFF; 8]].concat();
    let (_, answer) =
        read_of(json!([{"uri": "a://1", "mimeType": "image/png", "blob": BASE64_STANDARD.encode(webp)}])).await;
    assert_eq!((&answer["mime_type"], &answer["detected_mime"]), (&json!("image/png"), &json!("image/webp")));
}

#[tokio::test]
async fn a_spill_is_private_named_by_its_hash_and_written_once() {
    let blob = generated_blob(10_000, 1);
    let contents = json!([{"uri": "a://1", "mimeType": "application/gzip", "blob": {"blob_bytes": 10_000, "seed": 1}}]);
    let rig = Rig::of(resource("a://1", contents)).await;
    let answer = rig.read("a://1").await;
    let path = Path::new(answer["path"].as_str().unwrap()).to_path_buf();
    assert_eq!(path, rig.cache.path().join("mcp-resources/docs").join(format!("{}.gz", sha256(&blob))));
    assert_eq!(fs::read(&path).unwrap(), blob);
    assert_eq!(answer, rig.read("a://1").await);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&path), mode(path.parent().unwrap()), mode(&rig.cache.path().join("mcp-resources"))),
            (0o600, 0o700, 0o700)
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_disk_that_takes_nothing_leaves_the_metadata_and_the_code() {
    let rig = Rig::of(resource("a://1", json!([{"uri": "a://1", "blob": "/////w=="}]))).await;
    // A file stands where the tree should be, which stops root too.
    fs::write(rig.cache.path().join("mcp-resources"), "").unwrap();
    let answer = rig.read("a://1").await;
    assert_eq!((&answer["path"], &answer["code"]), (&json!(null), &json!("spill_failed")));
    let note = answer["note"].as_str().unwrap();
    assert!(!note.is_empty());
    assert_snapshot!(rig.document(&answer));
}

#[tokio::test]
async fn a_blob_of_61_mebibytes_is_a_too_large_item_beside_its_sibling() {
    let contents = json!([
        {"uri": "a://big", "mimeType": "image/png", "blob": {"blob_bytes": 61 << 20}},
        {"uri": "a://small", "text": "still here"},
    ]);
    let rig = Rig::of(resource("a://1", contents)).await;
    let answer = rig.read("a://1").await;
    assert_eq!((&answer[0]["code"], &answer[1]["text"]), (&json!("too_large"), &json!("still here")));
    assert_snapshot!(rig.document(&answer));
}
