//! `read`: a resource, a template with its values, or a spilled file (design §4.3, S34, S37).
//!
//! The first page asks the server; later pages and single items come from the version that was read (S28). A URI is
//! opaque: it is never opened, fetched or normalised here.

mod judge;
mod target;

use super::{Parameter, ParameterType, Row, function, server};
use crate::Verb;
use crate::args::{Arguments, MAX_BYTES, OFFSET, PATTERN};
use crate::error::MetaError;
use crate::gate::Gate;
use crate::server_call::ServerCall;
use crate::spill::{self, Sha256Hex};
use mcp_catalog::{
    CatalogKind, McpRuntime, McpServerFeatures, PortError, RawResult, Request, ServerName, Snapshot, SnapshotKey,
    deadline, salvage,
};
use mcp_render::{
    Content, PageRequest, RenderError, Settled, Spiller, fingerprint, respond, respond_with_note, settle,
};
use serde_json::{Map, Value};
use std::sync::Arc;
use target::Target;

const URI: &str = "uri";
const ARGUMENTS: &str = "arguments";
const ITEM: &str = "item";

pub(super) const ROW: Row = Row {
    word: "read",
    gate: Gate::Resources,
    summary: "Read a resource",
    parameters: &[
        Parameter::new(
            URI,
            ParameterType::String,
            "Resource URI, a resource template with {var} placeholders, or a `spill:` id",
        )
        .required(),
        Parameter::new(ARGUMENTS, ParameterType::Object, "Values of a template's variables (RFC 6570 level 1)"),
        Parameter::new(
            PATTERN,
            ParameterType::String,
            "Regular expression: only matching lines of a text, with two lines of context",
        ),
        Parameter::new(
            OFFSET,
            ParameterType::Integer,
            "Byte offset of the page, 0 by default; with `pattern` it counts the filtered text, as do `next_offset` and \
             `total_bytes`",
        ),
        Parameter::new(MAX_BYTES, ParameterType::Integer, "Text bytes of the page: 51200 by default, at most 204800"),
        Parameter::new(ITEM, ParameterType::Integer, "Only this one of several contents, counted from 0"),
    ],
    description,
};

/// What to read.
#[derive(Debug)]
pub(crate) struct Args {
    uri: String,
    arguments: Map<String, Value>,
    page: PageRequest,
}

impl Args {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self, MetaError> {
        let uri = arguments.required_text(URI)?;
        let mut values = arguments.object(ARGUMENTS)?.unwrap_or_default();
        values.retain(|_, value| !value.is_null());
        let page = PageRequest { item: arguments.count(ITEM)?, ..arguments.page()? };
        Ok(Self { uri, arguments: values, page })
    }
}

/// Reads and renders.
pub(crate) async fn run(call: &ServerCall<'_>, args: Args) -> Result<Value, MetaError> {
    if let Some(sha256) = Sha256Hex::of_uri(URI, &args.uri)? {
        return spill::page(call, sha256, args.page).await;
    }
    call.declares(CatalogKind::Resource)?;
    let target = Target::resolve(call, args.uri, &args.arguments).await?;
    let key = SnapshotKey { server: call.server().clone(), uri: target.uri().to_owned() };
    let page = args.page;
    // Only these belong to an earlier read; any other call wants what the resource is now.
    let continues = page.offset > 0 || page.item.is_some();
    if continues && let Some(snapshot) = call.context.snapshots.get(&key, call.changes()) {
        let ceiling = call.context.ceiling;
        return call.offload(move || respond(&snapshot.items, &page, ceiling)).await?.map_err(of_page);
    }
    let before = if continues { call.context.snapshots.last_fingerprint(&key) } else { None };
    // Taken before the request: what changes while it runs makes the answer stale (S17).
    let changes = call.changes();
    let raw = match call.ask(Request::ReadResource { uri: target.sent() }, deadline::READ).await {
        Ok(raw) => raw,
        Err(error) => return Err(judge::judge(call, error, &target).await),
    };
    let fetched = Fetched { raw, target, runtime: call.context.runtime.clone(), server: call.server().clone() };
    let (spiller, ceiling) = (call.spiller()?, call.context.ceiling);
    let work = call.offload(move || {
        let items = fetched.settle(&spiller)?;
        let now = fingerprint(&items);
        let answer = match before {
            Some(before) if before != now => respond_with_note(&items, &page, ceiling, CHANGED),
            _ => respond(&items, &page, ceiling),
        };
        Ok((items, now, answer))
    });
    let (items, fingerprint, answer) = work.await?.map_err(|error: PortError| call.failed(error))?;
    if items.iter().any(|item| matches!(item, Settled::Text(_))) {
        call.context.snapshots.put(key, Snapshot { items, changes, fingerprint });
    }
    answer.map_err(of_page)
}

/// What a page says that could not be taken from the version of the page before (S28).
const CHANGED: &str =
    "The resource has changed since it was last read: start again at `offset` 0 to see one version of it";

/// A read's answer, not yet looked at.
struct Fetched {
    raw: RawResult,
    target: Target,
    runtime: McpRuntime,
    server: ServerName,
}

impl Fetched {
    /// Takes the answer apart. Blocking: parses, decodes, hashes, writes. The frame's buffer is passed on by value.
    fn settle(self, spiller: &Spiller) -> Result<Arc<[Settled]>, PortError> {
        let mut contents = salvage::contents(&self.raw, self.target.uri())?;
        let alone = contents.len() == 1;
        for content in &mut contents {
            self.audience(content, alone);
        }
        Ok(settle(self.raw.into_line(), contents, spiller).into())
    }

    /// The audience that the last listing told, where the content itself tells none (S24). A read never lists for it.
    fn audience(&self, content: &mut Content, alone: bool) {
        let told = |uri: &str| self.runtime.audience_of(&self.server, uri);
        if content.audience.is_empty() {
            content.audience = told(&content.uri);
        }
        // A single content is the resource that was asked for, whatever it calls itself.
        if content.audience.is_empty() && alone {
            content.audience = told(self.target.uri());
        }
        if content.audience.is_empty() && alone {
            content.audience = self.target.template().map(told).unwrap_or_default();
        }
    }
}

const fn of_page(source: RenderError) -> MetaError {
    MetaError::Page { source }
}

fn description(features: &McpServerFeatures) -> String {
    let search = function(features, Verb::Search);
    format!(
        "Read a resource of the MCP server `{}`. `uri` is a resource's URI exactly as `{search}` lists it, a resource template \
         with a value for each variable in `arguments`, or `spill:` and 64 hexadecimal digits from an earlier answer. A text \
         comes in pages: go on with `offset` = `next_offset`, or ask for the matching lines with `pattern`. Binary content is \
         kept as a file and described.",
        server(features)
    )
}

#[cfg(test)]
mod tests;
