//! Code in the colours of its language, line by line.
//!
//! Syntaxes and theme are loaded when the first block of a known language comes, never before. The theme names the
//! terminal's own sixteen colours, so that code is readable on a light and on a dark ground. Lines and blocks over their
//! limits stay as they are, since a grammar may take long over them.

use super::{
    Style,
    run::{Ink, Run},
};
use mcp_render::{HIGHLIGHTED_CODE_BYTES, HIGHLIGHTED_LINE_BYTES};
use nu_ansi_term::Color;
use std::sync::OnceLock;
use syntect::{
    easy::HighlightLines,
    highlighting::{self, FontStyle, Theme},
    parsing::SyntaxSet,
};
use two_face::theme::EmbeddedThemeName;

/// The syntaxes and the theme.
struct Grammars {
    syntaxes: SyntaxSet,
    theme: Theme,
}

static GRAMMARS: OnceLock<Grammars> = OnceLock::new();

/// The lines of one code block.
pub(super) struct Colours {
    lines: Option<HighlightLines<'static>>,
    /// How much of the block may still be coloured.
    left: usize,
    plain: Ink,
}

impl Colours {
    /// For a block of `language`, as it is named after the fence.
    pub(super) fn of(style: Style, language: &str) -> Self {
        let lines = if style.colour && style.highlight { grammar(language) } else { None };
        // Without a language it still stands out.
        let plain = if lines.is_some() { Ink::new() } else { style.ink(Ink::new().fg(Color::Cyan)) };
        Self { lines, left: HIGHLIGHTED_CODE_BYTES, plain }
    }

    /// One line, which has no newline and is safe to show.
    pub(super) fn line(&mut self, line: &str) -> Vec<Run> {
        self.coloured(line).unwrap_or_else(|| {
            // What follows a gap would be taken for something else.
            self.lines = None;
            vec![Run::new(line.to_owned(), self.plain)]
        })
    }

    fn coloured(&mut self, line: &str) -> Option<Vec<Run>> {
        self.left = self.left.checked_sub(line.len())?;
        if line.len() > HIGHLIGHTED_LINE_BYTES {
            return None;
        }
        let text = format!("{line}\n");
        let parts = self.lines.as_mut()?.highlight_line(&text, &GRAMMARS.get()?.syntaxes).ok()?;
        let runs = parts.into_iter().map(|(style, part)| Run::new(part.trim_end_matches('\n').to_owned(), ink(style)));
        Some(runs.collect())
    }
}

/// The grammar of a language, `None` when there is no such.
fn grammar(language: &str) -> Option<HighlightLines<'static>> {
    // Of `rust,ignore` and `{.python}` the language is what counts.
    let language = language.split([',', ';', ':']).next()?.trim_matches(['{', '}', '.']);
    if language.is_empty() || matches!(language, "text" | "txt" | "plain" | "plaintext") {
        return None;
    }
    let Grammars { syntaxes, theme } = GRAMMARS.get_or_init(|| Grammars {
        syntaxes: two_face::syntax::extra_newlines(),
        theme: two_face::theme::extra().get(EmbeddedThemeName::Ansi).clone(),
    });
    Some(HighlightLines::new(syntaxes.find_syntax_by_token(language)?, theme))
}

fn ink(style: highlighting::Style) -> Ink {
    let font = style.font_style;
    Ink {
        foreground: colour(style.foreground),
        is_bold: font.contains(FontStyle::BOLD),
        is_italic: font.contains(FontStyle::ITALIC),
        is_underline: font.contains(FontStyle::UNDERLINE),
        ..Ink::new()
    }
}

/// A colour of a theme for terminals: without opacity it is the number of one of the sixteen.
const fn colour(colour: highlighting::Color) -> Option<Color> {
    if colour.a != 0 {
        return None;
    }
    Some(match colour.r {
        0 => Color::Black,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Purple,
        6 => Color::Cyan,
        7 => Color::White,
        other => Color::Fixed(other),
    })
}
