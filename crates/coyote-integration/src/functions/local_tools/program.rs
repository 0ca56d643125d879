//! A program on this machine: run in a session of its own, bounded in time and in what is kept of its output.
//!
//! It gets no stdin. When its time is up, the user stops, or the run is dropped, its whole group ends (S18). What it left
//! behind in its group when it ended by itself is ended too, so that nobody holds its pipes open.

use crate::process_group::ProcessGroup;
use mcp_catalog::deadline;
use mcp_render::LOCAL_OUTPUT_MAX_BYTES;
use std::{
    io,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// How a run ended.
#[derive(Debug)]
pub(super) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// Its time was up.
    TimedOut,
    /// The user stopped it.
    Cancelled,
}

/// What a program did.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) end: End,
    pub(super) stdout: Stream,
    pub(super) stderr: Stream,
}

/// What is kept of a stream.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Its head.
    pub(super) bytes: Vec<u8>,
    /// How many bytes came after it.
    pub(super) dropped: u64,
}

/// Runs `command`; an error means that it could not be started.
pub(super) async fn run(mut command: Command, limit: Duration, cancel: &CancellationToken) -> io::Result<Ran> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = ProcessGroup::start(command)?;
    let stdout = group.child.stdout().take().map(|stream| Reading(tokio::spawn(read(stream))));
    let stderr = group.child.stderr().take().map(|stream| Reading(tokio::spawn(read(stream))));
    let end = tokio::select! {
        biased;
        status = group.child.wait() => End::Exited(status?),
        () = cancel.cancelled() => End::Cancelled,
        () = tokio::time::sleep(limit) => End::TimedOut,
    };
    if matches!(end, End::Cancelled | End::TimedOut) {
        group.terminate();
        // Whether it left in time or not, the kill follows.
        let _ = timeout(deadline::GRACE_AT_SIGNAL, group.child.wait()).await;
    }
    group.kill();
    // A process that even SIGKILL does not end hangs in the kernel, and is given up.
    let _ = timeout(deadline::REAPING, group.child.wait()).await;
    group.disarm();
    Ok(Ran { end, stdout: Reading::finish(stdout).await, stderr: Reading::finish(stderr).await })
}

/// A stream being read; it is given up when dropped.
struct Reading(JoinHandle<Stream>);

impl Reading {
    /// All of it. Whoever left the group may still hold the pipe: then what came is lost after a moment.
    async fn finish(reading: Option<Self>) -> Stream {
        let Some(mut reading) = reading else { return Stream::default() };
        timeout(deadline::REAPING, &mut reading.0).await.ok().and_then(Result::ok).unwrap_or_default()
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn read(mut from: impl AsyncRead + Unpin) -> Stream {
    let mut stream = Stream::default();
    let mut chunk = vec![0; 64 << 10];
    loop {
        match from.read(&mut chunk).await {
            Ok(0) | Err(_) => return stream,
            Ok(count) => {
                let room = LOCAL_OUTPUT_MAX_BYTES.saturating_sub(stream.bytes.len()).min(count);
                stream.bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
                stream.dropped += u64::try_from(count - room).unwrap_or(u64::MAX);
            }
        }
    }
}
