//! Base64, decoded where it stands (S30, performance.md C.1).
//!
//! The decoded bytes replace the text in its own buffer, block by block: into the room that the text before has left, or,
//! for the first few blocks, by a scratch of 192 KiB, which is all that is allocated. Clean input is decoded without a scan before it; the first block that does not decode
//! is still intact, so white space and the URL-safe alphabet are dealt with there. Nothing is ever fetched.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use memchr::{memchr, memchr3_iter};
use std::io::Read;
use std::ops::Range;

/// Text bytes per block; a multiple of four.
const BLOCK: usize = 256 << 10;

/// Why a blob could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecodeFault {
    /// It would be this many bytes decoded, more than the limit. Nothing was decoded.
    TooLarge(usize),
    /// It is not base64.
    NotBase64,
}

/// Decodes the base64 in `text` in place and says how many bytes of it now are the result. On a fault the bytes are
/// garbage.
pub(crate) fn decode_in_place(text: &mut [u8], max_decoded: usize) -> Result<usize, DecodeFault> {
    let mut len = text.len() - padding(text)?;
    let mut clean = false;
    if decoded_len(len) > max_decoded {
        // White space may be what makes it look too large.
        len = normalise(text.get_mut(..len).unwrap_or_default(), 0);
        clean = true;
        if decoded_len(len) > max_decoded {
            return Err(DecodeFault::TooLarge(decoded_len(len)));
        }
    }
    let engine = engine();
    let mut scratch = vec![0; BLOCK.min(len) / 4 * 3 + 3];
    let (mut read, mut write) = (0, 0);
    while read < len {
        let end = len.min(read + BLOCK);
        match decode_block(&engine, text, write, read..end, &mut scratch, end == len) {
            Some(n) => (read, write) = (end, write + n),
            None if clean => return Err(DecodeFault::NotBase64),
            None => {
                // What lies before the block is done.
                len = normalise(text.get_mut(..len).unwrap_or_default(), read);
                clean = true;
            }
        }
    }
    Ok(write)
}

/// How many bytes the clean base64 in `text` decodes to; `None` when it cannot be base64. White space inside makes it an
/// upper bound.
pub(crate) fn clean_len(text: &[u8]) -> Option<usize> {
    padding(text).ok().map(|padding| decoded_len(text.len() - padding))
}

/// Whether the clean base64 in `text` decodes to exactly what `expected` holds. `text` stays as it is, and so base64 that
/// is to be read leniently is no match here.
pub(crate) fn decodes_to(text: &[u8], expected: &mut impl Read) -> bool {
    let Some(symbols) = padding(text).ok().and_then(|padding| text.get(..text.len() - padding)) else { return false };
    let engine = engine();
    let room = BLOCK.min(symbols.len()) / 4 * 3 + 3;
    let (mut decoded, mut read) = (vec![0; room], vec![0; room]);
    for block in symbols.chunks(BLOCK) {
        let Ok(len) = engine.decode_slice(block, &mut decoded) else { return false };
        let (Some(decoded), Some(read)) = (decoded.get(..len), read.get_mut(..len)) else { return false };
        if expected.read_exact(read).is_err() || decoded != read {
            return false;
        }
    }
    matches!(expected.read(&mut read), Ok(0))
}

/// The URI's mime type and where the base64 begins, when `text` is a `data:` URI; `Err` when it is one of another
/// encoding.
pub(crate) fn data_prefix(text: &[u8]) -> Result<Option<(Option<String>, usize)>, DecodeFault> {
    let start = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(text.len());
    let rest = text.get(start..).unwrap_or_default();
    if !rest.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"data:")) {
        return Ok(None);
    }
    // A header is short; a comma further away belongs to nothing.
    let head = rest.get(..rest.len().min(1024)).unwrap_or_default();
    let comma = memchr(b',', head).ok_or(DecodeFault::NotBase64)?;
    let header = head.get(5..comma).and_then(|h| std::str::from_utf8(h).ok()).ok_or(DecodeFault::NotBase64)?;
    let (mime, encoding) = header.rsplit_once(';').ok_or(DecodeFault::NotBase64)?;
    if !encoding.trim().eq_ignore_ascii_case("base64") {
        return Err(DecodeFault::NotBase64);
    }
    let mime = mime.trim();
    Ok(Some(((!mime.is_empty()).then(|| mime.to_owned()), start + comma + 1)))
}

/// Whether `text` looks like a URL that someone put where base64 belongs.
pub(crate) fn looks_like_url(text: &[u8]) -> bool {
    let head = text.get(..text.len().min(64)).unwrap_or_default();
    memchr::memmem::find(head, b"://").is_some()
}

/// Decodes the block at `from` and puts the result at `to`, before it; `None` when it does not decode or ends early although
/// more follows. Then the block is as it was.
fn decode_block(
    engine: &impl Engine,
    text: &mut [u8],
    to: usize,
    from: Range<usize>,
    scratch: &mut [u8],
    last: bool,
) -> Option<usize> {
    let whole = from.len() / 4 * 3;
    let (done, rest) = text.split_at_mut_checked(from.start)?;
    let block = rest.get(..from.len())?;
    let room = done.get_mut(to..)?;
    // Padding inside the text would decode to less and shift everything after it.
    let complete = |n: &usize| last || *n == whole;
    if room.len() >= whole + 3 {
        return engine.decode_slice(block, room).ok().filter(complete);
    }
    let n = engine.decode_slice(block, scratch).ok().filter(complete)?;
    text.get_mut(to..to + n)?.copy_from_slice(scratch.get(..n)?);
    Some(n)
}

/// How long the padding and white space at the end of `text` is.
fn padding(text: &[u8]) -> Result<usize, DecodeFault> {
    let tail = text.iter().rev().take_while(|b| **b == b'=' || b.is_ascii_whitespace()).count();
    let signs = text.iter().rev().take(tail).filter(|b| **b == b'=').count();
    // Two signs are the most that base64 has, and they stand for missing symbols: after none there is nothing missing.
    if signs > 2 || (signs > 0 && tail == text.len()) { Err(DecodeFault::NotBase64) } else { Ok(tail) }
}

/// How many bytes `symbols` symbols decode to.
const fn decoded_len(symbols: usize) -> usize {
    symbols / 4 * 3 + (symbols % 4).saturating_sub(1)
}

/// Squeezes the ASCII white space out of `text[from..]`, writes the URL-safe symbols as the standard ones, and gives
/// the new length of `text`.
fn normalise(text: &mut [u8], from: usize) -> usize {
    for (odd, plain) in [(b'-', b'+'), (b'_', b'/'), (b'\t', b' '), (b'\x0c', b' ')] {
        let mut rest = text.get_mut(from..).unwrap_or_default();
        while let Some(at) = memchr(odd, rest) {
            let (done, behind) = rest.split_at_mut(at + 1);
            if let Some(byte) = done.last_mut() {
                *byte = plain;
            }
            rest = behind;
        }
    }
    let mut write = from;
    let mut read = from;
    while read < text.len() {
        let rest = text.get(read..).unwrap_or_default();
        let run = memchr3_iter(b' ', b'\r', b'\n', rest).next().unwrap_or(rest.len());
        text.copy_within(read..read + run, write);
        write += run;
        read += run + 1;
    }
    write
}

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn engine() -> base64::engine::simd::Simd {
    // `general_purpose::STANDARD` is scalar: five times slower.
    base64::engine::simd::Simd::standard(CONFIG)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn engine() -> base64::engine::GeneralPurpose {
    base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG)
}

#[cfg(test)]
mod tests;
