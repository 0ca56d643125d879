//! The functions over a fixture server in this process: everything between a model's JSON and a server's bytes but the
//! host.

use acceptance::{
    filters::Filters,
    fixture::{InProcess, Script, WireLog, in_process},
    functions::functions_over,
};
use mcp_catalog::{
    PortError, ServerName, ServerPort,
    sdk::{ConnectOptions, SdkPort, connect_io},
};
use mcp_meta::{Answer, MetaContext, call};
use mcp_render::{Code, json_for_terminal};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

/// The name of the one server of most tests.
pub(crate) const SERVER: &str = "docs";

/// Functions over fixture servers.
pub(crate) struct Rig {
    pub(crate) context: MetaContext,
    pub(crate) logs: Vec<Arc<WireLog>>,
    pub(crate) cache: TempDir,
}

impl Rig {
    /// One server called [`SERVER`].
    pub(crate) async fn of(script: Value) -> Self {
        Self::many([(SERVER, script)]).await
    }

    /// Several servers.
    pub(crate) async fn many<const N: usize>(servers: [(&str, Value); N]) -> Self {
        let mut ports = Vec::new();
        let mut logs = Vec::new();
        for (name, script) in servers {
            let InProcess { reader, writer, log } = in_process(Script::from_json(script).unwrap());
            let port = connect_io(reader, writer, options(name)).await.unwrap();
            ports.push(Arc::new(port) as Arc<dyn ServerPort>);
            logs.push(log);
        }
        let cache = TempDir::new().unwrap();
        let context = functions_over(ports, cache.path());
        Self { context, logs, cache }
    }

    /// A call of a verb's function on [`SERVER`], as a model makes it.
    pub(crate) async fn call(&self, verb: &str, arguments: Value) -> Value {
        self.answer(&format!("mcp_{verb}_{SERVER}"), arguments).await.value
    }

    /// The same, which must be answered without an error.
    pub(crate) async fn good(&self, verb: &str, arguments: Value) -> Value {
        let answer = self.answer(&format!("mcp_{verb}_{SERVER}"), arguments).await;
        assert_eq!(answer.code, None, "{:#}", answer.value);
        answer.value
    }

    /// The same, which must be answered with this code.
    pub(crate) async fn fails(&self, verb: &str, arguments: Value, code: Code) -> Value {
        let answer = self.answer(&format!("mcp_{verb}_{SERVER}"), arguments).await;
        assert_eq!(answer.code, Some(code), "{:#}", answer.value);
        assert_eq!(answer.value["code"], code.as_str());
        answer.value
    }

    /// A call by function name.
    pub(crate) async fn answer(&self, function: &str, arguments: Value) -> Answer {
        call(&self.context, function, arguments).await
    }

    /// A read of one URI.
    pub(crate) async fn read(&self, uri: &str) -> Value {
        self.good("read", json!({"uri": uri})).await
    }

    /// The log of the first server.
    pub(crate) fn log(&self) -> &WireLog {
        &self.logs[0]
    }

    /// The names of the declared functions.
    pub(crate) fn functions(&self) -> Vec<&str> {
        self.context.declared.functions.iter().map(|function| function.name.as_str()).collect()
    }

    /// The value as a document for a snapshot.
    pub(crate) fn document(&self, value: &Value) -> String {
        let mut filters = Filters::default();
        filters.path(self.cache.path(), "[cache]");
        filters.apply(&json_for_terminal(value, true))
    }
}

/// Connects a fixture server of this process, or says why it could not be.
pub(crate) async fn try_connect(script: Value) -> Result<SdkPort, PortError> {
    let InProcess { reader, writer, .. } = in_process(Script::from_json(script).unwrap());
    connect_io(reader, writer, options(SERVER)).await
}

fn options(name: &str) -> ConnectOptions {
    ConnectOptions::new(ServerName::new(name).unwrap(), "acceptance", "1.0.0")
}

/// A script whose only resource is `uri` with these contents.
pub(crate) fn resource(uri: &str, contents: Value) -> Value {
    json!({"resources": [{"uri": uri, "name": "it"}], "contents": {uri: contents}})
}

/// A server with one resource of these contents, and what a read of it answers.
pub(crate) async fn read_of(contents: Value) -> (Rig, Value) {
    let rig = Rig::of(resource("a://1", contents)).await;
    let answer = rig.read("a://1").await;
    (rig, answer)
}

/// A script whose only tool is `t` with this result.
pub(crate) fn tool(result: Value) -> Value {
    json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}], "tool_results": {"t": result}})
}

/// A script whose only prompt is `p` with this result.
pub(crate) fn prompt(result: Value) -> Value {
    json!({"prompts": [{"name": "p"}], "prompt_results": {"p": result}})
}
