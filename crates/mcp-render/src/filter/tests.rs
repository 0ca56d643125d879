//! The filter against a naive reference, line by line, and ripgrep's format.

use super::*;
use proptest::prelude::*;
use std::fmt::Write;

/// What S27 says, with nothing clever: split, match each line by itself, print.
fn reference(pattern: &str, text: &str) -> String {
    let regex = regex::Regex::new(pattern).unwrap();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    let hits: Vec<usize> = (0..lines.len()).filter(|i| regex.is_match(lines[*i])).collect();
    let mut out = String::new();
    let mut last = None;
    for (i, line) in lines.iter().enumerate() {
        if !hits.iter().any(|hit| hit.abs_diff(i) <= 2) {
            continue;
        }
        if last.is_some_and(|last| last + 1 < i) {
            out += "--\n";
        }
        last = Some(i);
        let mark = if hits.contains(&i) { ':' } else { '-' };
        writeln!(out, "{}{mark}{line}", i + 1).unwrap();
    }
    out
}

#[test]
fn the_output_is_ripgreps() {
    let text =
        (1..=20).map(|i| if i % 9 == 5 { format!("hit {i}\n") } else { format!("line {i}\n") }).collect::<String>();
    insta::assert_snapshot!(Filter::parse("^hit").unwrap().apply(&text), @r"
    3-line 3
    4-line 4
    5:hit 5
    6-line 6
    7-line 7
    --
    12-line 12
    13-line 13
    14:hit 14
    15-line 15
    16-line 16
    ");
}

#[test]
fn adjacent_hunks_are_one() {
    assert_eq!(Filter::parse("x").unwrap().apply("x\n\n\n\n\nx"), "1:x\n2-\n3-\n4-\n5-\n6:x\n");
    assert_eq!(Filter::parse("x").unwrap().apply("x\n\n\n\n\n\nx"), "1:x\n2-\n3-\n--\n5-\n6-\n7:x\n");
}

#[test]
fn a_match_never_spans_lines_and_never_hides_a_lines_own_match() {
    let text = "ax\nbx foo\ncx\nfoo dx\n";
    for pattern in ["[^y]*foo", r"x\s*foo", r"(?s).*foo", r"\W+foo", r"[\s\S]+foo$", r"foo[^y]*"] {
        assert_eq!(Filter::parse(pattern).unwrap().apply(text), reference(pattern, text), "{pattern}");
    }
    assert_eq!(Filter::parse("x\nb").unwrap().apply(text), "");
    assert_eq!(Filter::parse("x\nb|cx").unwrap().apply(text), "1-ax\n2-bx foo\n3:cx\n4-foo dx\n");
}

#[test]
fn crlf_is_one_line_end_and_not_part_of_the_line() {
    let text = "one\r\ntwo\r\nth\rree\r\n";
    assert_eq!(Filter::parse("two$").unwrap().apply(text), "1-one\n2:two\n3-th\rree\n");
    assert_eq!(Filter::parse(r"^th.ree$").unwrap().apply(text), "1-one\n2-two\n3:th\rree\n");
    assert_eq!(Filter::parse(r"^ree").unwrap().apply(text), "", "a lone CR ends no line");
    assert_eq!(
        Filter::parse(r"(?R)^ree$").unwrap().apply(text),
        "",
        "not under the flag for CRLF either (found by the law `filter`)"
    );
    assert_eq!(Filter::parse(r"e\r").unwrap().apply(text), "");
}

#[test]
fn a_leading_bom_is_no_part_of_the_first_line() {
    assert_eq!(Filter::parse("^a$").unwrap().apply("\u{feff}a\nb"), "1:a\n2-b\n");
}

#[test]
fn an_empty_match_behind_the_last_line_end_is_no_line() {
    assert_eq!(Filter::parse("^$").unwrap().apply("a\n"), "");
    assert_eq!(Filter::parse("^$").unwrap().apply("a\n\n"), "1-a\n2:\n");
    assert_eq!(Filter::parse("").unwrap().apply("a\nb\n"), "1:a\n2:b\n");
    assert_eq!(Filter::parse("").unwrap().apply(""), "");
    assert_eq!(Filter::parse(r"\z").unwrap().apply("a\nb"), "1:a\n2:b\n");
}

#[test]
fn a_pattern_over_a_limit_is_refused_with_the_limit() {
    let refused = |pattern: &str| Filter::parse(pattern).unwrap_err().sentence;
    insta::assert_snapshot!(refused(&"a".repeat(4097)), @"`pattern` has 4097 bytes; the limit is 4096 bytes. Use a shorter one");
    insta::assert_snapshot!(refused(r"(\w{50}){50}"), @"`pattern` compiles to more than 1048576 bytes, the limit. Use fewer or smaller repetitions, or `(?-u)`");
    insta::assert_snapshot!(refused("(a"), @r"`pattern` is no regular expression: unclosed group, at byte 0 of `(a`. A literal character is escaped by `\`");
    insta::assert_snapshot!(refused(r"a\p{Nonsense}"), @r"`pattern` is no regular expression: Unicode property not found, at byte 1 of `a\p{Nonsense}`. A literal character is escaped by `\`");
    assert!(Filter::parse(&"(a|".repeat(240)).is_err());
    assert!(Filter::parse(&format!("{}b{}", "(".repeat(240), ")".repeat(240))).is_ok());
    assert!(Filter::parse(&"a".repeat(4096)).is_ok());
}

#[test]
fn a_pattern_of_many_large_classes_is_refused_before_it_is_spelled_out() {
    // Each `\w` is seven kilobytes of ranges.
    assert!(Filter::parse(&r"\w".repeat(2_048)).unwrap_err().sentence.contains("compiles to more than 1048576 bytes"));
    assert!(Filter::parse(&r"\w".repeat(10)).is_ok());
}

#[test]
fn inline_flags_and_anchors_mean_the_line() {
    let text = "Aa b\nb aA\n";
    for pattern in
        [r"(?i)^a+ B$", r"\Ab", r"(?-m)^b", r"\bb\b", r"(?x) a \  b", r"(?-u)\w\W", r"b\B", "(?R)b$", "(?U)a+"]
    {
        assert_eq!(
            Filter::parse(pattern).unwrap().apply(text),
            reference(pattern.trim_start_matches("(?-u)"), text),
            "{pattern}"
        );
    }
}

fn pattern() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        Just("a"),
        Just("b"),
        Just("."),
        Just("^"),
        Just("$"),
        Just(r"\s"),
        Just("[^a]"),
        Just(r"\b"),
        Just(r"\B"),
        Just("é"),
        Just(r"\r"),
        Just(r"(?s:.)"),
        Just(r"\W"),
        Just("(a|b)"),
        Just(r"\A"),
        Just(r"\z"),
        Just("(?i:É)"),
        Just(r"(^|a)"),
    ];
    let repeat = prop_oneof![4 => Just(""), 1 => Just("*"), 1 => Just("+"), 1 => Just("?"), 1 => Just("{2}")];
    prop::collection::vec((atom, repeat), 0..6).prop_map(|parts| {
        parts.into_iter().map(|(atom, repeat)| format!("(?:{atom}){repeat}")).collect::<Vec<_>>().concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_filter_equals_a_naive_reference(pattern in pattern(), text in r"(\x{feff})?([abéÉ \r\n.]{0,6}(\n|\r\n|\r)?){0,12}") {
        let filter = Filter::parse(&pattern).unwrap();
        prop_assert_eq!(filter.apply(&text), reference(&pattern, &text), "{}", pattern);
    }
}

proptest! {
    #[test]
    fn a_window_is_a_part_of_the_filtered_text(
        text in "([ab漢]{0,5}\n){0,40}",
        offset in 0u64..200,
        max in 0usize..50,
    ) {
        let filter = Filter::parse("a").unwrap();
        let whole = filter.apply(&text);
        let extract = filter.extract(text.as_bytes(), offset, max);
        let start = whole.len().min(usize::try_from(offset).unwrap());
        prop_assert_eq!(extract.total, whole.len() as u64);
        prop_assert_eq!(extract.at, start as u64);
        prop_assert_eq!(&extract.bytes[..], &whole.as_bytes()[start..whole.len().min(start + max + SLACK)]);
    }

    #[test]
    fn no_pattern_makes_it_panic(pattern in any::<String>(), text in any::<String>()) {
        if let Ok(filter) = Filter::parse(&pattern) {
            prop_assert!(filter.apply(&text).is_empty() || !text.is_empty());
        }
    }
}
