//! A hostile server over HTTP, which nobody's child is: here it is started, kept and ended.

use anyhow::{Context, ensure};
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// The server, on one port through all its lives.
pub(super) struct Web {
    program: &'static str,
    args: Vec<String>,
    port: u16,
    child: Mutex<Child>,
}

impl Web {
    pub(super) fn start(program: &'static str, args: &[String]) -> anyhow::Result<Self> {
        let (child, port) = born(program, args, 0)?;
        Ok(Self { program, args: args.to_vec(), port, child: Mutex::new(child) })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Starts it again where it has gone, or is going, or must go.
    pub(super) fn keep(&self, ends_itself: bool, by_force: bool) -> anyhow::Result<()> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if by_force {
            child.kill()?;
        }
        if ends_itself || by_force {
            child.wait()?;
        }
        if child.try_wait()?.is_some() {
            let (born, port) = born(self.program, &self.args, self.port)?;
            *child = born;
            ensure!(port == self.port, "started on port {port}, not {}", self.port);
        }
        Ok(())
    }

    pub(super) fn end(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have gone by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The process, and the port that it says it listens on.
fn born(program: &str, args: &[String], port: u16) -> anyhow::Result<(Child, u16)> {
    let port = port.to_string();
    let mut child =
        Command::new(program).args(args).args(["--port", &port]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no stdout")?).read_line(&mut line)?;
    let port = line.trim().parse().with_context(|| format!("no port: {line:?}"))?;
    Ok((child, port))
}
