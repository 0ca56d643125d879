//! Search over a live listing: one pass of BM25, no index (S22, performance.md C.6).
//!
//! It reads a listing and keeps nothing; what a listing could not tell stands in its notes, which are the caller's to show.

mod closest;
mod hit;
mod rank;
mod words;

pub use closest::closest;

use crate::{CatalogItem, CatalogKind, Listing};

/// A search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery {
    /// The words; none lists in order. A query without a letter or digit (`*`) has no words.
    pub query: String,
    /// Only this kind.
    pub kind: Option<CatalogKind>,
    /// How many hits to pass over.
    pub offset: usize,
    /// How many to return, at least one; `None` is all (command line).
    pub top_k: Option<usize>,
}

/// The hits of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult<'a> {
    /// The items, best first, or in the server's order for an empty query.
    pub items: Vec<&'a CatalogItem>,
    /// How many match in all.
    pub total: usize,
    /// Where the next page starts.
    pub next_offset: Option<usize>,
}

/// Searches a listing. Items that match equally well keep the server's order.
pub fn search<'a>(listing: &'a Listing, query: &SearchQuery) -> SearchResult<'a> {
    let of_kind = listing.items.iter().filter(|item| query.kind.is_none_or(|kind| item.kind() == kind));
    let terms = rank::Terms::of(&query.query);
    let hits = if terms.is_empty() {
        of_kind.collect()
    } else {
        rank::rank(of_kind, &terms, &query.query.trim().to_lowercase())
    };
    let total = hits.len();
    let count = query.top_k.map_or(usize::MAX, |top_k| top_k.max(1));
    let items: Vec<_> = hits.into_iter().skip(query.offset).take(count).collect();
    let end = query.offset.saturating_add(items.len());
    SearchResult { next_offset: (end < total).then_some(end), items, total }
}

#[cfg(test)]
mod tests;
