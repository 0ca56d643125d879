//! A server that lives in this process and answers from a function: the embedded server of a host, a double in tests.
//!
//! It starts nothing: no process, no task, no runtime, no connection. The function is called inside the future that
//! [`ServerPort::ask`] returns, so it must not block for long; a server that needs to wait deserves a port of its own.
//! What it answers takes the same way as a remote server's bytes (S9): JSON text first, then salvage.

use crate::{Asking, Budget, Handshake, PortError, RawResult, Request, ServerName, ServerPort};
use serde_json::Value;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Answers a request with the `result` of the method, as JSON.
pub type LocalAnswer = Arc<dyn Fn(Request) -> Result<Value, PortError> + Send + Sync>;

/// Answers a request with the `result` of the method, as bytes that need not be well-formed.
pub type LocalRawAnswer = Arc<dyn Fn(Request) -> Result<RawResult, PortError> + Send + Sync>;

/// An in-process server.
///
/// ```
/// use mcp_catalog::{Budget, Capabilities, CatalogKind, Handshake, LocalPort, ServerName, deadline, list_kind};
/// use serde_json::json;
/// use std::sync::Arc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let declared = Handshake::of(Capabilities { prompts: true, ..Capabilities::default() });
/// let port = LocalPort::new(
///     ServerName::new("notes")?,
///     declared,
///     Arc::new(|_request| Ok(json!({"prompts": [{"name": "daily"}]}))),
/// );
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let listing = list_kind(&port, CatalogKind::Prompt, &Budget::new(deadline::LISTING)).await;
/// assert_eq!(listing.items.first().map(|item| item.name.as_str()), Some("daily"));
/// # });
/// # Ok(()) }
/// ```
pub struct LocalPort {
    name: ServerName,
    handshake: Handshake,
    answer: LocalRawAnswer,
    changes: AtomicU64,
    tool_timeout: Option<Duration>,
}

impl LocalPort {
    /// A server of this name that declared `handshake` and answers by `answer`.
    pub fn new(name: ServerName, handshake: Handshake, answer: LocalAnswer) -> Self {
        let answer = move |request| {
            let value = answer(request)?;
            Ok(RawResult::whole(value.to_string().into_bytes()))
        };
        Self::raw(name, handshake, Arc::new(answer))
    }

    /// The same from bytes, for answers that no JSON value can hold: a lone surrogate, `1e400`, a repeated key.
    pub fn raw(name: ServerName, handshake: Handshake, answer: LocalRawAnswer) -> Self {
        Self { name, handshake, answer, changes: AtomicU64::new(0), tool_timeout: None }
    }

    /// The same with a deadline for calls, reads and prompts (S12).
    #[must_use]
    pub fn with_tool_timeout(mut self, timeout: Duration) -> Self {
        self.tool_timeout = Some(timeout);
        self
    }

    /// Says that one of the lists changed: page snapshots taken before are stale from now on (S17).
    pub fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }
}

impl ServerPort for LocalPort {
    fn name(&self) -> &ServerName {
        &self.name
    }

    fn handshake(&self) -> Handshake {
        self.handshake.clone()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        Box::pin(async move {
            if budget.cancel.is_cancelled() {
                return Err(PortError::Cancelled);
            }
            let answer = (self.answer)(request);
            // The caller may have given up while the function ran; a late answer is no answer (S13).
            if budget.cancel.is_cancelled() { Err(PortError::Cancelled) } else { answer }
        })
    }

    fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.tool_timeout
    }
}

impl fmt::Debug for LocalPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalPort").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::LocalPort;
    use crate::{
        Budget, Capabilities, Handshake, PortError, RawResult, Request, ResourceUri, ServerName, ServerPort, deadline,
    };
    use serde_json::json;
    use std::{sync::Arc, time::Duration};
    use tokio_util::sync::CancellationToken;

    fn read() -> Request {
        Request::ReadResource { uri: ResourceUri::new("a://1").unwrap() }
    }

    fn handshake() -> Handshake {
        Handshake::of(Capabilities { resources: true, ..Capabilities::default() })
    }

    fn name() -> ServerName {
        ServerName::new("local").unwrap()
    }

    #[tokio::test]
    async fn a_local_server_answers_from_its_function() {
        let answer = |request: Request| Ok(json!({"contents": [{"uri": request.method(), "text": "x"}]}));
        let port = LocalPort::new(name(), handshake(), Arc::new(answer)).with_tool_timeout(Duration::from_secs(5));
        let raw = port.ask(read(), Budget::new(deadline::READ)).await.unwrap();
        assert_eq!(raw.json(), br#"{"contents":[{"uri":"resources/read","text":"x"}]}"#);
        assert_eq!((port.name(), port.tool_timeout()), (&name(), Some(Duration::from_secs(5))));
        assert_eq!(port.changes(), 0);
        port.note_change();
        assert_eq!(port.changes(), 1);
    }

    #[tokio::test]
    async fn a_local_server_can_answer_bytes_that_no_value_holds() {
        let json = br#"{"contents":[{"text":"\ud800"}]}"#;
        let port = LocalPort::raw(name(), handshake(), Arc::new(|_| Ok(RawResult::whole(json.to_vec()))));
        let raw = port.ask(read(), Budget::new(deadline::READ)).await.unwrap();
        assert_eq!(raw.json(), json);
    }

    #[tokio::test]
    async fn a_cancelled_request_is_not_answered() {
        let (before, during) = (CancellationToken::new(), CancellationToken::new());
        before.cancel();
        let stopper = during.clone();
        let port = LocalPort::new(
            name(),
            handshake(),
            Arc::new(move |_| {
                stopper.cancel();
                Ok(json!({}))
            }),
        );
        for cancel in [before, during] {
            let answer = port.ask(read(), Budget::new(deadline::READ).cancelled_by(cancel)).await;
            assert_eq!(answer, Err(PortError::Cancelled));
        }
    }

    #[tokio::test]
    async fn a_request_that_is_never_polled_calls_nothing() {
        let port = LocalPort::new(name(), handshake(), Arc::new(|_| panic!("asked")));
        drop(port.ask(read(), Budget::new(deadline::READ)));
        assert_eq!(format!("{port:?}"), r#"LocalPort { name: "local", .. }"#);
    }
}
