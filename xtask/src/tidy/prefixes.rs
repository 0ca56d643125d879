//! `cargo xtask audit-prefixes` (R11): the names of meta-functions are put together and taken apart in
//! `mcp-meta/src/name.rs` and nowhere else.
//!
//! It holds no prefix itself: what it looks for is read from `mcp_meta`'s table, so a sixth verb is audited from its first
//! day. Tests and documentation may name functions as they like.

use self::shape::Shape;
use crate::finding::{self, Finding};
use crate::flags::Call;
use crate::tokens::{Kind, Token, constant, near, starts_with};
use crate::tree::{Source, Tree};
use anyhow::Result;
use std::collections::BTreeSet;

mod glue;
mod shape;
#[cfg(test)]
mod tests;

/// The home of the prefixes.
const HOME: &str = "crates/mcp-meta/src/name.rs";

/// The files that may, each with its reason.
const ALLOWED: &[(&str, &str)] = &[
    (HOME, "the one place where a name is made and taken apart"),
    ("xtask/src/tidy/prefixes.rs", "reads the table to know what to look for"),
];

/// Audits every source under the root.
pub(crate) fn run(call: &Call) -> Result<()> {
    let tree = Tree::load(&call.root)?;
    finding::report("audit-prefixes", check(&tree, &mcp_meta::MCP_META_FUNCTION_PREFIXES))
}

/// Every place outside [`ALLOWED`] and tests that knows one of `prefixes`.
fn check(tree: &Tree, prefixes: &[&str]) -> Vec<Finding> {
    let audit = Audit { prefixes, stem: stem(prefixes), names: names(tree, prefixes), functions: functions(tree) };
    let audited = |source: &&Source| ALLOWED.iter().all(|(path, _reason)| source.path != *path);
    tree.sources().iter().filter(audited).flat_map(|source| audit.source(source)).collect()
}

struct Audit<'a> {
    prefixes: &'a [&'a str],
    /// What all prefixes begin with, up to and with `_`.
    stem: String,
    /// The constants of the table.
    names: BTreeSet<String>,
    /// The public functions that are called after one.
    functions: BTreeSet<String>,
}

impl Audit<'_> {
    fn source(&self, source: &Source) -> Vec<Finding> {
        let tokens = source.shipped_tokens();
        let mut findings: Vec<Finding> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let known = self.known(&tokens, at).map(|what| (what, shape::of(&tokens, at)));
            let glued = || self.glued(&tokens, at).map(|what| (what, Shape::Formatted));
            let Some((what, shape)) = known.or_else(glued) else { continue };
            let finding =
                Finding::new(&source.path, token.line(), format!("{what}, {} (R11)", shape.what()), shape.instead());
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        findings
    }

    /// What the token at `at` knows of a prefix.
    fn known(&self, tokens: &[&Token], at: usize) -> Option<String> {
        let token = near(tokens, at, 0)?;
        match &token.kind {
            Kind::Text(value) => self.literal(value, tokens, at),
            Kind::Ident(name) if self.names.contains(name) => constant_read(name, tokens, at),
            Kind::Ident(name) if self.functions.contains(name) && is_asked(tokens, at) => {
                Some(format!("`{name}` is read"))
            }
            Kind::Ident(name) if name == "stringify" && starts_with(tokens, at + 1, &["!"]) => {
                let spelt = glue::stringified(tokens, at)?;
                self.held(&spelt).map(|prefix| format!("`stringify!` spells `{prefix}`"))
            }
            _ => None,
        }
    }

    /// What the pieces that are put together at `at` make, when no piece knows a prefix by itself.
    fn glued(&self, tokens: &[&Token], at: usize) -> Option<String> {
        let whole = glue::at(tokens, at)?;
        let begun = self.is_fragment(&whole.text).then_some(self.stem.as_str());
        let prefix = self.held(&whole.text).or(begun)?;
        let apart = whole.parts.iter().all(|part| self.held(part).is_none() && !self.is_fragment(part));
        apart.then(|| format!("the pieces of this {} make `{prefix}`", whole.kind))
    }

    fn literal(&self, value: &str, tokens: &[&Token], at: usize) -> Option<String> {
        if let Some(prefix) = self.held(value) {
            return Some(format!("a string literal holds `{prefix}`"));
        }
        if self.is_fragment(value) {
            return Some(format!("a string literal holds the beginning `{}`", self.stem));
        }
        if let Some(name) = self.names.iter().find(|name| captures(value, name)) {
            return Some(format!("a string literal captures `{name}`"));
        }
        // `"mcp"` alone is a word like any other, except where a name is matched or taken apart by it.
        let word = self.stem.strip_suffix('_')?;
        (value == word && shape::takes_apart(tokens, at)).then(|| format!("a name is taken apart at `{word}`"))
    }

    fn held(&self, text: &str) -> Option<&str> {
        self.prefixes.iter().find(|prefix| text.contains(**prefix)).copied()
    }

    /// Whether the stem stands at the end, or before a hole, so that a verb follows.
    fn is_fragment(&self, text: &str) -> bool {
        text.ends_with(&self.stem) || text.contains(&format!("{}{{", self.stem))
    }
}

/// Whether the format string `text` holds `{name}` or `{name:…}`.
fn captures(text: &str, name: &str) -> bool {
    text.match_indices(&format!("{{{name}")).any(|(at, hole)| {
        let rest = text.get(at + hole.len()..).unwrap_or_default();
        rest.starts_with('}') || rest.starts_with(':')
    })
}

/// What all `prefixes` begin with, up to and with the first `_`.
fn stem(prefixes: &[&str]) -> String {
    let first = prefixes.first().copied().unwrap_or_default();
    first.split_inclusive('_').next().unwrap_or_default().to_owned()
}

/// A constant may be exported under its own name; everything else that names it is a use by hand.
fn constant_read(name: &str, tokens: &[&Token], at: usize) -> Option<String> {
    let renamed = starts_with(tokens, at + 1, &["as"]);
    if shape::in_use_item(tokens, at) {
        return renamed.then(|| format!("`{name}` is renamed"));
    }
    Some(format!("`{name}` is read"))
}

/// `verb.prefix()` and `Verb::prefix`; a method of that name with arguments is somebody else's.
fn is_asked(tokens: &[&Token], at: usize) -> bool {
    let method = near(tokens, at, -1).is_some_and(|token| token.is('.')) && starts_with(tokens, at + 1, &["(", ")"]);
    method || at.checked_sub(3).is_some_and(|start| starts_with(tokens, start, &["Verb", ":", ":"]))
}

/// The public functions of `mcp-meta` with `prefix` in their name.
fn functions(tree: &Tree) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in tree.sources().iter().filter(|source| source.is_under("crates/mcp-meta/src")) {
        let tokens = source.shipped_tokens();
        for at in 0..tokens.len() {
            let name = near(&tokens, at, 1).and_then(Token::ident).filter(|name| name.contains("prefix"));
            let public = (1..4).any(|back| near(&tokens, at, -back).is_some_and(|token| token.is_ident("pub")));
            if starts_with(&tokens, at, &["fn"]) && public {
                names.extend(name.map(str::to_owned));
            }
        }
    }
    names
}

/// The constants of `mcp-meta` that are called after a prefix or whose value holds one.
fn names(tree: &Tree, prefixes: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in tree.sources().iter().filter(|source| source.is_under("crates/mcp-meta/src")) {
        let tokens = source.shipped_tokens();
        for at in 0..tokens.len() {
            if let Some(constant) = constant(&tokens, at) {
                let texts = constant.value.iter().filter_map(|token| token.text());
                let holds = texts.into_iter().any(|text| prefixes.iter().any(|prefix| text.contains(prefix)));
                names.extend((holds || constant.name.contains("PREFIX")).then(|| constant.name.to_owned()));
            }
        }
    }
    names
}
