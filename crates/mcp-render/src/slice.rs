//! Which part of a text a page shows (D3, S26).
//!
//! A page starts and ends at character boundaries, always advances, and shrinks until its JSON form fits. Concatenating
//! the pages that `next` leads through gives the text.

use crate::fit::escaped_prefix;
use std::borrow::Cow;

/// More bytes than a boundary can be away.
pub(crate) const SLACK: usize = 8;

/// The bytes around a wanted page.
#[derive(Debug)]
pub(crate) struct Extract<'a> {
    /// At least the page and [`SLACK`] bytes more, unless the text ends before.
    pub bytes: Cow<'a, [u8]>,
    /// Where in the text they stand.
    pub at: u64,
    /// How long the whole text is.
    pub total: u64,
}

/// One page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<'a> {
    pub text: Cow<'a, str>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<u64>,
}

impl<'a> Extract<'a> {
    /// The bytes of `text` from `offset` on.
    pub(crate) fn of(text: &'a [u8], offset: u64, max_bytes: usize) -> Self {
        let at = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        let end = at.saturating_add(max_bytes).saturating_add(SLACK).min(text.len());
        Self { bytes: Cow::Borrowed(text.get(at..end).unwrap_or_default()), at: at as u64, total: text.len() as u64 }
    }

    /// The page of at most `max_bytes` bytes which take at most `max_escaped` bytes of a JSON string; at least one
    /// character, if there is one.
    pub(crate) fn page(&self, max_bytes: usize, max_escaped: usize) -> Page<'_> {
        let skip = self.bytes.iter().take_while(|b| is_inner(**b)).count();
        let rest = self.bytes.get(skip..).unwrap_or_default();
        let max_bytes = max_bytes.max(first_len(rest)).min(rest.len());
        let inner = (0..=max_bytes).rev().take_while(|end| rest.get(*end).is_some_and(|b| is_inner(*b))).count();
        // The bytes are a stretch of checked UTF-8 between two boundaries, so nothing is ever replaced here.
        let bytes = rest.get(..max_bytes - inner).unwrap_or_default();
        let text = simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        let len = escaped_prefix(&text, max_escaped).max(first_len(text.as_bytes()));
        let text = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(..len).unwrap_or_default()),
            Cow::Owned(mut text) => {
                text.truncate(len);
                Cow::Owned(text)
            }
        };
        let next = self.at + (skip + text.len()) as u64;
        Page { text, next: (next < self.total).then_some(next) }
    }
}

/// Whether `byte` continues a character.
const fn is_inner(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// The length of the first character of `text`.
fn first_len(text: &[u8]) -> usize {
    text.first().map_or(0, |_| 1 + text.iter().skip(1).take_while(|b| is_inner(**b)).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pages(text: &str, mut offset: u64, max_bytes: usize, max_escaped: usize) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let extract = Extract::of(text.as_bytes(), offset, max_bytes);
            let page = extract.page(max_bytes, max_escaped);
            all.push(page.text.to_string());
            match page.next {
                Some(next) => {
                    assert!(next > offset, "a page advances");
                    offset = next;
                }
                None => return all,
            }
        }
    }

    #[test]
    fn a_page_smaller_than_a_character_returns_that_character() {
        assert_eq!(pages("aé漢👍", 0, 1, 100), ["a", "é", "漢", "👍"]);
        assert_eq!(pages("aé漢👍", 0, 0, 0), ["a", "é", "漢", "👍"]);
    }

    #[test]
    fn an_offset_inside_a_character_moves_forward() {
        assert_eq!(pages("é漢", 1, 10, 100), ["漢"]);
        assert_eq!(pages("é", 1, 10, 100), [""]);
        assert_eq!(pages("é", 9, 10, 100), [""]);
    }

    proptest! {
        #[test]
        fn pages_at_any_offset_and_size_concatenate_to_the_original(
            text in any::<String>(),
            offset in 0usize..80,
            max_bytes in 0usize..40,
            max_escaped in 0usize..80,
        ) {
            let start = text.ceil_char_boundary(offset.min(text.len()));
            let all = pages(&text, offset as u64, max_bytes, max_escaped);
            prop_assert_eq!(all.concat(), &text[start..]);
            for page in all {
                prop_assert!(page.len() <= max_bytes || page.chars().count() == 1);
                prop_assert!(crate::fit::escaped_len(&page) <= max_escaped || page.chars().count() == 1);
            }
        }
    }
}
