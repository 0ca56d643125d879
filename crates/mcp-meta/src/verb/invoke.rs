//! `invoke`: call a tool (S35).
//!
//! The tool's name is sent as it was given, and nothing is listed before a call. A tool outside the allowlist is answered
//! like one that does not exist, and the server never hears of it (S7).

use super::{Parameter, ParameterType, Row, function, server};
use crate::Verb;
use crate::args::Arguments;
use crate::error::MetaError;
use crate::gate::Gate;
use crate::server_call::{ServerCall, is_complete};
use mcp_catalog::{CatalogKind, Listing, McpServerFeatures, PortError, Request, ToolName, closest, deadline, salvage};
use mcp_render::tool_result;
use serde_json::{Map, Value};

const TOOL: &str = "tool";
const ARGUMENTS: &str = "arguments";

pub(super) const ROW: Row = Row {
    word: "invoke",
    gate: Gate::Tools,
    summary: "Call a tool",
    parameters: &[
        Parameter::new(TOOL, ParameterType::String, "The tool's name, exactly as search lists it").required(),
        Parameter::new(ARGUMENTS, ParameterType::Object, "The tool's arguments, by the schema that describe shows"),
    ],
    description,
};

/// Which tool to call, and with what.
#[derive(Debug)]
pub(crate) struct Args {
    tool: ToolName,
    arguments: Map<String, Value>,
}

impl Args {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self, MetaError> {
        let tool = arguments.required_text(TOOL)?;
        let given = arguments.object(ARGUMENTS)?.unwrap_or_default();
        let tool = ToolName::new(tool).map_err(|_empty| MetaError::MissingParameter {
            verb: Verb::Invoke,
            parameter: TOOL,
            empty: true,
        })?;
        Ok(Self { tool, arguments: given })
    }
}

/// Calls the tool and renders its result. A tool that fails is a result with `isError` (S35).
pub(crate) async fn run(call: &ServerCall<'_>, args: Args) -> Result<Value, MetaError> {
    call.declares(CatalogKind::Tool)?;
    let tool = args.tool.as_str().to_owned();
    if !call.allows(&tool) {
        let listing = call.quick_listing(&[CatalogKind::Tool]).await;
        return Err(missing(call, &listing, tool));
    }
    let request = Request::CallTool { name: args.tool, arguments: args.arguments };
    let raw = match call.ask(request, deadline::CALL).await {
        Ok(raw) => raw,
        Err(error) => return Err(judge(call, error, tool).await),
    };
    let (spiller, read_back, ceiling) = (call.spiller()?, call.read_back(), call.context.ceiling);
    let rendered = call.offload(move || {
        let outcome = salvage::tool_outcome(&raw)?;
        Ok(tool_result(raw.into_line(), outcome, &spiller, &read_back, ceiling))
    });
    rendered.await?.map_err(|error| call.failed(error))
}

/// A server's own error is `not_found` only when a listing does not know the tool (S19).
async fn judge(call: &ServerCall<'_>, error: PortError, tool: String) -> MetaError {
    if !matches!(error, PortError::Server { .. }) {
        return call.failed(error);
    }
    let listing = call.quick_listing(&[CatalogKind::Tool]).await;
    let known = listing.items.iter().any(|item| item.id == tool);
    if known || !is_complete(&listing) { call.failed(error) } else { missing(call, &listing, tool) }
}

/// Without the server's own words, which a hidden tool has none of.
fn missing(call: &ServerCall<'_>, listing: &Listing, tool: String) -> MetaError {
    let closest = closest(&tool, listing.items.iter().map(|item| item.id.as_str()));
    call.not_found("tool", tool, closest, None)
}

fn description(features: &McpServerFeatures) -> String {
    let (search, describe) = (function(features, Verb::Search), function(features, Verb::Describe));
    format!(
        "Call a tool of the MCP server `{}`. `tool` is its name exactly as `{search}` lists it, `arguments` fit the schema that \
         `{describe}` shows. `isError` marks a failure that the tool itself reports. Binary parts of a result are kept as files \
         and described; a text that is cut says how to read all of it.",
        server(features)
    )
}

#[cfg(test)]
mod tests;
