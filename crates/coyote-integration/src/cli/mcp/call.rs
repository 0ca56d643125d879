//! `coyote mcp call <function> [json]`: one call through the same dispatch as a model's.

use crate::cli::{
    exit::{Failed, Failure, Phase, Status},
    host::Host,
};
use crate::{
    context::Scope,
    functions::{NoLocalTools, ToolCall, ToolResult, run_calls},
};
use mcp_catalog::McpRuntime;
use mcp_meta::{MetaName, mcp_meta_function_names};
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
    pub(in crate::cli) fn function(&self) -> &str {
        &self.function
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let arguments = arguments(self.arguments.as_deref())?;
        let call = ToolCall { id: "1".to_owned(), name: self.function, arguments };
        let scope = match MetaName::parse(&call.name) {
            Some(name) => scope_of(host, &name).await?,
            // No meta-function: it names no server, so none is started, and the dispatch refuses it (design §9).
            None => Scope::new(&host.app, McpRuntime::default(), &NoLocalTools),
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
    let server = match host.app.servers.get(name.server_part()) {
        Ok(server) => &server.entry.name,
        Err(shape) => return Failure::start(shape),
    };
    let functions = mcp_meta_function_names(server).join("`, `");
    Failure::usage(
        format!("`{name}` is no function of `{server}`: its key does not fit into a function's name"),
        format!("Its functions can be `{functions}`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::mcp::fake_host::FakeHost;
    use serde_json::json;

    const SERVERS: &str = r#"{"mcpServers": {"My Server.v2": {"command": "x", "disabled": true}}}"#;

    async fn call(function: &str, arguments: Option<&str>) -> (Result<Status, Failed>, String) {
        let machine = FakeHost::new(SERVERS);
        let args = CallArgs { function: function.to_owned(), arguments: arguments.map(str::to_owned) };
        let outcome = args.run(&machine.host).await;
        (outcome, machine.out())
    }

    #[tokio::test]
    async fn a_call_prints_exactly_the_json_a_model_gets() {
        let arguments = Some(r#"{"uri": "coyote://manual/start", "max_bytes": 7}"#);
        let (outcome, out) = call("mcp_read_coyote", arguments).await;
        let page: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((outcome, &page["text"], out.lines().count()), (Ok(Status::Done), &json!("# Start"), 1));
    }

    #[tokio::test]
    async fn an_undeclared_function_is_refused_and_no_server_is_started() {
        for function in ["mcp_bogus_x", "fs_cat", "mcp_invoke_"] {
            let (outcome, out) = call(function, None).await;
            let refusal: Value = serde_json::from_str(&out).unwrap();
            assert_eq!((outcome, &refusal["code"]), (Ok(Status::Failed), &json!("unsupported")), "{function}");
        }
    }

    #[tokio::test]
    async fn a_function_of_a_server_that_is_not_there_or_is_off_is_status_3() {
        let (outcome, _) = call("mcp_read_nowhere", None).await;
        let failed = outcome.unwrap_err();
        assert_eq!((failed.failure.status(), &failed.answer["code"]), (Status::NoServer, &json!("not_found")));
        let slug = mcp_catalog::ServerName::new("My Server.v2").unwrap().slug();
        let (outcome, _) = call(&format!("mcp_read_{slug}"), None).await;
        let failed = outcome.unwrap_err();
        assert_eq!((failed.failure.status(), &failed.answer["code"]), (Status::NoServer, &json!("denied")));
    }

    #[tokio::test]
    async fn a_key_in_place_of_a_functions_part_is_answered_with_the_functions() {
        let failed = call("mcp_read_My Server.v2", None).await.0.unwrap_err();
        let shape = failed.failure.shape;
        insta::assert_snapshot!(format!("{}. {}", shape.tool_call_error, shape.hint), @"`mcp_read_My Server.v2` is no function of `My Server.v2`: its key does not fit into a function's name. Its functions can be `mcp_invoke_My_Server_v2_f7dd860e`, `mcp_search_My_Server_v2_f7dd860e`, `mcp_describe_My_Server_v2_f7dd860e`, `mcp_read_My_Server_v2_f7dd860e`, `mcp_prompt_My_Server_v2_f7dd860e`");
    }

    #[tokio::test]
    async fn arguments_that_are_no_json_are_wrong_usage() {
        let failed = call("mcp_read_coyote", Some("{uri}")).await.0.unwrap_err();
        assert_eq!(failed.failure.status(), Status::Usage);
        insta::assert_snapshot!(failed.failure.shape.tool_call_error, @"The arguments are no JSON: key must be a string at line 1 column 2");
    }
}
