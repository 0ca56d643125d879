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

/// The same where Ctrl-C is read as a key. A program that has the terminal meanwhile gets the signal of its own; so does
/// this process, which lives on.
pub(crate) fn listen_beside_keys() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    #[cfg(unix)]
    tokio::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        // Once it is listened to, the signal does nothing else.
        let _interrupts = signal(SignalKind::interrupt());
        first_of([SignalKind::terminate(), SignalKind::hangup()]).await;
        cancelled.cancel();
    });
    #[cfg(not(unix))]
    drop(cancelled);
    token
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::SignalKind;
    first_of([SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]).await;
}

#[cfg(unix)]
async fn first_of(kinds: impl IntoIterator<Item = tokio::signal::unix::SignalKind>) {
    use tokio::signal::unix::signal;
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
