//! The budget of the tail (style.md 1, 2, 5): how long a file, a function and a `main.rs` may be, and what a file may not
//! be called.
//!
//! Lines of code are lines that hold a token: blank lines, comments and documentation are free. Tests are free of the
//! file's budget, not of the function's; there a literal over several lines is data and counts as one.

use crate::finding::Finding;
use crate::tokens::Token;
use crate::tree::{Source, Tree, is_test_only};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::Visit;

#[cfg(test)]
mod tests;

/// A file has fewer lines of code than this.
const FILE_LINES: usize = 400;
/// A function has fewer lines of code than this, its signature included.
const FUNCTION_LINES: usize = 60;
/// A `main.rs` has fewer lines of code than this.
const MAIN_LINES: usize = 15;
/// A `#[cfg(test)]` module longer than this lives in a file of its own.
const INLINE_TEST_LINES: usize = 80;
/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 9] = ["utils", "util", "helpers", "helper", "common", "misc", "types", "manager", "managers"];

/// Every file and function over its budget, and every name that says nothing.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources() {
        findings.extend(name(source));
        findings.extend(length(source));
        let mut tail = Tail { source, findings: Vec::new() };
        tail.visit_file(&source.ast);
        findings.append(&mut tail.findings);
    }
    findings
}

fn name(source: &Source) -> Option<Finding> {
    let parts = source.path.strip_suffix(".rs")?.split('/');
    let empty = parts.into_iter().find(|part| EMPTY_NAMES.contains(part))?;
    let what = format!("`{empty}` names no thing of the design (style.md 1)");
    Some(Finding::new(&source.path, 1, what, "Name the file after what it holds"))
}

fn length(source: &Source) -> Option<Finding> {
    // What stands in `tests/src` is a program and a library of their own, so their files have the budget too.
    if source.test && !source.is_under("tests/src") {
        return None;
    }
    let shipped = source.tokens().iter().filter(|token| !source.in_test_item(token.start));
    let lines = lines_of(shipped, false).len();
    if source.path.ends_with("src/main.rs") && lines >= MAIN_LINES {
        let what = format!("main.rs has {lines} lines of code; the limit is under {MAIN_LINES} (style.md 5)");
        return Some(Finding::new(&source.path, 1, what, "Move the work into a module or the library"));
    }
    let what = format!("{lines} lines of code; the limit is under {FILE_LINES} (style.md 2)");
    (lines >= FILE_LINES).then(|| Finding::new(&source.path, 1, what, "Split the file along the things it holds"))
}

/// The lines that `tokens` touch. With `literals_as_one`, a literal counts only where it begins.
fn lines_of<'a>(tokens: impl Iterator<Item = &'a Token>, literals_as_one: bool) -> BTreeSet<usize> {
    tokens
        .flat_map(|token| {
            let end = if literals_as_one { token.start.line } else { token.end.line };
            token.start.line..=end
        })
        .collect()
}

struct Tail<'a> {
    source: &'a Source,
    findings: Vec<Finding>,
}

impl Tail<'_> {
    fn count(&self, lines: &RangeInclusive<usize>, literals_as_one: bool) -> usize {
        let inside = self.source.tokens().iter().filter(|token| lines.contains(&token.start.line));
        lines_of(inside, literals_as_one).len()
    }

    fn function(&mut self, signature: &syn::Signature, end: &syn::Block) {
        let start = signature.span().start();
        let test = self.source.test || self.source.in_test_item(start);
        let count = self.count(&(start.line..=end.span().end().line), test);
        if count >= FUNCTION_LINES {
            let what = format!(
                "fn `{}` has {count} lines of code; the limit is under {FUNCTION_LINES} (style.md 2)",
                signature.ident
            );
            let instead = "Split it at its decisions: pure steps, and one function that runs them";
            self.findings.push(Finding::new(&self.source.path, start.line, what, instead));
        }
    }
}

impl<'ast> Visit<'ast> for Tail<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_some() && is_test_only(&item.attrs) && !self.source.test {
            let span = item.span();
            let count = self.count(&(span.start().line..=span.end().line), false);
            if count > INLINE_TEST_LINES {
                let what = format!(
                    "the test module `{}` has {count} lines of code; over {INLINE_TEST_LINES} it has its own file (style.md 2)",
                    item.ident
                );
                let instead = format!("Move it to `{}/{}.rs`", self.source.module_dir(), item.ident);
                self.findings.push(Finding::new(&self.source.path, span.start().line, what, instead));
            }
        }
        syn::visit::visit_item_mod(self, item);
    }
}
