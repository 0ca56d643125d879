//! What can be wrong with a request to render, as typed data. Faults of a server's items are not errors: they render
//! as error items beside their siblings (S30).

use thiserror::Error;

/// A page request that cannot be served; all map to code `invalid_arguments`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenderError {
    /// `item` names no item of the answer.
    #[error("`item` is {given}; the resource has {count} item(s), numbered from 0")]
    ItemOutOfRange {
        /// The index that was given.
        given: u64,
        /// How many items there are.
        count: usize,
    },
}
