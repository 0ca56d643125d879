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
struct Term {
    lower: String,
    /// The word in the singular, as far as English goes.
    stem: String,
}

/// The distinct words of a query, in order.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    terms: Vec<Term>,
    /// Whether a word that begins with this byte can match: the one look that most words of an item get.
    beginnings: [bool; 256],
}

impl Terms {
    /// The words of `query`.
    pub(super) fn of(query: &str) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        each_word(query, &mut |word| {
            let lower = word.to_lowercase();
            if terms.len() < TERMS_MAX && terms.iter().all(|term| term.lower != lower) {
                let (base, ending) = singular(&lower);
                terms.push(Term { stem: format!("{base}{ending}"), lower });
            }
        });
        let mut beginnings = [false; 256];
        for (byte, may_begin) in (0..=u8::MAX).zip(&mut beginnings) {
            // Beyond ASCII, case changes bytes; those words are compared in full.
            *may_begin = !byte.is_ascii()
                || terms.iter().any(|term| {
                    term.lower
                        .bytes()
                        .next()
                        .is_some_and(|first| !first.is_ascii() || first == byte.to_ascii_lowercase())
                });
        }
        Self { terms, beginnings }
    }

    /// Whether there is no word to search for.
    pub(super) const fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn may_match(&self, word: &str) -> bool {
        word.bytes().next().and_then(|first| self.beginnings.get(usize::from(first))).copied().unwrap_or_default()
    }
}

impl Term {
    /// How well a word of an item matches: 1 for the word itself, less for its plural, a longer word that begins with
    /// it, or a shorter word that begins it (`repo` for `repository`).
    fn matches(&self, word: &str) -> f64 {
        let (common, its) = in_common(word, &self.lower);
        let mine = self.lower.len();
        if common == mine && common == its {
            1.0
        } else if common < 2 {
            0.0
        } else if common + 3 >= mine.max(its) && self.is_plural_of(word) {
            0.9
        } else if common == mine && self.lower.chars().count() >= 3 {
            0.5
        } else if common == its && word.chars().count() >= 4 {
            0.3
        } else {
            0.0
        }
    }

    fn is_plural_of(&self, word: &str) -> bool {
        let (base, ending) = singular(word);
        equals(base.chars().chain(ending.chars()), &self.stem)
    }
}

/// How many bytes a word and one in lower case begin alike with, but for case, and how many the word has in lower case.
fn in_common(word: &str, lower: &str) -> (usize, usize) {
    if word.is_ascii() {
        let alike = word.bytes().zip(lower.bytes()).take_while(|(a, b)| a.to_ascii_lowercase() == *b).count();
        return (alike, word.len());
    }
    let (mut common, mut length) = (0, 0);
    let mut theirs = lower.chars();
    for c in word.chars().flat_map(char::to_lowercase) {
        if common == length && theirs.next() == Some(c) {
            common += c.len_utf8();
        }
        length += c.len_utf8();
    }
    (common, length)
}

fn equals(word: impl Iterator<Item = char>, lower: &str) -> bool {
    word.flat_map(char::to_lowercase).eq(lower.chars())
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
    of: [f64; TERMS_MAX],
    words: u32,
}

impl Counts {
    fn add(&mut self, text: &str, terms: &Terms) {
        each_word(text, &mut |word| {
            self.words = self.words.saturating_add(1);
            if terms.may_match(word) {
                for (count, term) in self.of.iter_mut().zip(&terms.terms) {
                    *count += term.matches(word);
                }
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

/// An item that holds some of the terms.
struct Hit<'a> {
    item: &'a CatalogItem,
    name: Counts,
    text: Counts,
}

impl Hit<'_> {
    fn holds(&self, term: usize) -> bool {
        self.name.hit(term) + self.text.hit(term) > 0.0
    }
}

/// The items that hold any of the terms, best first; equal ones in the given order. `query` in lower case is the whole
/// of what was asked, for an exact name.
pub(super) fn rank<'a>(
    items: impl Iterator<Item = &'a CatalogItem>,
    terms: &Terms,
    query: &str,
) -> Vec<&'a CatalogItem> {
    let count = terms.terms.len();
    let mut hits = Vec::new();
    let (mut all, mut name_words, mut text_words) = (0_u32, 0.0, 0.0);
    for item in items {
        let hit = Hit::of(item, terms);
        all = all.saturating_add(1);
        name_words += f64::from(hit.name.words);
        text_words += f64::from(hit.text.words);
        if (0..count).any(|term| hit.holds(term)) {
            hits.push(hit);
        }
    }
    let all = f64::from(all.max(1));
    let rarity: Vec<f64> = (0..count)
        .map(|term| {
            let holding = hits.iter().filter(|hit| hit.holds(term)).count();
            let holding = u32::try_from(holding).map_or(f64::MAX, f64::from);
            ((all - holding + 0.5) / (holding + 0.5)).ln_1p()
        })
        .collect();
    let score = |hit: &Hit<'_>| {
        let exact = equals(hit.item.id.chars(), query) || equals(hit.item.name.chars(), query);
        let sum: f64 = rarity
            .iter()
            .enumerate()
            .map(|(term, rarity)| {
                let name = hit.name.saturated(term, name_words / all);
                let text = hit.text.saturated(term, text_words / all);
                rarity * (NAME * name + text)
            })
            .sum();
        sum + if exact { EXACT } else { 0.0 }
    };
    let mut scored: Vec<_> = hits.iter().map(|hit| (score(hit), hit.item)).collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().map(|(_, item)| item).collect()
}

impl<'a> Hit<'a> {
    /// The terms in what an item is called and in what is said of it.
    fn of(item: &'a CatalogItem, terms: &Terms) -> Self {
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
        Self { item, name, text }
    }
}
