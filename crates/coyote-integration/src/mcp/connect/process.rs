//! One server process and everything it started (S18).
//!
//! A keeper task owns the child. It ends when the child does, or when it is told to end it: grace, SIGTERM to the group,
//! grace, SIGKILL to the group. If the keeper itself is dropped, with the runtime or by a panic, a guard kills the
//! group; nothing but a SIGKILL of this process leaves a server behind.

use crate::{
    mcp::{ServerEntry, stderr::StderrTail},
    process_group::ProcessGroup,
};
use mcp_catalog::{ServerName, deadline};
use mcp_render::shown;
use std::{
    collections::BTreeMap,
    io,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout, Command},
    sync::watch,
    time::{Instant, sleep, sleep_until, timeout},
};

/// A running server process, or one that has ended.
#[derive(Debug)]
pub struct Process {
    /// The shortest grace that was asked for; `None` until somebody wants an end.
    order: watch::Sender<Option<Duration>>,
    stage: watch::Receiver<Stage>,
    id: Option<u32>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Its status, if the system told it.
    pub status: Option<ExitStatus>,
    /// It was ended by this side.
    pub ordered: bool,
}

/// How far the end of a process has come.
#[derive(Debug, Clone, Copy, Default)]
struct Stage {
    /// The process itself has ended.
    exit: Option<Exit>,
    /// So has everything it started.
    gone: bool,
}

/// The pipes of a new process.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Process {
    /// Starts `command` in a session of its own, with all three streams piped.
    pub(super) fn start(mut command: Command, server: &ServerName) -> io::Result<(Self, Pipes)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = ProcessGroup::start(command)?;
        let pipes = (group.child.stdin().take(), group.child.stdout().take(), group.child.stderr().take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let id = group.child.id();
        let (order, orders) = watch::channel(None);
        let (told, stage) = watch::channel(Stage::default());
        tokio::spawn(keep(Kept(group), orders, told, server.clone()));
        Ok((Self { order, stage, id }, Pipes { stdin, stdout, stderr }))
    }

    /// The system's number of the process, which is also that of its group.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// How it ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        self.stage.borrow().exit
    }

    /// Wants the process ended, and returns at once. Its stdin should be closed already. Of two graces the shorter
    /// counts, from when the end was first wanted.
    pub fn order_end(&self, grace: Duration) {
        self.order.send_modify(|order| *order = Some(order.map_or(grace, |earlier| earlier.min(grace))));
    }

    /// Resolves when the process itself has ended.
    pub async fn exited(&self) {
        // The sender is gone only with the runtime.
        let _ = self.stage.clone().wait_for(|stage| stage.exit.is_some()).await;
    }

    /// Resolves when the process and everything it started have ended.
    pub async fn gone(&self) {
        // As above: without its keeper nothing is left to wait for.
        let _ = self.stage.clone().wait_for(|stage| stage.gone).await;
    }

    fn is_gone(&self) -> bool {
        self.stage.borrow().gone
    }
}

/// All processes that were started here, so that the last act of the program can end them at once, whatever state the
/// connections over them are in.
#[derive(Debug, Default)]
pub struct Processes(Mutex<All>);

#[derive(Debug, Default)]
struct All {
    running: Vec<Arc<Process>>,
    /// What each server's latest process wrote to stderr, whatever became of it.
    stderr: BTreeMap<ServerName, StderrTail>,
    /// The end has begun: a process that is added now is told so.
    ending: Option<Duration>,
}

impl Processes {
    /// Adds a process; those that have ended are forgotten.
    pub(super) fn add(&self, process: Process) -> Arc<Process> {
        let process = Arc::new(process);
        let mut all = self.lock();
        if let Some(grace) = all.ending {
            process.order_end(grace);
        }
        all.running.retain(|other| !other.is_gone());
        all.running.push(Arc::clone(&process));
        process
    }

    /// The tail of a new process's stderr. It outlives the process, so that a start that failed can be explained.
    pub(super) fn new_stderr(&self, entry: &ServerEntry) -> StderrTail {
        let tail = StderrTail::new(entry.filled_in.clone());
        self.lock().stderr.insert(entry.name.clone(), tail.clone());
        tail
    }

    /// The last lines that the latest process of a server wrote to stderr; foreign text.
    pub fn stderr(&self, server: &ServerName) -> Vec<String> {
        self.lock().stderr.get(server).map(StderrTail::lines).unwrap_or_default()
    }

    /// How many still run.
    pub fn running(&self) -> usize {
        self.lock().running.iter().filter(|process| !process.is_gone()).count()
    }

    /// Ends all of them at once, and returns when they are gone.
    pub async fn end_all(&self, grace: Duration) {
        let running = {
            let mut all = self.lock();
            all.ending = Some(grace);
            all.running.clone()
        };
        for process in &running {
            process.order_end(grace);
        }
        futures_util::future::join_all(running.iter().map(|process| process.gone())).await;
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A group whose end is ordered.
struct Kept(ProcessGroup);

impl Kept {
    /// Closing, SIGTERM, SIGKILL. The stages are cut short when the child ends.
    async fn end(&mut self, orders: &mut watch::Receiver<Option<Duration>>) -> Option<ExitStatus> {
        if let Some(status) = self.leaves_within(orders).await {
            return Some(status);
        }
        if self.0.terminate()
            && let Some(status) = self.leaves_within(orders).await
        {
            return Some(status);
        }
        self.0.kill();
        timeout(deadline::REAPING, self.0.child.wait()).await.ok().and_then(Result::ok)
    }

    async fn leaves_within(&mut self, orders: &mut watch::Receiver<Option<Duration>>) -> Option<ExitStatus> {
        tokio::select! {
            biased;
            status = self.0.child.wait() => status.ok(),
            () = patience(orders) => None,
        }
    }

    /// What the child has left behind in its group gets a moment to end, too. A group that is empty costs nothing.
    async fn sweep(&mut self) {
        if self.0.terminate() {
            sleep(deadline::GRACE_AT_SIGNAL).await;
        }
        self.0.kill();
        self.0.disarm();
    }
}

/// The grace, from now; a shorter one that is ordered meanwhile counts.
async fn patience(orders: &mut watch::Receiver<Option<Duration>>) {
    let since = Instant::now();
    loop {
        let grace = orders.borrow_and_update().unwrap_or(deadline::GRACE);
        tokio::select! {
            () = sleep_until(since + grace) => return,
            changed = orders.changed() => if changed.is_err() {
                sleep_until(since + grace).await;
                return;
            }
        }
    }
}

async fn keep(
    mut group: Kept,
    mut orders: watch::Receiver<Option<Duration>>,
    told: watch::Sender<Stage>,
    server: ServerName,
) {
    let by_itself = tokio::select! {
        biased;
        status = group.0.child.wait() => Some(status.ok()),
        // A process whose handle is gone is wanted by nobody: as good as an order.
        _ = orders.wait_for(Option::is_some) => None,
    };
    let (status, ordered) = match by_itself {
        Some(status) => (status, false),
        None => (group.end(&mut orders).await, true),
    };
    if !ordered {
        let status = status.map_or_else(|| "unknown".to_owned(), |status| status.to_string());
        tracing::warn!(server = %shown(server.as_str()), %status, "Server has ended by itself");
    }
    told.send_modify(|stage| stage.exit = Some(Exit { status, ordered }));
    group.sweep().await;
    told.send_modify(|stage| stage.gone = true);
}
