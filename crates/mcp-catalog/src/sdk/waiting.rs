//! One request from its sending to its end: answer, deadline, cancellation, or the asker's going away (S12, S13).

use super::{
    convert,
    seats::{Answer, Waiting},
};
use crate::{Budget, PortError, Progress, RawResult, deadline};
use rmcp::{
    RoleClient,
    model::{CancelledNotification, CancelledNotificationParam, ClientNotification, RequestId, ServerResult},
    service::{Peer, RequestHandle, ServiceError},
};
use std::pin::pin;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot, oneshot::error::RecvError},
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// What the SDK's own channel of a request resolves to.
pub(super) type Told = Result<Result<ServerResult, ServiceError>, RecvError>;

/// Tells the server when an asker has gone. The SDK does so for its typed methods only.
#[derive(Debug)]
pub(super) struct Asked {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Asked {
    /// Guards the request `id`.
    pub(super) fn new(peer: &Peer<RoleClient>, id: RequestId) -> Self {
        Self { peer: peer.clone(), id: Some(id) }
    }

    /// The request is over.
    pub(super) fn over(mut self) {
        self.id = None;
    }

    /// Sends the cancellation and waits until it is written, but not for a server that does not read.
    pub(super) async fn give_up(mut self, reason: &'static str) {
        if let Some(id) = self.id.take() {
            let _ = timeout(deadline::GRACE_AT_SIGNAL, self.peer.send_notification(cancelled(id, reason))).await;
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // Without a runtime the connection is gone, too.
        if let Some(id) = self.id.take()
            && let Ok(runtime) = Handle::try_current()
        {
            let peer = self.peer.clone();
            runtime.spawn(async move { peer.send_notification(cancelled(id, "nobody waits for the answer")).await });
        }
    }
}

fn cancelled(id: RequestId, reason: &str) -> ClientNotification {
    let params = CancelledNotificationParam::new(Some(id), Some(reason.to_owned()));
    ClientNotification::CancelledNotification(CancelledNotification::new(params))
}

/// Waits for the answer to a request of `method`.
pub(super) async fn answer(
    handle: RequestHandle<RoleClient>,
    waiting: Waiting,
    closed: &CancellationToken,
    method: &'static str,
    budget: Budget,
) -> Result<RawResult, PortError> {
    let Waiting { answer, progress } = waiting;
    until_told(handle, progress, closed, method, budget, |told| settle(told, answer)).await
}

/// Waits until the SDK tells of the request's end, which `settle` reads.
pub(super) async fn until_told(
    mut handle: RequestHandle<RoleClient>,
    mut reported: mpsc::Receiver<Progress>,
    closed: &CancellationToken,
    method: &'static str,
    budget: Budget,
    settle: impl FnOnce(Told) -> Result<RawResult, PortError>,
) -> Result<RawResult, PortError> {
    let asked = Asked::new(&handle.peer, handle.id.clone());
    let mut idle = pin!(sleep(budget.idle));
    let mut total = pin!(sleep(budget.total));
    loop {
        tokio::select! {
            biased;
            told = &mut handle.rx => {
                asked.over();
                return settle(told);
            }
            () = closed.cancelled() => {
                asked.over();
                return Err(PortError::ConnectionClosed { retry_in: None });
            }
            () = budget.cancel.cancelled() => {
                asked.give_up("cancelled by the user").await;
                return Err(PortError::Cancelled);
            }
            () = &mut total => {
                asked.give_up("deadline passed").await;
                return Err(PortError::Timeout { method, after: budget.total });
            }
            Some(progress) = reported.recv() => {
                idle.as_mut().reset(Instant::now() + budget.idle);
                if let Some(sink) = &budget.progress {
                    sink.report(progress);
                }
            }
            () = &mut idle => {
                asked.give_up("deadline passed").await;
                return Err(PortError::Timeout { method, after: budget.idle });
            }
        }
    }
}

/// The transport has left the answer before the SDK was told.
fn settle(told: Told, mut answer: oneshot::Receiver<Answer>) -> Result<RawResult, PortError> {
    match (answer.try_recv(), told) {
        (Ok(answer), _) => answer,
        (Err(_), Ok(Err(error))) => Err(convert::port_error(error)),
        (Err(_), Ok(Ok(_)) | Err(_)) => Err(PortError::ConnectionClosed { retry_in: None }),
    }
}
