//! The questions for required arguments that were not given, one by one (S42, C04).
//!
//! It reads no keyboard. An empty answer is no answer: the same question is asked again.

use mcp_catalog::PromptArgument;
use mcp_render::shown_line;
use std::collections::VecDeque;
use std::fmt;

/// The most characters of a description in a question.
const DESCRIPTION_CHARS: usize = 300;

/// A question for one argument. Displayed it is safe to show (S46).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The argument's name, as its server wrote it.
    pub argument: String,
    /// What the server says of it.
    pub description: Option<String>,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A line, perhaps an empty one.
    Text(String),
    /// Esc or Ctrl-C: nothing is sent.
    GivenUp,
}

/// The questions that are left, and the answers so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Questions {
    left: VecDeque<Question>,
    answers: Vec<(String, String)>,
}

impl Question {
    pub(crate) fn of(argument: &PromptArgument) -> Self {
        let description = argument.description.clone().or_else(|| argument.title.clone());
        Self { argument: argument.name.clone(), description }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::error::name(&self.argument))?;
        match self.description.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => {
                let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                write!(f, " ({})", shown_line(&line, DESCRIPTION_CHARS))
            }
            None => Ok(()),
        }
    }
}

impl Questions {
    /// Questions in the order they are asked.
    pub fn new(questions: Vec<Question>) -> Self {
        Self { left: questions.into(), answers: Vec::new() }
    }

    /// The question to ask now.
    pub fn next(&self) -> Option<&Question> {
        self.left.front()
    }

    /// Takes the answer to [`next`](Self::next). One of blanks alone changes nothing, so the question stands.
    pub fn answer(&mut self, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(question) = self.left.pop_front() {
            self.answers.push((question.argument, text));
        }
    }

    /// Names and answers.
    pub fn into_answers(self) -> Vec<(String, String)> {
        self.answers
    }
}
