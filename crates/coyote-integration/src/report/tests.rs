//! What reaches a terminal, what reaches a pipe, and a reader that goes away.

use super::{captured::report, *};
use mcp_render::Code;
use serde_json::json;

const HOSTILE: &str = "a\u{1b}[2Jb\u{202e}c\n";

#[test]
fn a_pipe_gets_the_servers_own_bytes_and_a_terminal_gets_them_escaped() {
    let (pipe, out, _) = report(false);
    pipe.data(HOSTILE);
    assert_eq!(out.text(), HOSTILE);
    let (terminal, out, _) = report(true);
    terminal.data(HOSTILE);
    assert!(!out.text().contains(['\u{1b}', '\u{202e}']), "{:?}", out.text());
    assert!(out.text().ends_with("c\n"));
}

#[test]
fn talk_is_escaped_even_when_nobody_watches() {
    let (pipe, _, err) = report(false);
    pipe.warn(HOSTILE);
    pipe.note(HOSTILE);
    pipe.failure(HOSTILE);
    assert!(!err.text().contains(['\u{1b}', '\u{202e}']), "{:?}", err.text());
}

#[test]
fn foreign_text_cannot_begin_a_line_of_talk() {
    let (pipe, _, err) = report(false);
    pipe.warn("one\nerror[denied]: forged");
    assert_eq!(err.text(), "warning: one\n  error[denied]: forged\n");
}

#[test]
fn json_holds_no_character_that_a_terminal_obeys_and_is_equal_as_a_value() {
    let value = json!({"text": HOSTILE});
    for terminal in [false, true] {
        let (report, out, _) = report(terminal);
        report.json(&value, false);
        assert!(!out.text().contains(['\u{1b}', '\u{202e}']), "{:?}", out.text());
        assert_eq!(out.text().lines().count(), 1);
        assert_eq!(serde_json::from_str::<Value>(&out.text()).unwrap(), value);
    }
}

#[test]
fn a_newline_ends_data_on_a_terminal_and_is_not_added_in_a_pipe() {
    for (terminal, text, seen) in [(true, "a", "a\n"), (true, "a\n", "a\n"), (true, "", ""), (false, "a", "a")] {
        let (report, out, _) = report(terminal);
        report.data(text);
        report.end_of_data(text);
        assert_eq!(out.text(), seen);
    }
}

#[test]
fn an_error_shows_its_code_its_hint_and_what_is_close() {
    let (report, out, err) = report(false);
    let closest = vec!["docs".to_owned(), "docs-b".to_owned()];
    let (tool_call_error, hint) = ("No server `dosc`".to_owned(), "See `coyote mcp list`".to_owned());
    report.error(&ErrorShape { tool_call_error, code: Code::NotFound, hint, closest });
    assert_eq!(out.text(), "");
    insta::assert_snapshot!(err.text(), @r"
    error[not_found]: No server `dosc`
    hint: See `coyote mcp list`
    closest: docs, docs-b
    ");
}

/// A writer that fails after the first write.
struct Failing(io::ErrorKind, bool);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if std::mem::replace(&mut self.1, true) { Err(self.0.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_went_away_is_no_trouble_and_a_full_disk_is() {
    for (kind, trouble) in [(io::ErrorKind::BrokenPipe, false), (io::ErrorKind::StorageFull, true)] {
        let report = Report::to(Box::new(Failing(kind, false)), Box::new(io::sink()), false);
        report.data("first");
        assert!(!report.reader_is_gone());
        report.data("second");
        assert!(report.reader_is_gone());
        assert_eq!(report.trouble().is_some(), trouble);
    }
}
