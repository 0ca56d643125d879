//! `search`: find items of every kind in the live catalog (S22).
//!
//! Nothing is kept between two searches. What does not fit under the ceiling is left to the next page (S25), and `notes`
//! tell what could not be looked at.

use super::{KINDS, Parameter, ParameterType, Row, function, if_emitted, server};
use crate::Verb;
use crate::args::{Arguments, OFFSET};
use crate::error::MetaError;
use crate::gate::Gate;
use crate::server_call::ServerCall;
use mcp_catalog::{CatalogItem, CatalogKind, McpServerFeatures, SearchQuery};
use mcp_render::{
    Ceiling, INSTRUCTIONS_MAX_BYTES, SEARCH_DEFAULT_ITEMS, SEARCH_MAX_ITEMS, SERVER_TEXT_MAX_BYTES, cut, json_len,
};
use serde_json::{Map, Value};

const QUERY: &str = "query";
const KIND: &str = "kind";
const TOP_K: &str = "top_k";

pub(super) const ROW: Row = Row {
    word: "search",
    gate: Gate::Always,
    summary: "Find tools, resources, templates and prompts",
    parameters: &[
        Parameter::new(QUERY, ParameterType::String, "Words to look for; leave it out to list everything"),
        Parameter::new(KIND, ParameterType::String, "Only items of this kind").one_of(&KINDS),
        Parameter::new(OFFSET, ParameterType::Integer, "How many hits to pass over: `next_offset` of the page before"),
        Parameter::new(TOP_K, ParameterType::Integer, "How many items to return: 8 by default, at most 50"),
    ],
    description,
};

/// Which items are wanted.
#[derive(Debug)]
pub(crate) struct Args {
    query: SearchQuery,
}

impl Args {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self, MetaError> {
        let query = arguments.text(QUERY)?.unwrap_or_default();
        let kind = arguments.choice(KIND)?.and_then(|kind| CatalogKind::parse(&kind));
        let offset = index(arguments.count(OFFSET)?.unwrap_or(0));
        let top_k = arguments.count(TOP_K)?.map_or(SEARCH_DEFAULT_ITEMS, index).clamp(1, SEARCH_MAX_ITEMS);
        Ok(Self { query: SearchQuery { query, kind, offset, top_k: Some(top_k) } })
    }
}

/// Lists what may match, searches it, and answers `{"items", "total", "next_offset", "notes"}`.
pub(crate) async fn run(call: &ServerCall<'_>, args: Args) -> Result<Value, MetaError> {
    let kinds = args.query.kind.as_ref().map_or(&CatalogKind::ALL[..], std::slice::from_ref);
    let listing = call.listing(kinds).await?;
    let found = mcp_catalog::search(&listing, &args.query);
    let notes = listing.notes.iter().map(ToString::to_string).collect();
    let page = Page { offset: args.query.offset, total: found.total, next_offset: found.next_offset, notes };
    Ok(page.answer(&found.items, call.context.ceiling))
}

/// An answer without its items.
struct Page {
    offset: usize,
    total: usize,
    next_offset: Option<usize>,
    notes: Vec<String>,
}

impl Page {
    /// As many items as fit; those that do not begin the next page. One always fits, so that paging advances.
    fn answer(mut self, items: &[&CatalogItem], ceiling: Ceiling) -> Value {
        bound(&mut self.notes, ceiling.bytes() / 4);
        let mut left = ceiling.bytes().saturating_sub(json_len(&self.value(Vec::new(), Some(usize::MAX))));
        let mut shown: Vec<Value> = Vec::new();
        for item in items {
            let value = if shown.is_empty() { shortest_needed(item, left) } else { item.to_search_value() };
            let length = json_len(&value) + ",".len();
            if !shown.is_empty() && length > left {
                break;
            }
            left = left.saturating_sub(length);
            shown.push(value);
        }
        let next = if shown.len() < items.len() { Some(self.offset + shown.len()) } else { self.next_offset };
        self.value(shown, next)
    }

    fn value(&self, items: Vec<Value>, next_offset: Option<usize>) -> Value {
        let mut value = Map::new();
        value.insert("items".to_owned(), Value::Array(items));
        value.insert("total".to_owned(), self.total.into());
        value.insert("next_offset".to_owned(), next_offset.into());
        value.insert("notes".to_owned(), self.notes.as_slice().into());
        Value::Object(value)
    }
}

/// Cuts notes so that together they take at most `room` bytes; those that are left out are counted.
fn bound(notes: &mut Vec<String>, room: usize) {
    /// Room for the count.
    const COUNT: usize = 40;
    let mut left = room.saturating_sub(COUNT);
    let each = (room / 8).min(SERVER_TEXT_MAX_BYTES);
    let whole = notes.len();
    let mut kept = Vec::with_capacity(whole);
    for note in notes.iter() {
        let note = cut(note, each).into_owned();
        let Some(rest) = left.checked_sub(json_len(&note) + ",".len()) else { break };
        left = rest;
        kept.push(note);
    }
    if kept.len() < whole {
        kept.push(format!("{} more notes do not fit", whole - kept.len()));
    }
    *notes = kept;
}

/// The item as it is listed; if it does not fit even alone, without what describe tells too, then with its names cut.
fn shortest_needed(item: &CatalogItem, room: usize) -> Value {
    let whole = item.to_search_value();
    if json_len(&whole) < room {
        return whole;
    }
    let note = ("note".to_owned(), Value::from("Shortened: it is too large for one answer"));
    let named = |max_bytes: usize| -> Value {
        let keep = |key: &&str| whole.get(*key).is_some();
        let keys = ["kind", "name", "uri"].into_iter().filter(keep).map(|key| {
            let text = whole.get(key).and_then(Value::as_str).unwrap_or_default();
            (key.to_owned(), Value::from(cut(text, max_bytes)))
        });
        Value::Object(keys.chain([note.clone()]).collect::<Map<_, _>>())
    };
    let bare = named(usize::MAX);
    if json_len(&bare) < room { bare } else { named(room / 32) }
}

/// More than there can be is as good as the most there can be.
fn index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn description(features: &McpServerFeatures) -> String {
    let describe = function(features, Verb::Describe);
    let ways = [
        if_emitted(features, Verb::Invoke, |invoke| {
            format!(" A tool: `{describe}` shows its schema, `{invoke}` calls it.")
        }),
        if_emitted(features, Verb::Read, |read| {
            format!(
                " A resource: pass its `uri` to `{read}`. A resource template: pass its `uri` to `{read}` as it is, with a value \
                 for each of its `variables` in `arguments`."
            )
        }),
        if_emitted(features, Verb::Prompt, |prompt| format!(" A prompt: `{prompt}` returns its text.")),
    ];
    format!(
        "Find what the MCP server `{}` offers: tools, resources, resource templates and prompts, all in one list. Without \
         `query` everything is listed in the server's order; go on with `offset` = `next_offset`. `notes` say what could not \
         be listed. Each item has a `kind`.{}{}",
        server(features),
        ways.concat(),
        own_words(features),
    )
}

/// The server's instructions (S8), at the end and labelled, so that they are not taken for ours.
fn own_words(features: &McpServerFeatures) -> String {
    match features.instructions.as_deref().map(str::trim) {
        Some(words) if !words.is_empty() => {
            format!("\n\nThe server's own words: {}", cut(words, INSTRUCTIONS_MAX_BYTES))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
