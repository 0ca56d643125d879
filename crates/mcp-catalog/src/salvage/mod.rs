//! Raw results taken apart item by item: a malformed entry is skipped or becomes an error item, its siblings stay
//! (S9, S20, S30).
//!
//! Every function takes a result for what was asked, never for what its shape resembles, and copies no string of the
//! frame that can be pointed at. Nothing here asks a server or judges what content means.

mod contents;
mod entry;
mod node;
mod prompt;
mod reply;
mod resource;
mod tool;

use crate::{CatalogItem, CatalogKind, PortError, RawResult, excerpt};
use contents::Frame;
use entry::Mending;
use mcp_render::{Body, Content, JSON_VALUES_MAX, LISTING_MAX_ITEMS, Message, ToolOutcome};
use node::Node;
use reply::Reply;

/// How many reasons are kept of the entries that were skipped; all of them are counted.
pub const REASONS_MAX: usize = 5;

/// The most values that are kept of one completion (S45).
const COMPLETIONS_MAX: usize = 100;

/// One page of a listing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The usable entries, in order, at most [`LISTING_MAX_ITEMS`].
    pub items: Vec<CatalogItem>,
    /// `nextCursor`; `""` is one like any other.
    pub next_cursor: Option<String>,
    /// Why `nextCursor` could not be read, so that the rest of the listing is out of reach.
    pub cursor_fault: Option<String>,
    /// Why the first unusable entries were skipped, at most [`REASONS_MAX`].
    pub skipped: Vec<String>,
    /// How many entries were skipped.
    pub skipped_count: usize,
    /// How many usable entries stand beyond the bound on items (S11).
    pub beyond: usize,
    /// How many malformed optional parts were dropped or mended.
    pub mended: usize,
    /// How many JSON values its schemas and annotations hold, at most [`JSON_VALUES_MAX`].
    pub values: usize,
}

/// Takes a page of `kind` apart. A result without the kind's array is `invalid_response`; `input_required` and an unknown
/// `resultType` are errors (S17).
pub fn page(raw: &RawResult, kind: CatalogKind) -> Result<Page, PortError> {
    let list = match kind {
        CatalogKind::Tool => "tools",
        CatalogKind::Resource => "resources",
        CatalogKind::ResourceTemplate => "resourceTemplates",
        CatalogKind::Prompt => "prompts",
    };
    let (reply, [entries, cursor]) = Reply::open(raw, [list, "nextCursor"])?;
    let entries = reply.array(list, entries)?;
    let mut mending = Mending { count: usize::from(entries.was_mended()), ..Mending::default() };
    let mut page = Page::default();
    let mut index = 0_usize;
    entries.each(|entry| {
        page.take(entry, index, kind, &mut mending);
        index += 1;
    })?;
    match cursor.map(Node::string) {
        Some(Ok(cursor)) => page.next_cursor = Some(cursor.into_owned()),
        Some(Err(odd)) => page.cursor_fault = Some(format!("`nextCursor` {odd}")),
        None => {}
    }
    page.mended = mending.count;
    page.values = JSON_VALUES_MAX - mending.room;
    Ok(page)
}

impl Page {
    fn take(&mut self, entry: Node<'_>, index: usize, kind: CatalogKind, mending: &mut Mending) {
        let item = match kind {
            CatalogKind::Tool => tool::tool(entry, mending),
            CatalogKind::Resource => resource::resource(entry, mending),
            CatalogKind::ResourceTemplate => resource::resource_template(entry, mending),
            CatalogKind::Prompt => prompt::prompt(entry, mending),
        };
        match item {
            Ok(_) if self.items.len() >= LISTING_MAX_ITEMS => self.beyond += 1,
            Ok(item) => self.items.push(item),
            Err(reason) => {
                self.skipped_count += 1;
                if self.skipped.len() < REASONS_MAX {
                    self.skipped.push(format!("{}: {reason}", label(entry, index)));
                }
            }
        }
    }
}

/// What a skipped entry is called in its reason: its name, its URI, or its place.
fn label(entry: Node<'_>, index: usize) -> String {
    let named = entry.members(["name", "uri", "uriTemplate"]).unwrap_or([None; 3]);
    let name = named.into_iter().flatten().find_map(|node| node.string().ok().filter(|name| !name.is_empty()));
    match name {
        Some(name) => format!("`{}`", excerpt::excerpt(&name, excerpt::NAME_MAX_BYTES)),
        None => format!("entry {index}"),
    }
}

/// The contents of a read; pieces are ranges of the frame ([`RawResult::into_line`]). An item that cannot be taken is a
/// [`Body::Broken`] beside its siblings (S30).
pub fn contents(raw: &RawResult, requested_uri: &str) -> Result<Vec<Content>, PortError> {
    let (reply, [contents]) = Reply::open(raw, ["contents"])?;
    let frame = Frame(raw.line());
    let mut items = Vec::new();
    let mut found = 0_usize;
    reply.array("contents", contents)?.each(|item| {
        found += 1;
        if found <= contents::BLOCKS_MAX {
            items.push(contents::content(item, frame, requested_uri));
        }
    })?;
    if found > contents::BLOCKS_MAX {
        let body = Body::Broken(contents::beyond(found, "items"));
        items.push(Content { uri: requested_uri.to_owned(), mime_type: None, audience: Vec::new(), body });
    }
    Ok(items)
}

/// A tool's result. No content is no failure (C55); content that cannot be taken is a broken block.
pub fn tool_outcome(raw: &RawResult) -> Result<ToolOutcome, PortError> {
    let names = ["content", "structuredContent", "isError", "toolResult", "task"];
    let (_, [content, structured, is_error, legacy, task]) = Reply::open(raw, names)?;
    if content.is_none() && structured.is_none() && legacy.is_none() && task.is_some() {
        let cause = "Server started a task instead of answering; this client does not follow tasks".to_owned();
        return Err(PortError::Unsupported { cause });
    }
    let mut blocks = contents::blocks(content, Frame(raw.line()));
    // `toolResult` is what the first revision of MCP called it.
    let structured = structured.or(legacy.filter(|_| content.is_none()));
    let mut room = JSON_VALUES_MAX;
    let structured = structured.and_then(|node| match node.value(&mut room) {
        Ok(value) => Some(value),
        Err(odd) => {
            blocks.push(contents::broken(format!("`structuredContent` {odd}")));
            None
        }
    });
    let is_error = is_error.is_some_and(|flag| matches!(flag.json(), "true" | "\"true\""));
    Ok(ToolOutcome { is_error, blocks, structured })
}

/// A prompt's messages, in order. A message that cannot be taken keeps its place as a broken block.
pub fn messages(raw: &RawResult) -> Result<Vec<Message>, PortError> {
    let (reply, [list]) = Reply::open(raw, ["messages"])?;
    let frame = Frame(raw.line());
    let mut messages = Vec::new();
    let mut found = 0_usize;
    reply.array("messages", list)?.each(|node| {
        found += 1;
        if found <= contents::BLOCKS_MAX {
            messages.push(prompt::message(node, frame));
        }
    })?;
    if found > contents::BLOCKS_MAX {
        messages.push(prompt::beyond(found));
    }
    Ok(messages)
}

/// The values of a completion, at most 100; `result: null` and odd shapes are no values (C14).
pub fn completion_values(raw: &RawResult) -> Vec<String> {
    let mut values = Vec::new();
    let Ok((_, [Some(completion)])) = Reply::open(raw, ["completion"]) else { return values };
    let Ok([Some(list)]) = completion.members(["values"]) else { return values };
    // What stands before a break is still worth showing.
    let _broken = list.each_element(|value| {
        let short = value.string().ok().filter(|text| text.len() <= mcp_render::METADATA_STRING_MAX_BYTES);
        if values.len() < COMPLETIONS_MAX {
            values.extend(short.map(std::borrow::Cow::into_owned));
        }
    });
    values
}

#[cfg(test)]
mod tests;
