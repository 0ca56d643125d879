//! The page of the functions a model calls (S1): every verb of `mcp_meta::Verb::ALL` with its gate and its parameters.
//!
//! It repeats no text of its own: what a verb does and takes is said in its row.

use crate::docgen::cells;
use crate::tree::Tree;
use anyhow::{Context, Result};
use mcp_catalog::ServerName;
use mcp_meta::{MetaName, Parameter, Verb};
use std::fmt::Write as _;

/// Stands for a server's name on the page.
const SERVER: &str = "SERVER";

pub(super) fn page(_: &Tree) -> Result<String> {
    let server = ServerName::new(SERVER).context("the placeholder is no server name")?;
    let mut text =
        String::from("# Functions\n\nWhat a model may call of a server, in the order in which they are declared.\n");
    for verb in Verb::ALL {
        write!(text, "\n## `{}`\n\n{}.\n\n", MetaName::of(verb, &server), verb.summary().trim_end_matches('.'))?;
        write!(text, "Offered when the server declared {}.\n\n", verb.gate().as_str())?;
        text.push_str("| parameter | type | required | meaning |\n|---|---|---|---|\n");
        for parameter in verb.parameters() {
            text.push_str(&row(parameter));
        }
    }
    Ok(text)
}

fn row(parameter: &Parameter) -> String {
    let choices: Vec<String> = parameter.choices.iter().map(|choice| format!("`{choice}`")).collect();
    let meaning = match choices.as_slice() {
        [] => parameter.description.to_owned(),
        choices => format!("{} (one of {})", parameter.description, choices.join(", ")),
    };
    let required = if parameter.required { "yes" } else { "no" };
    cells(&[&format!("`{}`", parameter.name), parameter.kind.as_str(), required, &meaning])
}
