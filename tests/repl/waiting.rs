//! What is seen of what is waited for: a line beside the prompt that turns, and nothing of it afterwards (S12).

use super::{NARROW, WIDE, machine, opened, talking};
use acceptance::{
    model_server::{Answer, Api, Ending, ModelServer},
    terminal::prompt_row,
};
use rstest::rstest;
use serde_json::json;

/// A screen on which everything that turns is the same.
fn still(screen: &str) -> String {
    let turns = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
    screen.lines().map(|line| line.replace(turns, "*")).collect::<Vec<_>>().join("\n")
}

#[rstest]
#[case::narrow(NARROW)]
#[case::wide(WIDE)]
#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_waited_for_turns_beside_the_prompt_and_leaves_no_trace(#[case] size: (u16, u16)) {
    let answers = vec![Answer::text("Half").ending(0, Ending::Silence), Answer::text("There.")];
    let (_host, _model, terminal) = talking(answers, size).await;
    terminal.enter("think").unwrap();
    terminal.until_shown("stand-in:m answers").unwrap();
    terminal.press("half a text").unwrap();
    terminal.until("the text beside it", |screen| prompt_row(screen) == "> half a text").unwrap();
    insta::assert_snapshot!(format!("waiting_{}", size.0), still(&terminal.snapshot()));
    // A text that is entered meanwhile, and one that is given up, keep nothing of it.
    terminal.press("\r").unwrap();
    terminal.until_shown("It waits").unwrap();
    terminal.until_shown("answers").unwrap();
    terminal.press("more\u{3}").unwrap();
    terminal.until_shown("Cancelled").unwrap();
    terminal.until("what is half typed", |screen| screen.ends_with("\n> more")).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    let screen = terminal.everything();
    assert!(!screen.contains("answers") && screen.contains("\n> half a text\n"), "{screen}");
    terminal.enter("once more").unwrap();
    terminal.until_shown("There.").unwrap();
    terminal.until_idle().unwrap();
    assert!(!terminal.everything().contains("answers"), "{}", terminal.everything());
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_progress_of_a_call_is_seen_beside_the_prompt_s12() {
    let mut host = machine();
    let rule = json!({"on": "tools/call", "reply": "nothing",
                      "before": [{"progress": {"progress": 1, "total": 4, "message": "a quarter \u{1b}[2J"}}]});
    let script = json!({"tools": [{"name": "add", "inputSchema": {}}], "rules": [rule]});
    host.serve_with("docs", script, json!({"trust": true})).unwrap();
    let call = Answer::new().call("c1", "mcp_invoke_docs", &json!({"tool": "add"}));
    let model = ModelServer::start(Api::OpenAi, vec![call]).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    let terminal = opened(&host, WIDE);
    while host.received("docs", "notifications/initialized").unwrap_or_default().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    terminal.enter("add").unwrap();
    let screen = terminal.until_shown("mcp_invoke_docs 25% a quarter \\u{1b}[2J").unwrap();
    assert!(screen.lines().last().unwrap().starts_with("> "), "{screen}");
    terminal.press("\u{3}").unwrap();
    terminal.until_shown("Cancelled").unwrap();
    terminal.until_idle().unwrap();
    assert!(!terminal.everything().contains("25%"), "{}", terminal.everything());
    assert_eq!(host.received("docs", "notifications/cancelled").unwrap().len(), 1);
    terminal.leave().unwrap();
}

// A command that asks a server is one, too.
#[test]
fn a_command_that_waits_for_a_server_says_which_it_is() {
    let mut host = machine();
    let rule = json!({"on": "prompts/list", "reply": "nothing"});
    host.serve("docs", json!({"prompts": [{"name": "a"}], "rules": [rule]})).unwrap();
    let terminal = opened(&host, NARROW);
    terminal.enter(".list prompts").unwrap();
    terminal.until("what is waited for", |screen| screen.lines().last().unwrap().ends_with(" .list")).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    terminal.leave().unwrap();
}
