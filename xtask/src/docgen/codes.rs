//! The page of error codes (S19): every code of `mcp_render::Code::ALL`, with the documentation of its variant and the exit
//! statuses that the command line has for it.

use crate::docgen::{cells, doc};
use crate::tree::Tree;
use anyhow::{Context, Result};
use coyote_integration::cli::{Phase, Status};
use mcp_render::Code;
use std::collections::BTreeMap;

/// Where the variants are documented.
const SOURCE: &str = "crates/mcp-render/src/code.rs";

pub(super) fn page(tree: &Tree) -> Result<String> {
    let meanings = meanings(tree)?;
    let mut text = String::from(
        "# Error codes\n\n\
         Every failure carries one of these codes, in the JSON that a model gets, in tables and at the command line.\n\n\
         The exit status of `coyote mcp …` depends on whether the server had ever answered.\n\n\
         | code | meaning | status before the first answer | status of a call |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let variant = format!("{code:?}");
        let meaning = meanings.get(&variant).with_context(|| format!("{SOURCE}: `{variant}` is not documented"))?;
        let [start, call] = [Phase::Start, Phase::Call].map(|phase| Status::of(code, phase).number().to_string());
        text.push_str(&cells(&[&format!("`{code}`"), meaning, &start, &call]));
    }
    Ok(text)
}

fn meanings(tree: &Tree) -> Result<BTreeMap<String, String>> {
    let source = tree.source(SOURCE).with_context(|| format!("no {SOURCE}"))?;
    let codes = source.ast.items.iter().find_map(|item| match item {
        syn::Item::Enum(item) if item.ident == "Code" => Some(item),
        _ => None,
    });
    let codes = codes.with_context(|| format!("{SOURCE}: no `enum Code`"))?;
    let documented = codes.variants.iter().map(|variant| (variant.ident.to_string(), doc(&variant.attrs)));
    Ok(documented.filter(|(_, meaning)| !meaning.is_empty()).collect())
}
