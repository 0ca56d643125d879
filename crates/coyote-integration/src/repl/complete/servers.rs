//! Completion of `.prompt`, `.resource` and `.mcp` from the running servers (S45, R13, design §5.4).
//!
//! What a server listed is kept for the life of the line, and for one server at a time: only the first Tab of a word waits,
//! and it waits beside the keys. What failed is kept as empty, so it is silent and not asked again before the next line.

use super::{Answer, ArgumentSource};
use crate::{
    offers::{Answered, CompletionView},
    repl::standing::Standing,
};
use mcp_catalog::CatalogItem;
use mcp_prompt_repl::{Completion, Known, Need, complete};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The source, over what the conversation uses at the moment of each key.
pub(crate) fn offers(standing: &Standing) -> Arc<dyn ArgumentSource> {
    let standing = standing.clone();
    Arc::new(Servers::over(move || CompletionView::new(standing.app(), standing.enabled())))
}

struct Servers {
    view: Box<dyn Fn() -> CompletionView + Send + Sync>,
    kept: Arc<Mutex<Kept>>,
}

/// What was asked for this line. The turn tells an answer to it from a late one to a line that is gone.
#[derive(Default)]
struct Kept {
    turn: u64,
    prompts: Option<(String, Vec<CatalogItem>)>,
    resources: Option<(String, Vec<CatalogItem>)>,
    values: Option<(Need, Vec<String>)>,
}

impl Servers {
    fn over(view: impl Fn() -> CompletionView + Send + Sync + 'static) -> Self {
        Self { view: Box::new(view), kept: Arc::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        lock(&self.kept)
    }

    /// Asks what is needed, away from the keys and without a lock.
    fn fetch(&self, view: CompletionView, need: Need) -> Answer {
        let (kept, turn) = (Arc::clone(&self.kept), self.kept().turn);
        Answer::Work(Box::pin(async move {
            let answered = view.fetch(&need).await;
            let mut kept = lock(&kept);
            if kept.turn == turn {
                kept.take(need, answered);
            }
        }))
    }
}

impl Kept {
    fn take(&mut self, need: Need, answered: Answered) {
        match (need, answered) {
            (Need::Prompts(server), Answered::Items(items)) => self.prompts = Some((server, items)),
            (Need::Resources(server), Answered::Items(items)) => self.resources = Some((server, items)),
            (need @ Need::Completion { .. }, Answered::Values(values)) => self.values = Some((need, values)),
            _ => {}
        }
    }

    fn known(&self) -> Known<'_> {
        Known {
            prompts: self.prompts.as_ref().map(|(server, items)| (server.as_str(), items.as_slice())),
            resources: self.resources.as_ref().map(|(server, items)| (server.as_str(), items.as_slice())),
            values: self.values.as_ref().map(|(need, values)| (need, values.as_slice())),
            ..Known::default()
        }
    }
}

impl ArgumentSource for Servers {
    fn complete(&self, line: &str, cursor: usize) -> Answer {
        let view = (self.view)();
        let (features, configured) = (view.features(), view.configured());
        let completion = {
            let kept = self.kept();
            let known = Known { servers: Some(&features), configured: Some(&configured), ..kept.known() };
            complete(line, cursor, known)
        };
        match completion {
            Completion::Rows(rows) => Answer::Rows(rows),
            Completion::Need(need) => self.fetch(view, need),
        }
    }

    fn forget(&self) {
        let mut kept = self.kept();
        *kept = Kept { turn: kept.turn + 1, ..Kept::default() };
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
