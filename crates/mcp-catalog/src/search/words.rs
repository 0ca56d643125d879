//! The words of a text, as slices of it: no string per word (S22).
//!
//! A text is split at everything that is no letter or digit, `_ - . / :` included, and at case changes. A word that holds
//! a case change counts whole too, so that `github` finds `GitHub` and `hub` does.

use unicode_segmentation::UnicodeSegmentation;

/// Calls `visit` for every word of `text`, in order, each whole word after its parts.
pub(super) fn each_word<'a>(text: &'a str, visit: &mut impl FnMut(&'a str)) {
    if text.is_ascii() {
        // The common case needs no tables.
        each_ascii_word(text, visit);
    } else {
        // Scripts without spaces need them: each ideograph is a word.
        for word in text.unicode_words() {
            word.split(is_ascii_separator).for_each(|run| each_part(run, visit));
        }
    }
}

/// The same for ASCII, looking at every byte once.
fn each_ascii_word<'a>(text: &'a str, visit: &mut impl FnMut(&'a str)) {
    let mut start = 0;
    // Most words are lower case throughout, but for their first letter perhaps.
    let mut mixed = false;
    let mut end_at = |start: usize, end: usize, mixed: bool| match text.get(start..end) {
        None | Some("") => {}
        Some(run) if mixed => each_part(run, visit),
        Some(word) => visit(word),
    };
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_alphanumeric() {
            mixed |= byte.is_ascii_uppercase() && at > start;
        } else {
            end_at(start, at, mixed);
            start = at + 1;
            mixed = false;
        }
    }
    end_at(start, text.len(), mixed);
}

fn is_ascii_separator(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphanumeric()
}

/// The parts of a run between case changes, and the run itself when it has several.
fn each_part<'a>(run: &'a str, visit: &mut impl FnMut(&'a str)) {
    let mut start = 0;
    let mut previous: Option<char> = None;
    let mut chars = run.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        if previous.is_some_and(|previous| changes(previous, c, next_is_lower)) {
            run.get(start..at).into_iter().for_each(&mut *visit);
            start = at;
        }
        previous = Some(c);
    }
    if start > 0 {
        run.get(start..).into_iter().for_each(&mut *visit);
    }
    if !run.is_empty() {
        visit(run);
    }
}

/// Whether a word begins at `c`: `fooBar`, `v2Beta`, and the `S` of `HTTPServer`.
fn changes(previous: char, c: char, next_is_lower: bool) -> bool {
    c.is_uppercase() && (!previous.is_uppercase() || next_is_lower)
}

#[cfg(test)]
mod tests {
    use super::{each_part, each_word, is_ascii_separator};
    use proptest::prelude::*;
    use rstest::rstest;
    use unicode_segmentation::UnicodeSegmentation;

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        each_word(text, &mut |word| words.push(word));
        words
    }

    #[rstest]
    #[case::underscore("search_issues", &["search", "issues"])]
    #[case::separators("a-b.c/d:e f", &["a", "b", "c", "d", "e", "f"])]
    #[case::camel("searchIssues", &["search", "Issues", "searchIssues"])]
    #[case::acronym("getHTTPResponse2", &["get", "HTTP", "Response2", "getHTTPResponse2"])]
    #[case::brand("GitHub", &["Git", "Hub", "GitHub"])]
    #[case::digits("log4j s3Bucket", &["log4j", "s3", "Bucket", "s3Bucket"])]
    #[case::uri("docs://guide/start.md?x=1", &["docs", "guide", "start", "md", "x", "1"])]
    #[case::shouting("README", &["README"])]
    #[case::german("Größe_maxWert", &["Größe", "max", "Wert", "maxWert"])]
    #[case::ideographs("搜索 issues", &["搜", "索", "issues"])]
    #[case::apostrophe("don't", &["don", "t"])]
    #[case::none("://*…", &[])]
    #[case::empty("", &[])]
    fn words_end_at_separators_and_case_changes(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(words(text), expected);
    }

    proptest! {
        #[test]
        fn the_short_cut_for_ascii_agrees_with_the_tables(text in "[ -~]{0,40}") {
            let mut by_tables = Vec::new();
            for word in text.unicode_words() {
                word.split(is_ascii_separator).for_each(|run| each_part(run, &mut |word| by_tables.push(word)));
            }
            prop_assert_eq!(words(&text), by_tables);
        }

        #[test]
        fn every_word_is_a_slice_of_its_text(text in "\\PC{0,40}") {
            for word in words(&text) {
                prop_assert!(text.contains(word) && !word.is_empty());
            }
        }
    }
}
