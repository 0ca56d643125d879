//! Which crate of the workspace names which crate in its manifest, as cargo itself reads it.
//!
//! It reads direct edges only: what a dependency brings along is that dependency's business, and `deny.toml` names what
//! may come along at all.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[cfg(test)]
mod tests;

/// One crate of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    /// The manifest's file, from the root.
    pub(crate) path: String,
    pub(crate) edges: Vec<Edge>,
}

/// One dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: String,
    pub(crate) use_: Use,
}

/// When a dependency is compiled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Always or by a feature, for the target or for its build script: whoever uses the crate has it.
    Shipped,
    /// For tests, examples and benches only.
    Dev,
}

impl Manifest {
    /// Asks cargo for the manifests of the workspace at `root`, without a look at any registry.
    pub(crate) fn load(root: &Path) -> Result<Vec<Self>> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .current_dir(root)
            .output()
            .context("cannot run `cargo metadata`")?;
        if !output.status.success() {
            bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Self::parse(&output.stdout)
    }

    /// Reads what `cargo metadata --no-deps` printed.
    pub(crate) fn parse(metadata: &[u8]) -> Result<Vec<Self>> {
        let metadata: Value = serde_json::from_slice(metadata).context("`cargo metadata` printed no JSON")?;
        let root = text(&metadata, "workspace_root")?;
        let packages = metadata.get("packages").and_then(Value::as_array).context("no `packages` in the metadata")?;
        packages.iter().map(|package| Self::of(package, root)).collect()
    }

    fn of(package: &Value, root: &str) -> Result<Self> {
        let path = text(package, "manifest_path")?.replace('\\', "/");
        let root = root.replace('\\', "/");
        let path = path.strip_prefix(&root).map_or(path.as_str(), |rest| rest.trim_start_matches('/')).to_owned();
        let edges =
            package.get("dependencies").and_then(Value::as_array).context("no `dependencies` in the metadata")?;
        let edges = edges.iter().map(|edge| {
            let use_ = if edge.get("kind").and_then(Value::as_str) == Some("dev") { Use::Dev } else { Use::Shipped };
            Ok(Edge { to: text(edge, "name")?.to_owned(), use_ })
        });
        Ok(Self { name: text(package, "name")?.to_owned(), path, edges: edges.collect::<Result<_>>()? })
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value.get(key).and_then(Value::as_str).with_context(|| format!("no `{key}` in the metadata"))
}
