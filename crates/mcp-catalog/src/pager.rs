//! The one lazy choke point of live listings (D1) and its bounded pager (S11).
use crate::{Budget, CatalogKind, Listing, ServerPort};
/// Lists these kinds, each only when declared (S4); a failing kind is a note. Kinds are asked concurrently.
pub async fn catalog_items(_port: &dyn ServerPort, _kinds: &[CatalogKind], _budget: &Budget) -> Listing { todo!() }
/// Lists one kind to its end within the bounds of S11, declared or not.
pub async fn list_kind(_port: &dyn ServerPort, _kind: CatalogKind, _budget: &Budget) -> Listing { todo!() }
