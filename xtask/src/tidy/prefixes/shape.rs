//! What is done with a prefix at the place where it stands, and so what to call instead.
//!
//! It looks at the call or macro around the place and at what follows in the same statement; it never decides whether a
//! place is a finding.

use crate::tokens::{Token, near, starts_with};

/// What is done by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Compared,
    Stripped,
    Replaced,
    Formatted,
    Held,
}

impl Shape {
    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::Compared => "and a name is compared with it by hand",
            Self::Stripped => "and a name is stripped by hand",
            Self::Replaced => "and a name is replaced by hand, which corrupts one that holds it twice",
            Self::Formatted => "and a name is formatted by hand",
            Self::Held => "outside the table",
        }
    }

    pub(super) const fn instead(self) -> &'static str {
        match self {
            Self::Compared => {
                "Call `mcp_meta::is_mcp_meta_function`; for the verb or the server of a name, `mcp_meta::MetaName::parse`"
            }
            Self::Stripped | Self::Replaced => {
                "Call `mcp_meta::route` for a call, `mcp_meta::MetaName::parse` for a name by itself"
            }
            Self::Formatted => {
                "Call `mcp_meta::MetaName::of`; for all names of a server, `mcp_meta::mcp_meta_function_names`"
            }
            Self::Held => {
                "Call `mcp_meta::MetaName::of` to make a name, `mcp_meta::route` to take one apart, \
                 `mcp_meta::is_mcp_meta_function` to ask"
            }
        }
    }
}

const COMPARING: &[&str] = &[
    "starts_with",
    "ends_with",
    "contains",
    "eq",
    "ne",
    "eq_ignore_ascii_case",
    "cmp",
    "find",
    "matches",
    "assert_eq",
];
const STRIPPING: &[&str] = &[
    "strip_prefix",
    "strip_suffix",
    "trim_start_matches",
    "trim_end_matches",
    "trim_matches",
    "split",
    "splitn",
    "split_once",
    "rsplit",
    "rsplit_once",
    "split_at",
    "split_off",
    "split_terminator",
    "split_inclusive",
    "drain",
];
const REPLACING: &[&str] = &["replace", "replacen", "replace_range"];
const FORMATTING: &[&str] = &[
    "format",
    "format_args",
    "concat",
    "write",
    "writeln",
    "print",
    "println",
    "eprint",
    "eprintln",
    "push_str",
    "insert_str",
    "join",
    "extend",
    "anyhow",
    "bail",
    "panic",
    "debug",
    "info",
    "warn",
    "error",
    "trace",
];

/// What is done with the token at `at`.
pub(super) fn of(tokens: &[&Token], at: usize) -> Shape {
    if is_operand(tokens, at) {
        return Shape::Compared;
    }
    let around = enclosing_calls(tokens, at);
    let ahead = rest_of_statement(tokens, at);
    let named = around.into_iter().chain(ahead).find_map(shape_of_name);
    named.unwrap_or(if is_summand(tokens, at) { Shape::Formatted } else { Shape::Held })
}

/// Whether the token at `at` is what a name is compared, stripped, split or replaced with.
pub(super) fn takes_apart(tokens: &[&Token], at: usize) -> bool {
    let by = enclosing_calls(tokens, at).first().and_then(|name| shape_of_name(name));
    matches!(by, Some(Shape::Compared | Shape::Stripped | Shape::Replaced)) && starts_with(tokens, at + 1, &[")"])
}

/// Whether the token at `at` is part of a `use`.
pub(super) fn in_use_item(tokens: &[&Token], at: usize) -> bool {
    let mut before = tokens.iter().take(at).rev();
    before
        .find_map(|token| if token.is(';') { Some(false) } else { token.is_ident("use").then_some(true) })
        .unwrap_or(false)
}

fn shape_of_name(name: &str) -> Option<Shape> {
    let lists = [
        (COMPARING, Shape::Compared),
        (STRIPPING, Shape::Stripped),
        (REPLACING, Shape::Replaced),
        (FORMATTING, Shape::Formatted),
    ];
    lists.into_iter().find(|(list, _)| list.contains(&name)).map(|(_, shape)| shape)
}

/// `name == X`, `X != name`, and `X =>` or `X |` in a match.
fn is_operand(tokens: &[&Token], at: usize) -> bool {
    // `MCP…[0] == name`: the index belongs to the operand.
    let mut after = at + 1;
    while starts_with(tokens, after, &["["]) {
        after = crate::tokens::after_group(tokens, after);
    }
    let ahead = ["=", "!"].iter().any(|sign| starts_with(tokens, after, &[sign, "="]));
    let arm = starts_with(tokens, after, &["=", ">"]) || starts_with(tokens, after, &["|"]);
    let mut start = at;
    while start
        .checked_sub(1)
        .and_then(|i| tokens.get(i))
        .is_some_and(|t| t.is(':') || t.is('*') || t.is('&') || t.ident().is_some())
    {
        start -= 1;
    }
    let behind = start
        .checked_sub(2)
        .is_some_and(|i| starts_with(tokens, i, &["=", "="]) || starts_with(tokens, i, &["!", "="]));
    ahead || arm || behind
}

fn is_summand(tokens: &[&Token], at: usize) -> bool {
    let plus = |token: Option<&Token>| token.is_some_and(|token| token.is('+'));
    plus(near(tokens, at, -1)) || plus(near(tokens, at, -2)) || plus(near(tokens, at, 1)) || plus(near(tokens, at, 5))
}

/// The names before the brackets around `at`, innermost first, up to the statement's own.
fn enclosing_calls<'a>(tokens: &[&'a Token], at: usize) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for index in (0..at).rev() {
        let Some(token) = tokens.get(index) else { break };
        match token.kind {
            crate::tokens::Kind::Close(_) => depth += 1,
            crate::tokens::Kind::Open(_) if depth > 0 => depth -= 1,
            crate::tokens::Kind::Open(_) => {
                let offset = if near(tokens, index, -1).is_some_and(|before| before.is('!')) { -2 } else { -1 };
                names.extend(near(tokens, index, offset).and_then(Token::ident));
            }
            crate::tokens::Kind::Punct(';') if depth == 0 => break,
            _ => {}
        }
    }
    names
}

/// The names of what is called after `at` in the same statement.
fn rest_of_statement<'a>(tokens: &[&'a Token], at: usize) -> Vec<&'a str> {
    let rest = tokens.iter().enumerate().skip(at + 1).take_while(|(_, token)| !token.is(';') && !token.is('}'));
    let called = |index: usize| starts_with(tokens, index + 1, &["("]) || starts_with(tokens, index + 1, &["!"]);
    rest.filter(|(index, _)| called(*index)).filter_map(|(_, token)| token.ident()).collect()
}
