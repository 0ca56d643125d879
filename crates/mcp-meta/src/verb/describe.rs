//! `describe`: what is known of one item (S23), or a spilled file of a server that has no read function (S34).
//!
//! It lists the item's kind anew and invents nothing. A schema that is over the ceiling is kept as a file, and S31's marker
//! stands in its place.

use super::{Parameter, ParameterType, Row, function, if_emitted, server};
use crate::args::{Arguments, MAX_BYTES, OFFSET, PATTERN};
use crate::error::MetaError;
use crate::gate::Gate;
use crate::server_call::ServerCall;
use crate::spill::{self, Sha256Hex};
use crate::{Verb, emits};
use mcp_catalog::{CatalogKind, DescribeError, Listing, McpServerFeatures, Note, NoteKind};
use mcp_render::{PageRequest, ReadBack, Spiller, json_len, json_or_marker};
use serde_json::Value;

const TOOL: &str = "tool";
const KIND: &str = "kind";
const SPILL: &str = "spill";
/// Where the schemas stand in a tool's description.
const SCHEMAS: [&str; 2] = ["/output_schema", "/properties/arguments"];

/// The kinds of a catalog, and spills.
const KINDS: [&str; 5] = {
    let [tool, resource, template, prompt] = super::KINDS;
    [tool, resource, template, prompt, SPILL]
};

pub(super) const ROW: Row = Row {
    word: "describe",
    gate: Gate::Always,
    summary: "Show what is known of one item",
    parameters: &[
        Parameter::new(
            TOOL,
            ParameterType::String,
            "The item's id as search lists it: a tool's name, a resource's URI, a template, a prompt's name",
        )
        .required(),
        Parameter::new(KIND, ParameterType::String, "What `tool` is the id of; `tool` by default").one_of(&KINDS),
        Parameter::new(
            PATTERN,
            ParameterType::String,
            "With kind `spill`: only lines that match this regular expression",
        ),
        Parameter::new(OFFSET, ParameterType::Integer, "With kind `spill`: byte offset of the page"),
        Parameter::new(
            MAX_BYTES,
            ParameterType::Integer,
            "With kind `spill`: text bytes of the page, 51200 by default",
        ),
    ],
    description,
};

/// What is to be described.
#[derive(Debug)]
pub(crate) enum Args {
    /// An item of the catalog.
    Item {
        /// Its kind; `None` when the call named none.
        kind: Option<CatalogKind>,
        /// Its id.
        id: String,
    },
    /// A page of a spilled file.
    Spill {
        /// Its id.
        sha256: Sha256Hex,
        /// The page.
        page: PageRequest,
    },
}

impl Args {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self, MetaError> {
        let id = arguments.required_text(TOOL)?;
        let kind = arguments.choice(KIND)?;
        let page = arguments.page()?;
        if kind.as_deref() == Some(SPILL) {
            return Ok(Self::Spill { sha256: Sha256Hex::parse(TOOL, &id)?, page });
        }
        // A model that fills in every parameter gives zeros; anything else would be ignored without a word.
        for (parameter, given) in [(PATTERN, page.filter.is_some()), (OFFSET, page.offset > 0)] {
            if given {
                return Err(MetaError::Misplaced { parameter });
            }
        }
        let kind = kind.and_then(|kind| CatalogKind::parse(&kind));
        Ok(Self::Item { kind, id })
    }
}

/// Answers the item's description or the spill's page.
pub(crate) async fn run(call: &ServerCall<'_>, args: Args) -> Result<Value, MetaError> {
    match args {
        Args::Item { kind, id } => item(call, kind, &id).await,
        Args::Spill { sha256, page } => spill::page(call, sha256, page).await,
    }
}

async fn item(call: &ServerCall<'_>, given: Option<CatalogKind>, id: &str) -> Result<Value, MetaError> {
    let kind = given.unwrap_or(CatalogKind::Tool);
    call.declares(kind)?;
    let listing = call.listing(&[kind]).await?;
    let value = mcp_catalog::describe(&listing, kind, id).map_err(|DescribeError { id, closest, .. }| {
        let guessed = given.is_none().then(|| "`kind` was not given, so only tools were looked through".to_owned());
        call.not_found(
            noun(kind),
            id,
            closest,
            guessed.into_iter().chain(unseen(&listing)).reduce(|a, b| format!("{a}; {b}")),
        )
    })?;
    let ceiling = call.context.ceiling.bytes();
    if json_len(&value) <= ceiling {
        return Ok(value);
    }
    let (spiller, read_back) = (call.spiller()?, call.read_back());
    call.offload(move || fitted(value, ceiling, &spiller, &read_back)).await
}

/// A description over the ceiling. Its schemas become markers, the longer one first, so that what else is known of the
/// tool stays; when that is not enough the whole description becomes one.
fn fitted(mut value: Value, ceiling: usize, spiller: &Spiller, read_back: &ReadBack) -> Value {
    let mut schemas = SCHEMAS.map(|at| (value.pointer(at).map_or(0, json_len), at));
    schemas.sort_unstable();
    for (bytes, at) in schemas.into_iter().rev() {
        let over = json_len(&value).saturating_sub(ceiling);
        if let Some(schema) = value.pointer_mut(at).filter(|_| over > 0) {
            let room = if bytes > ceiling { ceiling } else { bytes.saturating_sub(over) };
            *schema = json_or_marker(schema.take(), room, spiller, read_back);
        }
    }
    json_or_marker(value, ceiling, spiller, read_back)
}

/// The kind in a sentence.
const fn noun(kind: CatalogKind) -> &'static str {
    match kind {
        CatalogKind::Tool => "tool",
        CatalogKind::Resource => "resource",
        CatalogKind::ResourceTemplate => "resource template",
        CatalogKind::Prompt => "prompt",
    }
}

/// Why an item that exists may not have been seen.
fn unseen(listing: &Listing) -> Option<String> {
    let tells = |note: &&Note| {
        matches!(
            note.what,
            NoteKind::Partial { .. } | NoteKind::NotImplemented | NoteKind::Skipped { .. } | NoteKind::Failed(_)
        )
    };
    let notes: Vec<String> = listing.notes.iter().filter(tells).map(ToString::to_string).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn description(features: &McpServerFeatures) -> String {
    let search = function(features, Verb::Search);
    let schema = if_emitted(features, Verb::Invoke, |invoke| {
        format!(" For a tool that is the schema of the `arguments` of `{invoke}`: look before the first call.")
    });
    let spill = if emits(Verb::Read, features) {
        ""
    } else {
        " With `kind` \"spill\" and the 64 hexadecimal digits from an answer that was cut, it pages the full text."
    };
    format!(
        "Show all that the MCP server `{}` tells of one item. `tool` is the item's id exactly as `{search}` lists it: a tool's \
         name, a resource's or template's `uri`, a prompt's name; say which with `kind`.{schema}{spill}",
        server(features)
    )
}

#[cfg(test)]
mod tests;
