//! Models over HTTP: each of the four wire formats against a stand-in that is scripted per request.

use acceptance::model_server::{Answer, Api, Ending, ModelServer};
use coyote_integration::{
    config::{ClientConfig, ClientKind, Environment, ModelConfig, ProcessEnv},
    functions::{ToolCall, ToolResult},
    model::{ChatModel, ChatRequest, Function, Message, ModelError, ModelFault, Models, Part, Reply, ReplySink, Usage},
};
use rstest::rstest;
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

const PATIENCE: Duration = Duration::from_secs(20);
const KEY: &str = "sk-very-secret-key";

#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) text: Mutex<String>,
    pub(crate) reasoning: Mutex<String>,
    pub(crate) retries: Mutex<Vec<(ModelFault, Duration)>>,
    pub(crate) stop_at_first_word: Option<CancellationToken>,
}

impl ReplySink for Heard {
    fn text(&self, more: &str) {
        self.text.lock().unwrap().push_str(more);
        if let Some(cancel) = &self.stop_at_first_word {
            cancel.cancel();
        }
    }

    fn reasoning(&self, more: &str) {
        self.reasoning.lock().unwrap().push_str(more);
    }

    fn retrying(&self, fault: &ModelError, pause: Duration) {
        self.retries.lock().unwrap().push((fault.fault, pause));
    }
}

fn kind(api: Api) -> ClientKind {
    ClientKind::ALL.into_iter().find(|kind| kind.as_str() == api.client_type()).unwrap()
}

pub(crate) fn client(server: &ModelServer, api: Api) -> ClientConfig {
    ClientConfig {
        kind: kind(api),
        name: "box".to_owned(),
        api_base: Some(server.api_base()),
        api_key: Some(KEY.to_owned()),
        models: vec![ModelConfig { name: "m".to_owned(), ..ModelConfig::default() }],
        proxy: None,
        connect_timeout: None,
        read_timeout: None,
        secrets: Vec::new(),
    }
}

pub(crate) fn model_of(client: ClientConfig) -> Arc<dyn ChatModel> {
    Models::new(&[client], &Environment::new(ProcessEnv::of(&[]))).resolve("box:m").unwrap()
}

pub(crate) fn request(stream: bool) -> ChatRequest {
    let parameters = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    let function = |name: &str| Function {
        name: name.to_owned(),
        description: "Does it".to_owned(),
        parameters: parameters.clone(),
    };
    ChatRequest {
        messages: vec![Message::System("Be brief".to_owned()), Message::user("Hello")],
        functions: vec![function("first"), function("second")],
        temperature: Some(0.5),
        stream,
        ..ChatRequest::default()
    }
}

pub(crate) async fn ask(
    server: &ModelServer,
    api: Api,
    request: ChatRequest,
    heard: &Heard,
) -> Result<Reply, ModelError> {
    model_of(client(server, api)).chat(request, heard, CancellationToken::new()).await
}

#[rstest]
#[tokio::test]
async fn text_reasoning_and_usage_arrive_in_every_format_streamed_and_whole(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(true, false)] stream: bool,
) {
    let answer = Answer::new().reasoning("So…").and_text("Three grüne books").usage(21, 7).in_pieces();
    let server = ModelServer::start(api, [answer]).await.unwrap();
    let heard = Heard::default();
    let reply = ask(&server, api, request(stream), &heard).await.unwrap();
    let usage = Some(Usage { input: 21, output: 7 });
    let expected =
        Reply { text: "Three grüne books".to_owned(), reasoning: "So…".to_owned(), usage, ..Reply::default() };
    assert_eq!(reply, expected);
    assert_eq!(
        (heard.text.lock().unwrap().as_str(), heard.reasoning.lock().unwrap().as_str()),
        ("Three grüne books", "So…")
    );
    let asked = &server.requests()[0];
    assert_eq!(asked.functions(), ["first", "second"]);
    assert_eq!(asked.system().as_deref(), Some("Be brief"));
    assert_eq!(asked.streamed(), stream);
    assert!(asked.headers.iter().any(|(_, value)| value.contains(KEY)), "the key is sent");
}

#[rstest]
#[tokio::test]
async fn parallel_calls_arrive_in_order_with_ids_of_their_own(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(true, false)] stream: bool,
) {
    let long = json!({"q": "a long argument with “quotes” and \n lines", "n": [1, 2, {"deep": null}]});
    let answer = Answer::text("Look").call("a", "first", &long).call("b", "first", &json!({"q": "2"})).call(
        "c",
        "second",
        &json!({}),
    );
    let server = ModelServer::start(api, [answer.in_pieces()]).await.unwrap();
    let reply = ask(&server, api, request(stream), &Heard::default()).await.unwrap();
    let calls: Vec<(&str, &Value)> = reply.calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
    assert_eq!(calls, [("first", &long), ("first", &json!({"q": "2"})), ("second", &json!({}))]);
    let mut ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    if matches!(api, Api::OpenAi | Api::Anthropic) {
        assert_eq!(ids, ["a", "b", "c"]);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3, "every id once");
    assert_eq!(reply.cut, None);
}

#[rstest]
#[tokio::test]
async fn results_go_back_in_call_order_and_pictures_as_the_format_wants_them(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let server = ModelServer::start(api, [Answer::text("Done")]).await.unwrap();
    let call = |id: &str, arguments: Value| ToolCall { id: id.to_owned(), name: "first".to_owned(), arguments };
    let result =
        |id: &str, output: Value| ToolResult { id: id.to_owned(), name: "first".to_owned(), output, code: None };
    let mut request = request(true);
    request.messages = vec![
        Message::User(vec![
            Part::Text("What is this?".to_owned()),
            Part::Image { mime: "image/png".to_owned(), data: "iVBORw0KGgo=".to_owned(), name: "dot.png".to_owned() },
        ]),
        Message::Assistant {
            text: String::new(),
            calls: vec![call("a", json!({"q": "1"})), call("b", json!("{broken"))],
        },
        Message::Results(vec![result("a", json!({"n": 1})), result("b", json!({"n": 2}))]),
    ];
    assert_eq!(ask(&server, api, request, &Heard::default()).await.unwrap().text, "Done");
    let asked = &server.requests()[0];
    let outputs: Vec<String> = asked.results().into_iter().map(|(_, output)| output).collect();
    assert_eq!(outputs, ["{\"n\":1}", "{\"n\":2}"]);
    let body = asked.body.to_string();
    assert_eq!(body.matches("iVBORw0KGgo=").count(), 1);
    assert!(body.contains("{broken"), "arguments that were no JSON are not lost");
}

#[rstest]
#[tokio::test]
async fn arguments_that_are_no_json_arrive_as_the_text_they_were(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(true, false)] stream: bool,
) {
    let answer = Answer::new().raw_call("a", "first", "{\"q\": tru").call("b", "second", &json!({"q": "fine"}));
    let server = ModelServer::start(api, [answer]).await.unwrap();
    let reply = ask(&server, api, request(stream), &Heard::default()).await.unwrap();
    let calls: Vec<&Value> = reply.calls.iter().map(|call| &call.arguments).collect();
    assert_eq!(calls, [&json!("{\"q\": tru"), &json!({"q": "fine"})]);
}

#[rstest]
#[tokio::test]
async fn too_many_requests_and_a_failing_provider_are_asked_again_as_retry_after_says(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(true, false)] stream: bool,
) {
    let answers = [
        Answer::status(429, "slow down").header("retry-after", "0"),
        Answer::status(503, "{}").header("retry-after-ms", "3"),
        Answer::text("At last"),
    ];
    let server = ModelServer::start(api, answers).await.unwrap();
    let heard = Heard::default();
    assert_eq!(ask(&server, api, request(stream), &heard).await.unwrap().text, "At last");
    let expected = [(ModelFault::RateLimited, Duration::ZERO), (ModelFault::Provider, Duration::from_millis(3))];
    assert_eq!(*heard.retries.lock().unwrap(), expected);
}

#[rstest]
#[tokio::test]
async fn a_connection_lost_before_the_first_word_is_tried_again(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(Ending::Cut, Ending::Early)] ending: Ending,
) {
    let server = ModelServer::start(api, [Answer::text("lost").ending(0, ending), Answer::text("Here")]).await.unwrap();
    let heard = Heard::default();
    assert_eq!(ask(&server, api, request(true), &heard).await.unwrap().text, "Here");
    assert_eq!(heard.retries.lock().unwrap()[0].0, ModelFault::Connection);
}

#[rstest]
#[tokio::test]
async fn a_reply_that_breaks_off_is_kept_and_says_so_and_is_not_asked_for_again(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(Ending::Cut, Ending::Early)] ending: Ending,
) {
    let frames = if api == Api::Anthropic { 5 } else { 2 };
    let answer = Answer::text("One two three four").usage(1, 1).ending(frames, ending);
    let server = ModelServer::start(api, [answer]).await.unwrap();
    let reply = ask(&server, api, request(true), &Heard::default()).await.unwrap();
    assert!(reply.text.starts_with("One ") && !reply.text.contains("four"), "{reply:?}");
    let cut = reply.cut.unwrap();
    assert_eq!(cut.fault, ModelFault::Connection);
    assert!(cut.text.contains("`box:m`"), "{cut}");
    assert_eq!(server.requests().len(), 1);
}

#[rstest]
#[tokio::test]
async fn a_slow_reply_that_is_stopped_keeps_its_words_and_the_provider_sees_it(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let frames = if api == Api::Anthropic { 5 } else { 2 };
    let server =
        ModelServer::start(api, [Answer::text("One two three").ending(frames, Ending::Silence)]).await.unwrap();
    let cancel = CancellationToken::new();
    let heard = Heard { stop_at_first_word: Some(cancel.clone()), ..Heard::default() };
    let reply = model_of(client(&server, api)).chat(request(true), &heard, cancel).await.unwrap();
    assert_eq!(reply.cut.unwrap().fault, ModelFault::Cancelled);
    assert!(reply.text.starts_with("One "));
    assert!(server.hung_up(0, PATIENCE).await, "the provider was not told");
}

#[rstest]
#[tokio::test]
async fn a_request_that_is_stopped_before_the_first_word_is_an_error_and_the_provider_sees_it(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let server = Arc::new(ModelServer::start(api, [Answer::text("never").ending(0, Ending::Silence)]).await.unwrap());
    let (cancel, seen) = (CancellationToken::new(), Arc::clone(&server));
    let stop = cancel.clone();
    tokio::spawn(async move {
        while seen.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    });
    let answer = model_of(client(&server, api)).chat(request(true), &Heard::default(), cancel).await;
    assert_eq!(answer.unwrap_err().fault, ModelFault::Cancelled);
    assert!(server.hung_up(0, PATIENCE).await, "the provider was not told");
}

#[rstest]
#[tokio::test]
async fn silence_ends_with_the_read_timeout_of_the_client(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(true, false)] begun: bool,
) {
    let frames = if !begun {
        0
    } else if api == Api::Anthropic {
        5
    } else {
        2
    };
    let server =
        ModelServer::start(api, [Answer::text("One two three").ending(frames, Ending::Silence)]).await.unwrap();
    let own = ClientConfig { read_timeout: Some(Duration::from_millis(200)), ..client(&server, api) };
    let started = Instant::now();
    let answer = model_of(own).chat(request(true), &Heard::default(), CancellationToken::new()).await;
    let fault = if begun { answer.unwrap().cut.unwrap() } else { answer.unwrap_err() };
    assert_eq!(fault.fault, ModelFault::Timeout);
    assert!(fault.hint.contains("read_timeout"));
    assert!(started.elapsed() < PATIENCE);
}

#[rstest]
#[case::refused_key(401, ModelFault::Auth, "`box:m` refused the key of client `box` (status 401: bad …)")]
#[case::unknown_model(404, ModelFault::NotFound, "`box:m` is not at `")]
#[case::too_long(400, ModelFault::Refused, "`box:m` did not accept the request (status 400: bad …)")]
#[case::redirect(307, ModelFault::Refused, "sends `box:m` to another address")]
#[tokio::test]
async fn a_refusal_names_the_model_and_never_the_key(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(true, false)] stream: bool,
    #[case] status: u16,
    #[case] fault: ModelFault,
    #[case] text: &str,
) {
    let body = json!({"error": {"message": format!("bad {KEY}")}}).to_string();
    let answer = Answer::status(status, &body).header("location", "http://127.0.0.1:1/elsewhere");
    let server = ModelServer::start(api, [answer]).await.unwrap();
    let error = ask(&server, api, request(stream), &Heard::default()).await.unwrap_err();
    assert_eq!(error.fault, fault);
    assert!(error.text.contains(text), "{error}");
    assert!(!format!("{error:?}").contains(KEY));
    assert_eq!(server.requests().len(), 1, "it is not asked again");
}

#[tokio::test]
async fn what_a_provider_wrote_in_an_error_is_bounded() {
    let server = ModelServer::start(Api::OpenAi, [Answer::status(400, &"é".repeat(10_000))]).await.unwrap();
    let error = ask(&server, Api::OpenAi, request(true), &Heard::default()).await.unwrap_err();
    assert!(error.text.len() < 400, "{}", error.text.len());
    assert!(error.text.contains("ééé…"));
}

#[rstest]
#[tokio::test]
async fn a_reply_that_reached_its_longest_length_says_so(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values(true, false)] stream: bool,
) {
    let server = ModelServer::start(api, [Answer::text("Half a sent").too_long()]).await.unwrap();
    let reply = ask(&server, api, request(stream), &Heard::default()).await.unwrap();
    assert_eq!(reply.text, "Half a sent");
    assert!(reply.cut.unwrap().hint.contains("max_output_tokens"));
}

#[tokio::test]
async fn a_model_that_sees_no_pictures_is_not_sent_one_and_one_without_functions_none() {
    let server = ModelServer::start(Api::OpenAi, [Answer::text("Hi")]).await.unwrap();
    let models = vec![ModelConfig {
        name: "m".to_owned(),
        supports_vision: Some(false),
        supports_function_calling: Some(false),
        ..ModelConfig::default()
    }];
    let model = model_of(ClientConfig { models, ..client(&server, Api::OpenAi) });
    let mut picture = request(true);
    let image = Part::Image { mime: "image/png".to_owned(), data: "eA==".to_owned(), name: "dot.png".to_owned() };
    picture.messages.push(Message::User(vec![image]));
    let error = model.chat(picture, &Heard::default(), CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.text, "`box:m` cannot see pictures, and `dot.png` is one");
    assert!(server.requests().is_empty());
    model.chat(request(true), &Heard::default(), CancellationToken::new()).await.unwrap();
    assert!(server.requests()[0].functions().is_empty());
}

#[tokio::test]
async fn nobody_at_the_address_is_told_with_its_host_after_all_tries() {
    let own = {
        let server = ModelServer::start(Api::Ollama, []).await.unwrap();
        client(&server, Api::Ollama)
    };
    let heard = Heard::default();
    let error = model_of(own).chat(request(true), &heard, CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.fault, ModelFault::Connection);
    assert!(error.text.starts_with("No connection to `127.0.0.1:") && error.text.ends_with("(4 tries)"), "{error}");
    assert_eq!(heard.retries.lock().unwrap().len(), 3);
}
