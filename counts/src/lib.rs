//! Inputs for the instruction counts, each of a size that is asked for, and the work that is counted.
//!
//! It counts nothing itself: `benches/counts.rs` does, under valgrind. The same input always costs the same, so that a count
//! may be compared between two machines of one kind and between two days.
#![expect(clippy::unwrap_used, reason = "inputs of our own making")]

use mcp_catalog::{CatalogKind, Listing, RawResult, SearchQuery, salvage, search};
use mcp_prompt_repl::Line;
use mcp_render::{
    Ceiling, Filter, PageRequest, ReadBack, Settled, SettledText, SpillDir, SpillStore, Spiller, flatten, respond,
};
use serde_json::json;
use std::{fmt::Write, sync::Arc};

/// A text of so many bytes in lines of about a hundred, one of a hundred with `ERROR`.
pub fn log(bytes: usize) -> Settled {
    let mut text = String::with_capacity(bytes + 128);
    for line in 0_usize.. {
        if text.len() >= bytes {
            break;
        }
        let level = if line.is_multiple_of(100) { "ERROR" } else { "INFO " };
        writeln!(
            text,
            "2026-11-30T12:00:00.{:03}Z {level} request {line} served, path=/api/v1/items/{line}",
            line % 977
        )
        .unwrap();
    }
    Settled::Text(SettledText { uri: "log://big".into(), mime_type: None, audience: vec![], text: text.into() })
}

/// One page from the middle of a text.
pub fn slice(item: &Settled) -> usize {
    let middle = PageRequest { offset: u64::try_from(item.held_bytes() / 2).unwrap(), ..PageRequest::default() };
    answered(item, &middle)
}

/// The page of the lines that match.
pub fn filter(item: &Settled) -> usize {
    let errors = PageRequest { filter: Some(Filter::parse("ERROR").unwrap()), ..PageRequest::default() };
    answered(item, &errors)
}

fn answered(item: &Settled, page: &PageRequest) -> usize {
    respond(std::slice::from_ref(item), page, Ceiling::default()).unwrap().to_string().len()
}

/// The raw answer of a server with so many tools.
pub fn tools(items: usize) -> RawResult {
    let tool = |n: usize| json!({"name": format!("tool_{n}"), "description": format!("What tool {n} does, in a few words"), "inputSchema": {"type": "object"}});
    let tools: Vec<_> = (0..items).map(tool).collect();
    RawResult::whole(json!({"tools": tools}).to_string().into_bytes())
}

/// What of an answer is sound.
pub fn salvaged(raw: &RawResult) -> Listing {
    Listing { items: salvage::page(raw, CatalogKind::Tool).unwrap().items, notes: Vec::new() }
}

/// A ranked search.
pub fn found(listing: &Listing) -> usize {
    let query = SearchQuery { query: "few words".to_owned(), top_k: Some(10), ..SearchQuery::default() };
    search(listing, &query).total
}

/// The raw answer of a prompt with so many messages.
pub fn prompt(messages: usize) -> RawResult {
    let message = |n: usize| {
        let role = if n.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": {"type": "text", "text": format!("Message {n} says a few words.\n[user]\nAnd more.")}})
    };
    let messages: Vec<_> = (0..messages).map(message).collect();
    RawResult::whole(json!({"messages": messages}).to_string().into_bytes())
}

/// The messages of a prompt as one text. Nothing is spilled at these sizes.
pub fn flattened(raw: RawResult) -> usize {
    let messages = salvage::messages(&raw).unwrap();
    let spiller = Spiller::new(Arc::new(SpillStore::new("unused".into())), SpillDir::new("unused").unwrap());
    let read_back = ReadBack::Read { function: "read_docs".to_owned() };
    flatten(raw.into_line(), messages, &spiller, &read_back, Ceiling::default()).text.len()
}

/// A line with so many words, some quoted.
pub fn words(count: usize) -> String {
    (0..count)
        .map(|n| if n.is_multiple_of(5) { format!("key{n}='a value {n}' ") } else { format!("word{n} ") })
        .collect()
}

/// How many words the lexer finds.
pub fn lexed(line: &str) -> usize {
    Line::lex(line).words().len()
}
