//! An answer that goes past the SDK: one that it cannot carry, or a failure that it would not name (S10, S16).
//!
//! The asker puts an [`Aside`] into its request; the channel finds it there and fills it at most once.

use crate::{PortError, RawResult};
use std::sync::{Arc, Mutex, PoisonError};

type Answer = Result<RawResult, PortError>;

/// A place for one answer. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Aside(Arc<Mutex<Option<Answer>>>);

impl Aside {
    /// Puts an answer there; the first one counts, as it does for a server's second answer over stdio.
    pub(super) fn put(&self, answer: Answer) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(answer);
    }

    /// Takes it.
    pub(super) fn take(&self) -> Option<Answer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
