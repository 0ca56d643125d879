//! `coyote mcp describe <server> <id>`: what is known of one item.

use super::readable::readable;
use crate::cli::{
    exit::{Failed, Status},
    host::Host,
};
use clap::builder::PossibleValuesParser;
use mcp_catalog::CatalogKind;
use mcp_meta::Verb;
use serde_json::{Map, Value};

/// The kind under which a spilled file is described (S34).
const SPILL: &str = "spill";

/// Show what is known of one item
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct DescribeArgs {
    /// The server
    server: String,

    /// A tool's name, a resource's URI, a template, a prompt's name, or a spill's SHA-256
    id: String,

    /// What the id names; `tool` by default
    #[arg(long, value_parser = kinds())]
    kind: Option<String>,

    /// Print the JSON that a model gets
    #[arg(long)]
    json: bool,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(CatalogKind::ALL.map(CatalogKind::as_str).into_iter().chain([SPILL]))
}

impl DescribeArgs {
    pub(in crate::cli) fn server(&self) -> &str {
        &self.server
    }

    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let session = host.open(&self.server).await?;
        let mut arguments = Map::new();
        arguments.insert("tool".to_owned(), self.id.into());
        if let Some(kind) = self.kind {
            arguments.insert("kind".to_owned(), kind.into());
        }
        let answer: Value = session.call(Verb::Describe, arguments.into()).await?;
        if self.json {
            host.report.json(&answer, false);
        } else {
            host.report.print(&readable(&answer));
        }
        Ok(Status::Done)
    }
}
