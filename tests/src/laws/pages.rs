//! Pages of any text at any size: each advances, and together they are the text (S25, S26).
//!
//! The first byte is the page's size, the second the offset of the first page, the rest the text.

use super::place::lowest;
use mcp_render::{PageRequest, Settled, SettledText, json_len, respond};
use serde_json::Value;

/// The pages from any offset on are the text from the next character on.
pub fn pages(bytes: &[u8]) {
    let [size, offset, rest @ ..] = bytes else { return };
    let text = String::from_utf8_lossy(rest);
    let start = text.ceil_char_boundary(usize::from(*offset).min(text.len()));
    let page = PageRequest { offset: u64::from(*offset), max_bytes: usize::from(*size), ..PageRequest::default() };
    let rest = text.get(start..).expect("a character begins there");
    assert_eq!(all_pages(&text_item(&text), page), rest);
    // A page that the ceiling cuts, since every byte may take six.
    let long = text.repeat(20_000 / text.len().max(1));
    let page = PageRequest { max_bytes: usize::MAX, ..PageRequest::default() };
    assert_eq!(all_pages(&text_item(&long), page), long);
}

/// A text that is ready to be paged.
pub(super) fn text_item(text: &str) -> Settled {
    Settled::Text(SettledText {
        uri: "law://text".to_owned(),
        mime_type: None,
        audience: Vec::new(),
        text: text.into(),
    })
}

/// The text of the page and of all that follow it. Every answer keeps the ceiling, every offset is further on.
pub(super) fn all_pages(item: &Settled, mut page: PageRequest) -> String {
    let mut all = String::new();
    loop {
        let answer = respond(std::slice::from_ref(item), &page, lowest()).expect("there is an item");
        assert!(json_len(&answer) <= lowest().bytes(), "a page is over the ceiling");
        let text = answer.get("text").and_then(Value::as_str).expect("a page has text");
        all.push_str(text);
        let next = answer.get("next_offset").expect("a page says where the next one begins").as_u64();
        assert_eq!(
            answer.get("truncated").and_then(Value::as_bool),
            Some(next.is_some()),
            "`truncated` and `next_offset`"
        );
        let Some(next) = next else { return all };
        assert!(next > page.offset && !text.is_empty(), "the page at {} does not advance", page.offset);
        page.offset = next;
    }
}
