//! What a page shows against what came. A line `…` stands for any lines, and a `…` in a line for any part of it.

/// Whether these lines are what is shown.
pub(crate) fn is_as_shown(shown: &[String], came: &[&str]) -> bool {
    match shown.split_first() {
        None => came.is_empty(),
        Some((line, rest)) if line == "…" => (0..=came.len()).any(|skip| is_as_shown(rest, &came[skip..])),
        Some((line, rest)) => {
            came.split_first().is_some_and(|(first, others)| is_line(line, first) && is_as_shown(rest, others))
        }
    }
}

fn is_line(shown: &str, came: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else { return shown.trim_end() == came.trim_end() };
    let Some(mut came) = came.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = came.find(part) else { return false };
        came = &came[at + part.len()..];
    }
    came.trim_end().ends_with(end.trim_end())
}

#[test]
fn what_is_shown_must_come_line_by_line_but_where_it_is_left_out() {
    let is = |shown: &str, came: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        is_as_shown(&shown, &came.lines().collect::<Vec<_>>())
    };
    assert!(is("a\nb", "a\nb") && is("a\n…", "a\nb\nc") && is("…\nc", "c") && is("a…c…", "abcd") && is("", ""));
    assert!(!is("a", "a\nb") && !is("a\nb", "a") && !is("a…c", "abd") && !is("…\nc", "a\nb") && !is("a", ""));
}
