//! Salvage of every kind over any bytes, and what the content policy makes of it (S9, S20, S25, S30, S35, S36).
//!
//! The reference is `serde_json`: what it reads as an array of so many entries has so many places in the answer. It judges
//! no entry.

use super::place::{lowest, nowhere, read_back};
use mcp_catalog::{CatalogKind, RawResult, salvage};
use mcp_render::{LISTING_MAX_ITEMS, PageRequest, json_len};
use serde_json::Value;

/// A page of tools.
pub fn tools(bytes: &[u8]) {
    page(bytes, CatalogKind::Tool, "tools");
}

/// A page of resources.
pub fn resources(bytes: &[u8]) {
    page(bytes, CatalogKind::Resource, "resources");
}

/// A page of resource templates.
pub fn templates_listed(bytes: &[u8]) {
    page(bytes, CatalogKind::ResourceTemplate, "resourceTemplates");
}

/// A page of prompts.
pub fn prompts(bytes: &[u8]) {
    page(bytes, CatalogKind::Prompt, "prompts");
}

/// Every entry is an item or is counted; an item can be asked for by what it is known by.
fn page(bytes: &[u8], kind: CatalogKind, list: &str) {
    let raw = RawResult::whole(bytes.to_vec());
    let Ok(page) = salvage::page(&raw, kind) else { return };
    let places = page.items.len() + page.skipped_count + page.beyond;
    assert!(entries(bytes, list).is_none_or(|count| count == places), "an entry of `{list}` was lost");
    assert!(page.items.len() <= LISTING_MAX_ITEMS, "more items than the bound");
    assert_eq!(page.skipped.len(), page.skipped_count.min(salvage::REASONS_MAX), "reasons of skipped entries");
    assert!(page.next_cursor.is_none() || page.cursor_fault.is_none(), "a cursor is read or is at fault");
    for item in &page.items {
        assert!(item.kind() == kind && !item.id.is_empty() && !item.name.is_empty(), "{item:?}");
    }
    assert_eq!(salvage::page(&raw, kind).as_ref(), Ok(&page), "a second look is the first");
}

/// The contents of a read: one place an item, and an answer within the ceiling.
pub fn contents(bytes: &[u8]) {
    let raw = RawResult::whole(bytes.to_vec());
    let Ok(items) = salvage::contents(&raw, "asked://uri") else { return };
    assert!(entries(bytes, "contents").is_none_or(|count| count == items.len() || items.len() < count), "one too many");
    assert!(items.iter().all(|item| !item.uri.is_empty()), "an item without a URI");
    let found = items.len();
    let settled = mcp_render::settle(raw.into_line(), items, &nowhere());
    assert_eq!(settled.len(), found, "an item was lost when it was settled");
    let answer = mcp_render::respond(&settled, &PageRequest::default(), lowest()).expect("no item was asked for");
    within_the_ceiling(&answer);
    for item in 0..found.min(8) {
        let page = PageRequest { item: Some(item as u64), ..PageRequest::default() };
        within_the_ceiling(&mcp_render::respond(&settled, &page, lowest()).expect("the item is there"));
    }
}

/// A tool's result, rendered within the ceiling.
pub fn tool_result(bytes: &[u8]) {
    let raw = RawResult::whole(bytes.to_vec());
    let Ok(outcome) = salvage::tool_outcome(&raw) else { return };
    let failed = outcome.is_error;
    let answer = mcp_render::tool_result(raw.into_line(), outcome, &nowhere(), &read_back(), lowest());
    within_the_ceiling(&answer);
    assert_eq!(answer.get("isError").is_some(), failed, "a failure is told as one");
    assert!(answer.get("content").is_some_and(Value::is_array), "`content` is an array");
}

/// A prompt's messages, flattened within the ceiling.
pub fn prompt_result(bytes: &[u8]) {
    let raw = RawResult::whole(bytes.to_vec());
    let Ok(messages) = salvage::messages(&raw) else { return };
    assert!(entries(bytes, "messages").is_none_or(|count| messages.len() <= count), "a message came from nowhere");
    assert!(messages.iter().all(|message| !message.role.is_empty()), "a message without a role");
    let empty = messages.is_empty();
    let flattened = mcp_render::flatten(raw.into_line(), messages, &nowhere(), &read_back(), lowest());
    within_the_ceiling(&flattened.to_value());
    assert!(flattened.text.len() <= flattened.total_bytes, "more was shown than there is");
    assert_eq!(flattened.truncated, flattened.text.len() < flattened.total_bytes, "a cut is told");
    assert!(!empty || flattened.note.is_some(), "an empty prompt says so");
}

fn within_the_ceiling(answer: &Value) {
    let length = json_len(answer);
    assert!(length <= lowest().bytes(), "{length} bytes are over the ceiling");
}

/// How many entries the array `list` has, when there can be only one meaning: names that stand twice or are spelled with
/// escapes have none.
fn entries(bytes: &[u8], list: &str) -> Option<usize> {
    let text = std::str::from_utf8(bytes).ok()?;
    let once = !text.contains('\\') && text.matches(&format!("\"{list}\"")).count() == 1;
    let value: Value = serde_json::from_str(text).ok().filter(|_| once)?;
    value.get(list)?.as_array().map(Vec::len)
}
