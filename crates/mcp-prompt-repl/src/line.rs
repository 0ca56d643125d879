//! The lexer of S41, which invocation and completion share: words with their places in the line, and the place of a cursor.
//!
//! It is total: any text and any cursor have an answer. It expands nothing, knows no command, and refuses nothing: an open
//! quote is told beside the words, for the caller to refuse.

use std::ops::Range;

/// A line taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    text: &'a str,
    words: Vec<Word<'a>>,
    open_quote: Option<OpenQuote>,
}

/// One word of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    source: &'a str,
    span: Range<usize>,
    value: String,
    /// Where the value's first `=` outside quotes stands: in the line and in the value.
    equals: Option<(usize, usize)>,
    quoted: bool,
}

/// A quote that nothing closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenQuote {
    /// `'` or `"`.
    pub quote: char,
    /// Its byte in the line.
    pub offset: usize,
    /// Its column, in characters from 1.
    pub column: usize,
}

/// Where a cursor stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<'a> {
    /// The words that end before the cursor.
    pub before: Vec<Word<'a>>,
    /// What is typed of the word under the cursor, empty between words.
    pub typed: Word<'a>,
    /// Where the word under the cursor ends, in the line.
    pub word_end: usize,
    /// The words after it.
    pub after: Vec<Word<'a>>,
}

impl<'a> Line<'a> {
    /// Takes `text` apart (S41).
    ///
    /// ```
    /// use mcp_prompt_repl::Line;
    /// let line = Line::lex(r#".prompt docs "code review" file='a b.rs' path=C:\x note=don't"#);
    /// let values: Vec<_> = line.words().iter().map(|word| word.value()).collect();
    /// assert_eq!(values, [".prompt", "docs", "code review", "file=a b.rs", r"path=C:\x", "note=don't"]);
    /// ```
    pub fn lex(text: &'a str) -> Self {
        let mut lexer = Lexer { text, at: 0 };
        let mut words = Vec::new();
        let mut open_quote = None;
        while lexer.skip_blanks() {
            let (word, open) = lexer.word();
            words.push(word);
            open_quote = open_quote.or(open);
        }
        let open_quote = open_quote.map(|(offset, quote)| OpenQuote { quote, offset, column: column(text, offset) });
        Self { text, words, open_quote }
    }

    /// The line itself.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The words, in order.
    pub fn words(&self) -> &[Word<'a>] {
        &self.words
    }

    /// The quote that nothing closes, if there is one.
    pub fn open_quote(&self) -> Option<OpenQuote> {
        self.open_quote
    }

    /// Where a cursor at this byte stands. A cursor past the end is at the end; one inside a character is before it.
    pub fn at(&self, cursor: usize) -> Cursor<'a> {
        let cursor = self.text.floor_char_boundary(cursor);
        let mut before = Line::lex(self.text.get(..cursor).unwrap_or_default()).words;
        // A word that ends at the cursor is still being typed.
        let typed = match before.pop() {
            Some(last) if last.span.end == cursor => last,
            closed => {
                before.extend(closed);
                Word::empty(cursor)
            }
        };
        let under = self.words.iter().find(|word| word.span.start <= typed.span.start && cursor <= word.span.end);
        let under = under.filter(|word| word.span.start == typed.span.start);
        let word_end = match (under, self.open_quote) {
            (Some(word), Some(open)) if word.span.contains(&open.offset) => self.next_blank(cursor),
            (Some(word), _) => word.span.end,
            (None, _) => cursor,
        };
        let rest = self.text.get(word_end..).unwrap_or_default();
        let after = Line::lex(rest).words.into_iter().map(|word| word.moved(word_end)).collect();
        Cursor { before, typed, word_end, after }
    }

    /// A quote that is still open swallows the rest of the line; the word under the cursor ends at the next blank all the
    /// same, so that a completion leaves what follows alone.
    fn next_blank(&self, cursor: usize) -> usize {
        let rest = self.text.get(cursor..).unwrap_or_default();
        cursor + rest.find(char::is_whitespace).unwrap_or(rest.len())
    }
}

impl<'a> Word<'a> {
    /// The word as it was typed, quotes included.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// Its bytes in the line.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What the word says, without its quotes.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Whether a quote was opened in it.
    pub fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// The key and the value of `key=value`, split at the first `=` outside quotes, or else at the first one of a word that
    /// is quoted as a whole. `key=` has an empty value.
    pub fn pair(&self) -> Option<(&str, &str)> {
        match self.equals {
            Some((_, at)) => Some((self.value.get(..at)?, self.value.get(at + 1..)?)),
            None => self.value.split_once('='),
        }
    }

    /// The byte in the line after the first `=` outside quotes.
    pub fn value_start(&self) -> Option<usize> {
        self.equals.map(|(at, _)| at + 1)
    }

    /// Whether this is the option `name`: the same characters, and none of them quoted.
    pub fn is_option(&self, name: &str) -> bool {
        !self.quoted && self.value == name
    }

    fn empty(at: usize) -> Self {
        Self { source: "", span: at..at, value: String::new(), equals: None, quoted: false }
    }

    fn moved(mut self, by: usize) -> Self {
        self.span = self.span.start + by..self.span.end + by;
        self.equals = self.equals.map(|(line, value)| (line + by, value));
        self
    }
}

/// Writes a value so that the lexer reads it as one word, or as a value after `key=`; quotes stand only where needed.
///
/// ```
/// use mcp_prompt_repl::quote;
/// assert_eq!(quote("review"), "review");
/// assert_eq!(quote("code review"), "'code review'");
/// assert_eq!(quote("it's a test"), r#""it's a test""#);
/// assert_eq!(quote(""), "''");
/// ```
pub fn quote(value: &str) -> String {
    let opens = |text: &str| text.starts_with(['\'', '"']);
    let after_equals = value.split_once('=').is_some_and(|(_, rest)| opens(rest));
    if value.is_empty() || opens(value) || after_equals || value.contains(char::is_whitespace) {
        return quoted(value);
    }
    value.to_owned()
}

/// Writes a key so that the lexer splits the word behind it: a key that holds `=` is quoted too.
pub fn quote_key(key: &str) -> String {
    if key.contains('=') { quoted(key) } else { quote(key) }
}

fn quoted(value: &str) -> String {
    if !value.contains('\'') {
        return format!("'{value}'");
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The column of a byte, in characters from 1.
pub(crate) fn column(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < offset).count() + 1
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Whether there is a word after the blanks.
    fn skip_blanks(&mut self) -> bool {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.at < self.text.len()
    }

    /// One word, and the quote in it that nothing closes.
    fn word(&mut self) -> (Word<'a>, Option<(usize, char)>) {
        let start = self.at;
        let mut word = Word::empty(start);
        let mut open = None;
        let mut may_quote = true;
        while let Some(next) = self.rest().chars().next().filter(|next| !next.is_whitespace()) {
            let at = self.at;
            self.at += next.len_utf8();
            if may_quote && matches!(next, '\'' | '"') {
                word.quoted = true;
                if !self.quoted(next, &mut word.value) {
                    open = Some((at, next));
                }
                may_quote = false;
                continue;
            }
            may_quote = next == '=' && word.equals.is_none();
            if may_quote {
                word.equals = Some((at, word.value.len()));
            }
            word.value.push(next);
        }
        word.span = start..self.at;
        word.source = self.text.get(start..self.at).unwrap_or_default();
        (word, open)
    }

    /// Reads up to the closing `quote`. Answers whether there is one.
    fn quoted(&mut self, quote: char, value: &mut String) -> bool {
        while let Some(next) = self.next() {
            if next == quote {
                return true;
            }
            let escaped =
                self.rest().chars().next().filter(|c| quote == '"' && next == '\\' && matches!(c, '"' | '\\'));
            match escaped {
                Some(escaped) => {
                    self.at += escaped.len_utf8();
                    value.push(escaped);
                }
                None => value.push(next),
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
