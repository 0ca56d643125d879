//! Text that is said to a model and that no command parser accepts (R14, S43).
//!
//! It has no way back to a string but [`ChatText::say`], which takes it away and gives it to the one place that talks to
//! the model. What a person is shown of it is an [`Echo`]: short, and safe for a terminal (S46).

use mcp_render::{Flattened, shown};
use std::fmt;

/// The most lines of a sent text that are echoed (S43).
pub const ECHO_LINES: usize = 20;
/// The most characters of one echoed line.
const ECHO_LINE_CHARS: usize = 400;

/// Text for a model. It is chat whatever it says: `!rm`, `.exit`, or a label.
///
/// A command's parser takes a [`CommandLine`](crate::CommandLine), and there is none to be had of this:
///
/// ```compile_fail,E0308
/// use mcp_prompt_repl::{ChatText, CommandLine};
/// fn run(line: CommandLine<'_>) {}
/// run(ChatText::typed(".exit"));
/// ```
/// ```
/// use mcp_prompt_repl::{CommandLine, Typed};
/// fn run(line: CommandLine<'_>) {}
/// if let Typed::Command(line) = Typed::read(".exit") {
///     run(line);
/// }
/// ```
///
/// Nor is it a `&str`, by reference,
///
/// ```compile_fail,E0308
/// use mcp_prompt_repl::{ChatText, Typed};
/// let text = ChatText::typed(".exit");
/// Typed::read(&text);
/// ```
/// ```
/// use mcp_prompt_repl::Typed;
/// let text = String::from(".exit");
/// Typed::read(&text);
/// ```
///
/// by conversion,
///
/// ```compile_fail,E0277
/// use mcp_prompt_repl::ChatText;
/// fn parse(line: impl AsRef<str>) {}
/// parse(ChatText::typed(".exit"));
/// ```
/// ```
/// fn parse(line: impl AsRef<str>) {}
/// parse(".exit");
/// ```
///
/// or by its field:
///
/// ```compile_fail,E0616
/// use mcp_prompt_repl::ChatText;
/// let text = ChatText::typed(".exit").0;
/// ```
/// ```
/// use mcp_prompt_repl::ChatText;
/// let bytes = ChatText::typed(".exit").bytes();
/// assert_eq!(bytes, 5);
/// ```
#[derive(PartialEq, Eq)]
pub struct ChatText(String);

/// Who says chat to the model. A host has one, and it parses nothing.
pub trait ChatSink {
    /// Takes the text of the user's next turn, byte for byte.
    fn user_turn(&mut self, text: String);
}

impl ChatText {
    /// What a person typed.
    pub fn typed(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// What a prompt returned; `None` when there is nothing to say (S36).
    pub fn of_prompt(flattened: Flattened) -> Option<Self> {
        (!flattened.text.is_empty()).then_some(Self(flattened.text))
    }

    /// What a resource holds, for `.resource … --send` (S44); `None` when it is empty.
    pub fn of_resource(rendered: String) -> Option<Self> {
        (!rendered.is_empty()).then_some(Self(rendered))
    }

    /// How long it is.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Hands the text to the model's side of the host, and to nobody else.
    pub fn say(self, sink: &mut dyn ChatSink) {
        sink.user_turn(self.0);
    }

    /// The head of the text, for the person who sends it (S43).
    pub fn echo(&self) -> Echo {
        let mut lines = self.0.lines();
        let head = lines.by_ref().take(ECHO_LINES).map(echoed).collect();
        Echo { head, more: lines.count() }
    }
}

impl fmt::Debug for ChatText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChatText({} bytes)", self.0.len())
    }
}

/// At most [`ECHO_LINES`] lines of a text that is sent, and the count of the others. Safe to show (S46).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Echo {
    head: Vec<String>,
    more: usize,
}

impl fmt::Display for Echo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head.join("\n"))?;
        match self.more {
            0 => Ok(()),
            1 => f.write_str("\n… 1 more line"),
            more => write!(f, "\n… {more} more lines"),
        }
    }
}

/// One line; a tab stays, what is longer than a screen does not.
fn echoed(line: &str) -> String {
    match line.char_indices().nth(ECHO_LINE_CHARS) {
        Some((at, _)) => format!("{}…", shown(line.get(..at).unwrap_or(line))),
        None => shown(line).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ChatSink, ChatText};
    use crate::Typed;

    #[derive(Default)]
    struct Said(Vec<String>);

    impl ChatSink for Said {
        fn user_turn(&mut self, text: String) {
            self.0.push(text);
        }
    }

    #[test]
    fn at_most_twenty_lines_are_echoed_and_the_others_are_counted_s43() {
        let text = |lines: usize| ChatText::typed((1..=lines).map(|n| n.to_string()).collect::<Vec<_>>().join("\n"));
        assert_eq!(text(20).echo().to_string().lines().count(), 20);
        assert!(text(20).echo().to_string().ends_with("\n20"));
        assert!(text(21).echo().to_string().ends_with("\n20\n… 1 more line"));
        assert!(text(45).echo().to_string().ends_with("\n20\n… 25 more lines"));
        let long = ChatText::typed("x".repeat(1 << 20)).echo().to_string();
        assert_eq!(long.chars().count(), 401);
    }

    #[test]
    fn an_echo_holds_nothing_that_a_terminal_obeys_s46() {
        let text = ChatText::typed("a\u{1b}[2J\tb\r\u{202e}c\nsecond");
        assert_eq!(text.echo().to_string(), "a\\u{1b}[2J\tb\\r\\u{202e}c\nsecond");
    }

    #[test]
    fn what_is_said_is_the_text_byte_for_byte_whatever_it_looks_like_r14() {
        let mut said = Said::default();
        for text in ["!touch x", ".exit", ".prompt x y", "[user]\n\u{1b}[2J"] {
            ChatText::typed(text).say(&mut said);
        }
        assert_eq!(said.0, ["!touch x", ".exit", ".prompt x y", "[user]\n\u{1b}[2J"]);
    }

    #[test]
    fn two_dots_and_a_letter_are_chat_with_one_dot_s43() {
        assert_eq!(Typed::read("..exit"), Typed::Chat(ChatText::typed(".exit")));
        assert_eq!(Typed::read("..."), Typed::Chat(ChatText::typed("...")));
        assert_eq!(Typed::read("../x"), Typed::Chat(ChatText::typed("../x")));
        assert_eq!(Typed::read("  "), Typed::Nothing);
        assert!(
            matches!(Typed::read(" .exit now "), Typed::Command(line) if line.name() == "exit" && line.text() == ".exit now")
        );
    }
}
