//! One turn of chat by the real binary when the provider fails, when the reply breaks off, and what a request carries: each
//! in the four wire formats (host.md "A turn", S6, S14, S25, S38).

use crate::machine::{ends, machine, shelf, with};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, Ending, ModelServer, Request},
    transcript::Transcript,
};
use regex::Regex;
use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;

/// The machine's model answers with these.
async fn spoken_to(host: &Host, api: Api, answers: Vec<Answer>) -> ModelServer {
    let model = ModelServer::start(api, answers).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    model
}

/// Of a streamed reply of these words, as many frames as hold the first two at most.
fn two_words(api: Api) -> usize {
    if api == Api::Anthropic { 5 } else { 2 }
}

fn failed(kind: &str) -> Answer {
    match kind {
        "429" => Answer::status(429, r#"{"error":{"message":"slow down"}}"#),
        "429 with retry-after" => Answer::status(429, "{}").header("retry-after", "0"),
        "500" => Answer::status(500, "{}"),
        "529 with retry-after" => Answer::status(529, "overloaded").header("retry-after", "0"),
        "cut" => Answer::text("lost").ending(0, Ending::Cut),
        _ => Answer::text("lost").ending(0, Ending::Early),
    }
}

#[rstest]
#[tokio::test]
async fn what_passes_is_asked_again_and_the_reply_is_whole(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values("429", "429 with retry-after", "500", "529 with retry-after", "cut", "ended early")] failure: &str,
) {
    let host = machine();
    let model = spoken_to(&host, api, vec![failed(failure), Answer::text("Here it is")]).await;
    let done = ends(&host, 0, &["hello"]).await;
    assert_eq!(done.text(), "Here it is");
    assert_eq!(done.stderr.matches("trying again in ").count(), 1, "{done}");
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body, requests[1].body, "the same request again");
}

#[rstest]
#[tokio::test]
async fn a_provider_that_goes_on_failing_is_asked_four_times_and_is_status_1(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(429, 503)] status: u16,
) {
    let host = machine();
    let answer = Answer::status(status, "{}").header("retry-after", "0");
    let model = spoken_to(&host, api, vec![answer; 5]).await;
    let done = ends(&host, 1, &["hello"]).await;
    assert_eq!(done.text(), "");
    assert!(done.stderr.contains("(4 tries)") && done.stderr.contains("note: "), "{done}");
    assert_eq!(model.requests().len(), 4);
}

// Waiting for less than was asked for would be refused again; an hour is nobody's wish.
#[tokio::test]
async fn a_retry_after_of_an_hour_is_not_waited_for() {
    let host = machine();
    let answer = Answer::status(429, "{}").header("retry-after", "3600");
    let model = spoken_to(&host, Api::OpenAi, vec![answer, Answer::text("never")]).await;
    ends(&host, 1, &["hello"]).await;
    assert_eq!(model.requests().len(), 1);
}

#[rstest]
#[tokio::test]
async fn what_arrived_of_a_reply_that_breaks_off_is_kept_and_the_status_is_1(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(Ending::Cut, Ending::Early)] ending: Ending,
) {
    let host = machine();
    let answer = Answer::text("One two three four").ending(two_words(api), ending);
    let model = spoken_to(&host, api, vec![answer, Answer::text("never")]).await;
    let done = ends(&host, 1, &["count"]).await;
    assert!(["One ", "One two "].contains(&done.text().as_str()), "{done}");
    assert!(done.stderr.contains("`stand-in:m`"), "{done}");
    assert_eq!(model.requests().len(), 1, "what was said is not said twice");
}

// Its arguments are half there: run, they would do something that nobody asked for.
#[rstest]
#[tokio::test]
async fn a_call_of_a_reply_that_breaks_off_is_not_run(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = with(shelf());
    let call = Answer::text("Adding ").call("c1", "mcp_invoke_docs", &json!({"tool": "add", "arguments": {"a": 1}}));
    let _model = spoken_to(&host, api, vec![call.ending(6, Ending::Cut)]).await;
    let done = ends(&host, 1, &["--yes", "add"]).await;
    assert_eq!(done.text(), "Adding ", "{done}");
    assert!(host.received("docs", "tools/call").unwrap().is_empty());
}

#[rstest]
#[tokio::test]
async fn a_reply_that_stalls_ends_with_the_read_timeout_of_the_client_and_keeps_what_arrived(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = machine();
    let stalled = Answer::text("One two three").ending(two_words(api), Ending::Silence);
    let model = ModelServer::start(api, [stalled]).await.unwrap();
    host.write("config/config.yaml", &format!("{}  extra:\n    read_timeout: 1\n", model.config_yaml())).unwrap();
    let done = ends(&host, 1, &["count"]).await;
    assert!(done.text().starts_with("One "), "{done}");
    assert!(done.stderr.contains("read_timeout"), "{done}");
    assert!(model.hung_up(0, Duration::from_secs(20)).await);
}

#[rstest]
#[tokio::test]
async fn frames_in_pieces_with_pauses_between_them_are_one_reply(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = with(shelf());
    let slowly = |answer: Answer| answer.in_pieces().slow(Duration::from_millis(20));
    let call = Answer::new().call("c1", "mcp_read_docs", &json!({"uri": "book://one", "pattern": "third|“zwei”"}));
    let model = spoken_to(&host, api, vec![slowly(call), slowly(Answer::text("Grüße, 漢字 🦊"))]).await;
    assert_eq!(ends(&host, 0, &["read"]).await.text(), "Grüße, 漢字 🦊");
    assert!(model.requests()[1].results()[0].1.contains("3:the third line"));
}

#[rstest]
#[tokio::test]
async fn a_reply_that_is_not_streamed_is_the_same_text(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = with(shelf());
    let call = Answer::new().call("c1", "mcp_read_docs", &json!({"uri": "book://one"}));
    let model = spoken_to(&host, api, vec![call, Answer::text("Read.")]).await;
    assert_eq!(ends(&host, 0, &["-S", "read"]).await.text(), "Read.");
    assert!(model.requests().iter().all(|request| !request.streamed()));
    assert!(model.requests()[1].results()[0].1.contains("first line"));
}

#[rstest]
#[tokio::test]
async fn calls_that_cannot_be_run_are_answered_in_their_place_and_the_others_run(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = with(shelf());
    let calls = Answer::new()
        .raw_call("c1", "mcp_read_docs", "{\"uri\": ")
        .call("c2", "no_such_tool", &json!({"a": 1}))
        .call("c3", "mcp_read_docs", &json!({"uri": "book://one"}))
        .call("c4", "mcp_read_docs", &json!({"uri": "book://none"}));
    let model = spoken_to(&host, api, vec![calls, Answer::text("Sorry.")]).await;
    ends(&host, 0, &["read"]).await;
    let results = answers(&model.requests()[1]);
    let told: Vec<&Value> = results.iter().map(|result| result.get("code").unwrap_or(&result["uri"])).collect();
    assert_eq!(told, ["invalid_arguments", "unsupported", "book://one", "not_found"], "{results:#?}");
}

#[rstest]
#[tokio::test]
async fn results_stand_in_call_order_however_long_each_took(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let mut script = shelf();
    // The first call answers last.
    script["rules"] = json!([{"on": "resources/read", "of": "book://one", "delay_ms": 300}]);
    let host = with(script);
    let read = |answer: Answer, id: &str, uri: &str| answer.call(id, "mcp_read_docs", &json!({"uri": uri}));
    let calls = read(Answer::new(), "c1", "book://one");
    let calls = read(read(calls, "c2", "book://page/7"), "c3", "book://cover");
    let model = spoken_to(&host, api, vec![calls, Answer::text("Done.")]).await;
    ends(&host, 0, &["read"]).await;
    let uris: Vec<Value> = answers(&model.requests()[1]).iter().map(|answer| answer["uri"].clone()).collect();
    assert_eq!(uris, ["book://one", "book://page/7", "book://cover"]);
}

/// Everything that may hold bytes: a resource, a tool's picture and embedded blob, a prompt's picture.
fn pictures() -> Value {
    let blob = json!({"blob_bytes": 3_000, "seed": 7});
    json!({
        "resources": [{"uri": "pic://1", "name": "one", "mimeType": "image/png"}],
        "contents": {"pic://1": [{"uri": "pic://1", "mimeType": "image/png", "blob": blob}]},
        "tools": [{"name": "draw", "inputSchema": {"type": "object"}}],
        "tool_results": {"draw": {"content": [
            {"type": "image", "mimeType": "image/png", "data": blob},
            {"type": "resource", "resource": {"uri": "pic://2", "mimeType": "application/zip", "blob": blob}}]}},
        "prompts": [{"name": "look"}],
        "prompt_results": {"look": {"messages": [
            {"role": "user", "content": {"type": "image", "mimeType": "image/png", "data": blob}}]}},
    })
}

#[rstest]
#[tokio::test]
async fn no_request_holds_base64_that_a_server_sent(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = with(pictures());
    let calls = Answer::new()
        .call("c1", "mcp_read_docs", &json!({"uri": "pic://1"}))
        .call("c2", "mcp_invoke_docs", &json!({"tool": "draw", "arguments": {}}))
        .call("c3", "mcp_prompt_docs", &json!({"prompt": "look"}));
    let model = spoken_to(&host, api, vec![calls, Answer::text("Seen.")]).await;
    ends(&host, 0, &["--yes", "look"]).await;
    let base64 = Regex::new("[A-Za-z0-9+/=_-]{200}").unwrap();
    let requests = model.requests();
    assert_eq!((requests.len(), requests[1].results().len()), (2, 3));
    for request in requests {
        let body = request.body.to_string();
        assert_eq!(base64.find(&body).map(|found| found.as_str()), None);
    }
}

// S4, S6, S14
#[rstest]
#[tokio::test]
async fn a_request_declares_the_functions_of_the_servers_that_are_ready_and_no_other(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let mut host = with(shelf());
    let tool = json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]});
    host.serve("tools", tool.clone()).unwrap();
    host.serve("dies", json!({"process": {"exit_at_start": 3}})).unwrap();
    host.serve_with(
        "mute",
        json!({"rules": [{"on": "initialize", "reply": "nothing"}]}),
        json!({"startup_timeout_sec": 1}),
    )
    .unwrap();
    host.serve_with("off", tool.clone(), json!({"disabled": true})).unwrap();
    host.serve("unasked", tool).unwrap();
    let read = Answer::new().call("c1", "mcp_read_docs", &json!({"uri": "book://one"}));
    let model = ModelServer::start(api, [read, Answer::text("Done.")]).await.unwrap();
    let config = format!("{}enabled_mcp_servers: [docs, tools, dies, mute, off]\n", model.config_yaml());
    host.write("config/config.yaml", &config).unwrap();
    let done = ends(&host, 0, &["read"]).await;
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(
            request.functions(),
            [
                "mcp_invoke_docs",
                "mcp_search_docs",
                "mcp_describe_docs",
                "mcp_read_docs",
                "mcp_prompt_docs",
                "mcp_invoke_tools",
                "mcp_search_tools",
                "mcp_describe_tools",
            ]
        );
    }
    assert!(host.wire("off").unwrap().is_empty() && host.wire("unasked").unwrap().is_empty());
    for server in ["dies", "mute"] {
        assert_eq!(warnings(&done, server), 1, "{server}: {done}");
    }
}

// config.yaml: what a model cannot do is not asked of it, and a picture is refused before anything is sent.
#[rstest]
#[tokio::test]
async fn a_model_is_asked_for_what_its_keys_say_it_can_do(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let host = with(shelf());
    let model = ModelServer::start(api, [Answer::text("Plain."), Answer::text("A dot.")]).await.unwrap();
    let keys = |vision: bool| {
        let keys = format!("    supports_function_calling: false\n    supports_vision: {vision}\n");
        host.write("config/config.yaml", &format!("{}{keys}", model.config_yaml())).unwrap();
    };
    // The eight bytes by which a PNG is known are enough of one here.
    std::fs::write(host.path("project/dot.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    keys(false);
    assert_eq!(ends(&host, 0, &["hello"]).await.text(), "Plain.");
    let done = ends(&host, 2, &["-f", "dot.png", "what is this"]).await;
    assert!(done.stderr.contains("takes no pictures"), "{done}");
    assert_eq!(model.requests().len(), 1);
    keys(true);
    assert_eq!(ends(&host, 0, &["-f", "dot.png", "what is this"]).await.text(), "A dot.");
    let requests = model.requests();
    assert!(requests.iter().all(|request| request.functions().is_empty()));
    assert!(requests[1].body.to_string().contains("iVBORw0KGgo="), "{}", requests[1].body);
}

/// The lines of warning that name a server.
fn warnings(done: &Transcript, server: &str) -> usize {
    let named = format!("`{server}`");
    done.stderr.lines().filter(|line| line.starts_with("warning: ") && line.contains(&named)).count()
}

/// What the calls before a request answered, as JSON.
fn answers(request: &Request) -> Vec<Value> {
    request.results().into_iter().map(|(_, text)| serde_json::from_str(&text).unwrap()).collect()
}
