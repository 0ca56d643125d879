//! A file as one flat row of tokens, with macro bodies and attributes in it, but without comments and doc attributes.
//!
//! It knows no grammar. The checks look for short sequences (`println` `!`, `io` `::` `stdout`), and a macro's body hides
//! none of them, as it would from a walk over the syntax tree.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use std::iter::Peekable;

#[cfg(test)]
mod tests;

/// One token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: LineColumn,
    pub(crate) end: LineColumn,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Ident(String),
    Punct(char),
    /// The value of a string literal of any kind: plain, raw, byte or C; bytes that are not UTF-8 are replaced.
    Text(String),
    /// Any other literal, as written.
    Literal(String),
    Open(char),
    Close(char),
}

impl Token {
    /// Whether this is the identifier `name`.
    pub(crate) fn is_ident(&self, name: &str) -> bool {
        matches!(&self.kind, Kind::Ident(ident) if ident == name)
    }

    /// The identifier's name.
    pub(crate) fn ident(&self) -> Option<&str> {
        match &self.kind {
            Kind::Ident(name) => Some(name),
            _ => None,
        }
    }

    /// The value of a string literal.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(value) => Some(value),
            _ => None,
        }
    }

    /// Whether this is the punctuation or the bracket `c`.
    pub(crate) fn is(&self, c: char) -> bool {
        matches!(self.kind, Kind::Punct(p) | Kind::Open(p) | Kind::Close(p) if p == c)
    }

    /// The line, from 1.
    pub(crate) const fn line(&self) -> usize {
        self.start.line
    }
}

/// The token at `at + offset`, where `offset` may point backwards.
pub(crate) fn near<'a>(tokens: &[&'a Token], at: usize, offset: isize) -> Option<&'a Token> {
    at.checked_add_signed(offset).and_then(|index| tokens.get(index)).copied()
}

/// Whether the tokens from `at` on are those of `pattern`: words are identifiers, single signs are punctuation or brackets.
pub(crate) fn starts_with(tokens: &[&Token], at: usize, pattern: &[&str]) -> bool {
    pattern.iter().enumerate().all(|(offset, expected)| {
        at.checked_add(offset).and_then(|index| tokens.get(index)).is_some_and(|token| match &token.kind {
            Kind::Ident(name) => name == expected,
            Kind::Punct(c) | Kind::Open(c) | Kind::Close(c) => expected.chars().eq(std::iter::once(*c)),
            Kind::Text(_) | Kind::Literal(_) => false,
        })
    })
}

/// The index after the bracket that closes the one at `open`; the end of the row when there is none.
pub(crate) fn after_group(tokens: &[&Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// A `const` or `static` item.
pub(crate) struct Constant<'t, 'a> {
    pub(crate) name: &'a str,
    /// The tokens of its type.
    pub(crate) kind: &'t [&'a Token],
    /// The tokens of its value.
    pub(crate) value: &'t [&'a Token],
}

/// The constant or static that begins at `at`.
pub(crate) fn constant<'t, 'a>(tokens: &'t [&'a Token], at: usize) -> Option<Constant<'t, 'a>> {
    let keyword = near(tokens, at, 0)?.ident()?;
    let name = near(tokens, at, 1)?.ident()?;
    // `<const N: usize>` is a parameter.
    let parameter = near(tokens, at, -1).is_some_and(|token| token.is('<') || token.is(','));
    if !["const", "static"].contains(&keyword) || !starts_with(tokens, at + 2, &[":"]) || parameter {
        return None;
    }
    let rest = tokens.get(at + 3..)?;
    let item = rest.get(..end_of_item(rest)?)?;
    let equals = item.iter().position(|token| token.is('='))?;
    Some(Constant { name, kind: item.get(..equals)?, value: item.get(equals + 1..)? })
}

/// The index of the `;` that ends the item, brackets stepped over.
fn end_of_item(tokens: &[&Token]) -> Option<usize> {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.kind {
            Kind::Open(_) => at = after_group(tokens, at),
            Kind::Punct(';') => return Some(at),
            Kind::Close(_) => return None,
            _ => at += 1,
        }
    }
    None
}

/// All tokens of `stream`, in order.
pub(crate) fn flatten(stream: TokenStream) -> Vec<Token> {
    let mut row = Vec::new();
    push_all(stream, &mut row);
    row
}

fn push_all(stream: TokenStream, row: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let span = tree.span();
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '#' && skip_doc(&mut trees) => {}
            TokenTree::Punct(punct) => row.push(token(Kind::Punct(punct.as_char()), span.start(), span.end())),
            TokenTree::Ident(ident) => row.push(token(Kind::Ident(ident.to_string()), span.start(), span.end())),
            TokenTree::Literal(literal) => row.push(token(literal_kind(&literal), span.start(), span.end())),
            TokenTree::Group(group) => {
                let brackets = match group.delimiter() {
                    Delimiter::Parenthesis => Some(('(', ')')),
                    Delimiter::Brace => Some(('{', '}')),
                    Delimiter::Bracket => Some(('[', ']')),
                    Delimiter::None => None,
                };
                let (open, close) = (group.span_open(), group.span_close());
                row.extend(brackets.map(|(sign, _)| token(Kind::Open(sign), open.start(), open.end())));
                push_all(group.stream(), row);
                row.extend(brackets.map(|(_, sign)| token(Kind::Close(sign), close.start(), close.end())));
            }
        }
    }
}

const fn token(kind: Kind, start: LineColumn, end: LineColumn) -> Token {
    Token { kind, start, end }
}

/// Steps over the rest of `#[doc = …]` or `#![doc = …]`, which is also what `///` and `//!` become. Any other attribute
/// is left alone.
fn skip_doc(trees: &mut Peekable<proc_macro2::token_stream::IntoIter>) -> bool {
    let mut ahead = trees.clone();
    let inner = matches!(ahead.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!');
    if inner {
        ahead.next();
    }
    let Some(TokenTree::Group(group)) = ahead.next() else { return false };
    let mut inside = group.stream().into_iter();
    let named = matches!(inside.next(), Some(TokenTree::Ident(ident)) if ident == "doc");
    let valued = matches!(inside.next(), Some(TokenTree::Punct(p)) if p.as_char() == '=');
    if group.delimiter() != Delimiter::Bracket || !named || !valued {
        return false;
    }
    *trees = ahead;
    true
}

fn literal_kind(literal: &proc_macro2::Literal) -> Kind {
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) => Kind::Text(text.value()),
        syn::Lit::ByteStr(bytes) => Kind::Text(String::from_utf8_lossy(&bytes.value()).into_owned()),
        syn::Lit::CStr(text) => Kind::Text(text.value().to_string_lossy().into_owned()),
        _ => Kind::Literal(literal.to_string()),
    }
}
