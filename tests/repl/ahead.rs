//! Ctrl-C and keys where the line editor does not read them: before the first prompt, while another program has the
//! terminal, at a question, behind a Ctrl-C (S13, S18, S40, S45); and files that another program broke.

use super::{WIDE, machine, opened, talking};
use acceptance::{
    host::{Host, is_running},
    model_server::{Answer, Api, Gate, ModelServer},
    terminal::Terminal,
};
use serde_json::json;
use std::{fs, process::Command, time::Duration};

/// A shell that says it is there, in words that its command line does not hold, and then reads nothing for a while.
const BUSY: &str = "!printf 'be%s\\n' gun; sleep 1";

#[tokio::test(flavor = "multi_thread")]
async fn lines_entered_while_a_shell_has_the_terminal_are_lines_and_the_begun_one_is_in_the_prompt_s45() {
    let host = machine();
    let model = ModelServer::start(Api::OpenAi, vec![Answer::text("One."), Answer::text("Two.")]).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    let terminal = opened(&host, WIDE);
    terminal.enter(BUSY).unwrap();
    terminal.until("the shell", |screen| screen.lines().any(|line| line == "begun")).unwrap();
    terminal.press("first\rsecond\rhalf \u{1b}[Aa text").unwrap();
    terminal.until_printed("Two.").unwrap();
    terminal
        .until("the text", |screen| screen.lines().last().is_some_and(|row| row.starts_with("> half a text")))
        .unwrap();
    let said: Vec<_> = model
        .requests()
        .iter()
        .map(|request| request.body["messages"].as_array().unwrap().last().unwrap()["content"].clone())
        .collect();
    assert_eq!(said, ["first", "second"]);
}

#[test]
fn an_editor_that_is_not_there_is_told_and_the_text_stays() {
    let host = machine();
    host.write("config/config.yaml", "editor: /no/such/editor\n").unwrap();
    let terminal = opened(&host, WIDE);
    terminal.press("a text").unwrap();
    terminal.until_shown("> a text").unwrap();
    terminal.press("\u{f}").unwrap();
    terminal.until_shown("The editor `/no/such/editor` could not be started").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> a text")).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until("an empty prompt", |screen| screen.ends_with("\n>")).unwrap();
    terminal.leave().unwrap();
}

#[test]
fn a_mcp_json_that_became_no_json_takes_no_server_away() {
    let mut host = machine();
    host.serve("docs", json!({"tools": [{"name": "add", "inputSchema": {}}]})).unwrap();
    let terminal = opened(&host, WIDE);
    host.write("config/mcp.json", "{").unwrap();
    terminal.enter(".mcp reload").unwrap();
    terminal.until_shown("What was read before counts").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(".list mcp-servers").unwrap();
    terminal.until("the server", |screen| screen.lines().any(|line| line.starts_with("docs "))).unwrap();
    terminal.leave().unwrap();
}

#[test]
fn ctrl_c_at_a_question_before_the_first_prompt_ends_coyote_with_130_s13() {
    let host = machine();
    host.write("project/.coyote/mcp.json", r#"{"mcpServers": {"theirs": {"command": "touch", "args": ["ran"]}}}"#)
        .unwrap();
    let terminal = Terminal::open(&host, &[], WIDE).unwrap();
    terminal.until_shown("theirs").unwrap();
    terminal.until("a question", |screen| screen.trim_end().ends_with(']')).unwrap();
    terminal.press("\u{3}").unwrap();
    assert_eq!(terminal.status().unwrap(), 130);
    assert!(!host.path("project/ran").exists());
}

#[rstest::rstest]
#[case::in_the_repl(&[])]
#[case::for_one_turn(&["go"])]
fn ctrl_c_at_the_question_for_an_agents_variable_ends_coyote_with_130_s13(#[case] said: &[&str]) {
    let host = machine();
    let lead = "instructions: You lead {{team}}.\nvariables: [{name: team, description: Which team}]\n";
    host.write("config/agents/lead/config.yaml", lead).unwrap();
    let terminal = Terminal::open(&host, &[&["-a", "lead"], said].concat(), WIDE).unwrap();
    terminal.until("the question", |screen| screen.contains("Which team") && screen.ends_with('>')).unwrap();
    terminal.press("\u{3}").unwrap();
    assert_eq!(terminal.status().unwrap(), 130, "{}", terminal.screen());
    assert!(!terminal.screen().contains("error: No value"), "{}", terminal.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_at_a_question_about_a_call_drops_what_waits_s13_s40() {
    let mut host = machine();
    host.serve("docs", json!({"tools": [{"name": "add", "inputSchema": {}}]})).unwrap();
    let gate = Gate::default();
    let call =
        Answer::new().call("c1", "mcp_invoke_docs", &json!({"tool": "add", "arguments": {"a": 1}})).held(0, &gate);
    let model = ModelServer::start(Api::OpenAi, vec![call, Answer::text("Said.")]).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    let terminal = opened(&host, WIDE);
    terminal.enter("add").unwrap();
    terminal.enter("what waits").unwrap();
    terminal.until_shown("It waits until").unwrap();
    gate.open();
    terminal.until_shown("Run? [y]es").unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until_shown("What waited is dropped: 1").unwrap();
    terminal.until_idle().unwrap();
    assert_eq!(model.requests().len(), 1);
    assert!(host.received("docs", "tools/call").unwrap().is_empty());
}

/// A machine whose model calls `add` of the server `docs`, once the gate is open, and then says these.
async fn adding(gate: &Gate, then: &[&str]) -> (Host, ModelServer) {
    let mut host = machine();
    host.serve("docs", json!({"tools": [{"name": "add", "inputSchema": {}}]})).unwrap();
    let call = json!({"tool": "add", "arguments": {"a": 1}});
    let mut answers = vec![Answer::new().call("c1", "mcp_invoke_docs", &call).held(0, gate)];
    answers.extend(then.iter().map(|text| Answer::text(text)));
    let model = ModelServer::start(Api::OpenAi, answers).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    (host, model)
}

async fn until_asked_of(model: &ModelServer) {
    while model.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

// A shell line in a macro: the editor reads no key while it runs, so whatever is typed waits at the terminal.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_before_a_question_about_a_call_was_shown_is_no_answer_and_is_not_lost_s40() {
    let gate = Gate::default();
    let (host, model) = adding(&gate, &["Not done.", "Heard."]).await;
    host.write("config/macros/go.yaml", "steps: ['!true', add]\n").unwrap();
    let terminal = opened(&host, WIDE);
    terminal.enter(".go").unwrap();
    until_asked_of(&model).await;
    terminal.press("y\rhalf a text").unwrap();
    gate.open();
    terminal.until_shown("Run? [y]es").unwrap();
    terminal.press("n\r").unwrap();
    terminal.until_printed("Heard.").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> half a text")).unwrap();
    assert!(host.received("docs", "tools/call").unwrap().is_empty(), "{}", terminal.everything());
    assert_eq!(model.requests()[2].body["messages"].as_array().unwrap().last().unwrap()["content"], "y");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_that_was_typed_before_a_question_was_shown_stops_what_asks_s13_s40() {
    let gate = Gate::default();
    let (host, model) = adding(&gate, &[]).await;
    host.write("config/macros/go.yaml", "steps: ['!true', add]\n").unwrap();
    let terminal = opened(&host, WIDE);
    terminal.enter(".go").unwrap();
    until_asked_of(&model).await;
    terminal.press("half\u{3}").unwrap();
    gate.open();
    terminal.until_shown("Cancelled").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> half")).unwrap();
    assert_eq!(model.requests().len(), 1);
}

// The configuration is a pipe that is written to after the keys: they are there before anything can be asked.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_before_a_question_of_trust_was_shown_is_no_yes_and_is_in_the_prompt() {
    let (host, model) = (machine(), ModelServer::start(Api::OpenAi, vec![Answer::text("Heard.")]).await.unwrap());
    host.write("project/.coyote/macros/theirs.yaml", "steps: ['!touch made']\n").unwrap();
    host.write("config/other.yaml", "").unwrap();
    Command::new("mkfifo").arg(host.path("config/config.yaml")).status().unwrap();
    let terminal = Terminal::open(&host, &[], WIDE).unwrap();
    terminal.press("y\r.help mod").unwrap();
    fs::write(host.path("config/config.yaml"), model.config_yaml()).unwrap();
    terminal.until_shown("Trust these macros? [y/N]").unwrap();
    terminal.press("n\r").unwrap();
    terminal.until_shown("The workspace's macros are not used").unwrap();
    terminal.until_shown("Heard.").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> .help mod")).unwrap();
    assert_eq!(model.requests()[0].body["messages"][0]["content"], "y");
    terminal.press("el\r").unwrap();
    terminal.until_shown("Show the model").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_while_a_model_answers_leaves_the_half_typed_line_in_the_prompt_s13() {
    let gate = Gate::default();
    let (_host, model, terminal) =
        talking(vec![Answer::text("Never seen.").held(0, &gate), Answer::text("Here again.")], WIDE).await;
    terminal.enter("think").unwrap();
    until_asked_of(&model).await;
    terminal.press("half a text").unwrap();
    terminal.until_shown("> half a text").unwrap();
    // What is typed on, in the same read.
    terminal.press("\u{3} and more").unwrap();
    terminal.until_shown("Cancelled").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> half a text and more")).unwrap();
    terminal.press("\r").unwrap();
    terminal.until_shown("Here again.").unwrap();
    let said = &model.requests()[1].body["messages"];
    assert_eq!(said.as_array().unwrap().last().unwrap()["content"], "half a text and more");
}

#[test]
fn ctrl_c_at_rest_takes_the_line_and_no_key_that_comes_after_it() {
    let host = machine();
    let terminal = opened(&host, WIDE);
    terminal.press("gone\u{3}kept").unwrap();
    terminal.until("the keys behind it", |screen| screen.ends_with("\n> kept")).unwrap();
    terminal.press("\u{3}.help model\r.hel").unwrap();
    terminal.until_shown("Show the model").unwrap();
    terminal.until("the begun line", |screen| screen.ends_with("\n> .hel")).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}

// Another coyote is the head of the terminal's session, whose end would hang up the terminal and hide what is left.
#[rstest::rstest]
#[case("TERM")]
#[case("HUP")]
fn a_shell_line_ends_with_coyote_and_all_that_it_started_too_s18(#[case] signal: &str) {
    let host = machine();
    let terminal = opened(&host, WIDE);
    terminal.enter(concat!("!exec ", env!("CARGO_BIN_EXE_coyote-under-test"))).unwrap();
    terminal.until("the inner one", |screen| screen.matches("`.help` shows").count() == 2).unwrap();
    terminal.until_idle().unwrap();
    terminal
        .enter("!(trap '' TERM; exec sleep 1000) & echo $PPID $! $$ >began; echo be''gun; wait; sleep 999")
        .unwrap();
    terminal.until("the shell", |screen| screen.lines().any(|line| line == "begun")).unwrap();
    let began = fs::read_to_string(host.path("project/began")).unwrap();
    let began: Vec<u32> = began.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    assert!(began.len() == 3 && began.iter().all(|pid| is_running(*pid)));
    Command::new("kill").arg(format!("-{signal}")).arg(began[0].to_string()).status().unwrap();
    terminal.until_shown("exit status: 130").unwrap();
    for pid in began {
        while is_running(pid) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}

#[test]
fn a_shell_line_that_is_stopped_goes_on_with_coyote() {
    let host = machine();
    let terminal = opened(&host, WIDE);
    terminal.enter("!printf 'be%s\\n' gun; exec sleep 1").unwrap();
    terminal.until("the shell", |screen| screen.lines().any(|line| line == "begun")).unwrap();
    // Nobody started coyote who could take the terminal, so coyote itself does not stop.
    terminal.press("\u{1a}").unwrap();
    terminal.until("the prompt", |screen| screen.contains("^Z") && screen.ends_with("\n>")).unwrap();
    terminal.leave().unwrap();
}

#[test]
fn ctrl_o_starts_the_editor_that_is_meant_now_and_one_that_fails_leaves_the_text() {
    let mut host = machine();
    for (name, does) in [("one", "printf 'from one' >"), ("two", "printf ' and two' >>"), ("bad", "exit 7; :")] {
        host.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{does} \"$1\"\n")).unwrap();
        Command::new("chmod").arg("+x").arg(host.path(&format!("bin/{name}"))).status().unwrap();
    }
    let editor = |name: &str| host.path(&format!("bin/{name}")).display().to_string();
    let (one, two, bad) = (editor("one"), editor("two"), editor("bad"));
    host.env("EDITOR", &one);
    let terminal = opened(&host, (120, 24));
    let edited = |begun: &str, text: &str| {
        terminal.press(&format!("{begun}\u{f}")).unwrap();
        terminal.until("the text", |screen| screen.replace('\n', "").ends_with(text)).unwrap();
    };
    let set = |editor: &str| {
        terminal.press("\u{3}").unwrap();
        terminal.until_idle().unwrap();
        terminal.enter(&format!(".set editor {editor}")).unwrap();
        terminal.until_idle().unwrap();
    };
    edited("abc", "> from one");
    set(&two);
    edited("abc", "> abc and two");
    set(&bad);
    terminal.press("my text\u{f}!").unwrap();
    terminal.until_shown("ended with exit status: 7, and the text is as it was").unwrap();
    terminal.until("the text", |screen| screen.ends_with("> my text!")).unwrap();
    set("null");
    edited("", "> from one");
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}
