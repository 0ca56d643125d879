//! What is known of one item, as JSON (S23).
//!
//! Nothing is invented: a prompt's arguments are strings without a schema, and a member the server did not write is left
//! out. Fitting an answer under its ceiling is the caller's work (S31).

use crate::{CatalogItem, CatalogKind, Details, Listing, PromptArgument, Template, closest, excerpt::excerpt};
use mcp_render::{CLOSEST_ITEMS, METADATA_STRING_MAX_BYTES, PAGE_DEFAULT_BYTES};
use serde_json::{Map, Value, json};
use thiserror::Error;

/// The id is not in the listing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("No {kind} `{id}`")]
pub struct DescribeError {
    /// The kind asked for.
    pub kind: CatalogKind,
    /// The id asked for.
    pub id: String,
    /// The closest ids of that kind.
    pub closest: Vec<String>,
}

/// Describes the item `id` of `kind` as S23 says.
pub fn describe(listing: &Listing, kind: CatalogKind, id: &str) -> Result<Value, DescribeError> {
    let of_kind = || listing.items.iter().filter(|item| item.kind() == kind);
    match of_kind().find(|item| item.id == id) {
        Some(item) => Ok(described(item)),
        None => Err(DescribeError { kind, id: id.to_owned(), closest: meant(of_kind(), id) }),
    }
}

/// The ids that may have been meant: those of items called so, then the closest.
fn meant<'a>(items: impl Iterator<Item = &'a CatalogItem> + Clone, id: &str) -> Vec<String> {
    let called = |item: &&CatalogItem| item.name == id || item.title.as_deref() == Some(id);
    let mut ids: Vec<String> = items.clone().filter(called).map(|item| item.id.clone()).collect();
    let close = closest(id, items.map(|item| item.id.as_str()));
    ids.extend(close.into_iter().filter(|close| !ids.contains(close)).collect::<Vec<_>>());
    ids.truncate(CLOSEST_ITEMS);
    ids
}

fn described(item: &CatalogItem) -> Value {
    let mut value = Object::default();
    match &item.details {
        Details::Tool { input_schema, output_schema } => {
            value.put("type", "object");
            value.put("properties", json!({"tool": {"const": item.id}, "arguments": input_schema}));
            value.put("name", metadata(&item.name));
            value.described_by(item);
            value.put_some("annotations", item.annotations.clone());
            value.put_some("output_schema", output_schema.clone());
        }
        Details::Resource => {
            value.put("uri", item.id.as_str());
            value.resource(item);
        }
        Details::ResourceTemplate => {
            value.put("uri_template", item.id.as_str());
            value.put("variables", variables(&item.id));
            value.resource(item);
        }
        Details::Prompt { arguments } => {
            value.put("name", metadata(&item.name));
            value.described_by(item);
            value.put("arguments", arguments.iter().map(argument).collect::<Vec<_>>());
        }
    }
    Value::Object(value.0)
}

/// A JSON object in the order of its making.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn put_some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// Title and description. A description is cut where it would fill an answer by itself.
    fn described_by(&mut self, item: &CatalogItem) {
        self.put_some("title", item.title.as_deref().map(metadata));
        self.put_some("description", item.description.as_deref().map(|text| excerpt(text, PAGE_DEFAULT_BYTES)));
    }

    fn resource(&mut self, item: &CatalogItem) {
        self.put("name", metadata(&item.name));
        self.described_by(item);
        self.put_some("mime_type", item.mime_type.as_deref().map(metadata));
        self.put_some("size", item.size);
        let audience: Vec<String> = item.audience.iter().map(|value| metadata(value)).collect();
        self.put_some("audience", (!audience.is_empty()).then_some(audience));
        self.put_some("annotations", item.annotations.clone());
    }
}

fn argument(argument: &PromptArgument) -> Value {
    let mut value = Object::default();
    value.put("name", metadata(&argument.name));
    value.put_some("title", argument.title.as_deref().map(metadata));
    value.put_some("description", argument.description.as_deref().map(metadata));
    value.put("required", argument.required);
    Value::Object(value.0)
}

/// `[{name, supported}]` in order, each once; a text that is no template has none.
fn variables(template: &str) -> Value {
    let variables = Template::parse(template).map(|template| template.variables()).unwrap_or_default();
    variables.into_iter().map(|(name, supported)| json!({"name": name, "supported": supported})).collect()
}

fn metadata(text: &str) -> String {
    excerpt(text, METADATA_STRING_MAX_BYTES)
}

#[cfg(test)]
mod tests;
