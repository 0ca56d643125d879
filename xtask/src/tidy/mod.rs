//! `cargo xtask tidy`: the rules of the house that no compiler checks, one room each (style.md 1, 2, 3, 5, 6, 24).
//!
//! It only runs them. `audit-prefixes` is a command of its own, because R11 asks for one.

use crate::finding::{self, Finding};
use crate::flags::Call;
use crate::manifests::Manifest;
use crate::tree::Tree;
use anyhow::Result;

pub(crate) mod arrows;
pub(crate) mod budget;
pub(crate) mod module_docs;
pub(crate) mod prefixes;
pub(crate) mod rules;

/// Runs every check and prints all findings, so that one run shows all there is to mend.
pub(crate) fn run(call: &Call) -> Result<()> {
    let tree = Tree::load(&call.root)?;
    let manifests = Manifest::load(&call.root)?;
    finding::report("tidy", findings(&tree, &manifests))
}

fn findings(tree: &Tree, manifests: &[Manifest]) -> Vec<Finding> {
    let mut all = budget::check(tree);
    all.extend(arrows::check(tree, manifests));
    all.extend(module_docs::check(tree));
    all.extend(rules::check(tree));
    all
}
