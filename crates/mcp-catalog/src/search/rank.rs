//! One pass of BM25 over items, without an index (S22, performance.md C.6).
//!
//! A catalog is listed for every search, so an index would be built for one query; counting the query's words in each item
//! costs less. Names and descriptions saturate apart from each other, and a name's least is more than a description's
//! most: a word in a name always outranks the same word in a description.

use super::words::each_word;
use crate::{CatalogItem, Details};

/// The most words of a query that count.
const TERMS_MAX: usize = 16;
/// How soon repeated words stop adding.
const SATURATION: f64 = 1.2;
/// How much the length of a text lessens its hits.
const LENGTH: f64 = 0.3;
/// How much longer than the average a text may count.
const LENGTH_RATIO_MAX: f64 = 4.0;
/// What a hit in a name weighs against one in a description.
const NAME: f64 = 4.0;
/// What the exact name or id adds, so that it stands first.
const EXACT: f64 = 1_000.0;

/// A word of the query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    lower: String,
    /// The word in the singular, as far as English goes.
    stem: String,
}

/// The distinct words of a query, in order.
pub(super) fn terms(query: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    each_word(query, &mut |word| {
        let lower = word.to_lowercase();
        if terms.len() < TERMS_MAX && terms.iter().all(|term| term.lower != lower) {
            let (base, ending) = singular(&lower);
            terms.push(Term { stem: format!("{base}{ending}"), lower });
        }
    });
    terms
}

impl Term {
    /// How well a word of an item matches: 1 for the word itself, less for its plural, a longer word that begins with
    /// it, or a shorter word that begins it (`repo` for `repository`).
    pub(super) fn matches(&self, word: &str) -> f64 {
        if !starts_alike(word, &self.lower) {
            return 0.0;
        }
        let (base, ending) = singular(word);
        if equals(word.chars(), &self.lower) {
            1.0
        } else if equals(base.chars().chain(ending.chars()), &self.stem) {
            0.9
        } else if self.lower.chars().count() >= 3 && begins(word, &self.lower) {
            0.5
        } else if word.chars().count() >= 4 && begins(&self.lower, word) {
            0.3
        } else {
            0.0
        }
    }
}

/// Whether the first characters are the same but for case: most words end here.
fn starts_alike(a: &str, b: &str) -> bool {
    match (a.chars().next(), b.chars().next()) {
        (Some(a), Some(b)) => a == b || a.to_lowercase().eq(b.to_lowercase()),
        _ => false,
    }
}

fn equals(word: impl Iterator<Item = char>, lower: &str) -> bool {
    word.flat_map(char::to_lowercase).eq(lower.chars())
}

/// Whether `long` begins with `short`, whatever their case.
fn begins(long: &str, short: &str) -> bool {
    let mut long = long.chars().flat_map(char::to_lowercase);
    short.chars().flat_map(char::to_lowercase).all(|c| long.next() == Some(c))
}

/// An English word without its plural: what stays of it and what is put in place of the rest.
pub(super) fn singular(word: &str) -> (&str, &'static str) {
    let before = |ending: &str| {
        let at = word.len().checked_sub(ending.len())?;
        let (base, tail) = word.split_at_checked(at)?;
        tail.eq_ignore_ascii_case(ending).then_some(base)
    };
    let ends = |ending: &str| before(ending).filter(|base| base.len() >= 2);
    if let Some(base) = ends("ies") {
        return (base, "y");
    }
    if ["sses", "shes", "ches", "xes", "zes"].iter().any(|ending| ends(ending).is_some()) {
        return (ends("es").unwrap_or(word), "");
    }
    if ["ss", "us", "is"].iter().any(|ending| before(ending).is_some()) {
        return (word, "");
    }
    (ends("s").unwrap_or(word), "")
}

/// How often the terms occur in one text of an item, and how long the text is.
#[derive(Debug, Clone, Default)]
struct Counts {
    of: Vec<f64>,
    words: u32,
}

impl Counts {
    fn add(&mut self, text: &str, terms: &[Term]) {
        self.of.resize(terms.len(), 0.0);
        each_word(text, &mut |word| {
            self.words += 1;
            for (count, term) in self.of.iter_mut().zip(terms) {
                *count += term.matches(word);
            }
        });
    }

    fn hit(&self, term: usize) -> f64 {
        self.of.get(term).copied().unwrap_or_default()
    }

    /// The occurrences of a term as a number below 1.
    fn saturated(&self, term: usize, average: f64) -> f64 {
        let count = self.hit(term);
        let ratio = (f64::from(self.words) / average.max(1.0)).min(LENGTH_RATIO_MAX);
        count / (count + SATURATION * (1.0 - LENGTH + LENGTH * ratio))
    }
}

struct Hit<'a> {
    item: &'a CatalogItem,
    name: Counts,
    text: Counts,
    score: f64,
}

/// The items that hold any of the terms, best first; equal ones in the given order.
pub(super) fn rank<'a>(
    items: impl Iterator<Item = &'a CatalogItem>,
    terms: &[Term],
    query: &str,
) -> Vec<&'a CatalogItem> {
    let mut hits = Vec::new();
    let (mut all, mut name_words, mut text_words) = (0_u32, 0.0, 0.0);
    for item in items {
        let (name, text) = counts(item, terms);
        all += 1;
        name_words += f64::from(name.words);
        text_words += f64::from(text.words);
        if (0..terms.len()).any(|term| name.hit(term) + text.hit(term) > 0.0) {
            let exact = equals(item.id.chars(), query) || equals(item.name.chars(), query);
            hits.push(Hit { item, name, text, score: if exact { EXACT } else { 0.0 } });
        }
    }
    let all = f64::from(all.max(1));
    for term in 0..terms.len() {
        let holding = hits.iter().filter(|hit| hit.name.hit(term) + hit.text.hit(term) > 0.0).count();
        let holding = u32::try_from(holding).map_or(f64::MAX, f64::from);
        let rarity = ((all - holding + 0.5) / (holding + 0.5)).ln_1p();
        for hit in &mut hits {
            let name = hit.name.saturated(term, name_words / all);
            let text = hit.text.saturated(term, text_words / all);
            hit.score += rarity * (NAME * name + text);
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits.into_iter().map(|hit| hit.item).collect()
}

/// The terms in what an item is called and in what is said of it.
fn counts(item: &CatalogItem, terms: &[Term]) -> (Counts, Counts) {
    let (mut name, mut text) = (Counts::default(), Counts::default());
    name.add(&item.name, terms);
    item.title.iter().for_each(|title| name.add(title, terms));
    item.uri().filter(|uri| *uri != item.name).into_iter().for_each(|uri| name.add(uri, terms));
    item.description.iter().for_each(|description| text.add(description, terms));
    item.mime_type.iter().for_each(|mime_type| text.add(mime_type, terms));
    if let Details::Prompt { arguments } = &item.details {
        for argument in arguments {
            text.add(&argument.name, terms);
        }
    }
    (name, text)
}
