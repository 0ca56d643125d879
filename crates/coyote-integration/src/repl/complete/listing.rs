//! What there is to choose from, by kind.

use super::{Item, arguments::Wanted};
use crate::{
    config::{ChangedBy, KEYS, Paths, Role},
    repl::standing::Standing,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The most entries of one directory that are looked at.
const ENTRIES: usize = 2_000;

/// Reads what stands on the disk. It blocks.
pub(super) fn read(standing: &Standing, wanted: &Wanted) -> Vec<Item> {
    let app = standing.app();
    let paths = &app.paths;
    match wanted {
        Wanted::Roles => items(Role::names(paths)),
        Wanted::Sessions(dir) => items(stems(dir, "yaml")),
        Wanted::Macros => macros(standing, paths),
        Wanted::Agents => items(agents(&paths.agents_dir)),
        Wanted::Files(typed) => files(typed),
    }
}

/// The macros that can run, the workspace's that are trusted too, as their files are now.
fn macros(standing: &Standing, paths: &Paths) -> Vec<Item> {
    let (known, enabled) = (standing.macros(), standing.enabled_macros());
    let now = known.reread(paths);
    let macros = now.as_ref().unwrap_or(&known).chosen(&enabled);
    macros.map(|known| Item::new(known.name.as_str(), known.description.as_str())).collect()
}

/// Every model.
pub(super) fn models(standing: &Standing) -> Vec<Item> {
    standing.models().list().into_iter().map(|model| Item::new(model.id, "")).collect()
}

/// Every server of the files.
pub(super) fn servers(standing: &Standing) -> Vec<Item> {
    standing.app().servers.iter().map(|server| Item::new(server.entry.name.as_str(), "")).collect()
}

/// The keys that `.set` takes.
pub(super) fn settings() -> Vec<Item> {
    let keys = KEYS.iter().filter(|key| key.changed_by != ChangedBy::Nobody);
    keys.map(|key| Item::new(key.name, key.what)).collect()
}

/// Values of a key, as far as they can be named.
pub(super) fn values(standing: &Standing, key: &str) -> Vec<Item> {
    let words = |words: &[&str]| words.iter().map(|word| Item::new(*word, "")).collect::<Vec<_>>();
    let mut values = match key {
        "model" => models(standing),
        "enabled_mcp_servers" => {
            let mut servers = servers(standing);
            servers.insert(0, Item::new("all", "every server that is not disabled"));
            servers
        }
        "mcp_approval" => words(&["ask", "never"]),
        "enabled_tools" | "enabled_macros" => words(&["all"]),
        key if KEYS.iter().any(|known| known.name == key && known.accepted == "true or false") => {
            words(&["true", "false"])
        }
        _ => Vec::new(),
    };
    values.push(Item::new("null", "unset: the next layer counts"));
    values
}

/// The names of the files with this ending.
pub(crate) fn stems(dir: &Path, ending: &str) -> Vec<String> {
    let mut names: Vec<String> = entries(dir)
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort_unstable();
    names
}

/// The directories that hold an agent.
pub(crate) fn agents(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = entries(dir)
        .filter(|path| path.join("config.yaml").is_file())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort_unstable();
    names
}

fn items(names: Vec<String>) -> Vec<Item> {
    names.into_iter().map(|name| Item::new(name, "")).collect()
}

fn files(typed: &str) -> Vec<Item> {
    let dir = match typed.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
        None if typed.is_empty() => PathBuf::from("."),
        None => PathBuf::from(typed),
    };
    let mut items: Vec<(String, bool)> = entries(&dir)
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path.is_dir())))
        .filter(|(name, _)| !name.starts_with('.'))
        .collect();
    items.sort_unstable();
    let item = |(name, is_dir): (String, bool)| {
        if is_dir { Item::new(format!("{typed}{name}/"), "").open() } else { Item::new(format!("{typed}{name}"), "") }
    };
    items.into_iter().map(item).collect()
}

fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(dir).into_iter().flatten().take(ENTRIES).flatten().map(|entry| entry.path())
}
