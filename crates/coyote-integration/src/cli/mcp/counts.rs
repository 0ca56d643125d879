//! How many items of each kind a server lists, as far as is known in time (`coyote mcp list`).
//!
//! It keeps the row honest: a kind that is still listing, failed or is not implemented says so in place of a number.

use futures_util::{StreamExt, stream::FuturesUnordered};
use mcp_catalog::{Budget, CatalogItem, CatalogKind, Listing, NoteKind, ServerPort, list_kind};
use mcp_meta::Allowlist;
use std::fmt;

/// What is known of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Count {
    /// The whole listing was read.
    Whole(usize),
    /// At least so many: the listing stopped early.
    AtLeast(usize),
    /// It is declared, and the server does not implement it.
    NotImplemented,
    /// It failed.
    Failed,
    /// It had not ended in time.
    Unknown,
}

impl Count {
    /// Hidden tools do not count (S7).
    fn of(listing: &Listing, allow: Option<&Allowlist>) -> Self {
        let visible =
            |item: &&CatalogItem| item.kind() != CatalogKind::Tool || allow.is_none_or(|a| a.allows(&item.id));
        let count = listing.items.iter().filter(visible).count();
        for note in &listing.notes {
            match note.what {
                NoteKind::NotImplemented => return Self::NotImplemented,
                NoteKind::Failed(_) => return Self::Failed,
                NoteKind::Partial { .. } => return Self::AtLeast(count),
                _ => {}
            }
        }
        Self::Whole(count)
    }

    /// The number, when it is one.
    pub(super) const fn number(&self) -> Option<usize> {
        match self {
            Self::Whole(count) | Self::AtLeast(count) => Some(*count),
            Self::NotImplemented | Self::Failed | Self::Unknown => None,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(count) => write!(f, "{count}"),
            Self::AtLeast(count) => write!(f, "{count}+"),
            Self::NotImplemented => f.write_str("not implemented"),
            Self::Failed => f.write_str("failed"),
            Self::Unknown => f.write_str("…"),
        }
    }
}

/// The counts of the kinds that a server lists, in order, and what there is to say of the listings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) kinds: Vec<(CatalogKind, Count)>,
    pub(super) notes: Vec<String>,
}

/// Lists all kinds at once, until `enough` resolves. `allow` limits the tools that count.
pub(super) async fn count(
    port: &dyn ServerPort,
    allow: Option<&Allowlist>,
    budget: Budget,
    enough: impl Future<Output = ()>,
) -> Counts {
    let handshake = port.handshake();
    let declared: Vec<CatalogKind> = CatalogKind::ALL.into_iter().filter(|kind| handshake.lists(*kind)).collect();
    let mut counts = Counts { kinds: declared.iter().map(|kind| (*kind, Count::Unknown)).collect(), notes: Vec::new() };
    let budget = &budget;
    let mut listings: FuturesUnordered<_> =
        declared.into_iter().map(|kind| async move { (kind, list_kind(port, kind, budget).await) }).collect();
    tokio::pin!(enough);
    loop {
        let done = tokio::select! {
            biased;
            done = listings.next() => done,
            () = &mut enough => None,
        };
        let Some((kind, listing)) = done else { break };
        if let Some((_, count)) = counts.kinds.iter_mut().find(|(counted, _)| *counted == kind) {
            *count = Count::of(&listing, allow);
        }
        counts.notes.extend(listing.notes.iter().map(ToString::to_string));
    }
    counts.notes.sort();
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_catalog::{Asking, Capabilities, Handshake, RawResult, Request, ServerName, deadline};

    /// Answers tools at once and nothing else ever.
    struct HalfAsleep(ServerName);

    impl ServerPort for HalfAsleep {
        fn name(&self) -> &ServerName {
            &self.0
        }

        fn handshake(&self) -> Handshake {
            Handshake::of(Capabilities { tools: true, resources: true, ..Capabilities::default() })
        }

        fn ask(&self, request: Request, _budget: Budget) -> Asking<'_> {
            Box::pin(async move {
                match request {
                    Request::List { kind: CatalogKind::Tool, .. } => {
                        Ok(RawResult::whole(br#"{"tools":[{"name":"a","inputSchema":{}}]}"#.to_vec()))
                    }
                    _ => std::future::pending().await,
                }
            })
        }
    }

    #[tokio::test]
    async fn a_listing_that_does_not_end_in_time_leaves_the_other_counts_standing() {
        let port = HalfAsleep(ServerName::new("half").unwrap());
        // Ends when the test's only task has nothing else to do.
        let enough = async {
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
        };
        let counts = count(&port, None, Budget::new(deadline::LISTING), enough).await;
        let shown: Vec<String> = counts.kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        assert_eq!(shown, ["tool 1", "resource …", "resource_template …"]);
    }

    #[tokio::test]
    async fn hidden_tools_do_not_count() {
        let port = HalfAsleep(ServerName::new("half").unwrap());
        let mut allow = Allowlist::default();
        allow.narrow(&["b*".to_owned()]).unwrap();
        let listing = list_kind(&port, CatalogKind::Tool, &Budget::new(deadline::LISTING)).await;
        assert_eq!(Count::of(&listing, Some(&allow)), Count::Whole(0));
        assert_eq!(Count::of(&listing, None), Count::Whole(1));
    }
}
