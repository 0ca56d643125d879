//! One entry of `resources/list` or `resources/templates/list` (S20). A URI is opaque: it is kept byte for byte (S37).

use super::{
    entry::{Mending, required_id},
    node::Node,
};
use crate::{CatalogItem, Details};

/// The resource, or why it cannot be used.
pub(super) fn resource(entry: Node<'_>, mending: &mut Mending) -> Result<CatalogItem, String> {
    listed(entry, "uri", Details::Resource, mending)
}

/// The template, or why it cannot be used. Whether its expressions are supported is decided when it is expanded.
pub(super) fn resource_template(entry: Node<'_>, mending: &mut Mending) -> Result<CatalogItem, String> {
    listed(entry, "uriTemplate", Details::ResourceTemplate, mending)
}

fn listed(entry: Node<'_>, id: &str, details: Details, mending: &mut Mending) -> Result<CatalogItem, String> {
    let [uri, name, title, description, mime_type, size, annotations] = entry
        .members([id, "name", "title", "description", "mimeType", "size", "annotations"])
        .map_err(|odd| odd.to_string())?;
    let id = required_id(id, uri)?;
    let annotations = mending.annotations(annotations);
    Ok(CatalogItem {
        name: mending.string(name).filter(|name| !name.is_empty()).unwrap_or_else(|| id.clone()),
        title: mending.string(title),
        description: mending.string(description),
        mime_type: mending.string(mime_type),
        size: mending.size(size),
        audience: annotations.audience,
        annotations: annotations.whole,
        details,
        id,
    })
}
