//! Ctrl-C and keys where the line editor does not read them: before the first prompt, while another program has the
//! terminal, at a question (S13, S18, S40, S45); and files that another program broke.

use super::{WIDE, machine, opened};
use acceptance::{
    model_server::{Answer, Api, Gate, ModelServer},
    terminal::Terminal,
};
use serde_json::json;

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
    terminal.until_shown("The editor could not be started").unwrap();
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
