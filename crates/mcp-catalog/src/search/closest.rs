//! The ids closest to one that is unknown (S23). It guesses for a message; nothing is ever resolved by it.

use super::{rank::singular, words::each_word};
use mcp_render::CLOSEST_ITEMS;
use strsim::{jaro_winkler, normalized_damerau_levenshtein};

/// How much of an id is compared, in characters: the comparison is quadratic.
const COMPARED_MAX: usize = 96;
/// What is still close.
const THRESHOLD: f64 = 0.45;

/// The ids closest to `id`, best first, each once, at most [`CLOSEST_ITEMS`] (S23).
///
/// ```
/// let ids = ["search_issues", "create_issue", "list_repos"];
/// assert_eq!(mcp_catalog::closest("serch_issues", ids), ["search_issues", "create_issue"]);
/// ```
pub fn closest<'a>(id: &str, ids: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = Key::of(id);
    let mut close: Vec<(f64, &str)> = Vec::new();
    for candidate in ids {
        let nearness = wanted.nearness(&Key::of(candidate));
        if nearness >= THRESHOLD && !close.iter().any(|(_, known)| *known == candidate) {
            close.push((nearness, candidate));
            close.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            close.truncate(CLOSEST_ITEMS);
        }
    }
    close.into_iter().map(|(_, candidate)| candidate.to_owned()).collect()
}

/// An id as it is compared: its head in lower case, and its words, sorted and in the singular.
struct Key {
    text: String,
    words: Vec<String>,
}

impl Key {
    fn of(id: &str) -> Self {
        let text: String = id.chars().take(COMPARED_MAX).flat_map(char::to_lowercase).collect();
        let mut words = Vec::new();
        let head = id.char_indices().nth(COMPARED_MAX).map_or(id, |(at, _)| id.get(..at).unwrap_or(id));
        each_word(head, &mut |word| {
            let (base, ending) = singular(word);
            words.push(format!("{base}{ending}").to_lowercase());
        });
        words.sort_unstable();
        words.dedup();
        Self { text, words }
    }

    /// From 0 for nothing in common to 1 for the same.
    fn nearness(&self, other: &Self) -> f64 {
        if self.text.is_empty() || other.text.is_empty() {
            return 0.0;
        }
        let (short, long) = (self.text.len().min(other.text.len()), self.text.len().max(other.text.len()));
        let share = ratio(short, long);
        let inside = other.text.contains(&self.text) || self.text.contains(&other.text);
        // A part of the name is the likeliest slip of all; the longer the part, the likelier.
        let inside = if inside && short >= 3 { 0.6 + 0.4 * share } else { 0.0 };
        let edits = normalized_damerau_levenshtein(&self.text, &other.text);
        // The head counts more, but alone it must not make unlike names close.
        let head = jaro_winkler(&self.text, &other.text) * 0.6;
        inside.max(edits).max(head).max(self.common_words(other))
    }

    /// The share of words in common, whatever their order and number: `issue_search` for `search_issues`.
    fn common_words(&self, other: &Self) -> f64 {
        let common = self.words.iter().filter(|word| other.words.binary_search(word).is_ok()).count();
        0.95 * ratio(2 * common, self.words.len() + other.words.len())
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    let small = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    small(part) / small(whole.max(1))
}
