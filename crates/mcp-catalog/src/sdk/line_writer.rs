//! Lines to a server, in the order in which they were handed over.
//!
//! The SDK sends each message from a task of its own, so a cancellation could overtake its request; one queue and one
//! writing task keep the order. The queue is bounded: a server that asks much and reads nothing costs no memory.

use crate::deadline;
use std::{future::Future, io, pin::pin};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{mpsc, oneshot},
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How many lines may wait for a server that does not read.
const QUEUE_LINES: usize = 1_024;

/// The sending end.
#[derive(Debug)]
pub(super) struct LineWriter(mpsc::Sender<Outgoing>);

#[derive(Debug)]
struct Outgoing {
    line: Vec<u8>,
    written: oneshot::Sender<io::Result<()>>,
}

impl LineWriter {
    /// Starts the task that owns `output`. When the writer is dropped, the task writes what is queued and closes
    /// `output`; after `closing` it does so within [`deadline::GRACE_AT_SIGNAL`], read or not. A line that cannot be
    /// written ends it, too. Then `ended` is dropped, and only then is it told what was not written.
    pub(super) fn start<W>(output: W, closing: CancellationToken, ended: DropGuard) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, mut receiver) = mpsc::channel(QUEUE_LINES);
        tokio::spawn(async move {
            let failed = run(output, &mut receiver, closing).await;
            drop(ended);
            if let Some(Failed { written, error }) = failed {
                // Nobody waits for the end of a response of ours.
                let _ = written.send(Err(error));
            }
        });
        Self(sender)
    }

    /// Queues a line with its end, now; the future tells when it is written.
    pub(super) fn send(&self, line: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (written, done) = oneshot::channel();
        let queued = self.0.try_send(Outgoing { line, written }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => io::Error::new(io::ErrorKind::WouldBlock, "server does not read"),
            mpsc::error::TrySendError::Closed(_) => closed(),
        });
        async move {
            queued?;
            done.await.unwrap_or_else(|_| Err(closed()))
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "connection is closed")
}

/// The line that could not be written.
struct Failed {
    written: oneshot::Sender<io::Result<()>>,
    error: io::Error,
}

async fn run<W: AsyncWrite + Unpin>(
    output: W,
    queue: &mut mpsc::Receiver<Outgoing>,
    closing: CancellationToken,
) -> Option<Failed> {
    let mut writing = pin!(write_all(output, queue));
    tokio::select! {
        failed = &mut writing => failed,
        () = closing.cancelled() => timeout(deadline::GRACE_AT_SIGNAL, writing).await.ok().flatten(),
    }
}

async fn write_all<W: AsyncWrite + Unpin>(mut output: W, queue: &mut mpsc::Receiver<Outgoing>) -> Option<Failed> {
    let mut failed = None;
    while let Some(Outgoing { line, written }) = queue.recv().await {
        match write(&mut output, &line).await {
            Ok(()) => {
                // Nobody waits for the end of a response of ours.
                let _ = written.send(Ok(()));
            }
            Err(error) => {
                failed = Some(Failed { written, error });
                break;
            }
        }
    }
    let _ = output.shutdown().await;
    failed
}

async fn write<W: AsyncWrite + Unpin>(output: &mut W, line: &[u8]) -> io::Result<()> {
    output.write_all(line).await?;
    output.flush().await
}
