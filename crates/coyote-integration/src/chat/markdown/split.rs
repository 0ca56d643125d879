//! A stream of text cut into blocks that have ended.
//!
//! It decides by whole lines, so where the stream was cut makes no difference. It looks at no more of a line than what
//! begins a block: what a block means is for the parser. A list comes item by item and code line by line, since both may
//! be long; a block or a line over `MARKDOWN_BLOCK_BYTES` is cut, which bounds what is held.

use mcp_render::MARKDOWN_BLOCK_BYTES;
use std::mem;

/// What has ended. `gap` says that blank lines stood before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Markdown. An item of a numbered list that began before has its number in `ordinal`.
    Block { text: String, ordinal: Option<u64>, gap: bool },
    /// A part of a line that is too long to be looked at.
    Plain { text: String, gap: bool },
    /// The line that begins a code block.
    Open { line: String, language: String, gap: bool },
    /// A line of code.
    Code(String),
    /// The line that ends a code block.
    Close(String),
}

impl Piece {
    pub(super) const fn gap(&self) -> bool {
        match self {
            Self::Block { gap, .. } | Self::Plain { gap, .. } | Self::Open { gap, .. } => *gap,
            Self::Code(_) | Self::Close(_) => false,
        }
    }
}

/// Takes a piece.
type Emit<'a> = &'a mut dyn FnMut(Piece);

/// Cuts.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    unit: Unit,
    /// The line that has not ended, without what was cut off it.
    partial: String,
    /// Something was cut off it.
    is_long: bool,
    open: Option<Open>,
    fence: Option<Fence>,
    /// The list whose item came last.
    list: Option<List>,
    /// Something came before.
    begun: bool,
    /// Blank lines stood after it.
    gap: bool,
}

/// What is handed out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Unit {
    #[default]
    Block,
    /// Each line, as plain text.
    Line,
}

/// A block that has not ended.
#[derive(Debug)]
struct Open {
    text: String,
    /// The column at which what belongs to this item begins.
    item: Option<usize>,
    ordinal: Option<u64>,
    html: bool,
    gap: bool,
    /// Blank lines stand at its end.
    blank: bool,
}

#[derive(Debug)]
struct List {
    mark: char,
    next: u64,
}

/// What a code block began with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

/// What a line begins.
#[derive(Debug)]
enum Start {
    Fence { fence: Fence, language: String },
    Heading,
    Rule,
    Item { mark: char, number: Option<u64>, offset: usize, empty: bool },
    Html,
    Text,
}

impl Splitter {
    /// Cuts into blocks of Markdown, or into lines.
    pub(super) fn new(markdown: bool) -> Self {
        Self { unit: if markdown { Unit::Block } else { Unit::Line }, ..Self::default() }
    }

    pub(super) fn push(&mut self, mut text: &str, emit: Emit<'_>) {
        while !text.is_empty() {
            let room = MARKDOWN_BLOCK_BYTES.saturating_sub(self.partial.len());
            let (window, rest) = text.split_at_checked(text.floor_char_boundary(room)).unwrap_or((text, ""));
            if let Some((line, _)) = window.split_once('\n') {
                self.partial.push_str(line);
                text = text.get(line.len() + 1..).unwrap_or_default();
                self.line_ended(emit);
                continue;
            }
            self.partial.push_str(window);
            text = rest;
            if let Some(rest) = text.strip_prefix('\n') {
                text = rest;
                self.line_ended(emit);
            } else if !text.is_empty() {
                self.cut(emit);
            }
        }
    }

    pub(super) fn finish(&mut self, emit: Emit<'_>) {
        if !self.partial.is_empty() {
            self.line_ended(emit);
        }
        self.commit(emit);
        if let Some(Fence { mark, length, .. }) = self.fence.take() {
            emit(Piece::Close(mark.to_string().repeat(length)));
        }
        *self = Self { unit: self.unit, ..Self::default() };
    }

    /// How many bytes are held.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.partial.len() + self.open.as_ref().map_or(0, |open| open.text.len())
    }

    /// Hands out the beginning of a line that is too long.
    fn cut(&mut self, emit: Emit<'_>) {
        self.commit(emit);
        let mut line = mem::take(&mut self.partial);
        if let Some(at) = line.rfind(' ').filter(|at| *at > line.len() / 2) {
            self.partial = line.split_off(at + 1);
        }
        self.is_long = true;
        self.long(line, emit);
    }

    fn long(&mut self, text: String, emit: Emit<'_>) {
        if self.fence.is_some() {
            emit(Piece::Code(text));
        } else {
            self.list = None;
            let gap = self.take_gap();
            emit(Piece::Plain { text, gap });
        }
    }

    fn line_ended(&mut self, emit: Emit<'_>) {
        let mut line = mem::take(&mut self.partial);
        if self.unit == Unit::Line {
            return emit(Piece::Plain { text: line, gap: false });
        }
        if line.ends_with('\r') {
            line.pop();
        }
        if mem::take(&mut self.is_long) {
            if !line.is_empty() {
                self.long(line, emit);
            }
        } else if let Some(fence) = &self.fence {
            if fence.is_closed_by(&line) {
                self.fence = None;
                emit(Piece::Close(line.trim_start().to_owned()));
            } else {
                let indent = line.bytes().take_while(|b| *b == b' ').count().min(fence.indent);
                emit(Piece::Code(line.split_off(indent)));
            }
        } else {
            self.line(&line, emit);
        }
    }

    /// A line outside of code.
    fn line(&mut self, line: &str, emit: Emit<'_>) {
        let (indent, rest) = indentation(line);
        if rest.is_empty() {
            return self.blank_line(emit);
        }
        let start = Start::of(indent, rest);
        match &mut self.open {
            Some(open) if open.goes_on(indent, &start) && open.text.len() + line.len() < MARKDOWN_BLOCK_BYTES => {
                open.add(line);
            }
            _ => {
                self.commit(emit);
                self.begin(line, start, emit);
            }
        }
    }

    fn blank_line(&mut self, emit: Emit<'_>) {
        match &mut self.open {
            Some(open) if open.item.is_some() && open.text.len() < MARKDOWN_BLOCK_BYTES => {
                open.add("");
                open.blank = true;
            }
            _ => {
                self.commit(emit);
                self.gap = self.begun;
            }
        }
    }

    fn begin(&mut self, line: &str, start: Start, emit: Emit<'_>) {
        let gap = self.take_gap();
        let mut open = Open::new(line, gap);
        match start {
            Start::Item { mark, number, offset, .. } => {
                open.item = Some(offset);
                open.ordinal = self.ordinal(mark, number);
                self.open = Some(open);
                return;
            }
            Start::Fence { fence, language } => {
                self.fence = Some(fence);
                emit(Piece::Open { line: line.trim_start().to_owned(), language, gap });
            }
            Start::Heading | Start::Rule => emit(Piece::Block { text: open.text, ordinal: None, gap }),
            Start::Html | Start::Text => {
                open.html = matches!(start, Start::Html);
                self.open = Some(open);
            }
        }
        self.list = None;
    }

    /// The number of an item that follows what came last.
    fn ordinal(&mut self, mark: char, number: Option<u64>) -> Option<u64> {
        let number = number?;
        let ordinal = match &self.list {
            Some(list) if list.mark == mark => list.next,
            _ => number,
        };
        self.list = Some(List { mark, next: ordinal.saturating_add(1) });
        Some(ordinal)
    }

    /// Hands out the open block.
    fn commit(&mut self, emit: Emit<'_>) {
        if let Some(Open { text, ordinal, gap, blank, .. }) = self.open.take() {
            emit(Piece::Block { text, ordinal, gap });
            self.gap = blank;
        }
    }

    fn take_gap(&mut self) -> bool {
        self.begun = true;
        mem::take(&mut self.gap)
    }
}

impl Open {
    fn new(line: &str, gap: bool) -> Self {
        let mut text = String::with_capacity(line.len() + 1);
        text.push_str(line);
        text.push('\n');
        Self { text, item: None, ordinal: None, html: false, gap, blank: false }
    }

    fn add(&mut self, line: &str) {
        self.blank = false;
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Whether a line that is not blank belongs to this block.
    fn goes_on(&self, indent: usize, start: &Start) -> bool {
        if let Some(offset) = self.item {
            return indent >= offset || (!self.blank && matches!(start, Start::Text | Start::Html));
        }
        match start {
            Start::Fence { .. } => false,
            _ if self.html => true,
            Start::Heading => false,
            // Only these may follow a paragraph without a blank line.
            Start::Item { number, empty, .. } => *empty || number.is_some_and(|number| number != 1),
            // Dashes below a paragraph make it a heading.
            Start::Rule | Start::Html | Start::Text => true,
        }
    }
}

impl Fence {
    fn is_closed_by(&self, line: &str) -> bool {
        let (indent, rest) = indentation(line);
        let marks = rest.trim_end();
        indent < 4 && marks.len() >= self.length && marks.chars().all(|c| c == self.mark)
    }
}

impl Start {
    fn of(indent: usize, rest: &str) -> Self {
        if indent >= 4 {
            return Self::Text;
        }
        let first = rest.chars().next().unwrap_or_default();
        match first {
            '`' | '~' => Self::fence(first, indent, rest),
            '#' => {
                let (hashes, after) = leading(rest, '#');
                if hashes <= 6 && begins_with_blank(after) { Self::Heading } else { Self::Text }
            }
            '-' | '*' | '_' if is_rule(first, rest) => Self::Rule,
            '-' | '*' | '+' => Self::item(first, None, indent + 1, rest.get(1..).unwrap_or_default()),
            '0'..='9' => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let (number, after) = rest.split_at_checked(digits).unwrap_or_default();
                match after.chars().next() {
                    Some(mark @ ('.' | ')')) if digits <= 9 => {
                        let number = number.parse().ok();
                        Self::item(mark, number, indent + digits + 1, after.get(1..).unwrap_or_default())
                    }
                    _ => Self::Text,
                }
            }
            '<' => Self::Html,
            _ => Self::Text,
        }
    }

    fn fence(mark: char, indent: usize, rest: &str) -> Self {
        let (length, info) = leading(rest, mark);
        if length < 3 || (mark == '`' && info.contains('`')) {
            return Self::Text;
        }
        let language = info.split_whitespace().next().unwrap_or_default().to_owned();
        Self::Fence { fence: Fence { mark, length, indent }, language }
    }

    /// An item, if a blank follows its mark, which ends at a column.
    fn item(mark: char, number: Option<u64>, column: usize, after: &str) -> Self {
        if !begins_with_blank(after) {
            return Self::Text;
        }
        let (blanks, rest) = indentation(after);
        let empty = rest.is_empty();
        // More than four belong to what is in the item: code.
        let blanks = if empty || blanks > 4 { 1 } else { blanks };
        Self::Item { mark, number, offset: column + blanks, empty }
    }
}

/// How far a line is indented, and what follows.
fn indentation(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    let blanks = line.get(..line.len() - rest.len()).unwrap_or_default();
    let columns = blanks.bytes().fold(0, |column, blank| if blank == b'\t' { column / 4 * 4 + 4 } else { column + 1 });
    (columns, rest)
}

/// How often `mark` stands at the beginning, and what follows.
fn leading(text: &str, mark: char) -> (usize, &str) {
    let rest = text.trim_start_matches(mark);
    (text.len() - rest.len(), rest)
}

fn begins_with_blank(text: &str) -> bool {
    text.is_empty() || text.starts_with([' ', '\t'])
}

fn is_rule(mark: char, text: &str) -> bool {
    text.matches(mark).count() >= 3 && text.chars().all(|c| c == mark || matches!(c, ' ' | '\t'))
}
