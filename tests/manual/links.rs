//! Every link of the manual, the README and the other pages of the repository leads somewhere: to a file, and to a heading
//! where it names one. Addresses on the network are not asked.

use crate::pages::{MANUAL, Page, page, pages, root};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The pages outside of the manual whose links are held as well.
const BESIDE: [&str; 6] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "crates/mcp-render/README.md",
    "crates/mcp-catalog/README.md",
    "crates/mcp-meta/README.md",
];

/// What a link of a line leads to, behind its text.
fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("](") {
        let Some((target, after)) = after.split_once(')') else { break };
        targets.push(target);
        rest = after;
    }
    targets
}

/// Prose without what is code in it, so that a text about links is none.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// A page's headings as mdBook and forges name them in a link.
fn anchors(text: &str) -> BTreeSet<String> {
    let page = Page { path: String::new(), text: text.to_owned() };
    let titles = page.prose().into_iter().filter(|(_, line)| line.starts_with('#'));
    titles
        .map(|(_, line)| {
            let title = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            title.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
        })
        .collect()
}

fn dead(page: &Page) -> Vec<String> {
    let here = PathBuf::from(&page.path);
    let mut dead = Vec::new();
    for (number, line) in page.prose() {
        let plain = without_code(line);
        for target in targets(&plain) {
            if target.starts_with("http://") || target.starts_with("https://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let path = if file.is_empty() { here.clone() } else { here.parent().unwrap().join(file) };
            let path = root().join(path);
            let known =
                anchor.is_none_or(|anchor| fs::read_to_string(&path).is_ok_and(|text| anchors(&text).contains(anchor)));
            if !path.exists() || !known {
                dead.push(format!("{}:{number}: {target}", page.path));
            }
        }
    }
    dead
}

/// The pages of a directory.
fn below(dir: &str) -> Vec<Page> {
    let entries = fs::read_dir(root().join(dir)).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    names
        .filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "md"))
        .map(|name| page(format!("{dir}/{name}")))
        .collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_are_there() {
    let mut all = pages();
    all.extend(BESIDE.map(|path| page(path.to_owned())));
    all.extend(below("docs/adr"));
    all.extend(below("docs/reference"));
    let found: Vec<String> = all.iter().flat_map(dead).collect();
    assert!(found.is_empty(), "These links lead nowhere:\n{}", found.join("\n"));
    let links: usize = all.iter().flat_map(|page| page.prose()).map(|(_, line)| targets(line).len()).sum();
    assert!(links > 100, "{links}");
    let bad = Page {
        path: "README.md".to_owned(),
        text: "[a](none.md) [b](README.md#none) `[c](none)` [d](#the-crates)\n".to_owned(),
    };
    assert_eq!(dead(&bad), ["README.md:1: none.md", "README.md:1: README.md#none"]);
}

#[test]
fn every_page_of_the_manual_is_in_its_summary_once_and_every_included_file_is_there() {
    let summary = page(format!("{MANUAL}/SUMMARY.md"));
    let listed: Vec<&str> = summary.text.lines().flat_map(targets).collect();
    let mut files: Vec<String> =
        below(MANUAL).into_iter().map(|page| page.path.rsplit('/').next().unwrap().to_owned()).collect();
    files.retain(|file| file != "SUMMARY.md");
    files.sort();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, files);
    let reference = page(format!("{MANUAL}/reference.md"));
    let included: Vec<&str> =
        reference.text.lines().filter_map(|line| line.strip_prefix("{{#include ")?.strip_suffix("}}")).collect();
    assert_eq!(included.len(), below("docs/reference").len());
    for file in included {
        assert!(root().join(MANUAL).join(file).is_file(), "{file}");
    }
    let book = fs::read_to_string(root().join("docs/book.toml")).unwrap();
    assert!(book.contains(&format!("src = \"../{MANUAL}\"")));
}

#[test]
fn the_readme_leads_to_every_page_that_a_person_starts_with() {
    let readme = page("README.md".to_owned());
    let listed: BTreeSet<&str> = readme.text.lines().flat_map(targets).collect();
    let missing: Vec<String> = pages()
        .into_iter()
        .map(|page| page.path)
        .filter(|path| path.starts_with(MANUAL) && !path.ends_with("SUMMARY.md") && !path.ends_with("reference.md"))
        .filter(|path| !listed.contains(path.as_str()))
        .collect();
    assert_eq!(missing, [""; 0]);
}

/// The sources of a directory, and those below it.
fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_file_that_a_crate_includes_is_in_its_package() {
    let mut included = 0;
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let package = entry.unwrap().path().canonicalize().unwrap();
        let mut files = Vec::new();
        sources(&package.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let words = ["include_str!(\"", "include_bytes!(\""];
            for after in words.iter().flat_map(|word| text.split(word).skip(1)) {
                let target = file.parent().unwrap().join(after.split('"').next().unwrap());
                let target = target.canonicalize().unwrap();
                assert!(target.starts_with(&package), "{} includes {}", file.display(), target.display());
                included += 1;
            }
        }
    }
    assert!(included > 20, "{included}");
}
