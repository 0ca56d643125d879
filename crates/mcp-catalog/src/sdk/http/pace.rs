//! How often streams may be opened again at a server that ends them (S15, C23).
//!
//! The SDK opens a stream again as soon as the server wants, which may be at once and for ever. Here each stream that did not
//! last makes the next one wait longer, and after many of them there is no other.

use crate::deadline;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Instant, sleep};

/// How many streams in a row may be short.
const SHORT_MAX: u32 = 100;

/// Paces the streams of one server. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace(Arc<Mutex<Streams>>);

#[derive(Debug, Default)]
struct Streams {
    opened: Option<Instant>,
    short: u32,
}

impl Pace {
    /// Waits until the next stream is due; `false` when there is to be none.
    pub(super) async fn next(&self) -> bool {
        let short = {
            let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let lasted = streams.opened.is_none_or(|opened| opened.elapsed() >= deadline::LASTING_STREAM);
            streams.short = if lasted && streams.short < SHORT_MAX { 0 } else { streams.short.saturating_add(1) };
            streams.opened = Some(Instant::now());
            streams.short
        };
        if short >= SHORT_MAX {
            return false;
        }
        // The first one that is opened again is not late: the server may have said when.
        if let Some(doublings) = short.checked_sub(2) {
            sleep(
                deadline::STREAM_FIRST_PAUSE.saturating_mul(1 << doublings.min(16)).min(deadline::STREAM_LONGEST_PAUSE),
            )
            .await;
            self.0.lock().unwrap_or_else(PoisonError::into_inner).opened = Some(Instant::now());
        }
        true
    }

    /// No stream follows.
    pub(super) fn stop(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).short = SHORT_MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn short_streams_come_ever_more_slowly_and_then_no_more() {
        let pace = Pace::default();
        let began = Instant::now();
        for _ in 0..3 {
            assert!(pace.next().await);
        }
        assert_eq!(began.elapsed(), deadline::STREAM_FIRST_PAUSE);
        let mut opened = 3;
        while pace.next().await {
            opened += 1;
        }
        assert_eq!(opened, SHORT_MAX);
        assert!(began.elapsed() > Duration::from_mins(7), "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_lasted_is_opened_again_at_once() {
        let pace = Pace::default();
        for _ in 0..300 {
            let before = Instant::now();
            assert!(pace.next().await);
            assert_eq!(before.elapsed(), Duration::ZERO);
            tokio::time::advance(deadline::LASTING_STREAM).await;
        }
        pace.stop();
        assert!(!pace.next().await);
    }
}
