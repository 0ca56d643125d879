//! `fs_glob` and `fs_grep`: files by their path, lines by their text. Blocking, bounded, and stopped with the call.
//!
//! What `.gitignore` names is left out, and so is `.git`; no link is followed. Lines are matched and shown as those of a
//! resource are (S27).

use super::{
    arguments::Arguments,
    fault::{file, invalid},
    files::bounded_list,
    output::fitted,
    table::Job,
};
use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use mcp_render::{ErrorShape, Filter, LOCAL_OUTPUT_MAX_BYTES, LOCAL_PATHS_MAX_ITEMS, LOCAL_SEARCH_MAX_FILES, json_len};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// Finds files whose path below a directory matches.
pub(super) fn glob(job: &Job, arguments: &Arguments) -> Result<Value, ErrorShape> {
    let matcher = matcher("pattern", arguments.text_or("pattern", ""))?;
    let root = directory(job, arguments)?;
    let mut found: Vec<String> = Vec::new();
    let mut total = 0;
    for path in walk(&root) {
        job.alive()?;
        let below = path.strip_prefix(&root).unwrap_or(&path);
        if matcher.is_match(below) {
            total += 1;
            if found.len() < LOCAL_PATHS_MAX_ITEMS {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    let paths = found.into_iter().map(Value::from);
    Ok(bounded_list("paths", paths, total, job, "Narrow `pattern`, or give a `path` further down"))
}

/// Shows matching lines with their numbers and context.
pub(super) fn grep(job: &Job, arguments: &Arguments) -> Result<Value, ErrorShape> {
    let filter = Filter::parse(arguments.text_or("pattern", "")).map_err(|error| {
        let hint = "Mend the regular expression (syntax of Rust's `regex`: no look-around, no back-references)";
        invalid(error.sentence, hint)
    })?;
    let glob = arguments.text("glob").filter(|glob| !glob.is_empty()).map(|glob| matcher("glob", glob)).transpose()?;
    let given = arguments.text_or("path", ".");
    let root = job.place(given);
    let found = fs::metadata(&root).map_err(|error| file("path", given, &root, &error))?;
    let mut search = Search::new(job, filter);
    if found.is_dir() {
        for path in walk(&root) {
            job.alive()?;
            let below = path.strip_prefix(&root).unwrap_or(&path);
            let wanted = glob
                .as_ref()
                .is_none_or(|glob| glob.is_match(below) || path.file_name().is_some_and(|name| glob.is_match(name)));
            if wanted && !search.file(&path) {
                break;
            }
        }
    } else {
        search.file(&root);
    }
    Ok(search.answer())
}

/// Room for the keys beside the matches.
const BESIDE: usize = 1_024;

struct Search<'a> {
    job: &'a Job,
    filter: Filter,
    room: usize,
    matches: Vec<Value>,
    searched: usize,
    too_large: usize,
    full: bool,
}

impl<'a> Search<'a> {
    fn new(job: &'a Job, filter: Filter) -> Self {
        let room = job.keep.ceiling.bytes().saturating_sub(BESIDE);
        Self { job, filter, room, matches: Vec::new(), searched: 0, too_large: 0, full: false }
    }

    /// Looks into one file; `false` when no more is wanted.
    fn file(&mut self, path: &Path) -> bool {
        if self.searched == LOCAL_SEARCH_MAX_FILES {
            self.full = true;
            return false;
        }
        self.searched += 1;
        let Some(text) = self.text_of(path) else { return true };
        let lines = self.filter.apply(&text);
        if lines.is_empty() {
            return true;
        }
        let shown = path.to_string_lossy();
        let value = fitted(&lines, self.room, |text| {
            if text.len() == lines.len() {
                json!({"path": shown, "lines": text})
            } else {
                json!({"path": shown, "lines": text, "truncated": true})
            }
        });
        let fits = value.get("lines").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        self.full = value.get("truncated").is_some() || !fits;
        if fits {
            self.room = self.room.saturating_sub(json_len(&value) + 1);
            self.matches.push(value);
        }
        !self.full
    }

    fn text_of(&mut self, path: &Path) -> Option<String> {
        // Before it is opened: a pipe would wait for a writer.
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let limit = LOCAL_OUTPUT_MAX_BYTES as u64;
        if found.len() > limit {
            self.too_large += 1;
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
        String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
    }

    fn answer(self) -> Value {
        let mut notes = Vec::new();
        if self.full {
            notes.push("There may be more: narrow `pattern`, `glob` or `path`".to_owned());
        } else if self.matches.is_empty() {
            notes.push(
                "No line matches `pattern`; binary files and those that `.gitignore` names are not searched".to_owned(),
            );
        }
        if self.too_large > 0 {
            let (files, limit) = (self.too_large, LOCAL_OUTPUT_MAX_BYTES >> 20);
            notes.push(format!("{files} files over {limit} MiB were not searched"));
        }
        let mut answer = json!({"files_searched": self.searched, "truncated": self.full});
        if let Some(object) = answer.as_object_mut() {
            if !notes.is_empty() {
                object.insert("note".into(), notes.join(". ").into());
            }
            object.insert("matches".into(), self.matches.into());
        }
        debug_assert!(json_len(&answer) <= self.job.keep.ceiling.bytes(), "a search stays under the ceiling");
        answer
    }
}

fn matcher(parameter: &str, pattern: &str) -> Result<GlobMatcher, ErrorShape> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    let refused = |why: String| {
        invalid(
            format!("`{parameter}` is `{}`, which is no glob: {why}", mcp_render::cut(pattern, 200)),
            "Write one such as `**/*.rs` or `src/*.{ts,js}`",
        )
    };
    if pattern.is_empty() {
        return Err(refused("it is empty".to_owned()));
    }
    built.map(|glob| glob.compile_matcher()).map_err(|error| refused(error.kind().to_string()))
}

fn directory(job: &Job, arguments: &Arguments) -> Result<PathBuf, ErrorShape> {
    let given = arguments.text_or("path", ".");
    let root = job.place(given);
    match fs::metadata(&root) {
        Ok(found) if found.is_dir() => Ok(root),
        Ok(_) => Err(invalid(format!("`path` is `{given}`, which is no directory"), "Give a directory")),
        Err(error) => Err(file("path", given, &root, &error)),
    }
}

/// The files below a directory, in the order of their paths.
fn walk(root: &Path) -> impl Iterator<Item = PathBuf> {
    let mut walk = WalkBuilder::new(root);
    walk.hidden(false).follow_links(false).require_git(false).sort_by_file_path(Path::cmp);
    walk.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    walk.build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
}
