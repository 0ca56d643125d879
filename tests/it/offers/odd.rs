//! Servers that offer much, under odd names, or with what cannot be used, from the terminal to the model's journal (C12,
//! C13, C26, C70).

use super::{REPLY, argument, model, opened, said, text, wait_until};
use crate::machine::{ends, machine};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
    terminal::Terminal,
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Wide and high enough for a list with its notes.
const COLUMNS: u16 = 120;

fn with(name: &str, script: Value) -> Host {
    let mut host = machine();
    host.serve(name, script).unwrap();
    host
}

/// Ctrl-C clears the line: a new prompt stands below it.
fn cleared(terminal: &Terminal) {
    terminal.press("\u{3}").unwrap();
    terminal.until("a new prompt", |screen| screen.ends_with("\n>")).unwrap();
}

// C12
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_of_three_arguments_is_listed_and_run_and_what_was_skipped_has_a_row_with_its_reason() {
    let arguments = [argument("artist", true), argument("venue", true), argument("tour", false)];
    let host = with(
        "star",
        json!({
            "prompts": [{"name": "release", "arguments": arguments}, {"description": "nameless"}, {"name": "plain"}],
            "prompt_results": {"release": {"messages": [text("user", "three")]}},
        }),
    );
    let model = model(&host).await;
    let terminal = opened(&host, COLUMNS, &["star"]);
    terminal.enter(".list prompts star").unwrap();
    terminal.until_shown("plain").unwrap();
    terminal.until_idle().unwrap();
    let shown = terminal.screen();
    let table = shown.split_once(".list prompts star\n").unwrap().1;
    insta::assert_snapshot!(table.trim_end_matches('>').trim_end(), @r"
    SERVER  PROMPT   ARGUMENTS            ABOUT
    star    release  artist venue [tour]
    star    plain
    star    !                             prompts: 1 skipped: entry 1: `name` is missing
    ");
    terminal.enter(".prompt star release artist=A venue=B tour=C").unwrap();
    terminal.until_shown(REPLY).unwrap();
    assert_eq!(said(&model), "[user]\nthree");
    terminal.leave().unwrap();
}

// C13
#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_a_missing_argument_is_an_error_that_names_it_and_no_question_waits() {
    let host = with("star", json!({"prompts": [{"name": "ask", "arguments": [argument("topic", true)]}]}));
    let model = model(&host).await;
    // A stdin that stays open: a question would wait for ever.
    let mut child = host.command(&["mcp", "prompt", "star", "ask"]).spawn().unwrap();
    let open = child.stdin.take();
    let status =
        tokio::time::timeout(Duration::from_mins(1), child.wait()).await.expect("nothing is waited for").unwrap();
    drop(open);
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).await.unwrap();
    assert_eq!(status.code(), Some(2), "{told}");
    assert!(told.contains("topic") && told.contains("The topic"), "{told}");
    // A step of a macro is nobody to ask either.
    host.write("config/macros/asks.yaml", "steps: [.prompt star ask]\n").unwrap();
    let done = ends(&host, 2, &["--macro", "asks"]).await;
    assert!(done.stderr.contains("`.prompt`") && done.stderr.contains("coyote mcp prompt"), "{done}");
    assert!(host.received("star", "prompts/get").unwrap().is_empty() && model.requests().is_empty());
    // With its argument it runs, and prints what a model would be told.
    let done = ends(&host, 0, &["mcp", "prompt", "star", "ask", "topic=why is the sky blue"]).await;
    assert!(done.text().contains("why is the sky blue"), "{done}");
}

// C26
#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_resources_reach_no_request_and_a_search_and_a_menu_show_few_of_them() {
    let resources = json!([{"repeat": 500, "of": {"uri": "item://{n}", "name": "item {n}"}}]);
    let contents = json!({"item://437": [{"uri": "item://437", "text": "the wanted one"}]});
    let host = with("lib", json!({"resources": resources, "contents": contents}));
    let answers = vec![Answer::new().call("c1", "mcp_search_lib", &json!({"query": "item"})), Answer::text(REPLY)];
    let model = ModelServer::start(Api::OpenAi, answers).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    let terminal = opened(&host, COLUMNS, &["lib"]);
    assert!(host.received("lib", "resources/list").unwrap().is_empty(), "nothing is listed at the start");
    terminal.enter("what is there").unwrap();
    terminal.until_shown(REPLY).unwrap();
    let requests = model.requests();
    assert!(!requests[0].body.to_string().contains("item://"), "no resource is in the context");
    let found: Value = serde_json::from_str(&requests[1].results()[0].1).unwrap();
    assert_eq!((found["items"].as_array().unwrap().len(), &found["total"]), (8, &json!(500)));
    terminal.until_idle().unwrap();
    // A hundred rows fit no screen; what is typed finds the one that is meant.
    terminal.press(".resource lib \t").unwrap();
    terminal.until_shown("item://0").unwrap();
    terminal.press("item://437").unwrap();
    terminal.until("one row", |screen| screen.contains("lib item://437") && !screen.contains("item://0\n")).unwrap();
    terminal.press("\u{1b}").unwrap();
    terminal.until("no menu", |screen| screen.ends_with("> .resource lib item://437")).unwrap();
    cleared(&terminal);
    terminal.enter(".resource lib item://437").unwrap();
    terminal.until_shown("the wanted one").unwrap();
    terminal.leave().unwrap();
}

// C70
#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_a_blank_and_a_dot_is_quoted_by_tab_run_as_it_is_and_declared_under_an_accepted_name() {
    let key = "My Server.v2";
    let script = json!({
        "prompts": [{"name": "greet", "arguments": [argument("who", true)]}],
        "prompt_results": {"greet": {"messages": [text("user", "Good day")]}},
    });
    let host = with(key, script);
    let model = model(&host).await;
    let terminal = opened(&host, COLUMNS, &[key]);
    terminal.press(".prompt My\t").unwrap();
    terminal.until_shown(".prompt 'My Server.v2'").unwrap();
    assert!(host.received(key, "prompts/list").unwrap().is_empty(), "stage 1 asks nobody");
    terminal.press("gr\t").unwrap();
    terminal.until_shown("'My Server.v2' greet").unwrap();
    cleared(&terminal);
    terminal.enter(".prompt \"My Server.v2\" greet who=Ada").unwrap();
    terminal.until_shown(REPLY).unwrap();
    assert_eq!(said(&model), "[user]\nGood day");
    let functions = model.requests()[0].functions();
    let accepted =
        |name: &String| name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    assert!(functions.iter().any(|name| name.starts_with("mcp_prompt_My_Server_v2_")), "{functions:?}");
    assert!(functions.iter().all(accepted), "{functions:?}");
    // The half of a name is not taken for the name.
    terminal.enter(".prompt My Server.v2 greet").unwrap();
    terminal.until_shown("is no server that is enabled here").unwrap();
    wait_until(|| host.received(key, "prompts/get").unwrap().len() == 1);
    terminal.leave().unwrap();
}
