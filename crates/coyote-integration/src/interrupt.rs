//! Ctrl-C, SIGTERM and SIGHUP: one cancellation for whatever runs (S13, S18).
//!
//! The process never ends here. A signal cancels; requests are cancelled at their servers, the servers are shut down, and
//! `main` returns (design: `process::exit` would skip the guards that end child processes).

use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;

/// A token that the first signal cancels. Further signals change nothing: what follows is bounded by the graces of S18.
/// Signals are listened to when this returns, so that none ends the process as if nobody did.
pub(crate) fn listen() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    let signal = signal();
    tokio::spawn(async move {
        signal.await;
        cancelled.cancel();
    });
    token
}

/// Whether Ctrl-C is read as a key by now.
static IS_A_KEY: AtomicBool = AtomicBool::new(false);

/// The same until [`ctrl_c_is_a_key`]; from then on Ctrl-C cancels nothing here. A program that has the terminal meanwhile
/// gets the signal of its own; so does this process, which lives on.
pub(crate) fn listen_until_keys() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    let (interrupted, ended) = (interrupted_before_keys(), ended());
    tokio::spawn(async move {
        tokio::select! {
            () = interrupted => {}
            () = ended => {}
        }
        cancelled.cancel();
    });
    token
}

/// From now on the line editor reads Ctrl-C.
pub(crate) fn ctrl_c_is_a_key() {
    IS_A_KEY.store(true, Ordering::Release);
}

/// Ctrl-C while it is no key. It listens for ever: once the signal is listened to, it does nothing else.
#[cfg(unix)]
fn interrupted_before_keys() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::{SignalKind, signal};
    let interrupts = signal(SignalKind::interrupt());
    async move {
        if let Ok(mut interrupts) = interrupts {
            while interrupts.recv().await.is_some() {
                if !IS_A_KEY.load(Ordering::Acquire) {
                    return;
                }
            }
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
async fn interrupted_before_keys() {
    while tokio::signal::ctrl_c().await.is_ok() {
        if !IS_A_KEY.load(Ordering::Acquire) {
            return;
        }
    }
    std::future::pending::<()>().await;
}

/// SIGTERM and SIGHUP.
#[cfg(unix)]
fn ended() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::SignalKind;
    first_of([SignalKind::terminate(), SignalKind::hangup()])
}

#[cfg(not(unix))]
async fn ended() {
    std::future::pending::<()>().await;
}

#[cfg(unix)]
fn signal() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::SignalKind;
    first_of([SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()])
}

/// The first of these, which are listened to from this call on.
#[cfg(unix)]
fn first_of<const N: usize>(kinds: [tokio::signal::unix::SignalKind; N]) -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::signal;
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    async move {
        if signals.is_empty() {
            return std::future::pending().await;
        }
        let received = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures_util::future::select_all(received).await;
    }
}

#[cfg(not(unix))]
async fn signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    // A runtime of one thread that is not given the time to poll anything in between: the default would end this process.
    #[tokio::test]
    async fn a_signal_right_after_listening_cancels_s18() {
        let token = listen();
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGHUP).unwrap();
        token.cancelled().await;
        let token = listen_until_keys();
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGTERM).unwrap();
        token.cancelled().await;
    }
}
