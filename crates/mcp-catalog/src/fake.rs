//! A scripted server for this crate's tests: answers from a function and remembers what it was asked, and with which
//! budget. It keeps no time of its own.

use crate::{
    Asking, Budget, Capabilities, Handshake, LocalPort, PortError, RawResult, Request, ServerName, ServerPort,
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// Everything a server can declare.
pub(crate) const EVERYTHING: Capabilities =
    Capabilities { tools: true, resources: true, prompts: true, completions: true };

/// A scripted server.
pub(crate) struct Fake {
    port: LocalPort,
    asked: Mutex<Vec<(Request, Duration, Duration)>>,
}

impl Fake {
    /// A server that declares `capabilities` and answers with JSON text.
    pub(crate) fn new(
        capabilities: Capabilities,
        answer: impl Fn(&Request) -> Result<String, PortError> + Send + Sync + 'static,
    ) -> Self {
        let answer = move |request: Request| answer(&request).map(|json| RawResult::whole(json.into_bytes()));
        let name = ServerName::new("fake").unwrap();
        Self { port: LocalPort::raw(name, Handshake::of(capabilities), Arc::new(answer)), asked: Mutex::default() }
    }

    /// The requests, in order.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().iter().map(|(request, ..)| request.clone()).collect()
    }

    /// The idle and total time of each request, in order.
    pub(crate) fn budgets(&self) -> Vec<(Duration, Duration)> {
        self.asked.lock().unwrap().iter().map(|(_, idle, total)| (*idle, *total)).collect()
    }
}

impl ServerPort for Fake {
    fn name(&self) -> &ServerName {
        self.port.name()
    }

    fn handshake(&self) -> Handshake {
        self.port.handshake()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        self.asked.lock().unwrap().push((request.clone(), budget.idle, budget.total));
        self.port.ask(request, budget)
    }
}

/// The error a server answers for a method it does not have.
pub(crate) fn method_not_found() -> PortError {
    PortError::Server { code: -32601, message: "Method not found".to_owned() }
}
