//! Tab at a terminal: what it offers, what it asks, and that no failure of a server is seen or waited for (S45, R13).

use crate::{keyboard::Screen, machine::machine};
use acceptance::host::Host;
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
fn opened(host: &Host) -> Screen {
    let screen = Screen::open(host, 100, 30);
    screen.wait_for("Ctrl-D leaves");
    let begun = Instant::now();
    while host.received("lib", "notifications/initialized").unwrap_or_default().is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(1), "The server does not come up");
        std::thread::sleep(Duration::from_millis(10));
    }
    screen
}

fn with(script: Value) -> (Host, Screen) {
    let mut host = machine();
    host.serve("lib", script).unwrap();
    let screen = opened(&host);
    (host, screen)
}

/// Types text, waits until it is seen, and presses Tab.
fn tab(screen: &Screen, text: &str) {
    screen.keys(text);
    screen.wait_for(text.trim_end());
    screen.keys("\t");
}

/// Ctrl-C clears the line: a new prompt stands below it.
fn cleared(screen: &Screen) {
    screen.keys("\u{3}");
    screen.wait("a new prompt", |screen| screen.ends_with("\n>"));
}

/// Types one more key behind a completion that waits: it is seen at once, and the next line works.
fn keys_are_echoed_and_the_next_line_works(screen: &Screen) {
    let begun = Instant::now();
    screen.keys("qqq");
    screen.wait_for("qqq");
    assert!(begun.elapsed() < AT_ONCE, "a key waited {:?}", begun.elapsed());
    cleared(screen);
    screen.line(".help help");
    screen.wait_for(".help [command]");
}

// R13: the stages
#[test]
fn a_prompt_is_completed_stage_by_stage_and_the_first_asks_nobody_s45() {
    let (host, screen) = with(library());
    tab(&screen, ".prompt l");
    screen.wait_for(".prompt lib");
    assert!(host.received("lib", "prompts/list").unwrap().is_empty(), "stage 1 sends nothing");
    // The blank behind the name came with it.
    tab(&screen, "Cre");
    screen.wait_for(".prompt lib 'Create Spec'");
    cleared(&screen);
    tab(&screen, ".prompt lib rev");
    screen.wait_for(".prompt lib review");
    screen.keys("\t");
    let menu = screen.wait_for("(required) Which file");
    let (file, depth) = (menu.find("file=").unwrap(), menu.find("depth=").unwrap());
    assert!(file < depth, "required ones first: {menu}");
    assert!(host.received("lib", "prompts/get").unwrap().is_empty(), "C07");
    cleared(&screen);
    screen.leave();
}

// C10, C71
#[test]
fn a_menu_shows_no_name_that_a_terminal_would_obey_s46() {
    let (_host, screen) = with(library());
    tab(&screen, ".prompt lib ");
    let menu = screen.wait_for("Create Spec");
    assert!(menu.contains("review") && !menu.contains("evil"), "{menu}");
    assert!(!screen.raw().contains("evil\u{1b}") && !screen.raw().contains('\u{202e}'));
    cleared(&screen);
    screen.leave();
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
    let (host, screen) = with(script);
    let before = screen.text();
    tab(&screen, ".prompt lib re");
    let begun = Instant::now();
    while host.received("lib", "prompts/list").unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(1), "Tab asks for prompts");
        std::thread::sleep(Duration::from_millis(10));
    }
    keys_are_echoed_and_the_next_line_works(&screen);
    let shown = screen.text();
    for word in ["error", "broken", "warning", "panicked"] {
        assert_eq!(shown.matches(word).count(), before.matches(word).count(), "{shown}");
    }
    screen.leave();
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
    let screen = opened(&host);
    tab(&screen, line);
    keys_are_echoed_and_the_next_line_works(&screen);
    assert!(host.wire("off").unwrap_or_default().is_empty(), "a key starts no server");
    assert!(host.received("lib", "prompts/list").unwrap().is_empty());
    screen.leave();
}

// A prompt that is deleted between two lines is gone from the second: each line asks again (S45).
#[test]
fn a_prompt_that_was_deleted_is_not_offered_by_the_next_line_s45() {
    let mut script = library();
    script["rules"] = json!([{"on": "prompts/list", "skip": 1, "reply": {"result": {"prompts": [{"name": "other"}]}}}]);
    let (host, screen) = with(script);
    tab(&screen, ".prompt lib rev");
    screen.wait_for(".prompt lib review");
    // What was kept for the line goes with it.
    cleared(&screen);
    tab(&screen, ".prompt lib review ");
    let begun = Instant::now();
    while host.received("lib", "prompts/list").unwrap().len() < 2 {
        assert!(begun.elapsed() < Duration::from_mins(1), "The second line asks again");
        std::thread::sleep(Duration::from_millis(10));
    }
    keys_are_echoed_and_the_next_line_works(&screen);
    assert!(!screen.text().contains("(required)"));
    screen.leave();
}
