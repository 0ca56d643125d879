//! What a server's own entry says about asking (S40). Only the user's own file can waive a question.

use crate::{
    config::ConfiguredServer,
    mcp::{Origin, SpecKey},
};

/// One server, as far as approval is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Its calls run unasked.
    pub(super) trusted: bool,
    /// What its approvals are bound to.
    pub(super) spec: SpecKey,
}

impl Standing {
    /// The standing of a configured server.
    pub(super) fn of(server: &ConfiguredServer) -> Self {
        let trusted = match server.entry.origin {
            Origin::User => server.entry.trust,
            // Said again here: what a stranger's file claims must not count, whoever parsed it.
            Origin::Workspace => false,
            Origin::Embedded => true,
        };
        Self { trusted, spec: server.written }
    }
}
