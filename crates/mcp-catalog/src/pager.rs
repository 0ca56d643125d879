//! The one lazy choke point of live listings (D1) and its bounded pager (S11).
//!
//! Every listing is asked anew; nothing is kept between two of them. A server decides none of the bounds: pages, items,
//! bytes and time end a listing whatever its cursors say, and what was read until then stays.

use crate::{
    Budget, CatalogItem, CatalogKind, Handshake, Listing, Note, NoteKind, PortError, RawResult, Request, ServerPort,
    deadline,
    excerpt::{NAME_MAX_BYTES, excerpt},
    salvage::{self, Page, REASONS_MAX},
};
use futures_util::future::join_all;
use mcp_render::{Code, FRAME_MAX_BYTES, JSON_VALUES_MAX, LISTING_MAX_ITEMS, LISTING_MAX_PAGES};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

/// Lists these kinds, each only when declared (S4); a failing kind is a note. Kinds are asked concurrently and answered
/// in the order of [`CatalogKind::ALL`], each once.
pub async fn catalog_items(port: &dyn ServerPort, kinds: &[CatalogKind], budget: &Budget) -> Listing {
    let handshake = port.handshake();
    let asked = CatalogKind::ALL.into_iter().filter(|kind| kinds.contains(kind)).map(|kind| {
        let declared = handshake.lists(kind);
        async move {
            if declared { list_kind(port, kind, budget).await } else { Listing::noting(kind, NoteKind::NotDeclared) }
        }
    });
    let mut all = Listing::default();
    for listing in join_all(asked).await {
        all.items.extend(listing.items);
        all.notes.extend(listing.notes);
    }
    all
}

/// Lists one kind to its end within the bounds of S11, declared or not. The whole listing has the least of
/// [`deadline::LISTING`] and the budget's own times.
pub async fn list_kind(port: &dyn ServerPort, kind: CatalogKind, budget: &Budget) -> Listing {
    walk(port, kind, budget, &Instant::now).await
}

impl Listing {
    fn noting(kind: CatalogKind, what: NoteKind) -> Self {
        Self { items: Vec::new(), notes: vec![Note { kind, what }] }
    }
}

/// Why a listing ended.
enum Stop {
    /// The server said so.
    End,
    /// A request failed.
    Error(PortError),
    /// A bound was reached, or the next page cannot be asked for.
    Bound(String),
}

impl Stop {
    fn full() -> Self {
        Self::Bound(format!("{LISTING_MAX_ITEMS} items are the most that are kept"))
    }
}

/// What was read of one kind so far.
#[derive(Default)]
struct Gathered {
    items: Vec<CatalogItem>,
    /// The ids of the items, of which the first wins (S21).
    ids: HashSet<String>,
    /// The cursors that the server has given. A repeat anywhere in them is a loop (C22).
    cursors: HashSet<String>,
    pages: usize,
    bytes: usize,
    values: usize,
    skipped: usize,
    reasons: Vec<String>,
    repeated: usize,
    repeated_ids: Vec<String>,
    mended: usize,
}

/// The pager, with the clock as an argument.
async fn walk(
    port: &dyn ServerPort,
    kind: CatalogKind,
    budget: &Budget,
    now: &(dyn Fn() -> Instant + Sync),
) -> Listing {
    let limit = deadline::LISTING.min(budget.idle).min(budget.total);
    let started = now();
    let mut gathered = Gathered::default();
    let mut cursor = None;
    let stop = loop {
        let left = limit.saturating_sub(now().saturating_duration_since(started));
        if let Some(stop) = gathered.may_not_ask(left, limit, budget) {
            break stop;
        }
        let request = Request::List { kind, cursor: cursor.take() };
        match port.ask(request, within(budget, left)).await.and_then(|raw| page_of(&raw, kind)) {
            Err(error) => break Stop::Error(error),
            Ok((bytes, page)) => match gathered.absorb(bytes, page) {
                Ok(next) => cursor = Some(next),
                Err(stop) => break stop,
            },
        }
    };
    gathered.finish(kind, stop, &port.handshake())
}

/// The budget of one page: the time that is left, however much progress is reported.
fn within(budget: &Budget, left: Duration) -> Budget {
    Budget { idle: left, total: left, ..budget.clone() }
}

fn page_of(raw: &RawResult, kind: CatalogKind) -> Result<(usize, Page), PortError> {
    Ok((raw.json().len(), salvage::page(raw, kind)?))
}

impl Gathered {
    /// Why no further page may be asked for, if so.
    fn may_not_ask(&self, left: Duration, limit: Duration, budget: &Budget) -> Option<Stop> {
        if budget.cancel.is_cancelled() {
            return Some(Stop::Error(PortError::Cancelled));
        }
        if self.pages >= LISTING_MAX_PAGES {
            return Some(Stop::Bound(format!("{LISTING_MAX_PAGES} pages are the most that are followed")));
        }
        if left.is_zero() {
            return Some(Stop::Bound(format!("{} s are the most that a listing may take", limit.as_secs_f32())));
        }
        None
    }

    /// Takes a page in and says where the next one starts, or why there is none.
    fn absorb(&mut self, bytes: usize, page: Page) -> Result<String, Stop> {
        self.pages += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.values += page.values;
        self.mended += page.mended;
        self.skipped += page.skipped_count;
        let room = REASONS_MAX.saturating_sub(self.reasons.len());
        self.reasons.extend(page.skipped.into_iter().take(room));
        for item in page.items {
            if self.ids.contains(&item.id) {
                self.repeated += 1;
                if self.repeated_ids.len() < REASONS_MAX {
                    self.repeated_ids.push(format!("`{}`", excerpt(&item.id, NAME_MAX_BYTES)));
                }
            } else if self.items.len() >= LISTING_MAX_ITEMS {
                return Err(Stop::full());
            } else {
                self.ids.insert(item.id.clone());
                self.items.push(item);
            }
        }
        if page.beyond > 0 {
            return Err(Stop::full());
        }
        match (page.cursor_fault, page.next_cursor) {
            (Some(fault), _) => Err(Stop::Bound(fault)),
            (None, None) => Err(Stop::End),
            // A server's descriptions and schemas are held until the listing was used, so they are bounded as a whole.
            (None, Some(_)) if self.bytes > FRAME_MAX_BYTES => {
                Err(Stop::Bound(format!("{} MiB are the most that a listing may hold", FRAME_MAX_BYTES >> 20)))
            }
            (None, Some(_)) if self.values > JSON_VALUES_MAX => {
                Err(Stop::Bound(format!("{JSON_VALUES_MAX} JSON values are the most that its schemas may hold")))
            }
            (None, Some(_)) if self.items.len() >= LISTING_MAX_ITEMS => Err(Stop::full()),
            (None, Some(cursor)) if self.cursors.contains(&cursor) => {
                let shown = excerpt(&cursor, NAME_MAX_BYTES);
                Err(Stop::Bound(format!("the server sent the cursor `{shown}` a second time")))
            }
            (None, Some(cursor)) => {
                self.cursors.insert(cursor.clone());
                Ok(cursor)
            }
        }
    }

    /// The listing, with everything there is to say about it.
    fn finish(self, kind: CatalogKind, stop: Stop, handshake: &Handshake) -> Listing {
        let read = self.items.len();
        let ended = match stop {
            Stop::End => None,
            Stop::Bound(why) => Some(NoteKind::Partial { read, why }),
            Stop::Error(error) if self.pages > 0 => {
                Some(NoteKind::Partial { read, why: format!("{error} ({})", error.code()) })
            }
            Stop::Error(error) if error.code() == Code::MethodNotFound => {
                let declared = handshake.capabilities.is_some() && handshake.lists(kind);
                Some(if declared { NoteKind::NotImplemented } else { NoteKind::NotDeclared })
            }
            Stop::Error(error) => Some(NoteKind::Failed(error)),
        };
        let skipped = NoteKind::Skipped { count: self.skipped, reasons: self.reasons };
        let repeated = NoteKind::Duplicates { count: self.repeated, ids: self.repeated_ids };
        let mended = NoteKind::Mended { count: self.mended };
        let counted = [(self.skipped, skipped), (self.repeated, repeated), (self.mended, mended)];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0).map(|(_, what)| what);
        let notes = ended.into_iter().chain(counted).map(|what| Note { kind, what }).collect();
        Listing { items: self.items, notes }
    }
}

#[cfg(test)]
mod tests;
