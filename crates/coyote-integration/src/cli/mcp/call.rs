//! `coyote mcp call <function> [json]`: one call through the same dispatch as a model's.

use crate::cli::{
    exit::{Failed, Failure, Phase, Status},
    host::Host,
};
use crate::{
    context::Scope,
    functions::{NoLocalTools, ToolCall, ToolResult, run_calls},
};
use mcp_meta::{MCP_META_FUNCTION_PREFIXES, MetaName};
use serde_json::{Map, Value};

/// Call a function as a model would, and print exactly the JSON that a model gets
///
/// Only the server that the function names is started. `coyote mcp functions` shows the functions.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CallArgs {
    /// The function's name
    function: String,

    /// Its arguments, a JSON object
    #[arg(value_name = "JSON")]
    arguments: Option<String>,
}

impl CallArgs {
    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let arguments = arguments(self.arguments.as_deref())?;
        let call = ToolCall { id: "1".to_owned(), name: self.function, arguments };
        let scope = match MetaName::parse(&call.name) {
            Some(name) => scope_of(host, &name).await?,
            // No meta-function: it names no server, so none is started, and the dispatch refuses it (design §9).
            None => Scope::new(&host.app, [], &NoLocalTools),
        };
        let context = scope.meta(&host.app, host.cancel.clone());
        let results = run_calls(&context, &NoLocalTools, vec![call]).await;
        let Some(result) = results.into_iter().next() else { return Ok(Status::Done) };
        host.report.json(&result.output, false);
        Ok(status(&result))
    }
}

fn status(result: &ToolResult) -> Status {
    result.code.map_or_else(|| Status::of_answer(&result.output), |code| Status::of(code, Phase::Call))
}

/// A model's arguments are whatever it wrote; a person's must at least be JSON.
fn arguments(text: Option<&str>) -> Result<Value, Failure> {
    let Some(text) = text else { return Ok(Value::Object(Map::new())) };
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("The arguments are no JSON: {error}"), "Write one JSON object in single quotes")
    })
}

/// The scope of the one server that the function names.
async fn scope_of(host: &Host, name: &MetaName) -> Result<Scope, Failed> {
    match host.app.servers.of_slug(name.server_part()) {
        Some(server) => Ok(host.open(server.entry.name.as_str()).await?.scope),
        None => Err(Failed::from(unknown(host, name))),
    }
}

fn unknown(host: &Host, name: &MetaName) -> Failure {
    match host.app.servers.get(name.server_part()) {
        Err(shape) => Failure::start(shape),
        // A server of that very key has another slug only when the key does not fit, and then `of_slug` is right.
        Ok(_) => Failure::usage(
            format!("`{name}` names no server"),
            format!("Functions begin with {}", MCP_META_FUNCTION_PREFIXES.join(", ")),
        ),
    }
}
