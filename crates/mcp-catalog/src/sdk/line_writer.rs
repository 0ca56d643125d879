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
    /// `output`; after `closing` it does so within [`deadline::GRACE_AT_SIGNAL`], read or not. Then `ended` is dropped.
    pub(super) fn start<W>(output: W, closing: CancellationToken, ended: DropGuard) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, receiver) = mpsc::channel(QUEUE_LINES);
        tokio::spawn(async move {
            run(output, receiver, closing).await;
            drop(ended);
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

async fn run<W: AsyncWrite + Unpin>(output: W, queue: mpsc::Receiver<Outgoing>, closing: CancellationToken) {
    let mut writing = pin!(write_all(output, queue));
    tokio::select! {
        () = &mut writing => {}
        () = closing.cancelled() => {
            let _ = timeout(deadline::GRACE_AT_SIGNAL, writing).await;
        }
    }
}

async fn write_all<W: AsyncWrite + Unpin>(mut output: W, mut queue: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { line, written }) = queue.recv().await {
        let result = write(&mut output, &line).await;
        let failed = result.is_err();
        // Nobody waits for the end of a response of ours.
        let _ = written.send(result);
        if failed {
            break;
        }
    }
    let _ = output.shutdown().await;
}

async fn write<W: AsyncWrite + Unpin>(output: &mut W, line: &[u8]) -> io::Result<()> {
    output.write_all(line).await?;
    output.flush().await
}
