//! A hostile server, connected as the program connects its servers, and asked as a model asks.

use super::web::Web;
use acceptance::{
    functions::functions_over,
    hostile::{Ask, Next, Patience, Scenario, Transport},
};
use anyhow::Context;
use coyote_integration::mcp::{Client, Lasting, McpFactory, ParentEnv, ServerEntry, Transport as Reached};
use mcp_catalog::{
    Asking, Budget, Handshake, Offload, Offloaded, PortError, Request, ServerName, ServerPort, deadline,
};
use mcp_meta::{Answer, MetaContext, call};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc, time::Duration};
use tempfile::TempDir;

const SERVER: &str = "docs";
/// Longer than anything takes; a row that needs it has hung.
const LONG: Duration = Duration::from_secs(25);

/// A client's machine with one hostile server.
pub(super) struct Stage {
    dir: TempDir,
    factory: McpFactory,
    entry: ServerEntry,
    patience: Patience,
    /// The server's own life, where it is no child of the client.
    web: Option<Web>,
}

impl Stage {
    pub(super) fn new(scenario: &Scenario) -> anyhow::Result<Self> {
        let dir = TempDir::new()?;
        let path = std::env::var_os("PATH").context("no PATH")?;
        let parent = ParentEnv::from_iter([("PATH".into(), path)]);
        let factory = McpFactory::new(parent, Client::default(), []);
        let program = env!("CARGO_BIN_EXE_hostile-server");
        let args =
            [format!("--{}", scenario.label()), "--diary".to_owned(), dir.path().join("diary").display().to_string()];
        let web = match scenario.transport {
            Transport::Stdio => None,
            Transport::Http => Some(Web::start(program, &args)?),
        };
        let reached = match &web {
            None => Reached::Stdio { command: program.to_owned(), args: args.into(), env: Vec::new(), cwd: None },
            Some(web) => Reached::Http { url: web.url(), headers: Vec::new() },
        };
        let startup = if scenario.patience == Patience::ShortStart { Duration::from_secs(2) } else { LONG };
        let entry =
            ServerEntry { startup_timeout: Some(startup), ..ServerEntry::new(ServerName::new(SERVER)?, reached) };
        Ok(Self { dir, factory, entry, patience: scenario.patience, web })
    }

    pub(super) fn diary(&self) -> PathBuf {
        self.dir.path().join("diary")
    }

    /// The connection that the next use of the server gets; it is connected anew by itself (S15). This is where a client comes by
    /// a connection, and the only place of this test that knows how.
    pub(super) async fn connection(&self) -> Result<Arc<Lasting>, PortError> {
        self.factory.acquire(&self.entry).await
    }

    /// Asks within the scenario's own patience.
    pub(super) async fn ask(&self, connection: &Arc<Lasting>, ask: Ask) -> Answer {
        let (idle, total) = match self.patience {
            Patience::Long | Patience::ShortStart => (LONG, LONG),
            Patience::ShortCall => (Duration::from_secs(1), Duration::from_millis(1_200)),
            Patience::ShortIdle => (Duration::from_secs(3), LONG),
        };
        self.ask_within(connection, ask, idle, total).await
    }

    /// Asks with all the time there is.
    pub(super) async fn ask_patiently(&self, connection: &Arc<Lasting>, ask: Ask) -> Answer {
        self.ask_within(connection, ask, LONG, LONG).await
    }

    async fn ask_within(&self, connection: &Arc<Lasting>, ask: Ask, idle: Duration, total: Duration) -> Answer {
        let port: Arc<dyn ServerPort> = Arc::new(Hurried { port: Arc::clone(connection), idle, total });
        let (verb, arguments) = wording(ask);
        call(&self.context(port), &format!("mcp_{verb}_{SERVER}"), arguments).await
    }

    fn context(&self, port: Arc<dyn ServerPort>) -> MetaContext {
        let (offload, budget) = (Arc::new(Aside), Budget::new(LONG));
        MetaContext { offload, budget, ..functions_over([port], self.dir.path()) }
    }

    /// A server that is gone and nobody's child is started again, as its keeper would; one that is there only when it
    /// has to be.
    pub(super) fn keep(&self, scenario: &Scenario) -> anyhow::Result<()> {
        let keep = |web: &Web| web.keep(scenario.ends_itself(), scenario.next == Next::Forced);
        self.web.as_ref().map_or(Ok(()), keep)
    }

    /// Ends every server.
    pub(super) async fn end(&self) {
        self.factory.shut_down(deadline::GRACE_AT_SIGNAL).await;
        if let Some(web) = &self.web {
            web.end();
        }
    }
}

/// A call, as a model makes it.
fn wording(ask: Ask) -> (&'static str, Value) {
    match ask {
        Ask::Invoke => ("invoke", json!({"tool": "t", "arguments": {}})),
        Ask::InvokeWith(bytes) => ("invoke", json!({"tool": "t", "arguments": {"text": "x".repeat(bytes)}})),
        Ask::Read => ("read", json!({"uri": "a://1"})),
        Ask::Prompt => ("prompt", json!({"prompt": "p"})),
        Ask::Search(kind) => ("search", json!({"kind": kind, "top_k": 50})),
        Ask::SearchAll => ("search", json!({})),
    }
}

/// A connection whose every request has less time.
struct Hurried {
    port: Arc<Lasting>,
    idle: Duration,
    total: Duration,
}

impl ServerPort for Hurried {
    fn name(&self) -> &ServerName {
        self.port.name()
    }

    fn handshake(&self) -> Handshake {
        self.port.handshake()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        let (idle, total) = (budget.idle.min(self.idle), budget.total.min(self.total));
        self.port.ask(request, Budget { idle, total, ..budget })
    }

    fn changes(&self) -> u64 {
        self.port.changes()
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.port.tool_timeout()
    }
}

/// Blocking work beside the async threads, as a host does it: no row holds up another.
#[derive(Debug)]
struct Aside;

impl Offload for Aside {
    fn run(&self, work: Box<dyn FnOnce() + Send>) -> Offloaded {
        let done = tokio::task::spawn_blocking(work);
        Box::pin(async move { done.await.unwrap() })
    }
}
