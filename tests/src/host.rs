//! A user's machine in a temporary directory: configuration, cache, working directory, and the binary run in it.
//!
//! It hands the binary an environment of its own, so that nothing of the machine that runs the tests gets in, and asks
//! for backtraces, so that every test sees it when one is shown (S19).

use crate::{
    filters::Filters,
    fixture::{Entry, Received, read_wire_log, received},
    transcript::Transcript,
};
use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tempfile::TempDir;
use tokio::{io::AsyncWriteExt, process::Command};

/// A run that takes longer has hung; no test depends on the number otherwise.
const HUNG_AFTER: Duration = Duration::from_secs(100);

/// A user's machine.
#[derive(Debug)]
pub struct Host {
    root: TempDir,
    programs: Programs,
    servers: Map<String, Value>,
    env: Vec<(String, String)>,
}

/// Where the programs are that a host runs.
#[derive(Debug, Clone)]
pub struct Programs {
    /// The binary under test.
    pub coyote: PathBuf,
    /// The fixture server.
    pub fixture: PathBuf,
}

impl Host {
    /// An empty machine: no configuration, no server.
    pub fn new(programs: Programs) -> anyhow::Result<Self> {
        let root = TempDir::new()?;
        for dir in ["config", "cache", "home", "project", "scripts"] {
            fs::create_dir(root.path().join(dir))?;
        }
        Ok(Self { root, programs, servers: Map::new(), env: Vec::new() })
    }

    /// Adds a fixture server to mcp.json; its wire log is kept.
    pub fn serve(&mut self, name: &str, script: Value) -> anyhow::Result<()> {
        self.serve_with(name, script, json!({}))
    }

    /// Adds a fixture server whose entry in mcp.json has more members.
    pub fn serve_with(&mut self, name: &str, mut script: Value, more: Value) -> anyhow::Result<()> {
        let number = self.servers.len();
        let path = self.path(&format!("scripts/{number}.json"));
        let Value::Object(members) = &mut script else { bail!("A script is an object") };
        members.insert("wire_log".to_owned(), json!(self.log_path(number)));
        crate::fixture::Script::from_json(script.clone())?;
        fs::write(&path, script.to_string())?;
        let mut entry = Map::new();
        entry.insert("command".to_owned(), json!(self.programs.fixture));
        entry.insert("args".to_owned(), json!([path]));
        if let Value::Object(more) = more {
            entry.extend(more);
        }
        self.entry(name, Value::Object(entry))
    }

    /// Adds an entry to mcp.json as it is.
    pub fn entry(&mut self, name: &str, entry: Value) -> anyhow::Result<()> {
        self.servers.insert(name.to_owned(), entry);
        let config = json!({"mcpServers": self.servers});
        fs::write(self.path("config/mcp.json"), serde_json::to_string_pretty(&config)?)?;
        Ok(())
    }

    /// Sets an environment variable for every run.
    pub fn env(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// A path on the machine: `config/…`, `cache/…`, `home/…`, `project/…`.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.path().join(inside)
    }

    /// Writes a file on the machine.
    pub fn write(&self, inside: &str, text: &str) -> anyhow::Result<()> {
        let path = self.path(inside);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text).with_context(|| format!("`{inside}` cannot be written"))
    }

    /// What crossed the wire of a fixture server, over all runs.
    pub fn wire(&self, name: &str) -> anyhow::Result<Vec<Entry>> {
        let number = self.servers.keys().position(|key| key == name).with_context(|| format!("No server `{name}`"))?;
        read_wire_log(&self.log_path(number))
    }

    /// The messages of one method that a fixture server received, over all runs.
    pub fn received(&self, name: &str, method: &str) -> anyhow::Result<Vec<Received>> {
        Ok(received(&self.wire(name)?, method))
    }

    /// Runs the binary with these arguments and an empty stdin.
    pub async fn run(&self, args: &[&str]) -> anyhow::Result<Transcript> {
        self.run_with_stdin(args, b"").await
    }

    /// Runs the binary with this stdin.
    pub async fn run_with_stdin(&self, args: &[&str], stdin: &[u8]) -> anyhow::Result<Transcript> {
        let mut child = self.command(args).spawn().context("The binary cannot be started")?;
        if let Some(mut pipe) = child.stdin.take() {
            // A binary that reads no stdin may close it first.
            let _ = pipe.write_all(stdin).await;
        }
        let output = tokio::time::timeout(HUNG_AFTER, child.wait_with_output())
            .await
            .with_context(|| format!("`coyote {}` has hung", args.join(" ")))??;
        Ok(Transcript {
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            status: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            filters: self.filters(),
        })
    }

    /// The command that runs the binary on this machine, with all three streams piped.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::from(self.plain_command(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    /// The same with the streams of this process, for whoever brings others.
    pub fn plain_command(&self, args: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(&self.programs.coyote);
        command
            .args(args)
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("LANG", "C.UTF-8")
            .env("COYOTE_CONFIG_DIR", self.path("config"))
            .env("COYOTE_CACHE_DIR", self.path("cache"))
            .env("RUST_BACKTRACE", "1")
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        // The name that a user has typed, which help repeats; the file has another one in tests.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, "coyote");
        command
    }

    /// What replaces this machine's own paths in a document.
    pub fn filters(&self) -> Filters {
        let mut filters = Filters::default();
        filters.path(&self.programs.fixture, "[fixture-server]");
        filters.path(self.root.path(), "[machine]");
        filters
    }

    fn log_path(&self, number: usize) -> PathBuf {
        self.path(&format!("scripts/{number}.wire"))
    }
}

/// Whether a process with this id exists.
pub fn is_running(pid: u32) -> bool {
    // A zombie is not running: it has ended and waits for its parent to notice.
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
