//! The seam: one connected server, asked in raw JSON (S9).
//!
//! A result is the frame's own bytes and the range of `result` in it, so that items are parsed one by one (S20) and a
//! blob is decoded where it stands. Nobody above this file knows how a server is connected.

use crate::{Budget, Handshake, PortError, Request, ServerName};
use serde::Deserialize;
use std::{fmt, ops::Range, pin::Pin, sync::Arc, time::Duration};

/// The answer to come. Arguments are owned, so a call costs this one allocation.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<RawResult, PortError>> + Send + 'a>>;

/// One connected server. Implemented over rmcp in [`crate::sdk`], by fakes in tests.
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
