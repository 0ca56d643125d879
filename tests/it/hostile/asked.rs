//! A hostile server, connected as the program connects its servers, and asked as a model asks.

use acceptance::hostile::{Ask, Patience, Scenario, Transport};
use anyhow::Context;
use coyote_integration::mcp::{Client, Connection, McpFactory, ParentEnv, ServerEntry, Transport as Reached};
use mcp_catalog::{
    Asking, Budget, Handshake, LruSnapshots, McpRuntime, Offload, Offloaded, PortError, Request, ServerName,
    ServerPort, deadline,
};
use mcp_meta::{Answer, MetaContext, call, declare};
use mcp_render::{Ceiling, SpillStore};
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
}

impl Stage {
    pub(super) fn new(scenario: &Scenario) -> anyhow::Result<Self> {
        let dir = TempDir::new()?;
        let path = std::env::var_os("PATH").context("no PATH")?;
        let parent = ParentEnv::from_iter([("PATH".into(), path)]);
        let factory = McpFactory::new(parent, Client::default(), []);
        let reached = match scenario.transport {
            Transport::Stdio => Reached::Stdio {
                command: env!("CARGO_BIN_EXE_hostile-server").to_owned(),
                args: vec![
                    format!("--{}", scenario.name),
                    "--diary".to_owned(),
                    dir.path().join("diary").display().to_string(),
                ],
                env: Vec::new(),
                cwd: None,
            },
        };
        let startup = if scenario.patience == Patience::ShortStart { Duration::from_secs(2) } else { LONG };
        let entry =
            ServerEntry { startup_timeout: Some(startup), ..ServerEntry::new(ServerName::new(SERVER)?, reached) };
        Ok(Self { dir, factory, entry, patience: scenario.patience })
    }

    pub(super) fn diary(&self) -> PathBuf {
        self.dir.path().join("diary")
    }

    /// The connection that the next use of the server gets: the living one, or a new one. This is where a client comes by
    /// a connection, and the only place of this test that knows how.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, PortError> {
        self.factory.acquire(&self.entry).await
    }

    /// Asks within the scenario's own patience.
    pub(super) async fn ask(&self, connection: &Arc<Connection>, ask: Ask) -> Answer {
        let (idle, total) = match self.patience {
            Patience::Long | Patience::ShortStart => (LONG, LONG),
            Patience::ShortCall => (Duration::from_secs(1), Duration::from_millis(1_200)),
            Patience::ShortIdle => (Duration::from_secs(3), LONG),
        };
        self.ask_within(connection, ask, idle, total).await
    }

    /// Asks with all the time there is.
    pub(super) async fn ask_patiently(&self, connection: &Arc<Connection>, ask: Ask) -> Answer {
        self.ask_within(connection, ask, LONG, LONG).await
    }

    async fn ask_within(&self, connection: &Arc<Connection>, ask: Ask, idle: Duration, total: Duration) -> Answer {
        let port: Arc<dyn ServerPort> = Arc::new(Hurried { port: Arc::clone(connection), idle, total });
        let (verb, arguments) = wording(ask);
        call(&self.context(port), &format!("mcp_{verb}_{SERVER}"), arguments).await
    }

    fn context(&self, port: Arc<dyn ServerPort>) -> MetaContext {
        let runtime = McpRuntime::new([port]);
        let declared = Arc::new(declare(&runtime.server_features(), &[]));
        MetaContext {
            runtime,
            declared,
            allow: Arc::default(),
            snapshots: Arc::new(LruSnapshots::default()),
            offload: Arc::new(Aside),
            spills: Arc::new(SpillStore::new(self.dir.path().join("mcp-resources"))),
            ceiling: Ceiling::default(),
            budget: Budget::new(LONG),
        }
    }

    /// Ends every server.
    pub(super) async fn end(&self) {
        self.factory.shut_down(deadline::GRACE_AT_SIGNAL).await;
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
    port: Arc<Connection>,
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
