//! A question at the terminal of this process that is answered by a line, where no line editor is.
//!
//! What was typed before the question was shown is no answer ([`typed_ahead`]). It judges no answer: whoever asks does.

use crate::{report::Report, typed_ahead};
use std::io::{self, BufRead, IsTerminal};
use tokio_util::sync::CancellationToken;

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// This line.
    Typed(String),
    /// The end of the input.
    Ended,
    /// The user stopped the command.
    Cancelled,
}

/// Whether somebody can answer.
pub(crate) fn can_ask(report: &Report) -> bool {
    io::stdin().is_terminal() && report.can_ask()
}

/// Shows `text`, asks `question` below it, and waits for a line that is typed after that.
pub(crate) async fn ask(report: &Report, cancel: &CancellationToken, text: &str, question: &str) -> Line {
    report.say(text);
    // Between the text and the line that is waited for: whoever waits for that line is heard whole.
    if typed_ahead::set_aside() {
        return Line::Cancelled;
    }
    ask_again(report, cancel, question).await
}

/// Asks what has been shown, and waits for a line.
pub(crate) async fn ask_again(report: &Report, cancel: &CancellationToken, question: &str) -> Line {
    report.ask(question);
    // A thread that still waits when the command is stopped ends with the process.
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|bytes| (bytes, line))
    });
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            report.say("");
            Line::Cancelled
        }
        line = line => match line {
            Ok(Ok((1.., line))) => Line::Typed(line),
            _ => Line::Ended,
        },
    }
}
