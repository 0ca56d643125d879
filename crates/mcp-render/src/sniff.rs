//! What bytes are: text or not (S29), their SHA-256, what they look like (S33).
//!
//! Only the first question decides anything; `looks_like` is information for the reader (C47).

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Text is valid UTF-8 without U+0000 (S29).
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    // Most binaries hold a NUL in their first bytes, and `compat` stops at the first wrong one: a binary costs almost
    // nothing.
    memchr::memchr(0, bytes).is_none() && simdutf8::compat::from_utf8(bytes).is_ok()
}

/// The SHA-256 as lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Whether `text` is 64 lower-case hex digits.
pub(crate) fn is_sha256_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// The mime type that the first bytes look like.
pub(crate) fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    infer::get(bytes).map(|kind| kind.mime_type())
}
