//! `cargo xtask`: keeps the house in order. Nothing here is shipped, and no check needs more than Rust and cc.

mod bench;
mod ci;
mod docgen;
mod finding;
mod flags;
mod manifests;
#[cfg(test)]
mod scratch;
mod tidy;
mod tokens;
mod tree;

fn main() -> std::process::ExitCode {
    flags::run(std::env::args().skip(1).collect())
}
