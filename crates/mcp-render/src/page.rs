//! A page request: which part of a text is wanted (D3, D4, S26).

use crate::{Filter, PAGE_DEFAULT_BYTES};

/// Which part of a read is wanted.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// Byte offset into the text, or into the filtered text when a filter is set.
    pub offset: u64,
    /// The most text bytes of the page, before JSON escaping.
    pub max_bytes: usize,
    /// Only matching lines with their context (D4).
    pub filter: Option<Filter>,
    /// Only this item, 0-based (S30).
    pub item: Option<u64>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { offset: 0, max_bytes: PAGE_DEFAULT_BYTES, filter: None, item: None }
    }
}
