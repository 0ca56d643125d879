//! `coyote mcp list`: every configured server as a row, printed as soon as it is known.
//!
//! All servers start at once, and a row is known when its server has started and counted, or failed. Once the last server
//! has started or failed, counts that are still out have [`deadline::COUNTS`] left; so the table ends within a second of
//! the slowest start, whatever a server does (S14).

use super::counts::{Counts, count};
use crate::cli::{
    exit::{Failed, Status},
    hints,
    host::Host,
};
use crate::{
    config::{ConfiguredServer, NotStartable},
    mcp::{ServerEntry, Settled, Settling},
    table::row,
};
use futures_util::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use mcp_catalog::{Budget, Handshake, ServerName, deadline};
use mcp_render::{ErrorShape, shown_line};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use tokio_util::sync::CancellationToken;
use unicode_width::UnicodeWidthStr;

/// Show the configured servers: state, protocol, capabilities and counts
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ListArgs {
    /// Print one JSON document, at the end
    #[arg(long)]
    json: bool,
}

impl ListArgs {
    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        host.warn(None);
        let servers: Vec<&ConfiguredServer> = host.app.servers.iter().collect();
        let columns = Columns::new(&servers, host);
        if !self.json {
            columns.print(&["SERVER", "STATE", "PROTOCOL", "OFFERS"].map(str::to_owned));
        }
        let mut rows = Rows::new(host, &servers);
        let mut done = Vec::with_capacity(servers.len());
        while let Some((number, row)) = host.until_cancelled(rows.next()).await? {
            if !self.json {
                columns.print(&row.cells());
            }
            done.push((number, row));
        }
        if self.json {
            done.sort_by_key(|(number, _)| *number);
            let rows: Vec<Value> = done.iter().map(|(_, row)| row.to_value()).collect();
            let warnings: Vec<String> = host.app.warnings().map(ToString::to_string).collect();
            host.report.json(&json!({"servers": rows, "warnings": warnings}), true);
        }
        Ok(Status::Done)
    }
}

/// The rows, each as soon as it is known, with its place in the file.
struct Rows<'a> {
    host: &'a Host,
    places: BTreeMap<&'a ServerName, usize>,
    settling: Settling,
    /// Cancelled when the last server has started or failed.
    all_settled: CancellationToken,
    known: VecDeque<(usize, Row)>,
    counting: FuturesUnordered<BoxFuture<'a, (usize, Row)>>,
}

impl<'a> Rows<'a> {
    fn new(host: &'a Host, servers: &[&'a ConfiguredServer]) -> Self {
        let (mut entries, mut known) = (Vec::new(), VecDeque::new());
        for (place, server) in servers.iter().enumerate() {
            let state = match server.startable() {
                Ok(entry) => {
                    entries.push(entry.clone());
                    continue;
                }
                Err(NotStartable::Disabled(_)) => State::Disabled,
                Err(why) => State::Failed(why.shape()),
            };
            known.push_back((place, Row::new(&server.entry, state)));
        }
        let places = servers.iter().enumerate().map(|(place, server)| (&server.entry.name, place)).collect();
        let (all_settled, counting) = (CancellationToken::new(), FuturesUnordered::new());
        Self { host, places, settling: host.app.start(entries), all_settled, known, counting }
    }

    async fn next(&mut self) -> Option<(usize, Row)> {
        loop {
            if let Some(row) = self.known.pop_front() {
                return Some(row);
            }
            let settled = tokio::select! {
                Some(row) = self.counting.next() => return Some(row),
                settled = self.settling.next(), if !self.all_settled.is_cancelled() => settled,
                else => return None,
            };
            match settled {
                Some(settled) => self.settle(settled),
                None => self.all_settled.cancel(),
            }
        }
    }

    /// A server that failed is a row; one that is connected counts first.
    fn settle(&mut self, settled: Settled) {
        let Some(place) = self.places.get(&settled.name).copied() else { return };
        let Ok(server) = self.host.app.servers.get(settled.name.as_str()) else { return };
        let (host, entry, all_settled) = (self.host, &server.entry, self.all_settled.clone());
        match host.connected(&settled.name, settled.state) {
            Ok(port) => self.counting.push(Box::pin(async move {
                let enough = async {
                    all_settled.cancelled().await;
                    tokio::time::sleep(deadline::COUNTS).await;
                };
                let budget = Budget::new(deadline::LISTING).cancelled_by(host.cancel.clone());
                let allow = host.app.allowlist(&entry.name);
                let counts = count(port.as_ref(), allow.as_ref(), budget, enough).await;
                (place, Row::new(entry, State::Ready(Box::new(port.handshake()), counts)))
            })),
            Err(failure) => self.known.push_back((place, Row::new(entry, State::Failed(failure.shape)))),
        }
    }
}

/// One server.
#[derive(Debug)]
struct Row {
    name: String,
    origin: &'static str,
    state: State,
}

/// What became of it.
#[derive(Debug)]
enum State {
    Ready(Box<Handshake>, Counts),
    Failed(ErrorShape),
    Disabled,
}

impl Row {
    fn new(entry: &ServerEntry, state: State) -> Self {
        Self { name: entry.name.as_str().to_owned(), origin: entry.origin.as_str(), state }
    }

    const fn word(&self) -> &'static str {
        match self.state {
            State::Ready(..) => "ready",
            State::Failed(_) => "failed",
            State::Disabled => "disabled",
        }
    }

    /// Name, state, protocol, and what it offers or why it does not.
    fn cells(&self) -> [String; 4] {
        let (protocol, offers) = match &self.state {
            State::Ready(handshake, counts) => (handshake.protocol.clone(), offers(handshake, counts)),
            State::Failed(shape) => (String::new(), format!("{}: {}", shape.code, self.cause(shape))),
            State::Disabled => (String::new(), "never started: `disabled` in mcp.json".to_owned()),
        };
        [self.name.clone(), self.word().to_owned(), protocol, offers]
    }

    /// Why it failed; the row names the server already.
    fn cause<'a>(&self, shape: &'a ErrorShape) -> &'a str {
        let prefix = hints::named(&self.name, "");
        shape.tool_call_error.strip_prefix(&prefix).unwrap_or(&shape.tool_call_error)
    }

    fn to_value(&self) -> Value {
        let mut value = json!({"name": self.name, "origin": self.origin, "state": self.word()});
        let Some(members) = value.as_object_mut() else { return value };
        match &self.state {
            State::Ready(handshake, counts) => {
                let numbers: Map<String, Value> = counts
                    .kinds
                    .iter()
                    .map(|(kind, count)| (kind.as_str().to_owned(), json!(count.number())))
                    .collect();
                members.insert("protocol".to_owned(), json!(handshake.protocol));
                members.insert("server".to_owned(), json!(handshake.server_info));
                members.insert("capabilities".to_owned(), capabilities(handshake).into());
                members.insert("counts".to_owned(), numbers.into());
                members.insert("notes".to_owned(), json!(counts.notes));
            }
            State::Failed(shape) => {
                let error = json!({"code": shape.code, "cause": self.cause(shape), "hint": shape.hint});
                members.insert("error".to_owned(), error);
            }
            State::Disabled => {}
        }
        value
    }
}

/// `tools 17, resources 7, …, completions`: what is declared, with its count.
fn offers(handshake: &Handshake, counts: &Counts) -> String {
    let mut parts: Vec<String> =
        counts.kinds.iter().map(|(kind, count)| format!("{} {count}", kind.plural())).collect();
    match handshake.capabilities {
        Some(capabilities) if capabilities.completions => parts.push("completions".to_owned()),
        Some(_) => {}
        None => parts.push("nothing declared".to_owned()),
    }
    parts.join(", ")
}

/// The names of what is declared; empty when nothing is (S4).
fn capabilities(handshake: &Handshake) -> Vec<&'static str> {
    let Some(declared) = handshake.capabilities else { return Vec::new() };
    let named = [
        (declared.tools, "tools"),
        (declared.resources, "resources"),
        (declared.prompts, "prompts"),
        (declared.completions, "completions"),
    ];
    named.into_iter().filter_map(|(declared, name)| declared.then_some(name)).collect()
}

/// Columns whose widths are known before the first row is.
struct Columns<'a> {
    host: &'a Host,
    widths: [u16; 3],
}

impl<'a> Columns<'a> {
    /// The longest name that does not push the other columns away.
    const NAME_MAX: usize = 24;
    const STATE: u16 = 8;
    const PROTOCOL: u16 = 10;

    fn new(servers: &[&ConfiguredServer], host: &'a Host) -> Self {
        let names = servers.iter().map(|server| shown_line(server.entry.name.as_str(), usize::MAX).to_string().width());
        let name = names.chain(["SERVER".len()]).max().unwrap_or_default().min(Self::NAME_MAX);
        Self { host, widths: [u16::try_from(name).unwrap_or_default(), Self::STATE, Self::PROTOCOL] }
    }

    fn print(&self, cells: &[String; 4]) {
        self.host.report.print(&row(cells, &self.widths, self.host.report.width()));
    }
}

#[cfg(test)]
mod tests;
