//! Base64 of any spelling, against a decoder that goes symbol by symbol (S29, S30).
//!
//! The first byte says how much plain base64 stands before the given text, so that the blocks in which a long blob is
//! decoded meet everywhere. Nothing here is about the size limit, which has its own tests.

use super::place::nowhere;
use mcp_render::{Body, Content, Piece, Settled, settle};

/// Lengths around a decoding block of 256 KiB.
const BEFORE: [usize; 4] = [262_140, 262_143, 262_144, 524_286];

/// What is settled is what the reference decodes, wherever the blob stands.
pub fn blob(bytes: &[u8]) {
    let [before, text @ ..] = bytes else { return };
    let mut blob = String::new();
    // Few of them, since a long one takes a thousand times as long.
    if let Some(length) = BEFORE.get(usize::from(before / 16)).filter(|_| before % 16 == 15) {
        blob.push_str(&"QUJD".repeat(length / 4 + 1));
        blob.truncate(*length);
    }
    blob.push_str(&String::from_utf8_lossy(text));
    let expected = reference(blob.as_bytes());
    let frame = format!("before{blob}after").into_bytes();
    let range = "before".len().."before".len() + blob.len();
    for (frame, piece) in [(frame, Piece::InFrame(range)), (Vec::new(), Piece::Owned(blob))] {
        let body = Body::Blob(piece);
        let content = Content { uri: "law://blob".to_owned(), mime_type: None, audience: Vec::new(), body };
        match (settle(frame, vec![content], &nowhere()).as_slice(), &expected) {
            ([Settled::Text(text)], Some(bytes)) => assert_eq!(text.text.as_bytes(), bytes, "decoded text"),
            ([Settled::Spilled(spilled)], Some(bytes)) => {
                let is_text = !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
                assert!(!is_text, "a text was spilled");
                assert_eq!(spilled.size_bytes, bytes.len() as u64, "decoded size");
            }
            ([Settled::Failed { .. }], None) => {}
            (settled, expected) => {
                assert!(expected.is_none(), "base64 was refused: {settled:?}");
                assert!(expected.is_some(), "no base64 was accepted: {settled:?}");
            }
        }
    }
}

/// Lenient base64: white space, missing padding and the URL-safe alphabet pass; a `data:` prefix must say base64.
fn reference(blob: &[u8]) -> Option<Vec<u8>> {
    let symbols = without_prefix(blob.trim_ascii_start())?;
    let mut symbols: Vec<u8> = symbols.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let padding = symbols.iter().rev().take_while(|byte| **byte == b'=').count();
    symbols.truncate(symbols.len() - padding);
    if padding > 2 || (padding > 0 && symbols.is_empty()) || symbols.len() % 4 == 1 {
        return None;
    }
    let mut decoded = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for symbol in symbols {
        bits = bits << 6 | value(symbol)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.push(u8::try_from(bits >> held).expect("the bits above were taken"));
            bits &= (1 << held) - 1;
        }
    }
    Some(decoded)
}

fn without_prefix(blob: &[u8]) -> Option<&[u8]> {
    if !blob.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"data:")) {
        return Some(blob);
    }
    let comma = blob.iter().take(1024).position(|byte| *byte == b',')?;
    let header = std::str::from_utf8(blob.get(5..comma)?).ok()?;
    let encoding = header.rsplit(';').next().filter(|_| header.contains(';'))?;
    encoding.trim().eq_ignore_ascii_case("base64").then(|| blob.get(comma + 1..).unwrap_or_default())
}

fn value(symbol: u8) -> Option<u32> {
    let value = match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}
