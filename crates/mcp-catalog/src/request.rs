//! The eight requests this client makes, and what one may cost.

use crate::{CatalogKind, ProgressSink, PromptName, ResourceUri, ToolName, deadline};
use serde_json::{Map, Value};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A request, with owned arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// One page of a listing: four of the eight methods. A cursor is opaque, `""` included (S11).
    List {
        /// What to list.
        kind: CatalogKind,
        /// The cursor of the page; `None` for the first.
        cursor: Option<String>,
    },
    /// `resources/read`.
    ReadResource {
        /// The URI, byte for byte.
        uri: ResourceUri,
    },
    /// `prompts/get`.
    GetPrompt {
        /// The prompt.
        name: PromptName,
        /// String values; `None` leaves the member out, `Some({})` sends `{}` (C06).
        arguments: Option<Map<String, Value>>,
    },
    /// `tools/call`.
    CallTool {
        /// The tool.
        name: ToolName,
        /// The arguments.
        arguments: Map<String, Value>,
    },
    /// `completion/complete` for one argument of a prompt.
    Complete {
        /// The prompt.
        prompt: PromptName,
        /// The argument to complete.
        argument: String,
        /// What was typed of it.
        value: String,
        /// The arguments that are already given (C14).
        context: Map<String, Value>,
    },
}

impl Request {
    /// The method's name on the wire.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::List { kind, .. } => kind.list_method(),
            Self::ReadResource { .. } => "resources/read",
            Self::GetPrompt { .. } => "prompts/get",
            Self::CallTool { .. } => "tools/call",
            Self::Complete { .. } => "completion/complete",
        }
    }
}

/// What a request may cost: time, and until when the caller wants it.
#[derive(Debug, Clone)]
pub struct Budget {
    /// How long to wait for an answer or for progress (S12).
    pub idle: Duration,
    /// How long to wait in all, however much progress is reported (S12).
    pub total: Duration,
    /// Cancels the request; the server is told (S13).
    pub cancel: CancellationToken,
    /// Where progress notifications go.
    pub progress: Option<ProgressSink>,
}

impl Budget {
    /// A budget that `idle` bounds and nobody cancels.
    pub fn new(idle: Duration) -> Self {
        Self { idle, total: deadline::TOTAL.max(idle), cancel: CancellationToken::new(), progress: None }
    }

    /// The same with the caller's cancellation.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// The same with a sink for progress.
    #[must_use]
    pub fn reporting_to(mut self, progress: ProgressSink) -> Self {
        self.progress = Some(progress);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Request};
    use crate::{CatalogKind, ProgressSink, PromptName, ResourceUri, ToolName, deadline};
    use serde_json::Map;
    use std::{collections::BTreeSet, time::Duration};
    use tokio_util::sync::CancellationToken;

    #[test]
    fn eight_methods_are_used() {
        let mut requests = CatalogKind::ALL.map(|kind| Request::List { kind, cursor: None }).to_vec();
        let prompt = PromptName::new("p").unwrap();
        requests.extend([
            Request::ReadResource { uri: ResourceUri::new("a://1").unwrap() },
            Request::GetPrompt { name: prompt.clone(), arguments: None },
            Request::CallTool { name: ToolName::new("t").unwrap(), arguments: Map::new() },
            Request::Complete { prompt, argument: "a".to_owned(), value: String::new(), context: Map::new() },
        ]);
        let methods: BTreeSet<_> = requests.iter().map(Request::method).collect();
        assert_eq!(methods.len(), 8);
        assert!(methods.contains("completion/complete") && methods.contains("prompts/get"));
    }

    #[test]
    fn a_budget_waits_no_less_in_all_than_for_an_answer() {
        assert_eq!(Budget::new(deadline::READ).total, deadline::TOTAL);
        let long = Duration::from_hours(1);
        assert_eq!(Budget::new(long).total, long);
        let cancel = CancellationToken::new();
        let budget = Budget::new(long).cancelled_by(cancel.clone()).reporting_to(ProgressSink::new(|_| {}));
        cancel.cancel();
        assert!(budget.cancel.is_cancelled() && budget.progress.is_some());
    }
}
