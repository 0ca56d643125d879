//! The user at the terminal of this process: what an agent asks, line by line, and a hush for whatever moves meanwhile.
//!
//! A question that cannot be understood is asked again; the end of the input is no answer. Nothing is asked where stdin or
//! stderr is no terminal. Foreign text passes `report`, which escapes it (S46).

use crate::{
    agents::{Answering, Desk, Told, UserQuestion, Wanted},
    asked_line::{self, Line},
    functions::{Asker, Asking, Question},
    report::Report,
};
use std::{
    fmt::{self, Write},
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

/// Makes everything that moves on the terminal stand still.
pub type Hush = Arc<dyn Fn() + Send + Sync>;

/// Asks at the terminal of this process.
pub struct TerminalDesk {
    report: Arc<Report>,
    cancel: CancellationToken,
    hush: Hush,
}

impl TerminalDesk {
    /// Asks through `report`, until `cancel`.
    pub const fn new(report: Arc<Report>, cancel: CancellationToken, hush: Hush) -> Self {
        Self { report, cancel, hush }
    }
}

impl Desk for TerminalDesk {
    fn is_staffed(&self) -> bool {
        asked_line::can_ask(&self.report)
    }

    fn ask<'a>(&'a self, question: &'a UserQuestion) -> Answering<'a> {
        Box::pin(async move {
            if !self.is_staffed() {
                return Told::Nobody;
            }
            (self.hush)();
            let prompt = question_prompt(question.wanted);
            let mut line = asked_line::ask(&self.report, &self.cancel, &question_statement(question), prompt).await;
            loop {
                match line {
                    Line::Typed(text) => match question.typed(&text) {
                        Some(answer) => return Told::Answered(answer),
                        None => self.report.say(&format!("Accepted is {}", question.accepted())),
                    },
                    Line::Ended => return Told::Declined,
                    Line::Cancelled => return Told::Cancelled,
                }
                line = asked_line::ask_again(&self.report, &self.cancel, prompt).await;
            }
        })
    }
}

impl fmt::Debug for TerminalDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalDesk").finish_non_exhaustive()
    }
}

/// An asker before whose questions everything stands still.
pub struct HushedAsker<A> {
    asker: A,
    hush: Hush,
}

impl<A> HushedAsker<A> {
    /// `asker`, after a hush.
    pub const fn new(asker: A, hush: Hush) -> Self {
        Self { asker, hush }
    }
}

impl<A: Asker> Asker for HushedAsker<A> {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a> {
        (self.hush)();
        self.asker.ask(questions)
    }
}

impl<A> fmt::Debug for HushedAsker<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HushedAsker").finish_non_exhaustive()
    }
}

/// The question with its options, numbered. Foreign lines are indented, so that none looks like one of ours.
pub(crate) fn question_statement(question: &UserQuestion) -> String {
    let mut text = format!("The agent asks: {}", question.question.replace('\n', "\n  "));
    for (number, option) in (1..).zip(&question.options) {
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {number}. {}", option.replace('\n', " "));
    }
    if let Some(default) = &question.default {
        let _ = write!(text, "\n  An empty line means: {}", default.replace('\n', " "));
    }
    text
}

/// What stands before the answer.
pub(crate) const fn question_prompt(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::One => "Number or text:",
        Wanted::Some => "Numbers, with commas between:",
        Wanted::YesOrNo => "[y]es or [n]o:",
        Wanted::Line => ">",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::captured::report;

    #[test]
    fn a_question_shows_its_options_by_number_and_no_line_of_it_looks_like_ours() {
        let question = UserQuestion {
            question: "Which?\n  1. all".to_owned(),
            wanted: Wanted::One,
            options: vec!["a\nb".to_owned(), "c".to_owned()],
            default: Some("c".to_owned()),
        };
        insta::assert_snapshot!(question_statement(&question), @r"
        The agent asks: Which?
            1. all
          1. a b
          2. c
          An empty line means: c
        ");
    }

    #[tokio::test]
    async fn without_a_terminal_nobody_sits_there_and_nothing_is_shown() {
        let (report, out, err) = report(false);
        let desk = TerminalDesk::new(Arc::new(report), CancellationToken::new(), Arc::new(|| ()));
        let question =
            UserQuestion { question: "?".to_owned(), wanted: Wanted::Line, options: Vec::new(), default: None };
        assert!(!desk.is_staffed());
        assert_eq!(desk.ask(&question).await, Told::Nobody);
        assert_eq!(out.text() + &err.text(), "");
    }
}
