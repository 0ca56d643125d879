//! The page of the functions a model calls (S1): every verb of `mcp_meta::Verb::ALL` with its parameters.

use crate::docgen::cells;
use crate::tree::Tree;
use anyhow::{Context, Result};
use mcp_catalog::ServerName;
use mcp_meta::{MetaName, Parameter, ParameterType, Verb};
use std::fmt::Write as _;

/// Stands for a server's name on the page.
const SERVER: &str = "SERVER";

pub(super) fn page(_: &Tree) -> Result<String> {
    let server = ServerName::new(SERVER).context("the placeholder is no server name")?;
    let mut text =
        String::from("# Functions\n\nWhat a model may call of a server, in the order in which they are declared.\n");
    for verb in Verb::ALL {
        write!(text, "\n## `{}`\n\n{}\n\n", MetaName::of(verb, &server), verb.summary())?;
        text.push_str("| parameter | type | required | meaning |\n|---|---|---|---|\n");
        for parameter in verb.parameters() {
            text.push_str(&row(parameter));
        }
    }
    Ok(text)
}

fn row(parameter: &Parameter) -> String {
    let kind = match parameter.kind {
        ParameterType::String => "string",
        ParameterType::Integer => "integer",
        ParameterType::Object => "object",
    };
    let required = if parameter.required { "yes" } else { "no" };
    cells(&[&format!("`{}`", parameter.name), kind, required, parameter.description])
}
