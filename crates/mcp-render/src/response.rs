//! The answer to a read (S25, S26, S30).
use crate::{Ceiling, PageRequest, RenderError, Settled};
use serde_json::Value;
/// Renders settled items as the JSON a model gets. Never longer than `ceiling` when serialised.
pub fn respond(_items: &[Settled], _page: &PageRequest, _ceiling: Ceiling) -> Result<Value, RenderError> { todo!() }
