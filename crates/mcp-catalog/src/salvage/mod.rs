//! Raw results taken apart item by item: a malformed entry is skipped or becomes an error item, its siblings stay (S9, S20, S30).
use crate::{CatalogItem, CatalogKind, NoteKind, PortError, RawResult};
use mcp_render::{Content, Message, ToolOutcome};
/// One page of a listing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page { /// The usable entries, in order.
    pub items: Vec<CatalogItem>, /// `nextCursor`; `""` is one like any other.
    pub next_cursor: Option<String>, /// Why each unusable entry was skipped.
    pub skipped: Vec<String>, /// How many malformed optional parts were dropped or mended.
    pub mended: usize }
/// Takes a page of `kind` apart. A result without the kind's array is `invalid_response`; `input_required` and unknown `resultType` are errors (S17).
pub fn page(_raw: &RawResult, _kind: CatalogKind) -> Result<Page, PortError> { let _: Option<NoteKind> = None; todo!() }
/// The contents of a read; pieces are ranges of the frame (`raw.into_line()`).
pub fn contents(_raw: &RawResult, _requested_uri: &str) -> Result<Vec<Content>, PortError> { todo!() }
/// A tool's result.
pub fn tool_outcome(_raw: &RawResult) -> Result<ToolOutcome, PortError> { todo!() }
/// A prompt's messages.
pub fn messages(_raw: &RawResult) -> Result<Vec<Message>, PortError> { todo!() }
/// The values of a completion; `result: null` and odd shapes are no values.
pub fn completion_values(_raw: &RawResult) -> Vec<String> { todo!() }
