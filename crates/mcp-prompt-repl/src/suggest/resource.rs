//! Completion of `.resource`: URIs and templates of a server, a template's variables, options (S44).

use super::arguments::key;
use super::rows::{can_be_typed, names, rank, word};
use super::{Completion, MAX_ROWS, about};
use crate::stage::{SEND, Stage, VALUED, Wanted};
use mcp_catalog::{CatalogItem, Details, Template};

pub(super) fn resource(stage: &Stage, items: &[CatalogItem]) -> Completion {
    match &stage.what {
        Wanted::Uri { .. } => names(stage, items.iter().map(|item| (item.id.as_str(), said(item)))),
        Wanted::Variable { uri, given, .. } => variables(stage, items, uri, given),
        _ => Completion::Rows(Vec::new()),
    }
}

/// A resource without a description has a name at least.
fn said(item: &CatalogItem) -> Option<String> {
    about(item).or_else(|| (item.name != item.id).then(|| super::rows::described(&item.name)))
}

/// `variable=` for those of a known template that are not given, then the options that are not.
fn variables(stage: &Stage, items: &[CatalogItem], uri: &str, given: &[String]) -> Completion {
    let is_given = |name: &str| given.iter().any(|one| one == name);
    let is_template = items.iter().any(|item| item.id == uri && matches!(item.details, Details::ResourceTemplate));
    let template = is_template.then(|| Template::parse(uri).ok()).flatten();
    let variables = template.map(|template| template.variables()).unwrap_or_default();
    let left = variables.iter().filter(|(name, usable)| *usable && !is_given(name) && can_be_typed(name));
    let keys = left.filter(|(name, _)| rank(&stage.typed, name).is_some());
    let keys = keys.map(|(name, _)| key(stage, name, Some("(required)".to_owned())));
    let about = [
        "Only lines that match this regular expression",
        "Where the page starts, in bytes",
        "Only this content, from 0",
    ];
    let options = VALUED.into_iter().zip(about).chain([(SEND, "Say what is shown to the model")]);
    let options =
        options.filter(|(option, _)| !is_given(option)).filter_map(|(option, about)| word(stage, option, about));
    Completion::Rows(keys.chain(options).take(MAX_ROWS).collect())
}
