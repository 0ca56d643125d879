//! What a read asks for: a URI as it was given, or a template expanded with its values (S37).
//!
//! A URI is sent byte for byte. Only values and the literals of a template are ever encoded, and no brace of a known
//! template reaches the wire.

use crate::error::MetaError;
use crate::server_call::ServerCall;
use mcp_catalog::{CatalogKind, ResourceUri, Template};
use serde_json::{Map, Value};

/// The URI that is sent.
#[derive(Debug)]
pub(super) struct Target {
    uri: ResourceUri,
    template: Option<String>,
}

impl Target {
    /// Decides what is sent. Templates are listed first only for a URI with `{` and no values (two seconds).
    pub(super) async fn resolve(
        call: &ServerCall<'_>,
        given: String,
        values: &Map<String, Value>,
    ) -> Result<Self, MetaError> {
        let braced = given.contains('{');
        if values.is_empty() && !braced {
            return Self::new(given, None);
        }
        if values.is_empty() {
            return match known_template(call, &given).await {
                Some(variables_of) => Err(MetaError::TemplateUnfilled { uri: given, variables_of }),
                None => Self::new(given, None),
            };
        }
        let template = Template::parse(&given).map_err(|source| MetaError::Template { source })?;
        let expanded = template.expand(values).map_err(|source| MetaError::Template { source })?;
        Self::new(expanded, Some(given))
    }

    /// The URI, to be sent.
    pub(super) fn sent(&self) -> ResourceUri {
        self.uri.clone()
    }

    /// The URI as text.
    pub(super) fn uri(&self) -> &str {
        self.uri.as_str()
    }

    /// The template that the URI was made of.
    pub(super) fn template(&self) -> Option<&str> {
        self.template.as_deref()
    }

    fn new(uri: String, template: Option<String>) -> Result<Self, MetaError> {
        let uri = ResourceUri::new(uri).map_err(|_empty| MetaError::MissingParameter {
            verb: crate::Verb::Read,
            parameter: super::URI,
            empty: true,
        })?;
        Ok(Self { uri, template })
    }
}

/// The variables of a template that the server lists under this text.
async fn known_template(call: &ServerCall<'_>, text: &str) -> Option<Vec<(String, bool)>> {
    let listing = call.quick_listing(&[CatalogKind::ResourceTemplate]).await;
    let known = listing.items.iter().any(|item| item.id == text);
    if known { Template::parse(text).ok().map(|template| template.variables()) } else { None }
}
