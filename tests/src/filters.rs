//! What differs from run to run, replaced by a word: paths of the temporary machine, process ids, times.
//!
//! Hashes and sizes stay: fixture contents are deterministic, so a changed hash is a changed behaviour.

use regex::Regex;
use std::path::Path;

/// Replacements, applied in order.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    paths: Vec<(String, String)>,
}

impl Filters {
    /// Replaces a path, also where JSON or the system has resolved it.
    pub fn path(&mut self, path: &Path, word: &str) {
        for path in [path.canonicalize().ok().as_deref(), Some(path)].into_iter().flatten() {
            self.paths.push((path.display().to_string(), word.to_owned()));
        }
    }

    /// The text with everything replaced.
    pub fn apply(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, word) in &self.paths {
            text = text.replace(path, word);
        }
        let replaced = [
            (r"\b\d+(\.\d+)? ?(ms|µs)\b", "[time]"),
            (r"\bpid \d+", "pid [pid]"),
            // A page more in the manual is no other behaviour.
            (r"(in process +tools 1, resources )\d+", "${1}[pages]"),
        ];
        for (pattern, word) in replaced {
            // The patterns are constants; a broken one would leave the text as it is and fail the snapshot.
            if let Ok(pattern) = Regex::new(pattern) {
                text = pattern.replace_all(&text, word).into_owned();
            }
        }
        text
    }
}
