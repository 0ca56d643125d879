//! Tab at a terminal: what it offers, what it asks, and that no failure of a server is seen or waited for (S45, R13).

use crate::machine::machine;
use acceptance::{host::Host, terminal::Terminal};
use rstest::rstest;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Up to which a key counts as echoed at once: far below the two seconds that a server has.
const AT_ONCE: Duration = Duration::from_secs(1);

fn library() -> Value {
    json!({
        "prompts": [
            {"name": "review", "description": "Looks at a file",
             "arguments": [{"name": "depth"}, {"name": "file", "description": "Which file", "required": true}]},
            {"name": "Create Spec", "title": "Make a spec"},
            {"name": "evil\u{1b}[2J\u{202e}"},
        ],
        "resources": [{"uri": "book://one", "name": "one"}],
    })
}

/// The REPL, when the server `lib` has shaken hands.
fn opened(host: &Host) -> Terminal {
    let terminal = Terminal::open(host, &[], (100, 30)).unwrap();
    terminal.until_shown("Ctrl-D leaves").unwrap();
    let begun = Instant::now();
    while host.received("lib", "notifications/initialized").unwrap_or_default().is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(1), "The server does not come up");
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal
}

fn with(script: Value) -> (Host, Terminal) {
    let mut host = machine();
    host.serve("lib", script).unwrap();
    let terminal = opened(&host);
    (host, terminal)
}

/// Types text, waits until it is seen, and presses Tab.
fn tab(terminal: &Terminal, text: &str) {
    terminal.press(text).unwrap();
    terminal.until_shown(text.trim_end()).unwrap();
    terminal.press("\t").unwrap();
}

/// Ctrl-C clears the line: a new prompt stands below it.
fn cleared(terminal: &Terminal) {
    terminal.press("\u{3}").unwrap();
    terminal.until("a new prompt", |screen| screen.ends_with("\n>")).unwrap();
}

/// Types one more key behind a completion that waits: it is seen at once, and the next line works.
fn keys_are_echoed_and_the_next_line_works(terminal: &Terminal) {
    let begun = Instant::now();
    terminal.press("qqq").unwrap();
    terminal.until_shown("qqq").unwrap();
    assert!(begun.elapsed() < AT_ONCE, "a key waited {:?}", begun.elapsed());
    cleared(terminal);
    terminal.enter(".help help").unwrap();
    terminal.until_shown(".help [command]").unwrap();
}

// R13: the stages
#[test]
fn a_prompt_is_completed_stage_by_stage_and_the_first_asks_nobody_s45() {
    let (host, terminal) = with(library());
    tab(&terminal, ".prompt l");
    terminal.until_shown(".prompt lib").unwrap();
    assert!(host.received("lib", "prompts/list").unwrap().is_empty(), "stage 1 sends nothing");
    // The blank behind the name came with it.
    tab(&terminal, "Cre");
    terminal.until_shown(".prompt lib 'Create Spec'").unwrap();
    cleared(&terminal);
    tab(&terminal, ".prompt lib rev");
    terminal.until_shown(".prompt lib review").unwrap();
    terminal.press("\t").unwrap();
    let menu = terminal.until_shown("(required) Which file").unwrap();
    let (file, depth) = (menu.find("file=").unwrap(), menu.find("depth=").unwrap());
    assert!(file < depth, "required ones first: {menu}");
    assert!(host.received("lib", "prompts/get").unwrap().is_empty(), "C07");
    cleared(&terminal);
    terminal.leave().unwrap();
}

// C10, C71
#[test]
fn a_menu_shows_no_name_that_a_terminal_would_obey_s46() {
    let (_host, terminal) = with(library());
    tab(&terminal, ".prompt lib ");
    let menu = terminal.until_shown("Create Spec").unwrap();
    assert!(menu.contains("review") && !menu.contains("evil"), "{menu}");
    assert!(!terminal.written().contains("evil\u{1b}") && !terminal.written().contains('\u{202e}'));
    cleared(&terminal);
    terminal.leave().unwrap();
}

// R13: the failure matrix of design §5.4
#[rstest]
#[case::hangs(json!({"on": "prompts/list", "reply": "nothing"}))]
#[case::fails(json!({"on": "prompts/list", "reply": {"error": {"code": -32000, "message": "broken"}}}))]
#[case::dies(json!({"on": "prompts/list", "exit": 3}))]
#[case::answers_nonsense(json!({"on": "prompts/list", "reply": {"line": "{\"jsonrpc\": \"2.0\", \"id\": {id}, \"result\": 7}"}}))]
fn a_server_that_fails_in_a_completion_is_silent_and_no_key_waits_r13(#[case] rule: Value) {
    let mut script = library();
    script["rules"] = json!([rule]);
    let (host, terminal) = with(script);
    let before = terminal.screen();
    tab(&terminal, ".prompt lib re");
    let begun = Instant::now();
    while host.received("lib", "prompts/list").unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(1), "Tab asks for prompts");
        std::thread::sleep(Duration::from_millis(10));
    }
    keys_are_echoed_and_the_next_line_works(&terminal);
    let shown = terminal.screen();
    for word in ["error", "broken", "warning", "panicked"] {
        assert_eq!(shown.matches(word).count(), before.matches(word).count(), "{shown}");
    }
    terminal.leave().unwrap();
}

// S45: a value that is completed by a server which never answers.
#[test]
fn a_completion_that_is_never_answered_keeps_no_key_waiting_s45() {
    let mut script = library();
    script["capabilities"] = json!({"prompts": {}, "resources": {}, "completions": {}});
    script["rules"] = json!([{"on": "completion/complete", "reply": "nothing"}]);
    let (host, terminal) = with(script);
    let before = terminal.screen();
    tab(&terminal, ".prompt lib review file=sr");
    let begun = Instant::now();
    while host.received("lib", "completion/complete").unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(1), "Tab asks for values");
        std::thread::sleep(Duration::from_millis(10));
    }
    keys_are_echoed_and_the_next_line_works(&terminal);
    // Waited for to its end it is as empty, and as silent.
    let before_it = host.received("lib", "notifications/cancelled").unwrap().len();
    tab(&terminal, ".prompt lib review file=ab");
    while host.received("lib", "notifications/cancelled").unwrap().len() == before_it {
        assert!(begun.elapsed() < Duration::from_mins(1), "What was given up is cancelled");
        std::thread::sleep(Duration::from_millis(10));
    }
    cleared(&terminal);
    let shown = terminal.screen();
    for word in ["error", "warning", "panicked"] {
        assert_eq!(shown.matches(word).count(), before.matches(word).count(), "{shown}");
    }
    let asked = &host.received("lib", "completion/complete").unwrap()[0];
    let params = asked.params.clone().unwrap();
    assert_eq!((&params["argument"]["name"], &params["argument"]["value"]), (&json!("file"), &json!("sr")));
    terminal.leave().unwrap();
}

#[rstest]
#[case::misspelt(".prompt lbi ")]
#[case::disabled(".prompt off ")]
#[case::never_starts(".prompt gone ")]
fn a_server_that_is_not_there_has_no_rows_and_is_not_started_by_a_key_r13(#[case] line: &str) {
    let mut host = machine();
    host.serve("lib", library()).unwrap();
    host.serve_with("off", library(), json!({"disabled": true})).unwrap();
    host.entry("gone", json!({"command": "/no/such/program"})).unwrap();
    let terminal = opened(&host);
    tab(&terminal, line);
    keys_are_echoed_and_the_next_line_works(&terminal);
    assert!(host.wire("off").unwrap_or_default().is_empty(), "a key starts no server");
    assert!(host.received("lib", "prompts/list").unwrap().is_empty());
    terminal.leave().unwrap();
}

// A prompt that is deleted between two lines is gone from the second: each line asks again (S45).
#[test]
fn a_prompt_that_was_deleted_is_not_offered_by_the_next_line_s45() {
    let mut script = library();
    script["rules"] = json!([{"on": "prompts/list", "skip": 1, "reply": {"result": {"prompts": [{"name": "other"}]}}}]);
    let (host, terminal) = with(script);
    tab(&terminal, ".prompt lib rev");
    terminal.until_shown(".prompt lib review").unwrap();
    // What was kept for the line goes with it.
    cleared(&terminal);
    tab(&terminal, ".prompt lib review ");
    let begun = Instant::now();
    while host.received("lib", "prompts/list").unwrap().len() < 2 {
        assert!(begun.elapsed() < Duration::from_mins(1), "The second line asks again");
        std::thread::sleep(Duration::from_millis(10));
    }
    keys_are_echoed_and_the_next_line_works(&terminal);
    assert!(!terminal.screen().contains("(required)"));
    terminal.leave().unwrap();
}
