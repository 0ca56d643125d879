//! Strings that are put together where they stand: what `concat!`, a format macro, `join` and `+` make of their literals.
//!
//! It evaluates nothing but literals. Whatever else is a piece becomes the hole `{}`, so `mcp` and a hole still show.

use crate::tokens::{Kind, Token, after_group, near, starts_with};

/// A string made of several.
pub(super) struct Glued {
    /// What makes it: a word for the message.
    pub(super) kind: &'static str,
    /// The whole.
    pub(super) text: String,
    /// Its literals, as they stand.
    pub(super) parts: Vec<String>,
}

const HOLE: &str = "{}";

/// The string that is put together from `at` on.
pub(super) fn at(tokens: &[&Token], at: usize) -> Option<Glued> {
    match &near(tokens, at, 0)?.kind {
        Kind::Ident(_) if starts_with(tokens, at + 1, &["!"]) => macro_call(tokens, at),
        Kind::Open('[') => joined(tokens, at),
        Kind::Punct('+') => Some(summed(tokens, at)),
        _ => None,
    }
}

/// What `stringify!` at `at` spells.
pub(super) fn stringified(tokens: &[&Token], at: usize) -> Option<String> {
    let inside = group(tokens, at + 2)?;
    Some(inside.iter().filter_map(|token| token.ident().or(token.text())).collect())
}

/// The tokens between the brackets that open at `open`.
fn group<'t, 'a>(tokens: &'t [&'a Token], open: usize) -> Option<&'t [&'a Token]> {
    matches!(near(tokens, open, 0)?.kind, Kind::Open(_)).then_some(())?;
    tokens.get(open + 1..after_group(tokens, open).checked_sub(1)?)
}

/// The pieces between commas.
fn pieces<'t, 'a>(inside: &'t [&'a Token]) -> Vec<&'t [&'a Token]> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(token) = inside.get(at) {
        match token.kind {
            Kind::Open(_) => at = after_group(inside, at),
            Kind::Punct(',') => {
                pieces.extend(inside.get(start..at));
                at += 1;
                start = at;
            }
            _ => at += 1,
        }
    }
    pieces.extend(inside.get(start..).filter(|last| !last.is_empty()));
    pieces
}

/// The value of one piece when it is a literal, bare or through `to_owned`, `String::from` and their like.
fn value(piece: &[&Token]) -> Option<String> {
    if starts_with(piece, 0, &["concat", "!"]) {
        return macro_call(piece, 0).map(|glued| glued.text);
    }
    if starts_with(piece, 0, &["stringify", "!"]) {
        return stringified(piece, 0);
    }
    let mut texts = piece.iter().filter_map(|token| token.text());
    let (first, second) = (texts.next()?, texts.next());
    let plain = piece.iter().all(|token| match &token.kind {
        Kind::Text(_) | Kind::Ident(_) | Kind::Open('(') | Kind::Close(')') => true,
        Kind::Punct(c) => ['.', ':', '&', '*', '='].contains(c),
        _ => false,
    });
    (plain && second.is_none()).then(|| first.to_owned())
}

fn macro_call(tokens: &[&Token], at: usize) -> Option<Glued> {
    let arguments = pieces(group(tokens, at + 2)?);
    if near(tokens, at, 0)?.is_ident("concat") {
        let values: Vec<Option<String>> = arguments.iter().map(|piece| value(piece)).collect();
        let text = values.iter().map(|value| value.as_deref().unwrap_or(HOLE)).collect();
        return Some(Glued { kind: "`concat!`", text, parts: values.into_iter().flatten().collect() });
    }
    // Any macro with a format string: `format!`, `write!`, `bail!`, `tracing::warn!`, our own.
    let first =
        arguments.iter().position(|piece| matches!(piece, [only] if only.text().is_some_and(|t| t.contains('{'))))?;
    let format = arguments.get(first).and_then(|piece| value(piece))?;
    let values: Vec<(Option<&str>, Option<String>)> = arguments
        .iter()
        .skip(first + 1)
        .map(|piece| {
            let named = starts_with(piece, 1, &["="]) && !starts_with(piece, 2, &["="]);
            (piece.first().filter(|_| named).and_then(|token| token.ident()), value(piece))
        })
        .collect();
    let mut parts: Vec<String> = values.iter().filter_map(|(_, value)| value.clone()).collect();
    parts.push(format.clone());
    Some(Glued { kind: "format", text: fill(&format, &values), parts })
}

/// The format string with its literal arguments filled in; every other hole stays a hole.
fn fill(format: &str, values: &[(Option<&str>, Option<String>)]) -> String {
    let mut text = String::new();
    let mut rest = format;
    let mut next = 0;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        if let Some(escaped) = after.strip_prefix('{') {
            text.push('{');
            rest = escaped;
            continue;
        }
        let Some((hole, after)) = after.split_once('}') else { break };
        rest = after;
        let name = hole.split(':').next().unwrap_or_default();
        let found = if name.is_empty() {
            next += 1;
            values.get(next - 1)
        } else if let Ok(index) = name.parse::<usize>() {
            values.get(index)
        } else {
            values.iter().find(|(given, _)| *given == Some(name))
        };
        text.push_str(found.and_then(|(_, value)| value.as_deref()).unwrap_or(HOLE));
    }
    text.push_str(rest);
    text
}

/// `["mcp", verb].join("_")` and `[…].concat()`.
fn joined(tokens: &[&Token], at: usize) -> Option<Glued> {
    let after = after_group(tokens, at);
    let separator = if starts_with(tokens, after, &[".", "join", "("]) {
        near(tokens, after, 3)?.text()?
    } else if starts_with(tokens, after, &[".", "concat", "("]) {
        ""
    } else {
        return None;
    };
    let values: Vec<Option<String>> = pieces(group(tokens, at)?).into_iter().map(value).collect();
    let shown: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or(HOLE)).collect();
    Some(Glued { kind: "join", text: shown.join(separator), parts: values.into_iter().flatten().collect() })
}

/// `"mcp".to_owned() + "_read"`: the literal last seen before the `+`, and the one after it.
fn summed(tokens: &[&Token], at: usize) -> Glued {
    let before =
        tokens.iter().take(at).rev().take(6).take_while(|t| !t.is(';') && !t.is('+') && !t.is('=') && !t.is('{'));
    let left = before.into_iter().find_map(|token| token.text()).unwrap_or(HOLE);
    let right = tokens.iter().skip(at + 1).take(5).take_while(|t| !t.is(';') && !t.is('+') && !t.is('}'));
    let right = right.into_iter().find_map(|token| token.text()).unwrap_or(HOLE);
    let parts = [left, right].into_iter().filter(|part| *part != HOLE).map(str::to_owned).collect();
    Glued { kind: "sum", text: format!("{left}{right}"), parts }
}
