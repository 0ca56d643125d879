//! Work that must not run on the async threads: decoding, hashing, writing (S32). The host decides where it runs.

use std::{fmt, pin::Pin};

/// The end of offloaded work.
pub type Offloaded = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs blocking work elsewhere; a host over tokio uses `spawn_blocking`.
pub trait Offload: Send + Sync + fmt::Debug {
    /// Starts `work` and resolves when it has run. Work that panicked resolves too.
    fn run(&self, work: Box<dyn FnOnce() + Send>) -> Offloaded;
}

/// Runs work where it stands: for tests and for hosts without a runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inline;

impl Offload for Inline {
    fn run(&self, work: Box<dyn FnOnce() + Send>) -> Offloaded {
        work();
        Box::pin(std::future::ready(()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Inline, Offload};
    use std::sync::mpsc;

    #[tokio::test]
    async fn inline_work_has_run_when_its_end_is_known() {
        let (sender, receiver) = mpsc::channel();
        Inline.run(Box::new(move || sender.send(7).unwrap())).await;
        assert_eq!(receiver.try_recv(), Ok(7));
    }
}
