//! The Markdown of a reply, painted for a terminal block by block while it streams.
//!
//! A pure function of text and [`Style`]: it writes nowhere and knows no terminal. A block is painted when it has ended, so
//! nothing is painted twice, and what is painted does not depend on where the stream was cut. It costs time linear in the
//! text and holds at most one block and one line, each of `MARKDOWN_BLOCK_BYTES`. No word of the text is lost.
//!
//! Model text passes `mcp_render::shown` before any style is added to it (S46), so that the only escape sequences in the
//! result are colours of our own; that is what [`Painted`] proves. It refuses to render HTML: tags are text.

mod code;
mod levels;
mod paint;
mod run;
mod source;
mod split;
mod table;

use self::{
    code::Colours,
    run::{Ink, Run, paint as paint_line, wrap},
    split::{Piece, Splitter},
};
use crate::config::Wrap;
use mcp_render::shown;
use nu_ansi_term::Color;
use std::fmt;

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The columns of the terminal.
    pub width: usize,
    /// Whether Markdown is laid out. If not, each line is as it was written, escaped.
    pub rendered: bool,
    /// Whether there are colours; without, marks of Markdown that would be lost stay.
    pub colour: bool,
    /// Where the lines of text are broken. Tables fit the terminal in any case, code is never broken.
    pub wrap: Wrap,
    /// Whether code is coloured by its language.
    pub highlight: bool,
}

impl Style {
    /// The column at which text is broken, if it is.
    fn text_width(&self) -> Option<usize> {
        match self.wrap {
            Wrap::No => None,
            Wrap::Auto => Some(self.width),
            Wrap::Width(columns) => Some(self.width.min(usize::from(columns))),
        }
    }

    /// `ink`, if there is colour.
    fn ink(&self, ink: Ink) -> Ink {
        if self.colour { ink } else { Ink::new() }
    }
}

/// Lines for a terminal: foreign text is escaped in them, and colours are ours (S46). Empty, or it ends with a newline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Painted(String);

impl Painted {
    /// The lines.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to show yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Painted> for String {
    fn from(painted: Painted) -> Self {
        painted.0
    }
}

/// Paints one reply after the other.
///
/// ```
/// use coyote_integration::{chat::markdown::{MarkdownStream, Style}, config::Wrap};
///
/// let style = Style { width: 80, rendered: true, colour: false, wrap: Wrap::Auto, highlight: false };
/// let mut stream = MarkdownStream::new(style);
/// assert!(stream.push("# Bea").is_empty());
/// assert_eq!(stream.push("ns\n\nAre *gre").as_str(), "# Beans\n");
/// assert_eq!(stream.finish().as_str(), "\nAre *gre\n");
/// ```
pub struct MarkdownStream {
    style: Style,
    splitter: Splitter,
    /// The code block whose lines are being painted.
    code: Option<Colours>,
}

impl MarkdownStream {
    /// Waits for the text of a reply.
    pub fn new(style: Style) -> Self {
        Self { style, splitter: Splitter::new(style.rendered), code: None }
    }

    /// More of the text; the blocks that have ended with it.
    pub fn push(&mut self, text: &str) -> Painted {
        let Self { style, splitter, code } = self;
        let mut out = String::new();
        splitter.push(text, &mut |piece| show(*style, code, piece, &mut out));
        Painted(out)
    }

    /// The text has ended: what is left of it. The next text begins another reply.
    pub fn finish(&mut self) -> Painted {
        let Self { style, splitter, code } = self;
        let mut out = String::new();
        splitter.finish(&mut |piece| show(*style, code, piece, &mut out));
        *code = None;
        Painted(out)
    }

    /// The terminal has another width from the next block on.
    pub fn resize(&mut self, width: usize) {
        self.style.width = width;
    }
}

impl fmt::Debug for MarkdownStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MarkdownStream").field("style", &self.style).finish_non_exhaustive()
    }
}

/// Paints a piece behind `out`.
fn show(style: Style, code: &mut Option<Colours>, piece: Piece, out: &mut String) {
    let mark = style.ink(Ink::new().fg(Color::DarkGray));
    if piece.gap() {
        out.push('\n');
    }
    match piece {
        Piece::Block { text, ordinal, .. } => paint::block(style, &text, ordinal, out),
        Piece::Plain { text, .. } => {
            let text = shown(&text).to_string();
            if style.rendered {
                for line in wrap(&[Run::plain(text)], style.text_width()) {
                    paint_line(&line, out);
                }
            } else {
                paint_line(&[Run::plain(text)], out);
            }
        }
        Piece::Open { line, language, .. } => {
            *code = Some(Colours::of(style, &language));
            paint_line(&[Run::new(shown(&line).to_string(), mark)], out);
        }
        Piece::Code(line) => {
            let line = shown(&line).to_string();
            match code {
                Some(colours) => paint_line(&colours.line(&line), out),
                None => paint_line(&[Run::new(line, Ink::new())], out),
            }
        }
        Piece::Close(line) => {
            *code = None;
            paint_line(&[Run::new(shown(&line).to_string(), mark)], out);
        }
    }
}

#[cfg(test)]
mod tests;
