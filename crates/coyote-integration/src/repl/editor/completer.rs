//! Completion behind the line editor: what takes time is asked for on the runtime, and no key waits for it (S45).
//!
//! The editor asks again when an answer is there, so every answer is kept for its line and cursor. A task that panics
//! answers nothing, rather than never.

use crate::repl::{
    complete::{Answer, Completions, Row},
    printer::Printer,
};
use mcp_catalog::deadline::QUICK;
use reedline::{Completer, CompletionResult, CompletionStatus, Span, Suggestion};
use std::sync::{
    Arc, Mutex, PoisonError,
    mpsc::{SyncSender, TrySendError},
};
use tokio::task::AbortHandle;

/// How often one completion may ask for more before it counts as empty.
const ROUNDS: usize = 4;

/// A line and a cursor in it.
type Place = (String, usize);

/// The line editor's completer. The editor calls it once a look, which is also when the next portion of what is to be shown
/// is handed over: at most one a look, so that keys come in between.
pub(super) struct Background {
    completions: Completions,
    /// What was asked for last, and what came of it.
    last: Option<(Place, Arc<Slot>)>,
    /// The number of the line in which that was.
    line: usize,
    printer: Printer,
    above: SyncSender<String>,
    /// A portion that did not fit.
    left: Option<String>,
}

/// Where a task puts its answer.
#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    task: Mutex<Option<AbortHandle>>,
}

#[derive(Default)]
enum State {
    #[default]
    Running,
    /// Answered, and the editor was not told yet.
    Ready(Vec<Row>),
    Told(Vec<Row>),
}

impl Background {
    pub(super) fn new(completions: Completions, printer: Printer, above: SyncSender<String>) -> Self {
        Self { completions, last: None, line: 0, printer, above, left: None }
    }

    fn hand_over(&mut self) {
        let Some(portion) = self.left.take().or_else(|| self.printer.portion()) else { return };
        if let Err(TrySendError::Full(portion)) = self.above.try_send(portion) {
            self.left = Some(portion);
        }
    }

    fn begin(&mut self, line: &str, cursor: usize, answer: Answer) -> CompletionResult {
        let work = match answer {
            Answer::Rows(rows) => return fresh(&rows),
            Answer::Work(work) => work,
        };
        self.stop();
        let slot = Arc::new(Slot::default());
        let (completions, place) = (self.completions.clone(), (line.to_owned(), cursor));
        let filled = Filled { slot: Arc::clone(&slot), rows: Vec::new() };
        let task = self.completions.runtime().spawn({
            let place = place.clone();
            async move {
                // Whatever happens, the slot is filled when this is dropped.
                let mut filled = filled;
                let rounds = rounds(&completions, &place, work);
                filled.rows = tokio::time::timeout(QUICK, rounds).await.unwrap_or_default();
            }
        });
        *slot.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
        self.last = Some((place, slot));
        CompletionResult::Pending
    }

    fn stop(&mut self) {
        if let Some((_, slot)) = self.last.take()
            && let Some(task) = slot.task.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            task.abort();
        }
    }
}

async fn rounds(completions: &Completions, (line, cursor): &Place, first: crate::repl::complete::Working) -> Vec<Row> {
    let mut work = first;
    for _ in 0..ROUNDS {
        work.await;
        match completions.complete(line, *cursor) {
            Answer::Rows(rows) => return rows,
            Answer::Work(more) => work = more,
        }
    }
    Vec::new()
}

/// Fills the slot when it is dropped.
struct Filled {
    slot: Arc<Slot>,
    rows: Vec<Row>,
}

impl Drop for Filled {
    fn drop(&mut self) {
        *self.slot.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Ready(std::mem::take(&mut self.rows));
    }
}

impl Completer for Background {
    fn complete(&mut self, line: &str, cursor: usize) -> CompletionResult {
        // A later line of the same words asks anew (S45).
        let number = self.completions.line();
        if number != self.line {
            self.stop();
            self.line = number;
        }
        if let Some(((kept, at), slot)) = &self.last
            && kept == line
            && *at == cursor
        {
            return match &*slot.state.lock().unwrap_or_else(PoisonError::into_inner) {
                State::Running => CompletionResult::Pending,
                State::Ready(rows) | State::Told(rows) => fresh(rows),
            };
        }
        let answer = self.completions.complete(line, cursor);
        self.begin(line, cursor, answer)
    }

    fn poll_completion(&mut self) -> CompletionStatus {
        self.hand_over();
        let Some((_, slot)) = &self.last else { return CompletionStatus::Idle };
        let mut state = slot.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *state {
            State::Running => CompletionStatus::Pending,
            State::Told(_) => CompletionStatus::Idle,
            State::Ready(rows) => {
                *state = State::Told(std::mem::take(rows));
                CompletionStatus::Ready
            }
        }
    }
}

fn fresh(rows: &[Row]) -> CompletionResult {
    let suggestions: Vec<Suggestion> = rows.iter().map(suggestion).collect();
    CompletionResult::fresh(suggestions)
}

fn suggestion(row: &Row) -> Suggestion {
    Suggestion {
        value: row.value.clone(),
        display_override: Some(row.display.clone()),
        description: row.description.clone(),
        span: Span::new(row.span.start, row.span.end.max(row.span.start)),
        append_whitespace: row.append_space,
        ..Suggestion::default()
    }
}

#[cfg(test)]
mod tests;
