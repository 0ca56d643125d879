//! `cargo xtask bench`: every bar with what was measured, and the page `docs/reference/performance.md`.
//!
//! The benches print lines and judge nothing; here each ratio is set beside its bar, and each cost beside its growth. A bar
//! that is missed is said and fails nothing: no timing decides what CI does (style.md). It runs for some minutes, in the
//! release profile, and wants the machine for itself.

mod counts;
mod line;
mod machine;
mod page;

use crate::flags::Call;
use anyhow::{Context, Result, bail};
use line::Line;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

/// The benches: package and target.
const BENCHES: &[(&str, &str)] =
    &[("mcp-render", "spill"), ("mcp-render", "read"), ("mcp-catalog", "search"), ("acceptance", "whole")];

/// The largest the stripped binary may be, in MB.
const BINARY_MB: f64 = 18.0;
/// The longest a build from nothing may take on two cores, in minutes.
const COLD_MINUTES: f64 = 8.0;
const PAGE: &str = "docs/reference/performance.md";

/// Runs the benches, prints the table and writes the page. With `--cold` it also builds from nothing.
pub(crate) fn run(call: &Call) -> Result<()> {
    let mut lines = Vec::new();
    if call.has("--cold") {
        lines.push(cold_build(&call.root)?);
    }
    for (package, bench) in BENCHES {
        eprintln!("==> {package}, {bench}");
        lines.extend(bench_lines(&call.root, package, bench)?);
    }
    lines.push(binary(&call.root)?);
    lines.extend(counts::lines(&call.root)?);
    let table = page::table(&lines);
    println!("{table}");
    let page = call.root.join(PAGE);
    fs::write(&page, page::whole(&machine::describe(), &table)).with_context(|| format!("cannot write {PAGE}"))
}

fn bench_lines(root: &Path, package: &str, bench: &str) -> Result<Vec<Line>> {
    let output = cargo(&["bench", "--quiet", "-p", package, "--bench", bench])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run the bench `{bench}`"))?;
    if !output.status.success() {
        bail!("The bench `{bench}` of `{package}` ended with {}", output.status);
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<Line> =
        text.lines().filter(|line| line.starts_with(line::MARK)).map(Line::parse).collect::<Result<_>>()?;
    if lines.is_empty() {
        bail!("The bench `{bench}` of `{package}` printed no bar");
    }
    Ok(lines)
}

/// The size of the release binary.
fn binary(root: &Path) -> Result<Line> {
    eprintln!("==> the release binary");
    let status = cargo(&["build", "--release", "--quiet", "-p", "coyote-integration"]).current_dir(root).status()?;
    if !status.success() {
        bail!("The release build ended with {status}");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
    let file = target.join("release").join(format!("coyote{}", std::env::consts::EXE_SUFFIX));
    let bytes = fs::metadata(&file).context("the release binary is missing")?.len();
    #[expect(clippy::cast_precision_loss, reason = "a binary has fewer than 2^52 bytes")]
    let mb = bytes as f64 / 1e6;
    Ok(Line::absolute("release binary, stripped", mb, "MB", BINARY_MB))
}

/// A release build into an empty directory; crates are downloaded before.
fn cold_build(root: &Path) -> Result<Line> {
    eprintln!("==> a build from nothing");
    let dir = std::env::temp_dir().join(format!("coyote-cold-{}", std::process::id()));
    cargo(&["fetch", "--locked"]).current_dir(root).status()?;
    let begun = Instant::now();
    let built = cargo(&["build", "--release", "--quiet", "-p", "coyote-integration"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", &dir)
        .status();
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    drop(fs::remove_dir_all(&dir));
    if !built?.success() {
        bail!("The build from nothing failed");
    }
    Ok(Line::absolute("release build from nothing", minutes, "min", COLD_MINUTES))
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}
