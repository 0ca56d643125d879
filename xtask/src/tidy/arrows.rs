//! Which crate may know which (ARCHITECTURE.md): the floors, and what each crate must not depend on.
//!
//! It reads manifests; what a crate may not *do* is read from its sources in `arrows/sources.rs`. A new edge changes
//! ARCHITECTURE.md and this table in the same commit (style.md 6).

use crate::finding::Finding;
use crate::manifests::{Edge, Manifest, Use};
use crate::tree::Tree;

mod sources;
#[cfg(test)]
mod tests;

/// The floors, lowest first. Each may use any floor below it and knows nothing of those above.
const FLOORS: [&str; 5] = ["mcp-render", "mcp-catalog", "mcp-meta", "mcp-prompt-repl", "coyote-integration"];

/// What stands beside the house: the tests see public API and the binary, xtask sees manifests, sources and tables. Nobody
/// sees them.
const BESIDE: [&str; 2] = ["acceptance", "xtask"];

const RUNTIMES: &[&str] = &["tokio", "tokio-util", "tokio-stream", "async-std", "smol", "futures-executor"];
const SDK: &[&str] = &["rmcp", "rmcp-macros"];
const TERMINALS: &[&str] = &[
    "anstream",
    "anstyle",
    "colored",
    "comfy-table",
    "console",
    "crossterm",
    "dialoguer",
    "indicatif",
    "inquire",
    "nu-ansi-term",
    "owo-colors",
    "ratatui",
    "reedline",
    "rustyline",
    "tabled",
    "termcolor",
    "terminal_size",
    "termimad",
    "yansi",
];
const CONFIGURATIONS: &[&str] = &[
    "clap",
    "config",
    "directories",
    "dirs",
    "dotenvy",
    "etcetera",
    "figment",
    "serde-saphyr",
    "serde_yaml",
    "serde_yaml_ng",
    "toml",
    "toml_edit",
    "yaml_serde",
];
const PROCESSES: &[&str] = &["process-wrap", "command-group"];
const EDITORS: &[&str] = &["reedline", "inquire"];
const LEXERS: &[&str] = &["shlex", "shell-words"];

/// What a crate has none of, and what that is good for (the invariants of ARCHITECTURE.md).
const FORBIDDEN: &[(&str, &[&[&str]], &str)] = &[
    (
        "mcp-render",
        &[RUNTIMES, SDK, TERMINALS, CONFIGURATIONS],
        "The content policy is one pure function of bytes and limits; take what you need as an argument",
    ),
    (
        "mcp-catalog",
        &[TERMINALS, CONFIGURATIONS, PROCESSES],
        "The catalog asks servers; it starts none and prints nothing: that is the host's",
    ),
    (
        "mcp-meta",
        &[RUNTIMES, SDK, TERMINALS, CONFIGURATIONS, PROCESSES],
        "A model's call is a function from JSON to JSON; put effects behind a port that the host implements",
    ),
    (
        "mcp-prompt-repl",
        &[SDK, EDITORS],
        "What the user sees is decided in pure code; the editor and the SDK stay on their own floors",
    ),
    ("coyote-integration", &[LEXERS], "The lexer of S41 is `line` in mcp-prompt-repl; the host has none of its own"),
];

/// Every edge that the architecture does not have, and everything a crate does that it must not.
pub(crate) fn check(tree: &Tree, manifests: &[Manifest]) -> Vec<Finding> {
    let mut findings = edges(manifests);
    findings.extend(sources::check(tree));
    findings
}

fn edges(manifests: &[Manifest]) -> Vec<Finding> {
    let ours: Vec<&str> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    let mut findings = Vec::new();
    for manifest in manifests {
        if !is_known(&manifest.name) {
            let what = format!("the crate `{}` has no floor (style.md 6)", manifest.name);
            findings.push(Finding::new(
                &manifest.path,
                1,
                what,
                "Add it to ARCHITECTURE.md and to FLOORS in tidy/arrows.rs",
            ));
            continue;
        }
        for edge in &manifest.edges {
            let broken = if ours.contains(&edge.to.as_str()) { inner(manifest, edge) } else { outer(manifest, edge) };
            findings.extend(broken.map(|(what, instead)| Finding::new(&manifest.path, 1, what, instead)));
        }
    }
    findings
}

fn is_known(name: &str) -> bool {
    floor(name).is_some() || BESIDE.contains(&name)
}

fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| *floor == name)
}

/// An edge between two crates of ours.
fn inner(manifest: &Manifest, edge: &Edge) -> Option<(String, String)> {
    let (from, to) = (manifest.name.as_str(), edge.to.as_str());
    let allowed = match (floor(from), floor(to)) {
        (Some(from), Some(to)) => to < from,
        (None, Some(_)) => true,
        (_, None) => false,
    };
    let what = format!("`{from}` must not know `{to}`: the floors are {}", FLOORS.join(" ← "));
    let instead = "Move what is needed to the lower floor, or behind a port".to_owned();
    (!allowed).then_some((what, instead))
}

/// An edge to a crate of somebody else.
fn outer(manifest: &Manifest, edge: &Edge) -> Option<(String, String)> {
    if edge.use_ == Use::Dev {
        return None;
    }
    let (name, lists, instead) = FORBIDDEN.iter().find(|(name, _, _)| *name == manifest.name)?;
    let forbidden = lists.iter().any(|list| list.contains(&edge.to.as_str()));
    forbidden.then(|| (format!("`{name}` must not depend on `{}` (ARCHITECTURE.md)", edge.to), (*instead).to_owned()))
}
