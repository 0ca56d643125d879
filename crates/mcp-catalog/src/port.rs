//! The seam: one connected server, asked in raw JSON (S9).
//!
//! A result is the frame's own bytes and the range of `result` in it, so that items are parsed one by one (S20) and a
//! blob is decoded where it stands. Nobody above this file knows how a server is connected.

use crate::{Budget, Handshake, PortError, Request, ServerName};
use serde::Deserialize;
use std::{fmt, ops::Range, pin::Pin, sync::Arc, time::Duration};

/// The answer to come. Arguments are owned, so a call costs this one allocation.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<RawResult, PortError>> + Send + 'a>>;

/// One connected server. Implemented over rmcp in `sdk`, in this process by [`crate::LocalPort`], by fakes in tests.
pub trait ServerPort: Send + Sync {
    /// The server's key.
    fn name(&self) -> &ServerName;

    /// What the server said of itself when it was connected.
    fn handshake(&self) -> Handshake;

    /// Sends a request and waits for its result within `budget`. Dropping the future cancels the request at the server
    /// (S13).
    fn ask(&self, request: Request, budget: Budget) -> Asking<'_>;

    /// How often the server has said that one of its lists changed. A page snapshot of an older count is stale (S17).
    fn changes(&self) -> u64 {
        0
    }

    /// The deadline that the user's configuration sets for calls, reads and prompts of this server (S12).
    fn tool_timeout(&self) -> Option<Duration> {
        None
    }
}

/// One progress notification.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How far, in the server's own unit.
    pub progress: f64,
    /// Of how much, if known.
    pub total: Option<f64>,
    /// The server's own words; foreign text (S46).
    pub message: Option<String>,
}

/// Where progress goes.
#[derive(Clone)]
pub struct ProgressSink(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressSink {
    /// Wraps a function, which must return at once.
    pub fn new(sink: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Reports.
    pub fn report(&self, progress: Progress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressSink")
    }
}

/// A result as the server wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawResult {
    line: Vec<u8>,
    range: Range<usize>,
}

impl RawResult {
    /// The result that stands at `range` of `line`. A range outside of it is an empty result.
    pub fn new(line: Vec<u8>, range: Range<usize>) -> Self {
        Self { line, range }
    }

    /// A result that is a whole JSON text.
    pub fn whole(json: Vec<u8>) -> Self {
        let range = 0..json.len();
        Self { line: json, range }
    }

    /// The result's JSON text.
    pub fn json(&self) -> &[u8] {
        self.line.get(self.range.clone()).unwrap_or_default()
    }

    /// Where the result stands in the frame.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The frame's bytes.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// The frame's own buffer, to decode blobs in place.
    pub fn into_line(self) -> Vec<u8> {
        self.line
    }

    /// Parses the result, borrowing from the frame where `T` does.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, PortError> {
        serde_json::from_slice(self.json()).map_err(|error| PortError::InvalidResponse { cause: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, ProgressSink, RawResult};
    use rstest::rstest;
    use std::sync::{Arc, Mutex};

    #[rstest]
    #[case::inside(b"{\"result\":{}}", (10, 12), b"{}")]
    #[case::whole(b"{}", (0, 2), b"{}")]
    #[case::beyond(b"{}", (1, 9), b"")]
    #[case::backwards(b"{}", (2, 1), b"")]
    fn a_result_is_a_range_of_its_frame(
        #[case] line: &[u8],
        #[case] (start, end): (usize, usize),
        #[case] json: &[u8],
    ) {
        let raw = RawResult::new(line.to_vec(), start..end);
        assert_eq!((raw.json(), raw.range(), raw.line()), (json, start..end, line));
        assert_eq!(raw.into_line(), line);
    }

    #[test]
    fn parsing_borrows_from_the_frame_and_fails_as_an_invalid_response() {
        let raw = RawResult::whole(br#"["a"]"#.to_vec());
        let [text]: [&str; 1] = raw.parse().unwrap();
        assert_eq!(text, "a");
        let error = raw.parse::<Vec<u8>>().unwrap_err();
        assert!(error.to_string().starts_with("Server's answer is not usable: invalid type"), "{error}");
    }

    #[test]
    fn progress_reaches_its_sink() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let sink = ProgressSink::new(move |progress| kept.lock().unwrap().push(progress));
        let step = Progress { progress: 0.5, total: None, message: Some("half".to_owned()) };
        sink.clone().report(step.clone());
        assert_eq!(
            (seen.lock().unwrap().as_slice(), format!("{sink:?}")),
            ([step].as_slice(), "ProgressSink".to_owned())
        );
    }
}
