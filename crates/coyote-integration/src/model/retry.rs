//! Sending a request to a model again: which failures, how often, after which pause.
//!
//! It retries only what failed before anything of the reply arrived; a reply that broke off is the caller's. A pause ends at
//! once when the request is cancelled.

use super::{ModelError, ModelFault, ReplySink};
use mcp_catalog::deadline::{MODEL_FIRST_PAUSE, MODEL_LONGEST_PAUSE, MODEL_RETRY_AFTER};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often a request is sent in all.
pub(super) const TRIES: u32 = 4;

/// A failure before the first word of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What to tell.
    pub error: ModelError,
    /// Whether the same request may succeed later: 429, 5xx, a lost connection.
    pub passing: bool,
    /// What the provider asked for.
    pub retry_after: Option<Duration>,
}

/// Sends until it succeeds, fails for good, or was tried [`TRIES`] times.
pub(super) async fn with_retries<T, F>(
    sink: &dyn ReplySink,
    cancel: &CancellationToken,
    cancelled: impl Fn() -> ModelError,
    mut send: impl FnMut() -> F,
) -> Result<T, ModelError>
where
    F: Future<Output = Result<T, Failure>>,
{
    let mut tries = 1;
    loop {
        let failure = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled()),
            outcome = send() => match outcome {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            },
        };
        let Some(pause) = pause(&failure, tries, fastrand::f64()) else {
            return Err(told(failure.error, tries));
        };
        sink.retrying(&failure.error, pause);
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled()),
            () = tokio::time::sleep(pause) => {}
        }
        tries += 1;
    }
}

/// How long to wait after `tries` tries; `None` when there is no further one. `chance` is in `0.0..1.0`: clients that
/// failed together do not come back together.
fn pause(failure: &Failure, tries: u32, chance: f64) -> Option<Duration> {
    if !failure.passing || tries >= TRIES {
        return None;
    }
    if let Some(asked) = failure.retry_after {
        // Waiting less than was asked for is refused again and makes it worse.
        return (asked <= MODEL_RETRY_AFTER).then_some(asked);
    }
    let doubled = MODEL_FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(tries - 1));
    Some(doubled.min(MODEL_LONGEST_PAUSE).mul_f64(0.5 + chance / 2.0))
}

fn told(mut error: ModelError, tries: u32) -> ModelError {
    let counts = matches!(error.fault, ModelFault::RateLimited | ModelFault::Provider | ModelFault::Connection);
    if tries > 1 && counts {
        error.text = format!("{} ({tries} tries)", error.text);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    };

    fn failure(passing: bool, retry_after: Option<Duration>) -> Failure {
        let error = ModelError { fault: ModelFault::RateLimited, text: "Busy".to_owned(), hint: "Wait".to_owned() };
        Failure { error, passing, retry_after }
    }

    #[derive(Default)]
    struct Pauses(Mutex<Vec<Duration>>);

    impl ReplySink for Pauses {
        fn text(&self, _more: &str) {}

        fn retrying(&self, _fault: &ModelError, pause: Duration) {
            self.0.lock().unwrap().push(pause);
        }
    }

    fn stopped() -> ModelError {
        ModelError { fault: ModelFault::Cancelled, text: "Stopped".to_owned(), hint: String::new() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_passing_failure_is_tried_four_times_and_the_error_says_so() {
        let (sink, sent) = (Pauses::default(), AtomicU32::new(0));
        let answer: Result<(), _> = with_retries(&sink, &CancellationToken::new(), stopped, || async {
            sent.fetch_add(1, Ordering::Relaxed);
            Err(failure(true, None))
        })
        .await;
        assert_eq!(sent.load(Ordering::Relaxed), TRIES);
        assert_eq!(sink.0.lock().unwrap().len(), 3);
        assert_eq!(answer.unwrap_err().text, "Busy (4 tries)");
    }

    #[tokio::test(start_paused = true)]
    async fn a_lasting_failure_is_not_sent_again() {
        let sink = Pauses::default();
        let answer: Result<(), _> =
            with_retries(&sink, &CancellationToken::new(), stopped, || async { Err(failure(false, None)) }).await;
        assert_eq!(answer.unwrap_err().text, "Busy");
        assert!(sink.0.lock().unwrap().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_when_the_request_is_cancelled() {
        let cancel = CancellationToken::new();
        let started = tokio::time::Instant::now();
        let after = Some(Duration::from_secs(50));
        let (sink, token) = (Pauses::default(), cancel.clone());
        let sending = with_retries::<(), _>(&sink, &token, stopped, || async { Err(failure(true, after)) });
        let (answer, ()) = tokio::join!(sending, async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            cancel.cancel();
        });
        assert_eq!(answer.unwrap_err().fault, ModelFault::Cancelled);
        assert_eq!(started.elapsed(), Duration::from_secs(1));
    }

    #[test]
    fn retry_after_is_kept_up_to_its_cap_and_a_longer_one_ends_the_request() {
        let asked = |seconds| pause(&failure(true, Some(Duration::from_secs(seconds))), 1, 0.9);
        assert_eq!(asked(0), Some(Duration::ZERO));
        assert_eq!(asked(60), Some(Duration::from_mins(1)));
        assert_eq!(asked(61), None);
    }

    #[test]
    fn a_pause_is_between_half_and_all_of_its_doubled_bound() {
        for tries in 1..TRIES {
            let bound = MODEL_FIRST_PAUSE.saturating_mul(1 << (tries - 1)).min(MODEL_LONGEST_PAUSE);
            for chance in [0.0, 0.3, 0.999] {
                let pause = pause(&failure(true, None), tries, chance).unwrap();
                assert!(pause >= bound / 2 && pause <= bound, "{tries} {chance}: {pause:?}");
            }
        }
        assert_eq!(pause(&failure(true, None), TRIES, 0.5), None);
    }
}
