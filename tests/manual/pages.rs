//! The pages as files, and the blocks of code in them. It knows what the words after a fence mean, and runs nothing.

use std::{fs, path::PathBuf};

/// A file of Markdown.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// Its path from the root of the workspace.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) text: String,
}

/// A fenced block of a page.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The language behind the fence.
    pub(crate) language: String,
    /// What follows the language, after a comma: why it is not run, `file=` and where it belongs, or the part of a file that
    /// it is.
    pub(crate) tag: Option<String>,
    /// The line of its fence, from 1.
    pub(crate) line: usize,
    /// The lines in it.
    pub(crate) lines: Vec<String>,
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where the manual's pages are, from the root.
pub(crate) const MANUAL: &str = "crates/coyote-integration/manual";

/// The README of the workspace, that of the program, and every page of the manual, in the order of their names.
pub(crate) fn pages() -> Vec<Page> {
    let entries = fs::read_dir(root().join(MANUAL)).unwrap();
    let mut paths: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| format!("{MANUAL}/{name}"))
        .chain(["README.md", "crates/coyote-integration/README.md"].map(str::to_owned))
        .collect();
    paths.sort();
    paths.into_iter().map(page).collect()
}

/// One file of the workspace.
pub(crate) fn page(path: String) -> Page {
    let text = fs::read_to_string(root().join(&path)).unwrap();
    Page { path, text }
}

impl Page {
    /// Every fenced block.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (index, line) in self.text.lines().enumerate() {
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(info)) => {
                    let (language, tag) = info.split_once(',').map_or((info, None), |(a, b)| (a, Some(b.to_owned())));
                    open = Some(Block { language: language.to_owned(), tag, line: index + 1, lines: Vec::new() });
                }
                (Some(_), Some("")) => blocks.extend(open.take()),
                (Some(block), _) => block.lines.push(line.to_owned()),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a fence is not closed", self.path);
        blocks
    }

    /// The lines that stand in no fenced block, with their numbers from 1.
    pub(crate) fn prose(&self) -> Vec<(usize, &str)> {
        let mut inside = false;
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines
            .filter(|(_, line)| {
                let fence = line.starts_with("```");
                inside ^= fence;
                !inside && !fence
            })
            .collect()
    }
}

impl Block {
    /// Its text, with a line end.
    pub(crate) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}
