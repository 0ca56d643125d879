//! What is known of one item, as JSON (S23).
use crate::{CatalogKind, Listing};
use serde_json::Value;
use thiserror::Error;
/// The id is not in the listing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("No {kind} `{id}`")]
pub struct DescribeError { /// The kind asked for.
    pub kind: CatalogKind, /// The id asked for.
    pub id: String, /// The closest ids of that kind.
    pub closest: Vec<String> }
/// Describes the item `id` of `kind` as S23 says.
pub fn describe(_listing: &Listing, _kind: CatalogKind, _id: &str) -> Result<Value, DescribeError> { todo!() }
