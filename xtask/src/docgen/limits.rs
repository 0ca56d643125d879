//! The page of limits and deadlines (S11, S12, S25): every public constant of the two files that may define one.
//!
//! The values are read from the sources, so that a limit is on the page from the day it is written.

use crate::docgen::numbers;
use crate::docgen::{cells, doc};
use crate::tree::Tree;
use anyhow::{Context, Result, bail};

const LIMITS: &str = "crates/mcp-render/src/limits.rs";
const DEADLINES: &str = "crates/mcp-catalog/src/deadline.rs";

pub(super) fn page(tree: &Tree) -> Result<String> {
    let mut text = String::from("# Limits and deadlines\n\n## Limits\n\n| limit | value | meaning |\n|---|---|---|\n");
    for constant in constants(tree, LIMITS)? {
        let value = numbers::whole(&constant.expr).with_context(|| unread(LIMITS, constant))?;
        let shown = if constant.ident.to_string().ends_with("_BYTES") {
            numbers::bytes(value)
        } else {
            numbers::grouped(value)
        };
        text.push_str(&row(constant, &shown));
    }
    text.push_str("\n## Deadlines\n\n| deadline | value | meaning |\n|---|---|---|\n");
    for constant in constants(tree, DEADLINES)? {
        let value = numbers::duration(&constant.expr).with_context(|| unread(DEADLINES, constant))?;
        text.push_str(&row(constant, &numbers::time(value)));
    }
    Ok(text)
}

fn row(constant: &syn::ItemConst, value: &str) -> String {
    cells(&[&format!("`{}`", constant.ident), value, &doc(&constant.attrs)])
}

fn unread(path: &str, constant: &syn::ItemConst) -> String {
    format!("{path}: the value of `{}` is no number, sum, product or shift", constant.ident)
}

fn constants<'a>(tree: &'a Tree, path: &str) -> Result<Vec<&'a syn::ItemConst>> {
    let source = tree.source(path).with_context(|| format!("no {path}"))?;
    let public = source.ast.items.iter().filter_map(|item| match item {
        syn::Item::Const(item) if matches!(item.vis, syn::Visibility::Public(_)) => Some(item),
        _ => None,
    });
    let constants: Vec<_> = public.collect();
    if constants.is_empty() {
        bail!("{path}: no public constant");
    }
    Ok(constants)
}
