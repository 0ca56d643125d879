//! Laws over any bytes at all: what holds for whatever a server sends or a person types (S10, S20, S25–S27, S30, S36, S37, S41, S43, S45).
//!
//! One function a law, from bytes to nothing; it panics where the law is broken. The acceptance tests run each over the
//! kept corpus and over random bytes, `fuzz/` runs each under libFuzzer. Only public API is used, and no file is written.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a law that does not hold is told by a panic; that is what it is for"
)]

mod blob;
mod filter;
mod line;
mod lines;
mod pages;
mod place;
mod salvage;
mod template;

pub use blob::blob;
pub use filter::filter;
pub use line::line;
pub use lines::raw_lines;
pub use pages::pages;
pub use salvage::{contents, prompt_result, prompts, resources, templates_listed, tool_result, tools};
pub use template::template;

/// A law.
pub type Law = fn(&[u8]);

/// Every law by the name of its fuzz target, which is also the name of its corpus.
pub const LAWS: [(&str, Law); 13] = [
    ("raw_lines", raw_lines),
    ("tools", tools),
    ("resources", resources),
    ("templates_listed", templates_listed),
    ("prompts", prompts),
    ("contents", contents),
    ("tool_result", tool_result),
    ("prompt_result", prompt_result),
    ("template", template),
    ("filter", filter),
    ("blob", blob),
    ("pages", pages),
    ("line", line),
];
