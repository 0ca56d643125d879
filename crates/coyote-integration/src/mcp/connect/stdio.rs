//! A server as a child process that speaks on its stdin and stdout.

use super::{
    Client, command,
    process::{Pipes, Process, Processes},
};
use crate::mcp::{ParentEnv, ServerEntry, stderr, stderr::StderrTail};
use mcp_catalog::{
    PortError, deadline,
    sdk::{ConnectOptions, Greeting, Refusal, SdkPort, greet},
};
use mcp_render::shown;
use std::{
    io,
    path::{Path, PathBuf},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    process::Command,
    time::{Instant, timeout},
};

/// What is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program<'a> {
    pub(super) command: &'a str,
    pub(super) args: &'a [String],
    pub(super) env: &'a [(String, String)],
    pub(super) cwd: Option<&'a Path>,
}

/// A started and greeted child. When it is dropped, its stdin closes and its process is told to end.
#[derive(Debug)]
pub(super) struct Child {
    // Dropped first: an end that follows from closing stdin is an ordered one.
    pub(super) process: Leaving,
    pub(super) port: SdkPort,
    pub(super) stderr: StderrTail,
}

/// A process that is told to end when nobody holds it any longer.
#[derive(Debug)]
pub(super) struct Leaving(pub(super) Arc<Process>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.order_end(deadline::GRACE);
    }
}

/// Starts the program and shakes hands, within the entry's start deadline (S12). One that rejects `initialize` because
/// it has none is started once more and asked what it has (S17).
pub(super) async fn connect(
    entry: &ServerEntry,
    program: Program<'_>,
    parent: &ParentEnv,
    client: &Client,
    processes: &Processes,
) -> Result<Child, PortError> {
    let limit = entry.startup_timeout.unwrap_or(deadline::HANDSHAKE);
    let started = |greeting, startup_timeout| async move {
        let command = build(entry, program, parent)?;
        let (process, pipes) = Process::start(command, &entry.name).map_err(|error| failed(entry, program, &error))?;
        let newborn = Newborn { process: Leaving(processes.add(process)), pipes, tail: processes.new_stderr(entry) };
        let options = ConnectOptions {
            startup_timeout,
            tool_timeout: entry.tool_timeout,
            greeting,
            ..ConnectOptions::new(entry.name.clone(), client.name.as_str(), client.version.as_str())
        };
        shake_hands(newborn, options).await
    };
    let begun = Instant::now();
    let rejected = match started(Greeting::Initialize, limit).await {
        Err(Refusal { error, discoverable: true }) => error,
        other => return other.map_err(|refusal| refusal.error),
    };
    tracing::info!(server = %shown(entry.name.as_str()), "`initialize` was rejected; trying `server/discover`");
    let left = limit.saturating_sub(begun.elapsed()).as_secs().max(1);
    started(Greeting::Discover, Duration::from_secs(left)).await.map_err(|refusal| both(&rejected, refusal.error))
}

/// The second failure, with the first one.
fn both(first: &PortError, second: PortError) -> PortError {
    match (first, second) {
        (PortError::HandshakeFailed { cause: first }, PortError::HandshakeFailed { cause }) => {
            PortError::HandshakeFailed { cause: format!("{first}; then, to `server/discover`: {cause}") }
        }
        (_, second) => second,
    }
}

/// A process that has said nothing yet.
struct Newborn {
    process: Leaving,
    pipes: Pipes,
    tail: StderrTail,
}

async fn shake_hands(newborn: Newborn, options: ConnectOptions) -> Result<Child, Refusal> {
    let Newborn { process, pipes: Pipes { stdin, stdout, stderr }, tail } = newborn;
    tokio::spawn(stderr::drain(stderr, options.server.clone(), tail.clone()));
    let hung_up = Arc::new(AtomicBool::new(false));
    let stdout = Watched { pipe: stdout, hung_up: Arc::clone(&hung_up) };
    let stdin = Watched { pipe: stdin, hung_up: Arc::clone(&hung_up) };
    match greet(stdout, stdin, options).await {
        Ok(port) => Ok(Child { process, port, stderr: tail }),
        Err(refusal) if hung_up.load(Ordering::Relaxed) => {
            Err(Refusal { error: with_exit(refusal.error, &process.0).await, ..refusal })
        }
        Err(refusal) => Err(refusal),
    }
}

fn build(entry: &ServerEntry, program: Program<'_>, parent: &ParentEnv) -> Result<Command, PortError> {
    let env = parent.child(entry.origin, program.env);
    let cwd = program.cwd.map(|cwd| command::expand_home(cwd, &env));
    if let Some(cwd) = cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        let written = entry.filled_in.written(&cwd.display().to_string());
        return Err(failed(entry, program, &format!("`cwd` is no directory: `{written}`")));
    }
    let path: PathBuf =
        command::find(program.command, cwd.as_deref(), &env).map_err(|cause| failed(entry, program, &cause))?;
    let mut command = Command::new(path);
    command.args(program.args).env_clear().envs(env.iter());
    if let Some(cwd) = cwd {
        command.current_dir(cwd);
    }
    Ok(command)
}

/// The command is shown as it was written (S47).
fn failed(entry: &ServerEntry, program: Program<'_>, cause: &dyn std::fmt::Display) -> PortError {
    let command = entry.filled_in.written(program.command);
    PortError::SpawnFailed { cause: format!("`{command}`: {cause}") }
}

/// A process that has ended by itself explains a failed handshake better than its closed stream does.
async fn with_exit(error: PortError, process: &Process) -> PortError {
    let PortError::HandshakeFailed { cause } = error else { return error };
    // The end of the stream and that of the process are seen one after the other.
    let _ = timeout(deadline::HANG_UP, process.exited()).await;
    let cause = match process.exit().and_then(|exit| exit.status) {
        Some(status) => format!("{cause}; its process has ended: {status}. The log holds what it wrote to stderr"),
        None => cause,
    };
    PortError::HandshakeFailed { cause }
}

/// Remembers that the server has closed its end of a pipe: then it hung up, and not this side.
#[derive(Debug)]
struct Watched<P> {
    pipe: P,
    hung_up: Arc<AtomicBool>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (before, room) = (into.filled().len(), into.remaining() > 0);
        let polled = Pin::new(&mut self.pipe).poll_read(context, into);
        if room && polled.is_ready() && into.filled().len() == before {
            self.hung_up.store(true, Ordering::Relaxed);
        }
        polled
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Watched<W> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.pipe).poll_write(context, bytes);
        if matches!(polled, Poll::Ready(Err(_))) {
            self.hung_up.store(true, Ordering::Relaxed);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_shutdown(context)
    }
}
