//! What is typed while something else happens: a model that streams, hangs or lies, a server that hangs, a question (S13,
//! S14, S40, S45, S46).

use super::{NARROW, WIDE, machine, opened, talking};
use acceptance::{
    model_server::{Answer, Api, Ending, Gate, ModelServer},
    terminal::{Terminal, prompt_row},
};
use serde_json::json;
use std::time::{Duration, Instant};

/// Types a text key by key, each after the one before is seen; how long each took.
fn typed(terminal: &Terminal, text: &str) -> Vec<Duration> {
    let mut times = Vec::new();
    for end in 1..=text.len() {
        let before = Instant::now();
        terminal.press(&text[end - 1..end]).unwrap();
        terminal.until("the key", |screen| prompt_row(screen).ends_with(text[..end].trim_end())).unwrap();
        times.push(before.elapsed());
    }
    times
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let p99 = times[(times.len() * 99).div_ceil(100) - 1];
    println!("{what}: 99th percentile of {} keys {p99:?}, median {:?}", times.len(), times[times.len() / 2]);
}

fn paragraphs(count: usize) -> String {
    let paragraphs: Vec<String> = (0..count).map(|n| format!("Paragraph {n} of a long answer.")).collect();
    paragraphs.join("\n\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_echoed_while_a_model_streams_and_stay_in_the_prompt() {
    let gate = Gate::default();
    let answer = Answer::text(&paragraphs(60)).slow(Duration::from_millis(4)).held(200, &gate);
    let (_host, model, terminal) = talking(vec![answer], WIDE).await;
    terminal.enter("tell me").unwrap();
    terminal.until_printed("Paragraph 1 ").unwrap();
    let text = "a text that is typed while the model talks";
    let times = typed(&terminal, text);
    report("while a model streams", times);
    gate.open();
    terminal.until_printed("Paragraph 59 ").unwrap();
    terminal
        .until("the text", |screen| screen.lines().last() == Some("> a text that is typed while the model talks"))
        .unwrap();
    // Nothing of the answer is lost and nothing stands twice.
    let everything = terminal.everything();
    for n in 0..60 {
        assert_eq!(everything.matches(&format!("Paragraph {n} of")).count(), 1, "{n}\n{everything}");
    }
    assert_eq!(everything.matches(text).count(), 1, "{everything}");
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_several_rows_stays_whole_below_what_is_printed_wherever_its_cursor_is() {
    let answer = Answer::text(&paragraphs(30)).slow(Duration::from_millis(15));
    let (_host, _model, terminal) = talking(vec![answer], NARROW).await;
    terminal.enter("tell me").unwrap();
    terminal.until_printed("Paragraph 1 ").unwrap();
    let long = "words ".repeat(25);
    terminal.press(&long).unwrap();
    terminal.press("\u{1}").unwrap();
    terminal.press("X").unwrap();
    terminal.until_shown("> Xwords").unwrap();
    terminal.until_printed("Paragraph 29 ").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let everything = terminal.everything();
    for n in 0..30 {
        assert_eq!(everything.matches(&format!("Paragraph {n} of")).count(), 1, "{n}\n{everything}");
    }
    // The rows of the text, joined: a word may be cut by the edge.
    let text = everything.split_once("> Xwords").unwrap().1.replace('\n', "");
    assert_eq!(text.matches("words").count(), 24, "{everything}");
}

#[tokio::test(flavor = "multi_thread")]
async fn resizing_while_a_model_streams_keeps_the_screen_whole() {
    let answer = Answer::text(&paragraphs(60)).slow(Duration::from_millis(4));
    let (_host, _model, mut terminal) = talking(vec![answer], WIDE).await;
    terminal.enter("tell me").unwrap();
    terminal.until_printed("Paragraph 3 ").unwrap();
    terminal.press("typed").unwrap();
    terminal.resize(NARROW.0, WIDE.1).unwrap();
    terminal.until_printed("Paragraph 20 ").unwrap();
    terminal.resize(WIDE.0, WIDE.1).unwrap();
    terminal.until_printed("Paragraph 59 ").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> typed")).unwrap();
    let everything = terminal.everything();
    for n in 0..60 {
        assert_eq!(everything.matches(&format!("Paragraph {n} of")).count(), 1, "{n}\n{everything}");
    }
}

// S13
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_a_model_within_a_second_and_the_conversation_goes_on() {
    let answers = vec![Answer::text("Half a thought").ending(2, Ending::Silence), Answer::text("Here again.")];
    let (_host, model, terminal) = talking(answers, NARROW).await;
    terminal.enter("think").unwrap();
    while model.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    terminal.enter("and then this").unwrap();
    terminal.until_shown("It waits").unwrap();
    let begun = Instant::now();
    terminal.press("\u{3}").unwrap();
    terminal.until_shown("Cancelled").unwrap();
    let took = begun.elapsed();
    println!("cancelled after {took:?}");
    assert!(took < Duration::from_secs(1), "{took:?}");
    terminal.until_idle().unwrap();
    assert!(model.hung_up(0, Duration::from_secs(5)).await);
    terminal.enter("hello").unwrap();
    terminal.until_shown("Here again.").unwrap();
    terminal.until_idle().unwrap();
    insta::assert_snapshot!("cancelled_60", terminal.snapshot());
    assert_eq!(model.requests().len(), 2, "what waited was dropped");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_entered_while_a_model_answers_waits_its_turn_and_help_does_not() {
    let gate = Gate::default();
    let slow = Answer::text(&paragraphs(10)).held(30, &gate);
    let (_host, model, terminal) = talking(vec![slow, Answer::text("Second.")], WIDE).await;
    terminal.enter("first").unwrap();
    terminal.until_printed("Paragraph 0 ").unwrap();
    terminal.enter("next").unwrap();
    terminal.enter(".help copy").unwrap();
    terminal.until_shown("Copy the last answer").unwrap();
    assert_eq!(model.requests().len(), 1, "help did not wait");
    gate.open();
    terminal.until_shown("Second.").unwrap();
    let everything = terminal.everything();
    assert!(everything.find("Paragraph 9 ").unwrap() < everything.find("Second.").unwrap());
}

// S46
#[tokio::test(flavor = "multi_thread")]
async fn a_model_cannot_change_the_terminal_and_the_next_key_is_echoed() {
    let hostile =
        "a\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{1b}]0;title\u{7}\u{202e}b\n\n".to_owned() + &"x".repeat(10_000_000);
    let (_host, _model, terminal) = talking(vec![Answer::text(&hostile)], WIDE).await;
    terminal.enter("tell me").unwrap();
    terminal.until_shown("xxxxx").unwrap();
    let times = typed(&terminal, "next");
    report("while ten megabytes are shown", times);
    terminal.press("\u{3}").unwrap();
    // Ctrl-C stops what was to be shown, too (S13).
    terminal.until_shown("lines that waited to be shown are dropped").unwrap();
    terminal.until("an empty prompt", |screen| screen.ends_with("\n>")).unwrap();
    assert!(terminal.noticed(|noticed| noticed.clipboard.is_empty() && noticed.titles.is_empty()));
    assert!(!terminal.everything().contains('\u{202e}'));
}

// S14, S45
#[test]
fn servers_that_hang_or_fail_at_the_start_delay_no_key_and_are_one_note_each() {
    let mut host = machine();
    host.serve("hangs", json!({"rules": [{"on": "initialize", "reply": "nothing"}]})).unwrap();
    host.entry("absent", json!({"command": "no-such-program-here"})).unwrap();
    let begun = Instant::now();
    let terminal = Terminal::open(&host, &[], WIDE).unwrap();
    terminal.until_shown(". `.help` shows").unwrap();
    println!("open beside a hanging server after {:?}", begun.elapsed());
    terminal.until_shown("`absent`").unwrap();
    let times = typed(&terminal, ".list mcp-servers");
    report("while a server hangs", times);
    terminal.press("\r").unwrap();
    terminal.until("states", |screen| screen.contains("starting") && screen.contains("failed")).unwrap();
    assert_eq!(terminal.everything().matches("warning: `absent`").count(), 1);
    terminal.enter(".exit").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
}

// S45
#[test]
fn a_completion_that_is_never_answered_delays_no_key() {
    let mut host = machine();
    let rule = json!({"on": "prompts/list", "reply": "nothing"});
    host.serve("lib", json!({"prompts": [{"name": "review"}], "rules": [rule]})).unwrap();
    let terminal = opened(&host, WIDE);
    while host.received("lib", "notifications/initialized").unwrap_or_default().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    terminal.press(".prompt lib r\t").unwrap();
    while host.received("lib", "prompts/list").unwrap().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    report("while a completion waits", typed(&terminal, "eview and whatever else is typed"));
    assert!(terminal.screen().ends_with("> .prompt lib review and whatever else is typed"), "{}", terminal.screen());
    terminal.press("\u{3}").unwrap();
    terminal.until("an empty prompt", |screen| screen.ends_with("\n>")).unwrap();
    terminal.leave().unwrap();
}

// S40
#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_asked_about_and_the_text_that_was_typed_is_there_again() {
    let mut host = machine();
    host.serve("docs", json!({"tools": [{"name": "add", "inputSchema": {}}]})).unwrap();
    let call = |id: &str| Answer::new().call(id, "mcp_invoke_docs", &json!({"tool": "add", "arguments": {"a": 1}}));
    let gate = Gate::default();
    let slow = call("c1").held(0, &gate);
    let answers = vec![slow, Answer::text("Done."), call("c2"), Answer::text("Not done.")];
    let model = ModelServer::start(Api::OpenAi, answers).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    let terminal = opened(&host, WIDE);
    terminal.enter(".list mcp-servers").unwrap();
    while !terminal.screen().contains("docs    ready") && !terminal.screen().contains("docs   ready") {
        terminal.until_idle().unwrap();
        terminal.enter(".list mcp-servers").unwrap();
    }
    terminal.until_idle().unwrap();
    terminal.enter("add").unwrap();
    terminal.press("half a text").unwrap();
    terminal.until_shown("> half a text").unwrap();
    gate.open();
    terminal.until_shown("Run? [y]es").unwrap();
    insta::assert_snapshot!("asked_120", terminal.snapshot().split_once("> add").unwrap().1.to_owned());
    terminal.press("y\r").unwrap();
    terminal.until_shown("Done.").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> half a text")).unwrap();
    assert_eq!(host.received("docs", "tools/call").unwrap().len(), 1);
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter("again").unwrap();
    terminal
        .until("the second question", |screen| {
            screen.contains("numbers: y") && screen.matches("Run? [y]es").count() == 2
        })
        .unwrap();
    terminal.press("n\r").unwrap();
    terminal.until_shown("Not done.").unwrap();
    assert_eq!(host.received("docs", "tools/call").unwrap().len(), 1);
}

// S13
#[tokio::test(flavor = "multi_thread")]
async fn exit_waits_for_no_model_that_hangs() {
    let (_host, model, terminal) = talking(vec![Answer::text("Half").ending(0, Ending::Silence)], NARROW).await;
    terminal.enter("think").unwrap();
    while model.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    terminal.enter(".exit").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
}

// S18
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_with_the_terminal_as_it_was() {
    let (_host, _model, terminal) = talking(vec![], NARROW).await;
    std::process::Command::new("kill").arg("-TERM").arg(terminal.pid().to_string()).status().unwrap();
    assert_eq!(terminal.status().unwrap(), 130);
    let (row, _) = terminal.cursor();
    assert!(row > 0);
}

// S18, S40
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_while_a_question_stands_ends_it_with_the_terminal_as_it_was() {
    let host = machine();
    let call = Answer::new().call("c1", "fs_write", &json!({"path": "made", "contents": "x"}));
    let model = ModelServer::start(Api::OpenAi, vec![call]).await.unwrap();
    host.write("config/config.yaml", &format!("{}enabled_tools: fs_write\n", model.config_yaml())).unwrap();
    let terminal = opened(&host, WIDE);
    terminal.enter("write").unwrap();
    terminal.until_shown("Run? [y]es").unwrap();
    let tty = std::fs::read_link(format!("/proc/{}/fd/0", terminal.pid())).unwrap();
    let is_raw = || {
        let said = std::process::Command::new("stty").arg("-a").arg("-F").arg(&tty).output().unwrap();
        String::from_utf8(said.stdout).unwrap().contains("-icanon")
    };
    assert!(is_raw());
    std::process::Command::new("kill").arg("-TERM").arg(terminal.pid().to_string()).status().unwrap();
    terminal.status().unwrap();
    assert!(!is_raw() && !host.path("project/made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_sessions_file_does_not_hold_is_written_when_coyote_is_left_or_it_says_why_not() {
    let (host, _model, terminal) = talking(vec![Answer::text("Hello."), Answer::text("Again.")], WIDE).await;
    terminal.enter(".session work").unwrap();
    terminal.enter("hello").unwrap();
    terminal.until_shown("Hello.").unwrap();
    terminal.enter(".set temperature 0.5").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".exit").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    let file = host.path("config/sessions/work.yaml");
    assert!(std::fs::read_to_string(&file).unwrap().contains("temperature: 0.5"));
    let terminal = Terminal::open(&host, &["-s", "work"], WIDE).unwrap();
    terminal.until_shown("work >").unwrap();
    // A directory cannot be replaced by a file.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    terminal.enter("again").unwrap();
    terminal.until_shown("note: Session `work` could not be written").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".exit").unwrap();
    terminal.until_shown("error: Session `work` could not be written").unwrap();
    terminal.status().unwrap();
}
