//! RFC 6570 up to level 3, and prefixes, for the example in a refusal (S37, C61).
//!
//! Values are texts: lists and maps, which level 4 is about, are none of its. It never guesses: an expression that the RFC
//! does not know, or keeps for later, has no expansion, and so has one that would be too long.

use super::{VALUE, encoded_literal, is_name};
use percent_encoding::utf8_percent_encode;

/// How an operator writes its variables: the table of the RFC's appendix A.
struct Style {
    first: &'static str,
    between: &'static str,
    named: bool,
    /// What follows the name of an empty value.
    empty: &'static str,
    /// Reserved characters and triplets stay.
    reserved: bool,
}

/// An expression without its braces, expanded. `value` knows the variables; one without a value is left out.
pub(super) fn expand<'a>(expression: &str, value: impl Fn(&str) -> Option<&'a str>, limit: usize) -> Option<String> {
    let (style, list) = style(expression)?;
    let mut expanded = String::new();
    for spec in list.split(',') {
        let (name, prefix) = variable(spec)?;
        let Some(text) = value(name) else { continue };
        expanded.push_str(if expanded.is_empty() { style.first } else { style.between });
        if style.named {
            expanded.push_str(name);
            expanded.push_str(if text.is_empty() { style.empty } else { "=" });
        }
        let text = prefix
            .and_then(|count| text.char_indices().nth(count))
            .and_then(|(end, _)| text.get(..end))
            .unwrap_or(text);
        if text.len() > limit {
            return None;
        }
        if style.reserved {
            expanded.push_str(&encoded_literal(text));
        } else {
            expanded.extend(utf8_percent_encode(text, VALUE));
        }
        if expanded.len() > limit {
            return None;
        }
    }
    Some(expanded)
}

fn style(expression: &str) -> Option<(Style, &str)> {
    let first = expression.chars().next()?;
    let simple = Style { first: "", between: ",", named: false, empty: "", reserved: false };
    let style = match first {
        '+' => Style { reserved: true, ..simple },
        '#' => Style { first: "#", reserved: true, ..simple },
        '.' => Style { first: ".", between: ".", ..simple },
        '/' => Style { first: "/", between: "/", ..simple },
        ';' => Style { first: ";", between: ";", named: true, ..simple },
        '?' => Style { first: "?", between: "&", named: true, empty: "=", ..simple },
        '&' => Style { first: "&", between: "&", named: true, empty: "=", ..simple },
        // An operator that is kept for later is no name either.
        _ => return Some((simple, expression)),
    };
    Some((style, expression.get(first.len_utf8()..)?))
}

/// A variable, and how many characters of it are wanted.
fn variable(spec: &str) -> Option<(&str, Option<usize>)> {
    let (name, prefix) = match spec.split_once(':') {
        Some((name, count)) => {
            let is_count = matches!(count.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.len() < 4);
            (name, Some(count.parse().ok().filter(|_| is_count)?))
        }
        // Of a text, which is no list, nothing is exploded.
        None => (spec.strip_suffix('*').unwrap_or(spec), None),
    };
    (!name.is_empty() && is_name(name)).then_some((name, prefix))
}

#[cfg(test)]
mod tests;
