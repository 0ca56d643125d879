//! Compiling a pattern so that it cannot match a line end (S27).
//!
//! `[^x]`, `\s` and `(?s:.)` match a line end in a whole buffer, and such a match would hide the line's own. The pattern
//! is parsed and every line end is taken out of it for the search of the whole buffer. The pattern as it was given judges a
//! line by itself. Both say the same, except about a CR: there the second one is right.

use super::{Filter, FilterError};
use crate::PATTERN_COMPILED_MAX_BYTES;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

pub(super) fn compile(pattern: &str) -> Result<Filter, FilterError> {
    // Bytes, not characters: the buffer is searched as bytes, like `regex::bytes` does.
    let parsed = ParserBuilder::new().utf8(false).multi_line(true).build().parse(pattern);
    let hir = parsed.map_err(|error| FilterError { sentence: syntax_sentence(pattern, &error) })?;
    // Compiled first: a pattern that is too large must not be printed, for `\w` is seven kilobytes of ranges.
    let line = build(pattern)?;
    let mut safe = LineSafe { spans_lines: false };
    let scan = build(&safe.rewrite(&hir).to_string())?;
    Ok(Filter { scan, line, spans_lines: safe.spans_lines })
}

fn build(pattern: &str) -> Result<Regex, FilterError> {
    // Not multi-line: a line has no line ends inside of it, and under `(?R)` a lone CR would be one. The printed form of the
    // scan says itself where it means line ends.
    RegexBuilder::new(pattern)
        .size_limit(PATTERN_COMPILED_MAX_BYTES)
        // The printed form has groups that the pattern did not have; its own nesting was checked by the parser.
        .nest_limit(4096)
        .build()
        .map_err(|error| FilterError {
            sentence: match error {
                regex::Error::CompiledTooBig(limit) => format!(
                    "`pattern` compiles to more than {limit} bytes, the limit. Use fewer or smaller repetitions, or `(?-u)`"
                ),
                other => format!("`pattern` does not compile: {other}"),
            },
        })
}

/// The parser's own words, with the place.
fn syntax_sentence(pattern: &str, error: &regex_syntax::Error) -> String {
    let (kind, offset) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span().start.offset),
        other => (other.to_string(), 0),
    };
    let pattern = crate::cut(pattern, 200);
    format!(
        "`pattern` is no regular expression: {kind}, at byte {offset} of `{pattern}`. A literal character is escaped by `\\`"
    )
}

struct LineSafe {
    spans_lines: bool,
}

impl LineSafe {
    /// The same pattern without `\n`, with `\A` and `\z` meaning the line's start and end, and with line ends that may be
    /// CRLF.
    fn rewrite(&mut self, hir: &Hir) -> Hir {
        match hir.kind() {
            HirKind::Empty => Hir::empty(),
            HirKind::Literal(literal) if literal.0.contains(&b'\n') => {
                self.spans_lines = true;
                Hir::fail()
            }
            HirKind::Literal(literal) => Hir::literal(literal.0.clone()),
            HirKind::Class(Class::Unicode(class)) => {
                let mut class = class.clone();
                class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
                Hir::class(Class::Unicode(class))
            }
            HirKind::Class(Class::Bytes(class)) => {
                let mut class = class.clone();
                class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
                Hir::class(Class::Bytes(class))
            }
            HirKind::Look(Look::Start | Look::StartLF) => Hir::look(Look::StartCRLF),
            HirKind::Look(Look::End | Look::EndLF) => Hir::look(Look::EndCRLF),
            HirKind::Look(look) => Hir::look(*look),
            HirKind::Repetition(repetition) => Hir::repetition(repetition.with(self.rewrite(&repetition.sub))),
            // Nobody asks what a group matched.
            HirKind::Capture(capture) => self.rewrite(&capture.sub),
            HirKind::Concat(parts) => Hir::concat(parts.iter().map(|part| self.rewrite(part)).collect()),
            HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(|part| self.rewrite(part)).collect()),
        }
    }
}
