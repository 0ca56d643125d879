//! `coyote mcp search <server> [words…]`: what a server offers.
//!
//! With words or `--top` it is the call that a model makes. Without both it is everything, asked once (S22).

use crate::cli::{
    exit::{Failed, Status},
    host::Host,
    session::Session,
};
use crate::table::{head, table};
use clap::builder::PossibleValuesParser;
use mcp_catalog::{CatalogKind, SearchQuery, search};
use mcp_meta::Verb;
use mcp_render::shown_line;
use serde_json::{Map, Value, json};

/// The most characters of a description in a table.
const ABOUT_CHARS: usize = 160;

/// Find tools, resources, templates and prompts of a server
///
/// Without words and without --top everything is listed, in the server's order.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct SearchArgs {
    /// The server
    server: String,

    /// Words to look for in names, titles, URIs and descriptions
    words: Vec<String>,

    /// Only this kind
    #[arg(long, value_parser = PossibleValuesParser::new(CatalogKind::ALL.map(CatalogKind::as_str)))]
    kind: Option<String>,

    /// How many to show
    #[arg(long, value_name = "N")]
    top: Option<u64>,

    /// How many to pass over
    #[arg(long, value_name = "N")]
    offset: Option<u64>,

    /// Print the JSON that a model gets
    #[arg(long)]
    json: bool,
}

impl SearchArgs {
    pub(in crate::cli) fn server(&self) -> &str {
        &self.server
    }

    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let session = host.open(&self.server).await?;
        let answer = if self.words.is_empty() && self.top.is_none() {
            self.everything(&session).await
        } else {
            session.call(Verb::Search, self.arguments()).await?
        };
        // A listing that the user stopped is not an empty server.
        if host.cancel.is_cancelled() {
            return Err(crate::cli::Failure::cancelled().into());
        }
        if self.json {
            host.report.json(&answer, false);
        } else {
            show(host, &answer);
        }
        Ok(Status::Done)
    }

    fn arguments(&self) -> Value {
        let mut arguments = Map::new();
        arguments.insert("query".to_owned(), self.words.join(" ").into());
        if let Some(kind) = &self.kind {
            arguments.insert("kind".to_owned(), kind.clone().into());
        }
        for (key, value) in [("offset", self.offset), ("top_k", self.top)] {
            arguments.extend(value.map(|value| (key.to_owned(), value.into())));
        }
        arguments.into()
    }

    /// All items in order, in the shape of a search (S22).
    async fn everything(&self, session: &Session) -> Value {
        let kind = self.kind.as_deref().and_then(CatalogKind::parse);
        let kinds = kind.map_or(CatalogKind::ALL.to_vec(), |kind| vec![kind]);
        let listing = session.listing(&kinds).await;
        let offset = self.offset.map_or(0, |offset| usize::try_from(offset).unwrap_or(usize::MAX));
        let found = search(&listing, &SearchQuery { kind, offset, ..SearchQuery::default() });
        let items: Vec<Value> = found.items.iter().map(|item| item.to_search_value()).collect();
        let notes: Vec<String> = listing.notes.iter().map(ToString::to_string).collect();
        json!({"items": items, "total": found.total, "next_offset": found.next_offset, "notes": notes})
    }
}

fn show(host: &Host, answer: &Value) {
    let rows = rows(answer);
    if rows.is_empty() {
        host.report.note("Nothing found");
    } else {
        host.report.print(&table(&["KIND", "ID", "ABOUT"], &rows, host.report.width()));
    }
    let notes = answer.get("notes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    notes.iter().filter_map(Value::as_str).for_each(|note| host.report.note(note));
    let number = |key: &str| answer.get(key).and_then(Value::as_u64);
    if let (Some(next), Some(total)) = (number("next_offset"), number("total")) {
        host.report.note(format!("{} of {total}; go on with `--offset {next}`", rows.len()));
    }
}

/// Kind, id, and what there is to say of each item. The id is what describe, read, invoke and prompt take.
fn rows(answer: &Value) -> Vec<Vec<String>> {
    let items = answer.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let row = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let (kind, name, uri) = (text("kind").unwrap_or_default(), text("name").unwrap_or_default(), text("uri"));
        let label =
            text("title").or(uri.and(Some(name))).filter(|label| Some(*label) != uri && *label != uri.unwrap_or(name));
        let about = [label, text("description")].into_iter().flatten().collect::<Vec<_>>().join(": ");
        vec![kind.to_owned(), shown_line(uri.unwrap_or(name), usize::MAX).to_string(), head(&about, ABOUT_CHARS)]
    };
    items.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_shows_the_id_that_other_commands_take() {
        let answer = json!({"items": [
            {"kind": "tool", "name": "get", "title": "Get it", "description": "Gets\n a thing"},
            {"kind": "tool", "name": "put", "title": "put"},
            {"kind": "resource", "name": "Log", "uri": "log://1", "description": "A log"},
            {"kind": "resource", "name": "log://2", "uri": "log://2"},
            {"kind": "resource_template", "name": "user", "uri": "users/{id}", "title": "A user"},
            {"kind": "prompt", "name": "a\nb"},
        ]});
        let rows: Vec<String> = rows(&answer).into_iter().map(|row| row.join(" | ")).collect();
        insta::assert_snapshot!(rows.join("\n"), @r"
        tool | get | Get it: Gets a thing
        tool | put | 
        resource | log://1 | Log: A log
        resource | log://2 | 
        resource_template | users/{id} | A user
        prompt | a\nb | 
        ");
    }
}
