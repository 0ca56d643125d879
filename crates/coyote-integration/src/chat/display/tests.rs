//! What is written where, and that nothing foreign reaches a terminal as it is (S46).

use super::*;
use crate::report::captured::{coloured_report, report};
use mcp_render::Code;
use serde_json::json;

fn call(arguments: Value) -> ToolCall {
    ToolCall { id: "1".to_owned(), name: "mcp_read_x".to_owned(), arguments }
}

fn shown(terminal: bool, script: impl FnOnce(&Display)) -> (String, String) {
    let (report, out, err) = report(terminal);
    script(&Display::new(Arc::new(report), LOOK));
    (out.text(), err.text())
}

const LOOK: Look = Look { wrap: Wrap::Auto, highlight: false };

#[test]
fn a_pipe_gets_the_text_alone_with_its_bytes_and_talk_goes_to_stderr() {
    let (out, err) = shown(false, |display| {
        display.text("a\u{1b}[31m");
        display.text("b");
        display.replied(None);
        let call = call(json!({"uri": "a://1"}));
        display.call_started(&call);
        let progress = Progress { progress: 1.0, total: Some(2.0), message: Some("half".to_owned()) };
        display.progress(&call, &progress);
        display.call_ended(&call, &ToolResult::of(&call, mcp_render_answer(json!({"text": "x"}), None)));
        display.spent(Usage { input: 10, output: 2 });
    });
    assert_eq!(out, "a\u{1b}[31mb");
    assert_eq!(err, "call: mcp_read_x {\"uri\":\"a://1\"}: 12 bytes\nnote: 10 tokens in, 2 out\n");
}

fn mcp_render_answer(value: Value, code: Option<Code>) -> mcp_meta::Answer {
    mcp_meta::Answer { value, code }
}

#[test]
fn a_terminal_gets_the_text_escaped_and_a_line_of_its_own_for_what_follows() {
    let (out, _) = shown(true, |display| {
        display.text("a\u{1b}[31m");
        display.replied(None);
        display.text("b\n");
        display.replied(None);
        display.replied(None);
    });
    assert_eq!(out, "a\\u{1b}[31m\nb\n");
}

#[test]
fn a_joiner_between_two_pieces_of_a_stream_is_shown_as_in_one() {
    let family = "\u{1f468}\u{200d}\u{1f469}";
    for cut in [4, 7] {
        let (before, after) = family.split_at(cut);
        let (out, _) = shown(true, |display| {
            display.text(before);
            display.text(after);
            display.replied(None);
        });
        assert_eq!(out, format!("{family}\n"));
    }
    let (out, _) = shown(true, |display| {
        display.text("a\u{200d}");
        display.replied(None);
    });
    assert_eq!(out, "a\\u{200d}\n");
}

#[test]
fn foreign_words_in_a_line_about_a_call_cannot_write_to_the_terminal() {
    let (_, err) = shown(true, |display| {
        let call = ToolCall { name: "a\u{1b}[2J\nnote: b".to_owned(), ..call(json!({"x": "\u{202e}\u{1b}]0;t\u{7}"})) };
        let answer = mcp_render_answer(json!({"tool_call_error": "no\u{1b}[2J\nnote: c"}), Some(Code::ServerError));
        display.call_ended(&call, &ToolResult::of(&call, answer));
        display.retrying(
            &ModelError {
                fault: crate::model::ModelFault::RateLimited,
                text: "slow\u{1b}[2J".to_owned(),
                hint: String::new(),
            },
            Duration::from_millis(1_500),
        );
    });
    assert!(!err.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{err:?}");
    assert!(!err.lines().any(|line| line.starts_with("note:")), "{err}");
    assert!(err.contains("trying again in 1.5 s"), "{err}");
}

#[test]
fn a_terminal_with_colours_gets_markdown_and_what_is_left_when_the_reply_ends() {
    let (report, out, _) = coloured_report();
    let display = Display::new(Arc::new(report), LOOK);
    display.text("# A\n*b");
    assert_eq!(out.text(), "\u{1b}[1;4;35mA\u{1b}[0m\n");
    display.text("* \u{1b}[2J");
    display.replied(None);
    assert_eq!(out.text(), "\u{1b}[1;4;35mA\u{1b}[0m\n\u{1b}[3mb\u{1b}[0m \\u{1b}[2J\n");
}
