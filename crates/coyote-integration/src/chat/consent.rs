//! The question about calls that may change something, asked at a terminal (S40).
//!
//! All calls of one reply are shown together, each with its server, tool and arguments. Enter, the end of the input and
//! whatever is not understood is no; what was typed before the question was shown answers nothing. Nothing is asked where
//! stdin or stderr is no terminal.

use crate::{
    asked_line::{self, Line},
    functions::{Asked, Asker, Asking, Consent, Question, Subject},
    report::Report,
};
use mcp_render::{ASKED_ARGUMENTS_BYTES, shown_line};
use std::{
    fmt::{self, Write},
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

/// The longest name shown, in characters.
const NAME_SHOWN: usize = 200;

/// Asks at the terminal of this process.
pub struct TerminalAsker {
    report: Arc<Report>,
    cancel: CancellationToken,
}

impl TerminalAsker {
    /// Asks through `report`, until `cancel`.
    pub const fn new(report: Arc<Report>, cancel: CancellationToken) -> Self {
        Self { report, cancel }
    }
}

impl fmt::Debug for TerminalAsker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalAsker").finish_non_exhaustive()
    }
}

impl Asker for TerminalAsker {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a> {
        Box::pin(async move {
            if !asked_line::can_ask(&self.report) {
                return Asked::Nobody;
            }
            match asked_line::ask(&self.report, &self.cancel, &statement(questions), ANSWERS).await {
                Line::Typed(line) => Asked::Answered(answers(&line, questions.len())),
                Line::Ended => Asked::Answered(vec![Consent::No; questions.len()]),
                Line::Cancelled => Asked::Cancelled,
            }
        })
    }
}

/// The question below them.
pub(crate) const ANSWERS: &str = "Run? [y]es, [N]o, [a]lways this tool, this [s]erver for the session, or numbers:";

/// What the calls would do.
pub(crate) fn statement(questions: &[Question]) -> String {
    let mut text = if questions.len() == 1 {
        "The model wants to call:".to_owned()
    } else {
        format!("The model wants to make {} calls:", questions.len())
    };
    for (number, Question { subject, arguments }) in (1..).zip(questions) {
        let what = match subject {
            Subject::Server { server, tool } => {
                format!("{} of server {}", shown_line(tool, NAME_SHOWN), shown_line(server.as_str(), NAME_SHOWN))
            }
            Subject::Local { tool } if subject.is_kept() => format!("{} on this machine", shown_line(tool, NAME_SHOWN)),
            Subject::Local { tool } => {
                format!("{} on this machine (always: for this session only)", shown_line(tool, NAME_SHOWN))
            }
        };
        let whole = arguments.to_string();
        let (shown, left) = whole.split_at(whole.floor_char_boundary(ASKED_ARGUMENTS_BYTES));
        let left = left.len();
        let more = if left == 0 { String::new() } else { format!(" … and {left} bytes that are not shown") };
        // Writing to a string does not fail. JSON is one line, so no argument can look like another call.
        let _ = write!(text, "\n  {number}. {what}\n     {shown}{more}");
    }
    text
}

/// What a line says about so many calls.
pub(crate) fn answers(line: &str, count: usize) -> Vec<Consent> {
    let line = line.trim().to_ascii_lowercase();
    let all = |consent| vec![consent; count];
    match line.as_str() {
        "y" | "yes" => return all(Consent::Yes),
        "a" | "always" => return all(Consent::AlwaysTool),
        "s" | "server" => return all(Consent::ServerForSession),
        _ => {}
    }
    let words = line.split([' ', ',']).filter(|word| !word.is_empty());
    let numbers: Option<Vec<usize>> = words.map(|word| word.parse().ok().filter(|n| (1..=count).contains(n))).collect();
    // One number that names no call makes the line a mistake, and a mistake runs nothing.
    let numbers = numbers.unwrap_or_default();
    (1..=count).map(|number| if numbers.contains(&number) { Consent::Yes } else { Consent::No }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::captured::report;
    use mcp_catalog::ServerName;
    use serde_json::{Value, json};

    fn question(tool: &str, arguments: Value) -> Question {
        let server = ServerName::new("docs").unwrap();
        Question { subject: Subject::Server { server, tool: tool.to_owned() }, arguments }
    }

    #[test]
    fn only_what_is_understood_runs_anything() {
        use Consent::{AlwaysTool, No, ServerForSession, Yes};
        for no in ["", "\n", "n\n", "no", "yy", "yes please", "0", "4", "1 4", "1 x", "-1", "always this"] {
            assert_eq!(answers(no, 3), [No; 3], "{no:?}");
        }
        assert_eq!(answers(" Y\r\n", 2), [Yes; 2]);
        assert_eq!(answers("always\n", 2), [AlwaysTool; 2]);
        assert_eq!(answers("s", 1), [ServerForSession]);
        assert_eq!(answers("1, 3\n", 3), [Yes, No, Yes]);
    }

    #[test]
    fn a_question_shows_server_tool_and_arguments_of_every_call() {
        let local =
            Question { subject: Subject::Local { tool: "fs_write".to_owned() }, arguments: json!({"path": "a\nb"}) };
        insta::assert_snapshot!(statement(&[question("add\n  2. none", json!({"a": 1})), local]), @r#"
        The model wants to make 2 calls:
          1. add\n  2. none of server docs
             {"a":1}
          2. fs_write on this machine
             {"path":"a\nb"}
        "#);
        let command = Subject::Local { tool: "execute_command".to_owned() };
        insta::assert_snapshot!(statement(&[Question { subject: command, arguments: json!({"command": "ls"}) }]), @r#"
        The model wants to call:
          1. execute_command on this machine (always: for this session only)
             {"command":"ls"}
        "#);
        let long = statement(&[question("t", json!({"x": "y".repeat(5_000)}))]);
        assert!(long.ends_with("y … and 912 bytes that are not shown"), "{}", &long[long.len() - 80..]);
    }

    #[tokio::test]
    async fn without_a_terminal_nobody_is_asked_and_nothing_is_shown() {
        let (report, out, err) = report(false);
        let asker = TerminalAsker::new(Arc::new(report), CancellationToken::new());
        assert_eq!(asker.ask(&[question("t", json!({}))]).await, Asked::Nobody);
        assert_eq!(out.text() + &err.text(), "");
    }
}
