//! A question of yes or no, asked where somebody can answer it (contracts.md §7: nothing asks when stdin is no terminal).
//!
//! Only a plain yes counts as one: Enter, the end of the input and anything else is no. What was typed before the
//! question was shown is no answer.

use crate::{
    asked_line::{self, Line},
    report::Report,
};
use tokio_util::sync::CancellationToken;

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Nobody is there to ask.
    Nobody,
    /// The user stopped the command.
    Cancelled,
}

/// Shows `text`, asks `question` below it, and waits for a line.
pub(super) async fn ask(report: &Report, cancel: &CancellationToken, text: &str, question: &str) -> Answer {
    if !asked_line::can_ask(report) {
        return Answer::Nobody;
    }
    match asked_line::ask(report, cancel, text, &format!("{question} [y/N]")).await {
        Line::Typed(line) if is_yes(&line) => Answer::Yes,
        Line::Typed(_) | Line::Ended => Answer::No,
        Line::Cancelled => Answer::Cancelled,
    }
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::captured::report;

    #[test]
    fn only_a_plain_yes_is_one() {
        for yes in ["y\n", "Y", " yes\r\n", "YES"] {
            assert!(is_yes(yes), "{yes:?}");
        }
        for no in ["", "\n", "n\n", "yy", "yes please", "j", "\u{1b}[Ay", "1"] {
            assert!(!is_yes(no), "{no:?}");
        }
    }

    #[tokio::test]
    async fn without_a_terminal_nothing_is_asked_and_nothing_is_shown() {
        let (report, out, err) = report(false);
        let answer = ask(&report, &CancellationToken::new(), "text", "Trust?").await;
        assert_eq!((answer, out.text() + &err.text()), (Answer::Nobody, String::new()));
    }
}
