//! Servers in this process for the tests of this room: what they were asked is on record, and they wait when told to.

use super::ListingView;
use crate::{
    app_state::AppState,
    chat::Tools,
    config::{ConfiguredServer, Environment, McpJson, Paths, PlatformDirs, ProcessEnv, Servers},
    functions::{Approval, ApprovalPolicy, ApprovalStore, NoLocalTools, NobodyToAsk},
    mcp::{Client, McpFactory, McpRegistry, ParentEnv, ServerEntry, Transport},
};
use mcp_catalog::{Asking, Budget, Capabilities, Handshake, PortError, RawResult, Request, ServerName, ServerPort};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

/// What a fake server does with a request.
#[derive(Clone)]
pub(crate) enum Conduct {
    /// Answers at once.
    Answers,
    /// Answers when as many requests as the barrier wants are under way at the same time.
    Meets(Arc<Barrier>),
    /// Never answers, so that the budget ends the wait.
    Hangs,
    /// Fails.
    Fails(PortError),
}

/// A fake server with two prompts, one resource and one template.
pub(crate) struct Fake {
    name: ServerName,
    conduct: Conduct,
    pub(crate) asked: Mutex<Vec<&'static str>>,
}

impl Fake {
    pub(crate) fn new(name: &str, conduct: Conduct) -> Arc<Self> {
        Arc::new(Self { name: ServerName::new(name).unwrap(), conduct, asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<&'static str> {
        self.asked.lock().unwrap().clone()
    }

    fn answer(request: &Request) -> Value {
        match request {
            Request::List { kind, .. } => match kind.list_method() {
                "prompts/list" => json!({"prompts": [
                    {"name": "review", "description": "Looks at it", "arguments": [{"name": "file", "required": true}]},
                    {"name": "daily"},
                ]}),
                "resources/list" => json!({"resources": [{"uri": "x://text", "name": "text"}]}),
                "resources/templates/list" => {
                    json!({"resourceTemplates": [{"uriTemplate": "x://{id}", "name": "one"}]})
                }
                _ => json!({"tools": []}),
            },
            Request::ReadResource { uri } => match uri.as_str() {
                "x://blob" => {
                    json!({"contents": [{"uri": "x://blob", "mimeType": "image/png", "blob": "iVBORw0KGgo="}]})
                }
                "x://two" => json!({"contents": [{"uri": "x://a", "text": "one"}, {"uri": "x://b", "text": "two"}]}),
                uri => json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": "!touch x\nsecond line\n"}]}),
            },
            Request::Complete { value, .. } => json!({"completion": {"values": [format!("{value}-done")]}}),
            _ => json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}),
        }
    }
}

impl ServerPort for Fake {
    fn name(&self) -> &ServerName {
        &self.name
    }

    fn handshake(&self) -> Handshake {
        let declared = Capabilities { tools: true, resources: true, prompts: true, completions: true };
        Handshake { protocol: "2025-06-18".to_owned(), ..Handshake::of(declared) }
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        self.asked.lock().unwrap().push(request.method());
        Box::pin(async move {
            match &self.conduct {
                Conduct::Answers => {}
                Conduct::Meets(barrier) => {
                    barrier.wait().await;
                }
                Conduct::Hangs => {
                    tokio::time::sleep(budget.idle).await;
                    return Err(PortError::Timeout { method: request.method(), after: budget.idle });
                }
                Conduct::Fails(error) => return Err(error.clone()),
            }
            Ok(RawResult::whole(Self::answer(&request).to_string().into_bytes()))
        })
    }
}

/// A process with these servers, all enabled.
pub(crate) struct Machine {
    pub(crate) app: Arc<AppState>,
    pub(crate) enabled: Vec<ServerName>,
    _dir: tempfile::TempDir,
}

impl Machine {
    /// The servers are configured, and started. One whose name begins with `off` is enabled and was never started.
    pub(crate) async fn with(fakes: &[Arc<Fake>]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut environment = Environment::new(ProcessEnv::of(&[]));
        let platform = PlatformDirs { config: dir.path().join("config"), cache: dir.path().join("cache") };
        let paths = Paths::find(&mut environment, Some(&platform)).unwrap();
        let loaded = AppState::load(paths, environment);
        let ports = fakes.iter().map(|fake| Arc::clone(fake) as Arc<dyn ServerPort>);
        let factory = McpFactory::new(ParentEnv::inherited(), Client::default(), ports);
        let servers: Vec<ConfiguredServer> = fakes
            .iter()
            .map(|fake| {
                let entry = ServerEntry::new(fake.name.clone(), Transport::Embedded);
                ConfiguredServer { written: entry.spec_key(), entry, missing: None }
            })
            .collect();
        let file = McpJson { servers, ..McpJson::default() };
        let app = Arc::new(AppState {
            registry: Arc::new(McpRegistry::new(Arc::new(factory))),
            servers: Servers::new(file, "mcp.json".into()),
            ..loaded
        });
        let enabled: Vec<ServerName> = fakes.iter().map(|fake| fake.name.clone()).collect();
        let to_start = enabled.iter().filter(|name| !name.as_str().starts_with("off"));
        let entries: Vec<_> = to_start.map(|name| app.servers.get(name.as_str()).unwrap().entry.clone()).collect();
        let mut settling = app.start(entries);
        while settling.next().await.is_some() {}
        Self { app, enabled, _dir: dir }
    }

    pub(crate) fn listing_view(&self) -> ListingView {
        let (store, _) = ApprovalStore::read(self.app.paths.approvals_file());
        let approval = Arc::new(Approval::new(ApprovalPolicy::default(), self.app.servers.iter(), store));
        let app = Arc::clone(&self.app);
        let tools = Tools::new(app, self.enabled.clone(), Arc::new(NoLocalTools), approval, Arc::new(NobodyToAsk));
        ListingView::of(&tools, CancellationToken::new())
    }
}
