//! Search over a live listing: one pass of BM25, no index (S22, performance.md C.6).
use crate::{CatalogItem, CatalogKind, Listing};
/// A search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery { /// The words; empty lists in order.
    pub query: String, /// Only this kind.
    pub kind: Option<CatalogKind>, /// How many hits to pass over.
    pub offset: usize, /// How many to return; `None` is all (command line).
    pub top_k: Option<usize> }
/// The hits of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult<'a> { /// The items, best first, or in the server's order for an empty query.
    pub items: Vec<&'a CatalogItem>, /// How many match in all.
    pub total: usize, /// Where the next page starts.
    pub next_offset: Option<usize> }
/// Searches a listing.
pub fn search<'a>(_listing: &'a Listing, _query: &SearchQuery) -> SearchResult<'a> { todo!() }
/// The ids closest to `id`, best first, at most `mcp_render::CLOSEST_ITEMS` (S23).
pub fn closest<'a>(_id: &str, _ids: impl IntoIterator<Item = &'a str>) -> Vec<String> { todo!() }
