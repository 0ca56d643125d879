//! What a crate must not do (ARCHITECTURE.md), read from its tokens: print, block, start processes, name the SDK, or keep
//! a limit of its own.
//!
//! Tests are exempt, and so is everything outside `crates/`. Each rule names the files that may; a new exception is a
//! line here with its reason.

use crate::finding::Finding;
use crate::tokens::{Constant, Kind, Token, constant, near, starts_with};
use crate::tree::{Source, Tree};

/// One thing that only some files may do.
struct Rule {
    /// Where the rule holds.
    dirs: &'static [&'static str],
    /// The files, or directories ending in `/`, that may all the same, each with its reason.
    allowed: &'static [(&'static str, &'static str)],
    /// What stands at a token, if it breaks the rule.
    broken: fn(&[&Token], usize) -> Option<String>,
    instead: &'static str,
}

const LIBRARIES: &[&str] = &["crates/mcp-render", "crates/mcp-catalog", "crates/mcp-meta", "crates/mcp-prompt-repl"];
const CATALOG: &[&str] = &["crates/mcp-catalog"];
const RENDER: &[&str] = &["crates/mcp-render"];
const HOST: &[&str] = &["crates/coyote-integration"];
const ALL: &[&str] = &["crates"];

const RULES: &[Rule] = &[
    Rule {
        dirs: LIBRARIES,
        allowed: &[],
        broken: printing,
        instead: "A library returns what there is to say; the host prints it",
    },
    Rule {
        dirs: HOST,
        allowed: &[
            ("crates/coyote-integration/src/report.rs", "the one place that writes stdout and stderr"),
            (
                "crates/coyote-integration/src/repl/printer",
                "the REPL's printers, which share the screen with the editor",
            ),
        ],
        broken: printing,
        instead: "Hand it to `report`, which writes stdout and stderr (in the REPL, to its printer)",
    },
    Rule {
        dirs: ALL,
        allowed: &[
            ("crates/coyote-integration/src/main.rs", "the runtime starts here"),
            ("crates/coyote-integration/src/repl/bridge.rs", "the one place that blocks on async (design §5.4)"),
        ],
        broken: blocking,
        instead: "Make the caller async; `repl/bridge.rs` is the one place that blocks",
    },
    Rule {
        dirs: CATALOG,
        allowed: &[("crates/mcp-catalog/src/sdk/", "the SDK's names stop here")],
        broken: naming_the_sdk,
        instead: "Convert it in `sdk/` and use our own nouns here",
    },
    Rule {
        dirs: CATALOG,
        allowed: &[],
        broken: starting_a_process,
        instead: "The host starts servers and hands their streams to `sdk`",
    },
    Rule {
        dirs: RENDER,
        allowed: &[],
        broken: reading_the_environment,
        instead: "Take the directory or the setting as an argument",
    },
    Rule {
        dirs: ALL,
        allowed: &[("crates/mcp-render/src/limits.rs", "every byte limit stands here")],
        broken: a_byte_limit,
        instead: "Define it in `mcp-render/src/limits.rs` and cite it here",
    },
    Rule {
        dirs: ALL,
        allowed: &[("crates/mcp-catalog/src/deadline.rs", "every deadline stands here")],
        broken: a_deadline,
        instead: "Define it in `mcp-catalog/src/deadline.rs` and cite it here",
    },
];

/// Every token at which a crate does what it must not.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources().iter().filter(|source| is_shipped(source)) {
        let tokens = source.shipped_tokens();
        for rule in RULES.iter().filter(|rule| rule.holds_in(source)) {
            for (at, token) in tokens.iter().enumerate() {
                if let Some(what) = (rule.broken)(&tokens, at) {
                    findings.push(Finding::new(&source.path, token.line(), what, rule.instead));
                }
            }
        }
    }
    findings
}

impl Rule {
    fn holds_in(&self, source: &Source) -> bool {
        let allowed = self.allowed.iter().any(|(path, _reason)| source.path.starts_with(path));
        !allowed && self.dirs.iter().any(|dir| source.is_under(dir))
    }
}

/// Benches and examples are programs of their own; they print and block as they like.
fn is_shipped(source: &Source) -> bool {
    source.path.split('/').nth(2) == Some("src")
}

fn printing(tokens: &[&Token], at: usize) -> Option<String> {
    let name = near(tokens, at, 0)?.ident()?;
    if ["println", "eprintln", "print", "eprint", "dbg"].contains(&name) {
        return starts_with(tokens, at + 1, &["!"]).then(|| format!("`{name}!` prints (ARCHITECTURE.md)"));
    }
    if !["stdout", "stderr"].contains(&name) {
        return None;
    }
    // `child.stdout()` and `io.stdout` are somebody's pipe; asking whether it is a terminal writes nothing.
    let after_dot = near(tokens, at, -1).is_some_and(|token| token.is('.'));
    let asks = starts_with(tokens, at + 1, &["(", ")", ".", "is_terminal"]);
    let called = starts_with(tokens, at + 1, &["(", ")"]);
    let from_io = at.checked_sub(3).is_some_and(|start| starts_with(tokens, start, &["io", ":", ":"]));
    ((called || from_io) && !after_dot && !asks).then(|| format!("`{name}` is written here (ARCHITECTURE.md)"))
}

fn blocking(tokens: &[&Token], at: usize) -> Option<String> {
    const BLOCKING: [&str; 8] = [
        "block_on",
        "block_in_place",
        "blocking_recv",
        "blocking_send",
        "blocking_lock",
        "blocking_read",
        "blocking_write",
        "blocking_lock_owned",
    ];
    let name = near(tokens, at, 0)?.ident()?;
    BLOCKING.contains(&name).then(|| format!("`{name}` blocks on async (ARCHITECTURE.md)"))
}

fn naming_the_sdk(tokens: &[&Token], at: usize) -> Option<String> {
    near(tokens, at, 0)?.is_ident("rmcp").then(|| "`rmcp` is named outside `sdk/` (ARCHITECTURE.md)".to_owned())
}

fn starting_a_process(tokens: &[&Token], at: usize) -> Option<String> {
    let command = starts_with(tokens, at, &["process", ":", ":", "Command"]);
    let child = near(tokens, at, 0)?.is_ident("TokioChildProcess");
    (command || child).then(|| "the catalog starts a process (ARCHITECTURE.md)".to_owned())
}

fn reading_the_environment(tokens: &[&Token], at: usize) -> Option<String> {
    const READING: [&str; 6] = ["var", "var_os", "vars", "temp_dir", "home_dir", "current_dir"];
    let name = near(tokens, at, 3)?.ident()?;
    let reads = starts_with(tokens, at, &["env", ":", ":"]) && READING.contains(&name);
    reads.then(|| format!("`env::{name}` reads the environment (ARCHITECTURE.md)"))
}

/// `const NAME_BYTES: usize = 4 << 10;` A value made from another constant is that constant's business.
fn a_byte_limit(tokens: &[&Token], at: usize) -> Option<String> {
    let Constant { name, value, .. } = constant(tokens, at)?;
    let numeric = value.iter().any(|token| matches!(token.kind, Kind::Literal(_)));
    let derived = value.iter().filter_map(|token| token.ident()).any(|ident| ident.chars().any(char::is_uppercase));
    (name.ends_with("_BYTES") && numeric && !derived)
        .then(|| format!("`{name}` is a byte limit of its own (ARCHITECTURE.md)"))
}

/// `const NAME: Duration = …`, or a length of time written down where it is used.
fn a_deadline(tokens: &[&Token], at: usize) -> Option<String> {
    if let Some(Constant { name, kind, .. }) = constant(tokens, at) {
        let timed = kind.iter().any(|token| token.is_ident("Duration"));
        return timed.then(|| format!("`{name}` is a deadline of its own (ARCHITECTURE.md)"));
    }
    // Inside a constant the line above speaks; this is the one in the middle of a function.
    let made = starts_with(tokens, at, &["Duration", ":", ":"]) && near(tokens, at, 3)?.ident()?.starts_with("from_");
    let literal = matches!(near(tokens, at, 5)?.kind, Kind::Literal(_)) && starts_with(tokens, at + 4, &["("]);
    (made && literal && !inside_constant(tokens, at))
        .then(|| "a length of time is written down here (ARCHITECTURE.md)".to_owned())
}

/// Whether the statement around `at` is a constant's. The `;` of `[T; 2]` ends no statement.
fn inside_constant(tokens: &[&Token], at: usize) -> bool {
    let mut depth = 0_usize;
    for token in tokens.iter().take(at).rev() {
        match &token.kind {
            Kind::Close(_) => depth += 1,
            Kind::Open(_) if depth > 0 => depth -= 1,
            Kind::Open('{') => return false,
            Kind::Punct(';') if depth == 0 => return false,
            Kind::Ident(name) if depth == 0 && (name == "const" || name == "static") => return true,
            _ => {}
        }
    }
    false
}
