//! Decoding in place: what is accepted (C44, C45), what is refused (C46), and that it equals the plain decoder.

use super::*;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

fn decode(text: &str) -> Result<Vec<u8>, DecodeFault> {
    decode_max(text, usize::MAX)
}

fn decode_max(text: &str, max: usize) -> Result<Vec<u8>, DecodeFault> {
    let mut bytes = text.as_bytes().to_vec();
    decode_in_place(&mut bytes, max).map(|n| bytes[..n].to_vec())
}

#[test]
fn base64_is_read_without_padding_with_white_space_and_in_the_url_safe_alphabet() {
    for text in ["+/+/QQ==", "+/+/QQ", "+/+/QQ=", "-_-_QQ==", " +/+/\r\nQQ==\n", "+/\t+/\x0cQ Q = =", "+_+/QQ"] {
        assert_eq!(decode(text).unwrap(), [0xfb, 0xff, 0xbf, 0x41], "{text:?}");
    }
    assert_eq!(decode("").unwrap(), b"");
    assert_eq!(decode(" \n").unwrap(), b"");
}

#[test]
fn what_is_not_base64_is_refused() {
    for text in ["@@@", "Q", "QUJDQ", "QQ==QUI=", "QQ=Q", "=", "==", "QUJD===", "QUJD!", "{\"a\":1}", "Ünï="] {
        assert_eq!(decode(text), Err(DecodeFault::NotBase64), "{text:?}");
    }
}

#[test]
fn padding_at_the_end_of_an_inner_block_is_refused() {
    let mut text = "A".repeat(BLOCK - 2) + "==";
    text += &"QUJD".repeat(10);
    assert_eq!(decode(&text), Err(DecodeFault::NotBase64));
}

#[test]
fn a_wrong_symbol_in_a_late_block_is_refused() {
    let text = "A".repeat(3 * BLOCK) + "@AAA";
    assert_eq!(decode(&text), Err(DecodeFault::NotBase64));
}

#[test]
fn the_limit_is_checked_before_a_byte_is_decoded_and_white_space_does_not_count() {
    assert_eq!(decode_max("QUJDRA==", 4).unwrap(), b"ABCD");
    assert_eq!(decode_max("QU\nJD\nRA==", 4).unwrap(), b"ABCD");
    assert_eq!(decode_max("QUJDRA==", 3), Err(DecodeFault::TooLarge(4)));
    // Not even looked at: this is no base64.
    assert_eq!(decode_max("@@@@@@@@", 3), Err(DecodeFault::TooLarge(6)));
}

#[test]
fn a_data_prefix_is_told_from_base64() {
    assert_eq!(data_prefix(b"data:image/png;base64,iVBO"), Ok(Some((Some("image/png".into()), 22))));
    assert_eq!(
        data_prefix(b" DATA:text/plain;charset=utf-8;Base64,QQ"),
        Ok(Some((Some("text/plain;charset=utf-8".into()), 38)))
    );
    assert_eq!(data_prefix(b"data:;base64,QQ"), Ok(Some((None, 13))));
    assert_eq!(data_prefix(b"dataQQ=="), Ok(None));
    assert_eq!(data_prefix(b""), Ok(None));
    for text in [&b"data:,x"[..], b"data:text/plain,hello", b"data:image/png;base64", b"data:\xff;base64,QQ"] {
        assert_eq!(data_prefix(text), Err(DecodeFault::NotBase64), "{}", text.escape_ascii());
    }
}

proptest! {
    #[test]
    fn decoding_in_place_equals_the_plain_decoder(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let text = STANDARD.encode(&bytes);
        prop_assert_eq!(decode(&text).unwrap(), bytes);
    }

    #[test]
    fn wrapped_and_url_safe_base64_equals_the_plain_decoder(
        bytes in prop::collection::vec(any::<u8>(), 0..1000),
        width in 1usize..100,
    ) {
        let text = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&bytes);
        let lines: Vec<_> = text.as_bytes().chunks(width).map(|c| String::from_utf8_lossy(c).into_owned()).collect();
        prop_assert_eq!(decode(&lines.join("\r\n")).unwrap(), bytes);
    }

    #[test]
    fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = data_prefix(&bytes);
        let before = bytes.len();
        match decode_in_place(&mut bytes, 100) {
            Ok(n) => prop_assert!(n <= before),
            Err(DecodeFault::TooLarge(n)) => prop_assert!(n > 100 && n < before),
            Err(DecodeFault::NotBase64) => prop_assert!(before > 0),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn several_blocks_with_a_break_anywhere_equal_the_plain_decoder(seed in 0usize..251, at in 0usize..(3 * BLOCK)) {
        let pattern: Vec<u8> = (0..251u8).map(|i| i.wrapping_mul(31)).collect();
        let bytes = &pattern.repeat(2 * BLOCK / 251 + 1)[seed..];
        let mut text = STANDARD.encode(bytes);
        text.insert(at.min(text.len()), '\n');
        prop_assert!(decode(&text).unwrap() == bytes);
    }
}
