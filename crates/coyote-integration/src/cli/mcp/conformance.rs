//! `coyote mcp conformance <url>`: what the public conformance package runs (sdk-facts.md §6). It is hidden from help.
//!
//! It connects, lists the tools, calls each with arguments made from its schema, and quits; a failure is the exit status.
//! A login is answered without a person: the page of the package's own server redirects at once. Tokens are kept in
//! memory. It reads none of the user's files.

use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
};
use crate::mcp::{Client, ServerEntry, Transport, Web, options};
use mcp_catalog::{
    Budget, CatalogKind, PortError, Request, ServerName, ServerPort, ToolName, deadline,
    sdk::{
        http::{HttpClient, HttpOptions, HttpPort, connect_http},
        login::{Login, LoginRequest, TokenStore},
    },
};
use mcp_render::ErrorShape;
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    env, io,
    sync::{Arc, Mutex, PoisonError},
};

/// How often a login may be asked for by one server.
const LOGINS: usize = 3;
/// Where the browser would be sent.
const REDIRECT: &str = "http://localhost:3000/callback";
/// The document by which the package's server knows a client that does not register.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";

/// Connect to a server, call each of its tools, and quit
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ConformanceArgs {
    /// The server's endpoint
    url: String,
}

impl ConformanceArgs {
    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let context: Value = env::var("MCP_CONFORMANCE_CONTEXT")
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let mut visit = Visit::new(&self.url, context).map_err(|error| failure(&error))?;
        host.until_cancelled(Box::pin(visit.run())).await?.map_err(|error| failure(&error))?;
        Ok(Status::Done)
    }
}

fn failure(error: &PortError) -> Failure {
    Failure::call(ErrorShape {
        tool_call_error: error.to_string(),
        code: error.code(),
        hint: "The scenario's own output says what was expected".to_owned(),
        closest: Vec::new(),
    })
}

struct Visit {
    client: HttpClient,
    options: HttpOptions,
    tokens: Arc<Memory>,
    context: Value,
    logins: usize,
}

impl Visit {
    fn new(url: &str, context: Value) -> Result<Self, PortError> {
        let refused = |_| PortError::Unsupported { cause: "No name for the server".to_owned() };
        let name = ServerName::new("conformance").map_err(refused)?;
        let entry = ServerEntry::new(name, Transport::Http { url: url.to_owned(), headers: Vec::new() });
        let tokens = Arc::new(Memory::default());
        let mut options = options(&entry, url, &[], &Client::default());
        options.tokens = Some(Arc::clone(&tokens) as Arc<dyn TokenStore>);
        Ok(Self { client: Web::default().client()?, options, tokens, context, logins: 0 })
    }

    async fn run(&mut self) -> Result<(), PortError> {
        let mut port = self.connect().await?;
        let tools = loop {
            match ask(&port, Request::List { kind: CatalogKind::Tool, cursor: None }).await {
                Err(PortError::AuthRequired) => port = self.again(port).await?,
                other => break other?,
            }
        };
        for tool in tools.get("tools").and_then(Value::as_array).into_iter().flatten() {
            let name = tool.get("name").and_then(Value::as_str).and_then(|name| ToolName::new(name).ok());
            let Some(name) = name else { continue };
            loop {
                match ask(&port, self.call(&name, tool)).await {
                    Err(PortError::AuthRequired) => port = self.again(port).await?,
                    // A tool that says no has been called.
                    Ok(_) | Err(PortError::Server { .. }) => break,
                    Err(error) => return Err(error),
                }
            }
        }
        port.close().await;
        Ok(())
    }

    fn call(&self, name: &ToolName, tool: &Value) -> Request {
        let given = self.context.get("arguments").and_then(|all| all.get(name.as_str())).and_then(Value::as_object);
        let arguments = given.cloned().unwrap_or_else(|| made(tool.get("inputSchema").unwrap_or(&Value::Null)));
        Request::CallTool { name: name.clone(), arguments }
    }

    async fn connect(&mut self) -> Result<HttpPort, PortError> {
        loop {
            match connect_http(self.client.clone(), self.options.clone()).await {
                Err(PortError::AuthRequired) => self.log_in().await?,
                other => return other,
            }
        }
    }

    async fn again(&mut self, port: HttpPort) -> Result<HttpPort, PortError> {
        port.close().await;
        self.log_in().await?;
        self.connect().await
    }

    async fn log_in(&mut self) -> Result<(), PortError> {
        self.logins += 1;
        if self.logins > LOGINS {
            return Err(PortError::AuthRequired);
        }
        let refused = |error: &dyn std::fmt::Display| PortError::Protocol { cause: error.to_string() };
        let word = |key: &str| self.context.get(key).and_then(Value::as_str).map(str::to_owned);
        let request = LoginRequest {
            resource: self.options.url.clone(),
            redirect: REDIRECT.to_owned(),
            client_name: self.options.connect.client_name.clone(),
            client_id: word("client_id"),
            client_secret: word("client_secret"),
            client_metadata_url: Some(CLIENT_METADATA.to_owned()),
            scopes: Vec::new(),
            challenge: self.options.challenge.get(),
        };
        let store = Arc::clone(&self.tokens) as Arc<dyn TokenStore>;
        let login = Login::begin(request, store).await.map_err(|error| refused(&error))?;
        let page = self.client.get(login.url()).send().await.map_err(|error| refused(&error))?;
        let landed = page.headers().get("location").and_then(|value| value.to_str().ok());
        let Some(landed) = landed.map(str::to_owned) else {
            return Err(refused(&format!("The login page answered {} and no address", page.status())));
        };
        login.finish(&landed).await.map_err(|error| refused(&error))
    }
}

async fn ask(port: &HttpPort, request: Request) -> Result<Value, PortError> {
    port.ask(request, Budget::new(deadline::CALL)).await?.parse()
}

/// Arguments for every member that the schema requires.
fn made(schema: &Value) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let names = required.filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), example(schema.get("properties").and_then(|all| all.get(name))))).collect()
}

fn example(schema: Option<&Value>) -> Value {
    let member = |key: &str| schema.and_then(|schema| schema.get(key));
    let first = member("enum").and_then(Value::as_array).and_then(|values| values.first());
    if let Some(value) = member("default").or_else(|| member("const")).or(first) {
        return value.clone();
    }
    match member("type").and_then(Value::as_str) {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => Value::Object(schema.map(made).unwrap_or_default()),
        Some("null") => Value::Null,
        _ => json!("test"),
    }
}

/// Tokens of this process only.
#[derive(Debug, Default)]
struct Memory(Mutex<BTreeMap<String, String>>);

impl TokenStore for Memory {
    fn load(&self, resource: &str) -> io::Result<Option<String>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(resource).cloned())
    }

    fn save(&self, resource: &str, tokens: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(resource.to_owned(), tokens.to_owned());
        Ok(())
    }

    fn clear(&self, resource: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(resource);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_made_for_what_a_schema_requires() {
        let schema = json!({
            "required": ["a", "b", "c", "d", "e"],
            "properties": {
                "a": {"type": "number"}, "b": {"enum": ["x", "y"]}, "c": {"type": "object", "required": ["f"]},
                "d": {"type": "boolean", "default": false}, "z": {"type": "string"}
            }
        });
        let expected = json!({"a": 1, "b": "x", "c": {"f": "test"}, "d": false, "e": "test"});
        assert_eq!(Value::Object(made(&schema)), expected);
    }
}
