//! One kind of one server: whether it was declared, what came back, in how many pages and how fast.
//!
//! The listing is the pager's own; this only watches it go by, so that a diagnosis sees what a model would.

use mcp_catalog::{Asking, Budget, CatalogKind, Handshake, Note, NoteKind, Request, ServerName, ServerPort, list_kind};
use mcp_meta::Allowlist;
use serde_json::{Value, json};
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KindCheck {
    pub(super) kind: CatalogKind,
    pub(super) declared: bool,
    /// Usable items.
    pub(super) items: usize,
    /// Tools among them that `allowedTools` hides (S7).
    pub(super) hidden: usize,
    /// Pages that were answered.
    pub(super) pages: usize,
    /// The whole listing.
    pub(super) took: Duration,
    /// The fastest answer to one request.
    pub(super) round_trip: Option<Duration>,
    pub(super) notes: Vec<Note>,
}

/// Lists `kind`, declared or not.
pub(super) async fn check_kind(
    port: &dyn ServerPort,
    kind: CatalogKind,
    budget: Budget,
    allow: Option<&Allowlist>,
) -> KindCheck {
    let watched = Watched { port, answers: Mutex::default() };
    let (begun, declared) = (Instant::now(), port.handshake().lists(kind));
    let listing = list_kind(&watched, kind, &budget).await;
    let answers = watched.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let visible = |id: &str| kind != CatalogKind::Tool || allow.is_none_or(|allow| allow.allows(id));
    KindCheck {
        kind,
        declared,
        items: listing.items.len(),
        hidden: listing.items.iter().filter(|item| !visible(&item.id)).count(),
        pages: answers.pages,
        took: begun.elapsed(),
        round_trip: answers.fastest,
        notes: listing.notes,
    }
}

impl KindCheck {
    /// Whether the server listed it, in whole or in part.
    pub(super) fn answered(&self) -> bool {
        let nothing =
            |what: &NoteKind| matches!(what, NoteKind::Failed(_) | NoteKind::NotImplemented | NoteKind::NotDeclared);
        !self.notes.iter().any(|note| nothing(&note.what))
    }

    /// `13 in 2 pages, 4 ms`, or why there is no number.
    pub(super) fn found(&self) -> String {
        let failed = self.notes.iter().find_map(|note| match &note.what {
            NoteKind::Failed(error) => Some(format!("failed ({})", error.code())),
            NoteKind::NotImplemented => Some("not implemented".to_owned()),
            NoteKind::NotDeclared => Some("not declared".to_owned()),
            _ => None,
        });
        if let Some(failed) = failed {
            return failed;
        }
        let more = if self.notes.iter().any(|note| matches!(note.what, NoteKind::Partial { .. })) { "+" } else { "" };
        let pages = if self.pages == 1 { "1 page".to_owned() } else { format!("{} pages", self.pages) };
        let hidden =
            if self.hidden == 0 { String::new() } else { format!(" ({} hidden by `allowedTools`)", self.hidden) };
        format!("{}{more}{hidden} in {pages}, {}", self.items, super::checkup::duration(self.took))
    }

    pub(super) fn to_value(&self) -> Value {
        json!({
            "declared": self.declared,
            "answered": self.answered(),
            "items": self.items,
            "hidden": self.hidden,
            "pages": self.pages,
            "ms": super::checkup::millis(self.took),
            "notes": self.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

/// A port that counts what is answered.
struct Watched<'a> {
    port: &'a dyn ServerPort,
    answers: Mutex<Answers>,
}

#[derive(Default)]
struct Answers {
    pages: usize,
    fastest: Option<Duration>,
}

impl ServerPort for Watched<'_> {
    fn name(&self) -> &ServerName {
        self.port.name()
    }

    fn handshake(&self) -> Handshake {
        self.port.handshake()
    }

    fn ask(&self, request: Request, budget: Budget) -> Asking<'_> {
        Box::pin(async move {
            let begun = Instant::now();
            let answer = self.port.ask(request, budget).await;
            if answer.is_ok() {
                let (took, mut seen) = (begun.elapsed(), self.answers.lock().unwrap_or_else(PoisonError::into_inner));
                seen.pages += 1;
                seen.fastest = Some(seen.fastest.map_or(took, |fastest| fastest.min(took)));
            }
            answer
        })
    }

    fn changes(&self) -> u64 {
        self.port.changes()
    }

    fn tool_timeout(&self) -> Option<Duration> {
        self.port.tool_timeout()
    }
}
