//! One block of Markdown as lines: what the parser found, laid out and coloured.
//!
//! Everything the parser hands over as text passes [`clean`] before a style is added (S46); addresses too, since they are
//! shown behind the words of their link.

use super::{
    Style,
    code::Colours,
    levels::{Level, Levels},
    run::{Ink, Run, paint, wrap},
    source::{clean, guarded},
    table::Grid,
};
use crate::config::Wrap;
use nu_ansi_term::Color;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};
use std::mem;
use unicode_width::UnicodeWidthStr;

/// Paints `text` behind `out`.
pub(super) fn block(style: Style, text: &str, ordinal: Option<u64>, out: &mut String) {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_MATH;
    let mut painter = Painter::new(style, ordinal, out);
    let source = guarded(text);
    for event in TextMergeStream::new(Parser::new_ext(&source, options)) {
        painter.event(event);
    }
    painter.flush();
}

/// Paints a block.
struct Painter<'a> {
    style: Style,
    /// The number of the first item, when it goes on with a list.
    ordinal: Option<u64>,
    out: &'a mut String,
    levels: Levels,
    lists: Vec<List>,
    /// The text of the line that is being read.
    runs: Vec<Run>,
    inks: Vec<Ink>,
    links: Vec<Link>,
    code: Option<Code>,
    table: Option<Grid>,
    /// A blank line stands before the next block.
    blank: bool,
}

struct List {
    number: Option<u64>,
    /// A blank line follows it.
    loose: bool,
}

struct Link {
    url: String,
    title: String,
    /// Where its words begin.
    from: usize,
}

struct Code {
    language: Option<String>,
    text: String,
}

impl<'a> Painter<'a> {
    fn new(style: Style, ordinal: Option<u64>, out: &'a mut String) -> Self {
        Self {
            style,
            ordinal,
            out,
            levels: Levels::default(),
            lists: Vec::new(),
            runs: Vec::new(),
            inks: Vec::new(),
            links: Vec::new(),
            code: None,
            table: None,
            blank: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.text.push_str(&text),
                None => self.text(&text),
            },
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.inline_code(&text),
            Event::InlineMath(text) => self.text(&format!("${text}$")),
            Event::DisplayMath(text) => self.text(&format!("$${text}$$")),
            Event::FootnoteReference(text) => self.text(&format!("[^{text}]")),
            Event::SoftBreak if self.style.wrap != Wrap::No => self.raw(" "),
            Event::SoftBreak | Event::HardBreak => self.raw("\n"),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => self.raw(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin_block(),
            Tag::Heading { level, .. } => self.heading(level),
            Tag::BlockQuote(_) => {
                self.begin_block();
                let bar = Run::new("│ ".to_owned(), self.style.ink(Ink::new().fg(Color::DarkGray)));
                self.enter(Level { first: None, rest: bar });
            }
            Tag::CodeBlock(kind) => {
                self.begin_block();
                let language = match kind {
                    CodeBlockKind::Indented => None,
                    CodeBlockKind::Fenced(info) => Some(clean(&info)),
                };
                self.code = Some(Code { language, text: String::new() });
            }
            Tag::List(number) => self.list(number),
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.begin_block();
                self.table = Some(Grid { alignments, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(grid) = &mut self.table {
                    grid.rows.push(Vec::new());
                }
                if matches!(tag, Tag::TableHead) {
                    self.add_ink(Ink::bold);
                }
            }
            Tag::Emphasis => self.add_ink(Ink::italic),
            Tag::Strong => self.add_ink(Ink::bold),
            Tag::Strikethrough => self.add_ink(Ink::strikethrough),
            Tag::Link { dest_url, title, .. } => self.link(&dest_url, &title, Ink::underline),
            Tag::Image { dest_url, title, .. } => self.link(&dest_url, &title, Ink::italic),
            // These are not asked of the parser, and would be their text.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::TableCell
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.inks.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.levels.leave();
                self.blank = true;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                let loose = self.lists.pop().is_some_and(|list| list.loose);
                self.blank = loose || self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush();
                if self.levels.awaits_first_line() {
                    self.line(&[]);
                }
                self.levels.leave();
            }
            TagEnd::TableCell => {
                let cell = mem::take(&mut self.runs);
                if let Some(row) = self.table.as_mut().and_then(|grid| grid.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.whole_table(),
            TagEnd::TableHead | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.inks.pop();
            }
            TagEnd::Link | TagEnd::Image => self.link_ended(),
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        self.begin_block();
        if self.style.colour {
            let ink = Ink::new().bold().fg(Color::Purple);
            self.inks.push(if level == HeadingLevel::H1 { ink.underline() } else { ink });
        } else {
            self.inks.push(Ink::new());
            self.raw(&format!("{} ", "#".repeat(level as usize)));
        }
    }

    fn list(&mut self, number: Option<u64>) {
        let loose = if self.lists.is_empty() {
            self.begin_block();
            false
        } else {
            self.flush();
            mem::take(&mut self.blank)
        };
        let number = match self.ordinal.take() {
            Some(ordinal) if number.is_some() => Some(ordinal),
            _ => number,
        };
        self.lists.push(List { number, loose });
    }

    fn item(&mut self) {
        self.begin_block();
        let mark = match self.lists.last_mut() {
            Some(List { number: Some(number), .. }) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "• ".to_owned(),
        };
        let rest = Run::plain(" ".repeat(mark.width()));
        let first = Run::new(mark, self.style.ink(Ink::new().fg(Color::Yellow)));
        self.enter(Level { first: Some(first), rest });
    }

    fn rule(&mut self) {
        self.begin_block();
        let ink = self.style.ink(Ink::new().fg(Color::DarkGray));
        self.line(&[Run::new("─".repeat(self.room()), ink)]);
        self.blank = true;
    }

    fn link(&mut self, url: &str, title: &str, look: fn(&Ink) -> Ink) {
        let link = Link { url: clean(url), title: clean(title), from: self.runs.len() };
        self.links.push(link);
        self.add_ink(look);
    }

    /// Says where a link leads, unless its words do.
    fn link_ended(&mut self) {
        self.inks.pop();
        let Some(Link { url, title, from }) = self.links.pop() else { return };
        let words: String = self.runs.iter().skip(from).map(|run| run.text.as_str()).collect();
        let known = words == url || url.strip_prefix("mailto:") == Some(&words);
        let behind = match (known, title.is_empty()) {
            (true, true) => return,
            (true, false) => format!(" (\"{title}\")"),
            (false, true) => format!(" ({url})"),
            (false, false) => format!(" ({url} \"{title}\")"),
        };
        let ink = self.style.ink(Ink::new().fg(Color::Blue));
        self.runs.push(Run::new(behind, ink));
    }

    fn inline_code(&mut self, text: &str) {
        let text = clean(text);
        if self.style.colour {
            let ink = self.ink().fg(Color::Cyan);
            self.runs.push(Run::new(text, ink));
        } else {
            self.raw(&format!("`{text}`"));
        }
    }

    /// Foreign text.
    fn text(&mut self, text: &str) {
        let text = clean(text);
        self.raw(&text);
    }

    /// Text that is safe.
    fn raw(&mut self, text: &str) {
        let run = Run::new(text.to_owned(), self.ink());
        self.runs.push(run);
    }

    fn ink(&self) -> Ink {
        self.inks.last().copied().unwrap_or_default()
    }

    fn add_ink(&mut self, look: fn(&Ink) -> Ink) {
        let ink = self.ink();
        self.inks.push(if self.style.colour { look(&ink) } else { ink });
    }

    fn code_block(&mut self) {
        let Some(Code { language, text }) = self.code.take() else { return };
        let mark = self.style.ink(Ink::new().fg(Color::DarkGray));
        let fence = |words: &str| [Run::new(format!("```{words}"), mark)];
        let mut colours = Colours::of(self.style, language.as_deref().unwrap_or_default());
        if let Some(language) = &language {
            self.line(&fence(language));
        }
        for code in text.lines() {
            let mut line = colours.line(&clean(code));
            if language.is_none() {
                line.insert(0, Run::plain("    "));
            }
            self.line(&line);
        }
        if language.is_some() {
            self.line(&fence(""));
        }
        self.blank = true;
    }

    fn whole_table(&mut self) {
        let Some(grid) = self.table.take() else { return };
        let rule = self.style.ink(Ink::new().fg(Color::DarkGray));
        for line in grid.lines(self.room(), rule) {
            self.line(&line);
        }
        self.blank = true;
    }

    fn begin_block(&mut self) {
        self.flush();
        if mem::take(&mut self.blank) {
            self.blank_line();
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.blank = true;
    }

    /// Writes the text that was read.
    fn flush(&mut self) {
        if self.runs.is_empty() || self.table.is_some() {
            return;
        }
        let runs = mem::take(&mut self.runs);
        let room = self.style.text_width().map(|columns| self.levels.room_in(columns));
        for line in wrap(&runs, room) {
            self.line(&line);
        }
    }

    /// Writes one line behind what stands before it.
    fn line(&mut self, line: &[Run]) {
        let mut whole = self.levels.before_line();
        whole.extend_from_slice(line);
        paint(&whole, self.out);
    }

    fn blank_line(&mut self) {
        paint(&self.levels.before_blank_line(), self.out);
    }

    /// The columns for what is as wide as the terminal.
    fn room(&self) -> usize {
        self.levels.room_in(self.style.width)
    }

    fn enter(&mut self, level: Level) {
        self.runs.extend(self.levels.enter(level));
    }
}
