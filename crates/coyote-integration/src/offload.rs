//! Blocking work on tokio's own threads for it: decoding, hashing, writing spills (S32).

use mcp_catalog::{Offload, Offloaded};

/// Runs work by `spawn_blocking`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BlockingThreads;

impl Offload for BlockingThreads {
    fn run(&self, work: Box<dyn FnOnce() + Send>) -> Offloaded {
        let running = tokio::task::spawn_blocking(work);
        // Work that panicked has left no result, which its caller sees.
        Box::pin(async move { drop(running.await) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    #[tokio::test]
    async fn offloaded_work_has_run_when_its_future_resolves() {
        let done = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&done);
        BlockingThreads.run(Box::new(move || seen.store(true, Ordering::Relaxed))).await;
        assert!(done.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn offloaded_work_that_panics_resolves_too() {
        BlockingThreads.run(Box::new(|| panic!("a defect"))).await;
    }
}
