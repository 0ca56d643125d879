//! When the next try to connect is due (S15).
//!
//! It keeps no clock: the time is an argument.

use mcp_catalog::{PortError, deadline};
use std::time::Duration;
use tokio::time::Instant;

/// The failed tries since the server was last connected.
#[derive(Debug, Default)]
pub(super) struct Backoff(Option<Failure>);

#[derive(Debug)]
struct Failure {
    /// How long the last try keeps others from trying.
    pause: Duration,
    /// Until when.
    until: Instant,
    /// It asked for a login, which no waiting brings.
    login: bool,
}

impl Backoff {
    /// A try failed at `now`: none is made for 1 s, after the next one for 2 s, 4 s … 60 s.
    pub(super) fn failed(&mut self, now: Instant, error: &PortError) {
        let pause = self.0.as_ref().map_or(deadline::FIRST_PAUSE, |failure| failure.pause.saturating_mul(2));
        let pause = pause.min(deadline::LONGEST_PAUSE);
        self.0 = Some(Failure { pause, until: now + pause, login: *error == PortError::AuthRequired });
    }

    /// Why no try is made at `now`; `None` when one is due.
    pub(super) fn refusal(&self, now: Instant) -> Option<PortError> {
        let failure = self.0.as_ref()?;
        let left = failure.until.saturating_duration_since(now);
        let refusal =
            if failure.login { PortError::AuthRequired } else { PortError::ConnectionClosed { retry_in: Some(left) } };
        (!left.is_zero()).then_some(refusal)
    }

    /// The server is connected.
    pub(super) fn succeeded(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed() -> PortError {
        PortError::ConnectionClosed { retry_in: None }
    }

    #[test]
    fn pauses_double_from_one_second_to_a_minute_and_begin_anew_after_a_success() {
        let now = Instant::now();
        let mut backoff = Backoff::default();
        assert_eq!(backoff.refusal(now), None);
        let pauses: Vec<u64> = (0..9)
            .map(|_| {
                backoff.failed(now, &closed());
                match backoff.refusal(now) {
                    Some(PortError::ConnectionClosed { retry_in: Some(left) }) => left.as_secs(),
                    other => panic!("{other:?}"),
                }
            })
            .collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        backoff.succeeded();
        assert_eq!(backoff.refusal(now), None);
        backoff.failed(now, &closed());
        assert_eq!(backoff.refusal(now + Duration::from_secs(1)), None);
    }

    #[test]
    fn what_is_left_of_a_pause_is_told() {
        let now = Instant::now();
        let mut backoff = Backoff::default();
        backoff.failed(now, &closed());
        let early = backoff.refusal(now + Duration::from_millis(400));
        assert_eq!(early, Some(PortError::ConnectionClosed { retry_in: Some(Duration::from_millis(600)) }));
    }

    #[test]
    fn a_server_that_wants_a_login_says_so_during_the_pause_too() {
        let now = Instant::now();
        let mut backoff = Backoff::default();
        backoff.failed(now, &PortError::AuthRequired);
        assert_eq!(backoff.refusal(now), Some(PortError::AuthRequired));
    }
}
