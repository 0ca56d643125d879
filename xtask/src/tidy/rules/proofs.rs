//! The tests that exist: functions marked as tests, those inside `proptest!`, and the examples in documentation.
//!
//! It reads names, not paths: tests are named as facts (style.md 21), so a name is enough to find one.

use crate::tokens::{Kind, Token, after_group, near, starts_with};
use crate::tree::{Source, Tree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;

/// The last word of an attribute that makes a function a test.
const MARKS: [&str; 4] = ["test", "rstest", "proptest", "test_case"];
/// Marks of a fence whose code rustdoc does not run.
const IDLE: [&str; 3] = ["ignore", "text", "no_run"];
/// Marks of a fence that is Rust all the same.
const RUST: [&str; 6] = ["rust", "compile_fail", "should_panic", "edition2024", "no_run", "standalone_crate"];
/// How the table names the examples in a file's documentation.
const DOC: &str = "doc:";

/// All tests of the workspace.
pub(super) struct Proofs {
    /// Name to whether every test of that name is ignored.
    tests: BTreeMap<String, bool>,
    /// Files whose documentation holds an example that runs.
    documented: BTreeSet<String>,
}

impl Proofs {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut found = Found(BTreeMap::new());
        for source in tree.sources() {
            found.visit_file(&source.ast);
            for name in in_proptest(source) {
                found.add(name, false);
            }
        }
        let documented =
            tree.sources().iter().filter(|source| has_example(&source.text)).map(|source| source.path.clone());
        Self { tests: found.0, documented: documented.collect() }
    }

    /// Why `name` proves nothing.
    pub(super) fn fault(&self, name: &str) -> Option<String> {
        if let Some(path) = name.strip_prefix(DOC) {
            let absent = !self.documented.contains(path);
            return absent.then(|| format!("`{path}` has no example in its documentation that runs"));
        }
        match self.tests.get(name) {
            None => Some(format!("no test is called `{name}`")),
            Some(true) => Some(format!("`{name}` is ignored")),
            Some(false) => None,
        }
    }
}

struct Found(BTreeMap<String, bool>);

impl Found {
    fn add(&mut self, name: String, ignored: bool) {
        self.0.entry(name).and_modify(|all| *all &= ignored).or_insert(ignored);
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let marked = |names: &[&str]| {
            item.attrs.iter().any(|attr| {
                attr.path().segments.last().is_some_and(|segment| names.iter().any(|name| segment.ident == name))
            })
        };
        if marked(&MARKS) {
            self.add(item.sig.ident.to_string(), marked(&["ignore"]));
        }
        syn::visit::visit_item_fn(self, item);
    }
}

/// The functions inside `proptest! { … }`, which syn sees as one macro.
fn in_proptest(source: &Source) -> Vec<String> {
    let tokens: Vec<&Token> = source.tokens().iter().collect();
    let mut names = Vec::new();
    for at in 0..tokens.len() {
        if !starts_with(&tokens, at, &["proptest", "!"]) {
            continue;
        }
        let body = tokens.get(at + 2..after_group(&tokens, at + 2)).unwrap_or_default();
        for inner in 0..body.len() {
            if let (true, Some(Kind::Ident(name))) =
                (starts_with(body, inner, &["fn"]), near(body, inner, 1).map(|t| &t.kind))
            {
                names.push(name.clone());
            }
        }
    }
    names
}

/// Whether a `///` or `//!` comment opens a fence that rustdoc runs, or proves by its failure to compile.
fn has_example(text: &str) -> bool {
    let mut open = false;
    for line in text.lines() {
        let line = line.trim_start();
        let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            open = false;
            continue;
        };
        let Some(info) = doc.trim_start().strip_prefix("```") else { continue };
        if open {
            open = false;
            continue;
        }
        let marks: Vec<&str> = info.split([',', ' ']).filter(|mark| !mark.is_empty()).collect();
        let rust = marks.iter().all(|mark| RUST.contains(mark) || mark.starts_with('E'));
        if rust && !marks.iter().any(|mark| IDLE.contains(mark)) {
            return true;
        }
        open = true;
    }
    false
}
