//! Ctrl-C, SIGTERM and SIGHUP: one cancellation for whatever runs (S13, S18).
//!
//! The process never ends here. A signal cancels; requests are cancelled at their servers, the servers are shut down, and
//! `main` returns (design: `process::exit` would skip the guards that end child processes).

use tokio_util::sync::CancellationToken;

/// A token that the first signal cancels. Further signals change nothing: what follows is bounded by the graces of S18.
pub(crate) fn listen() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        signal().await;
        cancelled.cancel();
    });
    token
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    if signals.is_empty() {
        return std::future::pending().await;
    }
    let received = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
    futures_util::future::select_all(received).await;
}

#[cfg(not(unix))]
async fn signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
