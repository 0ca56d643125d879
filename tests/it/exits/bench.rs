//! Fixture servers without the binary, and what the kernel knows of them. Shared by the tests of exits and by those of
//! kills, which are a process of their own.

use acceptance::host::is_running;
use coyote_integration::mcp::{Client, Lasting, McpFactory, ParentEnv, ServerEntry, Transport};
use mcp_catalog::{Budget, Request, ServerName, ToolName};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;

/// One fixture server without the binary: its connections are this process's own.
pub(crate) struct Bench {
    dir: TempDir,
    pub(crate) factory: McpFactory,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let factory = McpFactory::new(ParentEnv::inherited(), Client::default(), []);
        Self { dir: TempDir::new().unwrap(), factory }
    }

    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.dir.path().join(format!("{name}.wire"))
    }

    pub(crate) fn entry(&self, name: &str, mut script: Value) -> ServerEntry {
        script["wire_log"] = json!(self.log(name));
        let path = self.dir.path().join(format!("{name}.json"));
        fs::write(&path, script.to_string()).unwrap();
        entry(name, &path)
    }

    pub(crate) async fn serve(&self, name: &str, script: Value) -> Arc<Lasting> {
        self.factory.acquire(&self.entry(name, script)).await.unwrap()
    }
}

pub(crate) fn entry(name: &str, script: &Path) -> ServerEntry {
    let transport = Transport::Stdio {
        command: env!("CARGO_BIN_EXE_fixture-server").to_owned(),
        args: vec![script.display().to_string()],
        env: Vec::new(),
        cwd: None,
    };
    ServerEntry::new(ServerName::new(name).unwrap(), transport)
}

pub(crate) fn minute() -> Budget {
    Budget::new(Duration::from_mins(1))
}

pub(crate) fn call(tool: &str) -> Request {
    Request::CallTool { name: ToolName::new(tool).unwrap(), arguments: Map::new() }
}

/// What runs in the sessions that these servers lead: they, and whatever they started. The dead are their parents'
/// matter, and those of this process are another test's.
pub(crate) fn left(leaders: &BTreeSet<u32>) -> Vec<u32> {
    let mut left = processes(|_, session| leaders.contains(&session));
    left.retain(|id| is_running(*id));
    left
}

/// The living and the dead processes by parent and session.
pub(crate) fn processes(fits: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let ids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let fitting = ids.filter(|id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
        let field = |n: usize| rest.split(' ').nth(n).and_then(|word| word.parse().ok()).unwrap_or(0);
        fits(field(1), field(3))
    });
    fitting.collect()
}

/// Waits until something holds. A test that hangs here has failed.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) async fn signal(id: u32, signal: &str) {
    let line = format!("kill -{signal} {id}");
    assert!(tokio::process::Command::new("sh").args(["-c", &line]).status().await.unwrap().success());
}
