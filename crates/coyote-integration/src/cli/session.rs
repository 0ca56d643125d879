//! One command's use of its server: verbs go through mcp-meta, as a model's would (contracts.md §7).

use super::{
    exit::{Failed, Failure},
    hints,
    host::Host,
};
use crate::{context::Scope, functions::NoLocalTools};
use mcp_catalog::{
    Budget, CatalogKind, Listing, McpRuntime, NoteKind, ServerName, ServerPort, catalog_items, deadline,
};
use mcp_meta::{MetaContext, Verb, call_verb};
use mcp_render::{Code, ErrorShape};
use serde_json::Value;
use std::sync::Arc;

/// A started server and the scope that holds it alone.
pub(super) struct Session {
    /// The server.
    pub(super) server: ServerName,
    /// What it offers to a model.
    pub(super) scope: Scope,
    context: MetaContext,
}

impl Session {
    /// A session with one connected server.
    pub(super) fn new(host: &Host, port: Arc<dyn ServerPort>) -> Self {
        let server = port.name().clone();
        let scope = Scope::new(&host.app, McpRuntime::new([port]), &NoLocalTools);
        let context = scope.meta(&host.app, host.cancel.clone());
        Self { server, scope, context }
    }

    /// Calls a verb. An error keeps the JSON that a model would get, and a hint for a person beside it.
    pub(super) async fn call(&self, verb: Verb, arguments: Value) -> Result<Value, Failed> {
        let answer = call_verb(&self.context, verb, &self.server, arguments).await;
        match answer.code {
            None => Ok(answer.value),
            Some(code) => {
                let shape = hints::call(verb, &self.server, shape_of(&answer.value, code));
                Err(Failed { failure: Box::new(Failure::call(shape)), answer: answer.value })
            }
        }
    }

    /// Everything the server lists that may be seen, asked once.
    pub(super) async fn listing(&self, kinds: &[CatalogKind]) -> Listing {
        let Some(port) = self.scope.runtime.get(&self.server) else { return Listing::default() };
        let budget = Budget::new(deadline::LISTING).cancelled_by(self.context.budget.cancel.clone());
        let mut listing = catalog_items(port.as_ref(), kinds, &budget).await;
        if let Some(allow) = self.context.allow.get(&self.server) {
            listing.items.retain(|item| item.kind() != CatalogKind::Tool || allow.allows(&item.id));
            // These name tools, and any of them could be a hidden one (S7).
            listing.notes.retain(|note| note.kind != CatalogKind::Tool || !names_items(&note.what));
        }
        listing
    }
}

const fn names_items(note: &NoteKind) -> bool {
    matches!(note, NoteKind::Skipped { .. } | NoteKind::Duplicates { .. } | NoteKind::Mended { .. })
}

/// The parts of an error that mcp-meta answered (S39).
fn shape_of(answer: &Value, code: Code) -> ErrorShape {
    let text = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let closest = answer.get("closest").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let closest = closest.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    ErrorShape { tool_call_error: text("tool_call_error"), code, hint: text("hint"), closest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_read_back_from_what_a_model_gets() {
        let (tool_call_error, hint) = ("No tool".to_owned(), "Search".to_owned());
        let shape = ErrorShape { tool_call_error, code: Code::NotFound, hint, closest: vec!["a".to_owned()] };
        assert_eq!(shape_of(&shape.to_value(), Code::NotFound), shape);
    }
}
