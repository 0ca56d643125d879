//! The question about calls that may change something (S40), asked while the prompt stands aside.
//!
//! It is the question of the one-shot command line; only who reads the answer differs.

use super::editor::{Terminal, Typed};
use crate::{
    chat::{ANSWERS, answers, statement},
    functions::{Asked, Asker, Asking, Consent, Question},
};
use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use tokio_util::sync::CancellationToken;

/// What cancels the command or turn that runs now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    running: Arc<Mutex<CancellationToken>>,
    /// Set when what waits is not to run either.
    waiting: Arc<AtomicBool>,
}

impl Stop {
    /// Belongs to what runs from now on.
    pub(super) fn set(&self, cancel: CancellationToken) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = cancel;
    }

    /// Cancels it.
    pub(crate) fn now(&self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Cancels it, and what waits behind it: Ctrl-C where the line editor does not read it.
    pub(crate) fn all(&self) {
        self.waiting.store(true, Ordering::Release);
        self.now();
    }

    /// Whether what waits is dropped; told once.
    pub(super) fn takes_the_waiting(&self) -> bool {
        self.waiting.swap(false, Ordering::AcqRel)
    }
}

/// Asks at the REPL's terminal.
#[derive(Default)]
pub(super) struct ReplAsker {
    /// Set when the editor is open; nothing can be asked before.
    pub(super) terminal: OnceLock<Terminal>,
    pub(super) stop: Stop,
}

impl Asker for ReplAsker {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a> {
        let text = statement(questions);
        let count = questions.len();
        Box::pin(async move {
            let Some(terminal) = self.terminal.get() else { return Asked::Nobody };
            terminal.printer().print(&mcp_render::shown(&text).to_string());
            match terminal.ask(ANSWERS).await {
                Some(Typed::Text(line)) => Asked::Answered(answers(&line, count)),
                Some(Typed::GivenUp) => Asked::Answered(vec![Consent::No; count]),
                Some(Typed::Interrupted) => {
                    self.stop.all();
                    Asked::Cancelled
                }
                None => Asked::Nobody,
            }
        })
    }
}
