//! `coyote mcp doctor [server]`: starts servers, asks each for all that it lists, and says what is wrong and what to do.
//!
//! Unlike every other command it also asks for kinds that a server did not declare (S4), after the declared ones: only so
//! does it show what a server forgot to declare. It changes nothing, and calls no tool.

mod checkup;
mod kind_check;
mod verdict;

use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
};
use crate::{
    config::ConfiguredServer,
    mcp::{Lasting, ServerState, Settled},
};
use checkup::{Checkup, Outcome, Over, Ready};
use futures_util::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use kind_check::{KindCheck, check_kind};
use mcp_catalog::{Budget, CatalogKind, ServerName, ServerPort, deadline};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

/// Examine servers: what they declare and answer, timings, faults, and what to do
///
/// Each server is started and asked for everything that it lists, whether it declared it or not. No tool is called.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct DoctorArgs {
    /// Only this server; no other is started
    server: Option<String>,

    /// Print one JSON document, at the end
    #[arg(long)]
    json: bool,
}

/// How many lines of stderr are shown of each server when all are examined.
const STDERR_LINES_OF_MANY: usize = 5;

impl DoctorArgs {
    pub(in crate::cli) fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        host.warn(self.server());
        let servers: Vec<&ConfiguredServer> = match self.server() {
            Some(key) => vec![host.app.servers.get(key).map_err(Failure::start)?],
            None => host.app.servers.iter().collect(),
        };
        let lines = if self.server.is_some() { usize::MAX } else { STDERR_LINES_OF_MANY };
        let mut examination = Examination::new(host, &servers);
        let mut done: Vec<(usize, Checkup)> = Vec::with_capacity(servers.len());
        while let Some((place, mut checkup)) = host.until_cancelled(examination.next()).await? {
            checkup.slow_start = checkup.took.filter(|took| self.server.is_some() && *took >= deadline::SLOW_START);
            if !self.json {
                let gap = if done.is_empty() { "" } else { "\n" };
                host.report.print(&format!("{gap}{}", checkup.to_text(lines)));
            }
            done.push((place, checkup));
        }
        done.sort_by_key(|(place, _)| *place);
        if self.json {
            let servers: Vec<Value> = done.iter().map(|(_, checkup)| checkup.to_value()).collect();
            let warnings: Vec<String> = host.app.warnings().map(ToString::to_string).collect();
            host.report.json(&json!({"servers": servers, "warnings": warnings}), true);
        } else if self.server.is_none() {
            host.report.print(&format!("\n{}", checkup::summary(done.iter().map(|(_, checkup)| checkup))));
        }
        Ok(Status::Done)
    }
}

/// All checkups, each as soon as it is done, with its server's place in the file.
struct Examination<'a> {
    host: &'a Host,
    places: BTreeMap<ServerName, usize>,
    settling: crate::mcp::Settling,
    starting: bool,
    done: VecDeque<(usize, Checkup)>,
    asking: FuturesUnordered<BoxFuture<'a, (usize, Checkup)>>,
}

impl<'a> Examination<'a> {
    fn new(host: &'a Host, servers: &[&'a ConfiguredServer]) -> Self {
        let (mut entries, mut done) = (Vec::new(), VecDeque::new());
        for (place, server) in servers.iter().enumerate() {
            match server.startable() {
                Ok(entry) => entries.push(entry.clone()),
                Err(why) => {
                    let outcome = if server.entry.disabled { Outcome::Disabled } else { Outcome::Failed(why.shape()) };
                    done.push_back((place, Checkup::new(host, &server.entry, None, outcome, Vec::new())));
                }
            }
        }
        let places = servers.iter().enumerate().map(|(place, server)| (server.entry.name.clone(), place)).collect();
        let settling = host.app.start(entries);
        Self { host, places, settling, starting: true, done, asking: FuturesUnordered::new() }
    }

    async fn next(&mut self) -> Option<(usize, Checkup)> {
        loop {
            if let Some(done) = self.done.pop_front() {
                return Some(done);
            }
            let settled = tokio::select! {
                Some(done) = self.asking.next() => return Some(done),
                settled = self.settling.next(), if self.starting => settled,
                else => return None,
            };
            match settled {
                None => self.starting = false,
                Some(settled) => {
                    let place = self.places.get(&settled.name).copied().unwrap_or_default();
                    let host = self.host;
                    self.asking.push(Box::pin(async move { (place, examine(host, settled).await) }));
                }
            }
        }
    }
}

/// One server that was to start.
async fn examine(host: &Host, settled: Settled) -> Checkup {
    let Settled { name, state, took } = settled;
    let last_lines = || host.app.registry.factory().stderr(&name);
    let (outcome, stderr) = match state {
        ServerState::Ready(connection) => {
            let ready = ask(host, &connection).await;
            (Outcome::Ready(Box::new(ready)), last_lines())
        }
        state => {
            let outcome = match host.connected(&name, state) {
                Err(failure) => Outcome::Failed(failure.shape),
                Ok(_) => Outcome::Disabled,
            };
            if last_lines().is_empty() {
                tokio::time::sleep(deadline::LAST_WORDS).await;
            }
            (outcome, last_lines())
        }
    };
    match host.app.servers.get(name.as_str()) {
        Ok(server) => Checkup::new(host, &server.entry, Some(took), outcome, stderr),
        Err(_) => Checkup::unknown(name, outcome),
    }
}

/// Everything that a connected server lists: declared kinds at once, then the others one by one.
async fn ask(host: &Host, connection: &Arc<Lasting>) -> Ready {
    let (port, handshake): (&dyn ServerPort, _) = (connection.as_ref(), connection.handshake());
    let budget = |limit: Duration| Budget::new(limit).cancelled_by(host.cancel.clone());
    let allow = host.app.allowlist(port.name());
    let declared: Vec<CatalogKind> = CatalogKind::ALL.into_iter().filter(|kind| handshake.lists(*kind)).collect();
    let asked = declared.iter().map(|kind| check_kind(port, *kind, budget(deadline::LISTING), allow.as_ref()));
    let mut kinds: Vec<KindCheck> = futures_util::future::join_all(asked).await;
    for kind in CatalogKind::ALL {
        if !declared.contains(&kind) {
            kinds.push(check_kind(port, kind, budget(deadline::UNDECLARED), allow.as_ref()).await);
        }
    }
    kinds.sort_by_key(|check| check.kind);
    let over = Over::of(&connection.entry().transport);
    Ready { handshake, kinds, stats: connection.stats(), closed: connection.is_closed(), over }
}

#[cfg(test)]
mod tests;
