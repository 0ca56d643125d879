//! A context over one scripted server, for this crate's tests: what was asked is on record, with its deadline.
//!
//! It starts nothing and waits for nothing; a request that the script does not know fails the test by its answer.

use crate::{Allowlist, Answer, Declarations, MetaContext, Verb, call_verb, declare};
use mcp_catalog::{
    Asking, Budget, Capabilities, CatalogKind, Handshake, Inline, LocalPort, LruSnapshots, McpRuntime, PortError,
    Request, ServerName, ServerPort,
};
use mcp_render::{Ceiling, Code, SpillStore, json_len};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// The answer of a script to anything but a listing.
pub(crate) type Script = Result<Value, PortError>;

/// One request on record.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The request.
    pub(crate) request: Request,
    /// What it might have cost.
    pub(crate) budget: Budget,
}

/// The stage: a context, its server, and the record.
pub(crate) struct Rehearsal {
    /// The context, free to be changed before a call.
    pub(crate) context: MetaContext,
    port: Arc<Recorder>,
    spills: TempDir,
}

struct Recorder {
    inner: LocalPort,
    log: Mutex<Vec<Asked>>,
}

impl ServerPort for Recorder {
    fn name(&self) -> &ServerName {
        self.inner.name()
    }

    fn handshake(&self) -> Handshake {
        self.inner.handshake()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        self.log.lock().unwrap().push(Asked { request: request.clone(), budget: budget.clone() });
        self.inner.ask(request, budget)
    }

    fn changes(&self) -> u64 {
        self.inner.changes()
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.inner.tool_timeout()
    }
}

impl Rehearsal {
    /// A server `docs` that declared the kinds for which `catalog` has a key (`tools`, `resources`, `templates`,
    /// `prompts`), lists its arrays, fails a listing with the code of a number, and answers the rest by `script`.
    pub(crate) fn new(catalog: Value, script: impl Fn(&Request) -> Script + Send + Sync + 'static) -> Self {
        Self::staged(catalog, None, script)
    }

    /// A server whose entry sets a deadline for calls, reads and prompts.
    pub(crate) fn with_tool_timeout(
        catalog: Value,
        timeout: Duration,
        script: impl Fn(&Request) -> Script + Send + Sync + 'static,
    ) -> Self {
        Self::staged(catalog, Some(timeout), script)
    }

    fn staged(
        catalog: Value,
        timeout: Option<Duration>,
        script: impl Fn(&Request) -> Script + Send + Sync + 'static,
    ) -> Self {
        let has = |key: &str| catalog.get(key).is_some();
        let declared = Capabilities {
            tools: has("tools"),
            resources: has("resources") || has("templates"),
            prompts: has("prompts"),
            completions: false,
        };
        let answer = move |request: Request| match &request {
            Request::List { kind, .. } => listed(&catalog, *kind),
            other => script(other),
        };
        let name = ServerName::new("docs").unwrap();
        let mut inner = LocalPort::new(name, Handshake::of(declared), Arc::new(answer));
        if let Some(timeout) = timeout {
            inner = inner.with_tool_timeout(timeout);
        }
        let port = Arc::new(Recorder { inner, log: Mutex::default() });
        let runtime = McpRuntime::new([Arc::clone(&port) as Arc<dyn ServerPort>]);
        let spills = tempfile::tempdir().unwrap();
        let context = MetaContext {
            declared: Arc::new(declare(&runtime.server_features(), &[])),
            runtime,
            allow: Arc::default(),
            snapshots: Arc::new(LruSnapshots::default()),
            offload: Arc::new(Inline),
            spills: Arc::new(SpillStore::new(spills.path().join("mcp-resources"))),
            ceiling: Ceiling::default(),
            budget: Budget::new(Duration::from_secs(1)),
        };
        Self { context, port, spills }
    }

    /// The server's key.
    pub(crate) fn server(&self) -> ServerName {
        self.port.name().clone()
    }

    /// The same stage with this ceiling.
    pub(crate) fn under(mut self, bytes: usize) -> Self {
        self.context.ceiling = Ceiling::new(bytes);
        self
    }

    /// The same stage where only tools that match a glob may be seen.
    pub(crate) fn allowing(mut self, globs: &[&str]) -> Self {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let mut allow = Allowlist::default();
        allow.narrow(&globs).unwrap();
        self.context.allow = Arc::new([(self.server(), allow)].into());
        self
    }

    /// The same stage where nothing is declared.
    pub(crate) fn undeclared(mut self) -> Self {
        self.context.declared = Arc::new(Declarations::default());
        self
    }

    /// Calls a verb and checks what holds for every answer: its bound, and the shape of an error.
    pub(crate) fn ask(&self, verb: Verb, arguments: Value) -> Answer {
        let answer = run(call_verb(&self.context, verb, &self.server(), arguments));
        check(&answer, self.context.ceiling);
        answer
    }

    /// The answer of a call that must succeed.
    pub(crate) fn get(&self, verb: Verb, arguments: Value) -> Value {
        let answer = self.ask(verb, arguments);
        assert_eq!(answer.code, None, "{}", answer.value);
        answer.value
    }

    /// The answer of a call that must fail with this code.
    pub(crate) fn fail(&self, verb: Verb, arguments: Value, code: Code) -> Value {
        let answer = self.ask(verb, arguments);
        assert_eq!(answer.code, Some(code), "{}", answer.value);
        answer.value
    }

    /// What was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.port.log.lock().unwrap().clone()
    }

    /// The methods that were asked so far, in order.
    pub(crate) fn wire(&self) -> Vec<&'static str> {
        self.asked().iter().map(|asked| asked.request.method()).collect()
    }

    /// The URIs that were read so far.
    pub(crate) fn uris(&self) -> Vec<String> {
        let uri = |asked: &Asked| match &asked.request {
            Request::ReadResource { uri } => Some(uri.to_string()),
            _ => None,
        };
        self.asked().iter().filter_map(uri).collect()
    }

    /// The server says that a list changed.
    pub(crate) fn change(&self) {
        self.port.inner.note_change();
    }

    /// The stage's own paths in an answer, replaced.
    pub(crate) fn tidied(&self, value: &Value) -> Value {
        let text = value.to_string().replace(&self.spills.path().display().to_string(), "CACHE");
        serde_json::from_str(&text).unwrap()
    }
}

/// What holds for every answer.
pub(crate) fn check(answer: &Answer, ceiling: Ceiling) {
    let length = json_len(&answer.value);
    assert!(length <= ceiling.bytes(), "{length} bytes are over the ceiling of {}", ceiling.bytes());
    if let Some(code) = answer.code {
        let text = |key: &str| answer.value[key].as_str().filter(|text| !text.is_empty());
        assert_eq!(text("code"), Some(code.as_str()), "{}", answer.value);
        assert!(text("tool_call_error").is_some() && text("hint").is_some(), "{}", answer.value);
    }
}

/// Runs a call to its end.
pub(crate) fn run<T>(call: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(call)
}

/// A server's own JSON-RPC error.
pub(crate) fn refused(code: i64, message: &str) -> PortError {
    PortError::Server { code, message: message.to_owned() }
}

/// A script for servers that are only listed.
pub(crate) fn nothing_else(request: &Request) -> Script {
    Err(refused(-32000, &format!("unexpected {request:?}")))
}

fn listed(catalog: &Value, kind: CatalogKind) -> Script {
    let (key, member) = match kind {
        CatalogKind::Tool => ("tools", "tools"),
        CatalogKind::Resource => ("resources", "resources"),
        CatalogKind::ResourceTemplate => ("templates", "resourceTemplates"),
        CatalogKind::Prompt => ("prompts", "prompts"),
    };
    match catalog.get(key) {
        Some(Value::Number(code)) => Err(refused(code.as_i64().unwrap(), "no listing today")),
        Some(Value::String(_)) => {
            Err(PortError::Timeout { method: kind.list_method(), after: Duration::from_secs(30) })
        }
        Some(items) => Ok(json!({ member: items })),
        None => Err(refused(-32601, "Method not found")),
    }
}
