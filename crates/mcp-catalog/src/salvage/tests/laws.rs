//! What holds for any JSON that a server may send: nothing panics, nothing is lost without a trace, and what is pointed at
//! stands in the frame (S9, S20, S30).

use super::framed;
use crate::{
    CatalogKind, RawResult,
    salvage::{completion_values, contents, messages, page, tool_outcome},
};
use mcp_render::{BlockBody, Body, Content, Piece};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The names under which salvage looks, so that arbitrary JSON meets its paths.
const NAMES: [&str; 22] = [
    "uri",
    "uriTemplate",
    "name",
    "title",
    "description",
    "mimeType",
    "size",
    "annotations",
    "audience",
    "inputSchema",
    "outputSchema",
    "arguments",
    "required",
    "type",
    "text",
    "blob",
    "data",
    "resource",
    "role",
    "content",
    "isError",
    "structuredContent",
];
/// Values that mean something there.
const WORDS: [&str; 8] = ["", "text", "image", "resource", "resource_link", "a://1", "AAAA", "user"];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(&WORDS).prop_map(Value::from),
        "\\PC{0,8}|[\\x00-\\x7f]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let members = proptest::collection::vec((proptest::sample::select(&NAMES), inner.clone()), 0..6);
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Value::from),
            members.prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

/// The pieces of a content.
fn of_content(content: &Content) -> Option<&Piece> {
    match &content.body {
        Body::Text(piece) | Body::Blob(piece) => Some(piece),
        Body::Broken(_) => None,
    }
}

fn of_block(body: &BlockBody) -> Option<&Piece> {
    match body {
        BlockBody::Text(piece) | BlockBody::Image { data: piece, .. } | BlockBody::Audio { data: piece, .. } => {
            Some(piece)
        }
        BlockBody::Resource(content) => of_content(content),
        BlockBody::ResourceLink { .. } | BlockBody::Unknown { .. } | BlockBody::Broken(_) => None,
    }
}

/// Whether a piece stands in the frame between two quotes, or was copied because it had to be.
fn is_honest(raw: &RawResult, piece: &Piece) -> bool {
    match piece {
        Piece::Owned(text) => serde_json::to_string(text).unwrap().contains('\\'),
        Piece::InFrame(range) => {
            let around = raw.line().get(range.start - 1..=range.end);
            around.is_some_and(|around| around.starts_with(b"\"") && around.ends_with(b"\""))
        }
    }
}

proptest! {
    #[test]
    fn every_item_of_a_read_has_its_place(list in proptest::collection::vec(any_json(), 0..6)) {
        let raw = framed(&json!({"contents": list}).to_string());
        let items = contents(&raw, "asked://uri").unwrap();
        prop_assert_eq!(items.len(), list.len());
        prop_assert!(items.iter().filter_map(of_content).all(|piece| is_honest(&raw, piece)), "{:?}", items);
        prop_assert!(items.iter().all(|item| !item.uri.is_empty()));
    }

    #[test]
    fn every_block_and_every_message_has_its_place(list in proptest::collection::vec(any_json(), 0..6)) {
        let raw = framed(&json!({"content": list, "messages": list}).to_string());
        let blocks = tool_outcome(&raw).unwrap().blocks;
        prop_assert_eq!(blocks.len(), list.len());
        prop_assert!(blocks.iter().filter_map(|block| of_block(&block.body)).all(|piece| is_honest(&raw, piece)));
        let messages = messages(&raw).unwrap();
        prop_assert_eq!(messages.len(), list.len());
        prop_assert!(messages.iter().all(|message| !message.role.is_empty()));
    }

    #[test]
    fn every_entry_of_a_page_is_an_item_or_is_counted(list in proptest::collection::vec(any_json(), 0..6)) {
        let keys = ["tools", "resources", "resourceTemplates", "prompts"];
        for (kind, key) in CatalogKind::ALL.into_iter().zip(keys) {
            let page = page(&framed(&json!({key: list}).to_string()), kind).unwrap();
            prop_assert_eq!(page.items.len() + page.skipped_count, list.len());
            prop_assert!(page.items.iter().all(|item| item.kind() == kind && !item.id.is_empty() && !item.name.is_empty()));
        }
    }

    /// Whole results of any shape and any bytes at all: an answer or an error, never a panic.
    #[test]
    fn any_result_is_taken_or_refused(value in any_json(), bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        for raw in [framed(&value.to_string()), RawResult::whole(bytes.clone()), RawResult::new(bytes, 3..9)] {
            let taken = [
                contents(&raw, "a://1").is_ok(),
                tool_outcome(&raw).is_ok(),
                messages(&raw).is_ok(),
                page(&raw, CatalogKind::Tool).is_ok(),
            ];
            // PHP writes an empty object as `[]` (C78).
            let is_object = serde_json::from_slice::<Value>(raw.json()).is_ok_and(|value| value.is_object() || value == json!([]));
            prop_assert!(is_object || taken == [false; 4], "{:?}", raw);
            prop_assert!(completion_values(&raw).len() <= 100);
        }
    }
}
