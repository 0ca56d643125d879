//! One search result as JSON (S22). What is too long for a list is cut visibly; describe tells the rest.

use crate::{CatalogItem, Details, Template, excerpt::excerpt};
use mcp_render::{DESCRIPTION_MAX_BYTES, METADATA_STRING_MAX_BYTES};
use serde_json::{Map, Value, json};

/// The most arguments or variables that a search result names.
const NAMES_MAX: usize = 64;

impl CatalogItem {
    /// `{kind, name, title?, description?, uri?, mime_type?, size?, arguments?, variables?, audience?}` (S22):
    /// `arguments` is a list of `{name, required}`, `variables` a list of names, `uri` of a template the template.
    pub fn to_search_value(&self) -> Value {
        let mut value = Map::new();
        let mut put = |key: &str, part: Option<Value>| {
            if let Some(part) = part {
                value.insert(key.to_owned(), part);
            }
        };
        let metadata = |text: &str| Value::String(excerpt(text, METADATA_STRING_MAX_BYTES));
        put("kind", Some(json!(self.kind())));
        put("name", Some(metadata(&self.name)));
        put("title", self.title.as_deref().map(metadata));
        put("description", self.description.as_deref().map(|text| json!(excerpt(text, DESCRIPTION_MAX_BYTES))));
        put("uri", self.uri().map(metadata));
        put("mime_type", self.mime_type.as_deref().map(metadata));
        put("size", self.size.map(Value::from));
        match &self.details {
            Details::Prompt { arguments } if !arguments.is_empty() => {
                let named = arguments.iter().take(NAMES_MAX);
                let named =
                    named.map(|argument| json!({"name": metadata(&argument.name), "required": argument.required}));
                put("arguments", Some(named.collect()));
            }
            Details::ResourceTemplate => put("variables", Some(self.variables())),
            Details::Tool { .. } | Details::Resource | Details::Prompt { .. } => {}
        }
        let audience = self.audience.iter().map(|value| metadata(value));
        put("audience", (!self.audience.is_empty()).then(|| audience.collect()));
        Value::Object(value)
    }

    /// The names of a template's variables.
    fn variables(&self) -> Value {
        let variables = Template::parse(&self.id).map(|template| template.variables()).unwrap_or_default();
        variables.into_iter().take(NAMES_MAX).map(|(name, _)| Value::String(name)).collect()
    }
}
