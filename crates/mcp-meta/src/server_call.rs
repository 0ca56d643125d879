//! A call on its way to one server: what the verbs share when they ask.
//!
//! It knows deadlines (S12), the allowlist (S7), the audiences a listing told (S24), and where answers spill to (S32).
//! It decides nothing about an answer; that is the verb's business.

use crate::call::logged;
use crate::error::MetaError;
use crate::{Allowlist, MetaContext, MetaName, Verb};
use futures_channel::oneshot;
use mcp_catalog::{
    Budget, CatalogKind, Details, Listing, Note, NoteKind, PortError, RawResult, Request, ServerName, ServerPort,
    catalog_items, closest, deadline,
};
use mcp_render::{ReadBack, SpillDir, Spiller};
use std::sync::Arc;
use std::time::Duration;

/// One verb, called on one connected server.
pub(crate) struct ServerCall<'a> {
    /// What the call may use.
    pub(crate) context: &'a MetaContext,
    verb: Verb,
    port: &'a Arc<dyn ServerPort>,
}

impl<'a> ServerCall<'a> {
    /// Finds the server among the context's own.
    pub(crate) fn open(context: &'a MetaContext, verb: Verb, server: &ServerName) -> Result<Self, MetaError> {
        if let Some(port) = context.runtime.get(server) {
            return Ok(Self { context, verb, port });
        }
        let names = context.runtime.ports().map(|port| port.name().as_str());
        Err(MetaError::NoServer { server: server.clone(), closest: closest(server.as_str(), names) })
    }

    /// The server's key.
    pub(crate) fn server(&self) -> &ServerName {
        self.port.name()
    }

    /// The server's change count (S17).
    pub(crate) fn changes(&self) -> u64 {
        self.port.changes()
    }

    /// Refuses what the server did not declare (D7, C32): asking would be a certain error.
    pub(crate) fn declares(&self, kind: CatalogKind) -> Result<(), MetaError> {
        if self.port.handshake().lists(kind) {
            return Ok(());
        }
        Err(MetaError::NotDeclared { server: self.server().clone(), kind })
    }

    /// Asks within the deadline of calls, reads and prompts: `default`, or what the server's entry says (S12).
    pub(crate) async fn ask(&self, request: Request, default: Duration) -> Result<RawResult, PortError> {
        let budget = self.budget(self.port.tool_timeout().unwrap_or(default));
        self.port.ask(request, budget).await
    }

    /// Lists what may be seen of these kinds, live and to the end. A failing kind is a warning and a note; it is an error
    /// only when no kind answered (D1).
    pub(crate) async fn listing(&self, kinds: &[CatalogKind]) -> Result<Listing, MetaError> {
        let listing = self.visible(kinds, self.budget(deadline::LISTING)).await;
        for note in &listing.notes {
            if let NoteKind::Failed(error) = &note.what {
                tracing::warn!(server = %logged(self.server()), kind = %note.kind, code = %error.code(), "listing failed");
            }
        }
        self.answered(&listing, kinds)?;
        Ok(listing)
    }

    /// The same for a listing that only improves an error: two seconds, whatever the server reports meanwhile (S19).
    pub(crate) async fn quick_listing(&self, kinds: &[CatalogKind]) -> Listing {
        let budget =
            Budget { idle: deadline::QUICK, total: deadline::QUICK, progress: None, ..self.context.budget.clone() };
        self.visible(kinds, budget).await
    }

    /// Refuses a listing of `kinds` in which nothing could be looked at: with one kind answered, the notes tell the rest
    /// (D1).
    fn answered(&self, listing: &Listing, kinds: &[CatalogKind]) -> Result<(), MetaError> {
        if self.context.budget.cancel.is_cancelled() {
            return Err(self.failed(PortError::Cancelled));
        }
        let failed = |note: &Note| match &note.what {
            NoteKind::Failed(error) => Some(error.clone()),
            _ => None,
        };
        let silent = |kind: &CatalogKind| {
            let unheard =
                |note: &Note| note.kind == *kind && (failed(note).is_some() || note.what == NoteKind::NotDeclared);
            listing.notes.iter().any(unheard)
        };
        match listing.notes.iter().find_map(failed) {
            Some(error) if kinds.iter().all(silent) => Err(self.failed(error)),
            _ => Ok(()),
        }
    }

    /// Whether a tool may be seen (S7).
    pub(crate) fn allows(&self, tool: &str) -> bool {
        self.allowlist().is_none_or(|allow| allow.allows(tool))
    }

    /// A port's error as this call's.
    pub(crate) fn failed(&self, source: PortError) -> MetaError {
        MetaError::Port { server: self.server().clone(), verb: self.verb, source }
    }

    /// An unknown id.
    pub(crate) fn not_found(
        &self,
        what: &'static str,
        id: String,
        closest: Vec<String>,
        said: Option<String>,
    ) -> MetaError {
        MetaError::NotFound { server: self.server().clone(), what, id, closest, said }
    }

    /// The directory this server's blobs spill to (S32).
    pub(crate) fn spill_dir(&self) -> Result<SpillDir, MetaError> {
        SpillDir::new(&self.server().slug())
            .map_err(|error| self.failed(PortError::Unsupported { cause: error.to_string() }))
    }

    /// A spiller for the answer of this call.
    pub(crate) fn spiller(&self) -> Result<Spiller, MetaError> {
        Ok(Spiller::new(Arc::clone(&self.context.spills), self.spill_dir()?))
    }

    /// The function through which a model reads a spill back (S34).
    pub(crate) fn read_back(&self) -> ReadBack {
        let read = MetaName::of(Verb::Read, self.server()).to_string();
        let declared = &self.context.declared;
        let reads = self.port.handshake().lists(CatalogKind::Resource);
        // A user's own tool may have taken the name (S3); a host's own call declares nothing.
        if reads && (declared.functions.is_empty() || declared.get(&read).is_some()) {
            ReadBack::Read { function: read }
        } else {
            ReadBack::Describe { function: MetaName::of(Verb::Describe, self.server()).to_string() }
        }
    }

    /// Runs blocking work where the host wants it (S32). The work owns what it needs: a frame is moved, never copied.
    pub(crate) async fn offload<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, MetaError> {
        let (done, result) = oneshot::channel();
        // The receiver is gone only when the call was dropped; then nobody wants the result.
        let run = self.context.offload.run(Box::new(move || drop(done.send(work()))));
        run.await;
        result.await.map_err(|_lost| MetaError::Lost { server: self.server().clone() })
    }

    fn budget(&self, idle: Duration) -> Budget {
        let budget = Budget::new(idle).cancelled_by(self.context.budget.cancel.clone());
        Budget { progress: self.context.budget.progress.clone(), ..budget }
    }

    fn allowlist(&self) -> Option<&Allowlist> {
        self.context.allow.get(self.server()).filter(|allow| allow.limits())
    }

    async fn visible(&self, kinds: &[CatalogKind], budget: Budget) -> Listing {
        let mut listing = catalog_items(self.port.as_ref(), kinds, &budget).await;
        if kinds.contains(&CatalogKind::Resource) {
            self.context.runtime.remember_audiences(self.server(), &listing);
        }
        if let Some(allow) = self.allowlist() {
            hide(&mut listing, allow);
        }
        listing
    }
}

/// Takes hidden tools out of a listing (S7), and the notes that name entries of it: a broken or repeated one may be
/// hidden.
fn hide(listing: &mut Listing, allow: &Allowlist) {
    listing.items.retain(|item| !matches!(item.details, Details::Tool { .. }) || allow.allows(&item.id));
    let names = |what: &NoteKind| {
        matches!(what, NoteKind::Duplicates { .. } | NoteKind::Skipped { .. } | NoteKind::Mended { .. })
    };
    listing.notes.retain(|note| note.kind != CatalogKind::Tool || !names(&note.what));
}

/// Whether a listing tells that an id does not exist, and not only that it was not seen (S19).
pub(crate) fn is_complete(listing: &Listing) -> bool {
    listing.notes.iter().all(|note| match note.what {
        NoteKind::NotDeclared | NoteKind::Failed(_) | NoteKind::Partial { .. } => false,
        // Many servers have resources and no method for templates (C29).
        NoteKind::NotImplemented => note.kind == CatalogKind::ResourceTemplate,
        _ => true,
    })
}

#[cfg(test)]
mod tests;
