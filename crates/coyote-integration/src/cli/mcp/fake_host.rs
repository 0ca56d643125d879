//! A host over a temporary directory whose streams can be read, and servers that answer from a function: for the tests
//! of the commands.

use crate::{
    app_state::AppState,
    cli::{host::Host, session::Session},
    config::{Environment, Paths, PlatformDirs, ProcessEnv},
    report::captured::{Captured, report},
};
use mcp_catalog::{Capabilities, Handshake, LocalPort, PortError, Request, ServerName, ServerPort};
use serde_json::Value;
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A user's machine without a single file.
pub(super) struct FakeHost {
    pub(super) host: Host,
    out: Captured,
    err: Captured,
    dir: TempDir,
}

impl FakeHost {
    /// A host with this `mcp.json`.
    pub(super) fn new(mcp_json: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let platform = PlatformDirs { config: path("config"), cache: path("cache") };
        let mut environment = Environment::new(ProcessEnv::of(&[]));
        let paths = Paths::find(&mut environment, Some(&platform)).unwrap();
        std::fs::create_dir_all(&paths.config_dir).unwrap();
        if !mcp_json.is_empty() {
            std::fs::write(&paths.mcp_json()[0], mcp_json).unwrap();
        }
        let (report, out, err) = report(false);
        let app = Arc::new(AppState::load(paths, environment));
        let host = Host { app, report: Arc::new(report), cancel: CancellationToken::new(), workspace: false };
        Self { host, out, err, dir }
    }

    /// A session with a server named `fake` that declares everything.
    pub(super) fn session(
        &self,
        answer: impl Fn(Request) -> Result<Value, PortError> + Send + Sync + 'static,
    ) -> Session {
        let name = ServerName::new("fake").unwrap();
        let all = Capabilities { tools: true, resources: true, prompts: true, completions: false };
        let port: Arc<dyn ServerPort> = Arc::new(LocalPort::new(name, Handshake::of(all), Arc::new(answer)));
        Session::new(&self.host, port)
    }

    /// What stands on stdout.
    pub(super) fn out(&self) -> String {
        self.filtered(&self.out)
    }

    /// What stands on stderr.
    pub(super) fn err(&self) -> String {
        self.filtered(&self.err)
    }

    fn filtered(&self, captured: &Captured) -> String {
        captured.text().replace(&self.dir.path().display().to_string(), "<dir>")
    }
}
