//! One turn of chat by the real binary: a model behind HTTP in each wire format, and real fixture servers (host.md "A
//! turn", S6, S13, S40).

use crate::machine::{ends, run, shelf, with};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
};
use rstest::rstest;
use serde_json::{Value, json};

/// A machine with the server `docs`, and a model that answers with these.
async fn talking(api: Api, script: Value, answers: Vec<Answer>) -> (Host, ModelServer) {
    let host = with(script);
    let model = ModelServer::start(api, answers).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    (host, model)
}

fn add() -> Answer {
    Answer::new().call("c1", "mcp_invoke_docs", &json!({"tool": "add", "arguments": {"a": 1, "b": 2}}))
}

#[rstest]
#[tokio::test]
async fn a_model_searches_then_reads_twice_at_once_then_answers(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let answers = vec![
        Answer::new().call("c1", "mcp_search_docs", &json!({"query": "book"})),
        Answer::new().call("c2", "mcp_read_docs", &json!({"uri": "book://one"})).call(
            "c3",
            "mcp_read_docs",
            &json!({"uri": "book://cover"}),
        ),
        Answer::text("There is one book."),
    ];
    let (host, model) = talking(api, shelf(), answers).await;
    let done = ends(&host, 0, &["what", "books", "are", "there"]).await;
    // A pipe gets the bytes of the reply, and no line end of ours (S46).
    assert_eq!(done.text(), "There is one book.");
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        let functions = request.functions();
        // Those of the two servers that were ready, and no local tool: none is enabled.
        assert!(functions.iter().all(|name| name.ends_with("_docs") || name.ends_with("_coyote")), "{functions:?}");
        assert_eq!(functions.iter().filter(|name| name.ends_with("_docs")).count(), 5, "{functions:?}");
    }
    let texts: Vec<String> = requests[2].results().into_iter().map(|(_, text)| text).collect();
    // In call order, the picture as a file.
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[0].contains("book://one") && texts[1].contains("\"uri\":\"book://one\""), "{texts:?}");
    assert!(texts[2].contains("\"spilled\":true") && !texts[2].contains("\"blob\""), "{texts:?}");
}

#[tokio::test]
async fn a_tool_of_a_server_is_not_called_without_a_yes() {
    let (host, model) = talking(Api::OpenAi, shelf(), vec![add(), Answer::text("Not done.")]).await;
    ends(&host, 0, &["add"]).await;
    assert!(host.received("docs", "tools/call").unwrap().is_empty());
    assert!(model.requests()[1].results()[0].1.contains("\"code\":\"denied\""));
}

#[rstest]
#[case::yes("", &["--yes", "add"])]
#[case::never("mcp_approval: never\n", &["add"])]
#[tokio::test]
async fn a_tool_runs_with_a_standing_yes(#[case] config: &str, #[case] args: &[&str]) {
    let (host, model) = talking(Api::OpenAi, shelf(), vec![add(), Answer::text("Three.")]).await;
    host.write("config/config.yaml", &format!("{config}{}", model.config_yaml())).unwrap();
    assert_eq!(ends(&host, 0, args).await.text(), "Three.");
    assert_eq!(host.received("docs", "tools/call").unwrap().len(), 1);
}

#[tokio::test]
async fn malformed_arguments_and_an_unknown_function_are_answered_so_that_a_model_can_mend_them() {
    let answers = vec![
        Answer::new().raw_call("c1", "mcp_read_docs", "{\"uri\": ").call("c2", "mcp_raed_docs", &json!({})),
        Answer::text("Sorry."),
    ];
    let (host, model) = talking(Api::OpenAi, shelf(), answers).await;
    ends(&host, 0, &["read"]).await;
    let results = model.requests()[1].results();
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(results[0].1.contains("invalid_arguments") && results[1].1.contains("unsupported"), "{results:?}");
}

#[tokio::test]
async fn a_provider_that_refuses_is_status_1_and_its_key_is_not_shown() {
    let (host, _model) = talking(Api::OpenAi, shelf(), vec![Answer::status(401, "{}")]).await;
    let done = ends(&host, 1, &["hello"]).await;
    assert!(!done.stderr.contains("key-of-the-stand-in"), "{done}");
}

#[tokio::test]
async fn a_call_that_never_returns_is_cancelled_at_the_server_by_ctrl_c() {
    let mut script = shelf();
    script["rules"] = json!([{"on": "resources/read", "reply": "nothing"}]);
    let read = Answer::new().call("c1", "mcp_read_docs", &json!({"uri": "book://one"}));
    let (host, _model) = talking(Api::OpenAi, script, vec![read]).await;
    let mut child = host.command(&["read"]).spawn().unwrap();
    drop(child.stdin.take());
    while host.received("docs", "resources/read").unwrap().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let line = format!("kill -INT {}", child.id().unwrap());
    assert!(tokio::process::Command::new("sh").args(["-c", &line]).status().await.unwrap().success());
    assert_eq!(child.wait_with_output().await.unwrap().status.code(), Some(130));
    assert_eq!(host.received("docs", "notifications/cancelled").unwrap().len(), 1);
}

// A list of servers that is lost must not mean all of them.
#[tokio::test]
async fn a_broken_configuration_starts_nothing_and_asks_nobody() {
    let (host, model) = talking(Api::OpenAi, shelf(), vec![Answer::text("Hello")]).await;
    host.write("config/config.yaml", &format!("{}enabled_mcp_servers: [\n", model.config_yaml())).unwrap();
    let done = run(&host, &["hello"]).await;
    assert_eq!(done.status, Some(2), "{done}");
    assert!(done.stderr.contains("config.yaml"), "{done}");
    assert!(model.requests().is_empty() && host.wire("docs").unwrap().is_empty());
}
