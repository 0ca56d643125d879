//! What a typed line is: a command, a shell line, or chat (S43, R14).
//!
//! A [`CommandLine`] is made here and nowhere else, from what a person typed. Text of a server becomes a
//! [`ChatText`](crate::ChatText), which nothing here accepts.

use crate::ChatText;

/// A line, by what is to be done with it.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// Nothing but blanks.
    Nothing,
    /// `.command …`
    Command(CommandLine<'a>),
    /// `!command …`: what stands after the `!`.
    Shell(&'a str),
    /// Everything else, to be said to the model.
    Chat(ChatText),
}

/// A line that a person typed and that starts with `.` and a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLine<'a>(&'a str);

impl<'a> Typed<'a> {
    /// Reads a line from the keyboard. A line that starts with `..` and a letter is chat with one dot (S43).
    ///
    /// ```
    /// use mcp_prompt_repl::{ChatText, Typed};
    /// assert!(matches!(Typed::read(".prompt docs review"), Typed::Command(line) if line.name() == "prompt"));
    /// assert!(matches!(Typed::read("!ls"), Typed::Shell("ls")));
    /// assert_eq!(Typed::read("..net is fine"), Typed::Chat(ChatText::typed(".net is fine")));
    /// assert!(matches!(Typed::read(".5 is a half"), Typed::Chat(_)));
    /// ```
    pub fn read(line: &'a str) -> Self {
        let line = line.trim();
        let is_word = |rest: &str| rest.starts_with(char::is_alphabetic);
        if line.is_empty() {
            return Self::Nothing;
        }
        if let Some(shell) = line.strip_prefix('!') {
            return Self::Shell(shell);
        }
        match line.strip_prefix('.') {
            Some(rest) if is_word(rest) => Self::Command(CommandLine(line)),
            Some(rest) if rest.strip_prefix('.').is_some_and(is_word) => Self::Chat(ChatText::typed(rest)),
            _ => Self::Chat(ChatText::typed(line)),
        }
    }
}

impl<'a> CommandLine<'a> {
    /// The whole line, the dot included.
    pub fn text(&self) -> &'a str {
        self.0
    }

    /// The command's name, without its dot.
    pub fn name(&self) -> &'a str {
        let line = self.0.strip_prefix('.').unwrap_or(self.0);
        line.split(char::is_whitespace).next().unwrap_or(line)
    }
}
