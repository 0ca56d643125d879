//! Providers that do what their format does not say: replies that the library alone would lose, misread, or keep without a
//! bound (ADR 0021).

use crate::model::{Heard, ask, client, request};
use acceptance::model_server::{Answer, Api, Ending, ModelServer};
use coyote_integration::{
    config::{ClientConfig, Environment, ModelConfig, ProcessEnv},
    model::{ModelFault, Models, Reply, Usage},
};
use mcp_render::MODEL_REPLY_CALLS;
use rstest::rstest;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A stream of chat completion chunks with these choices, and `[DONE]`.
fn chunks(choices: impl IntoIterator<Item = Value>) -> Answer {
    let chunk = |choice: Value| format!("data: {}\n\n", json!({"choices": [choice]}));
    let body: String = choices.into_iter().map(chunk).collect();
    Answer::status(200, &format!("{body}data: [DONE]\n\n"))
}

fn calls(entries: Value) -> Value {
    json!({"index": 0, "delta": {"tool_calls": entries}, "finish_reason": null})
}

fn finish(reason: &str) -> Value {
    json!({"index": 0, "delta": {}, "finish_reason": reason})
}

async fn reply_to(answer: Answer) -> Reply {
    let server = ModelServer::start(Api::OpenAi, [answer]).await.unwrap();
    ask(&server, Api::OpenAi, request(true), &Heard::default()).await.unwrap()
}

#[tokio::test]
async fn a_stream_that_names_its_end_and_never_says_done_is_whole() {
    let answer = Answer::text("All of it").call("a", "first", &json!({"q": "1"})).usage(5, 6);
    let reply = reply_to(answer.ending(usize::MAX, Ending::Early)).await;
    assert_eq!((reply.text.as_str(), reply.cut), ("All of it", None));
    assert_eq!((reply.calls.len(), &reply.calls[0].arguments), (1, &json!({"q": "1"})));
    assert_eq!(reply.usage, Some(Usage { input: 5, output: 6 }));
    // The connection broke after the end: nothing of the reply is missing.
    let answer = Answer::text("All of it").too_long().ending(usize::MAX, Ending::Cut);
    assert!(reply_to(answer).await.cut.unwrap().hint.contains("max_output_tokens"));
}

#[tokio::test]
async fn a_huge_index_of_a_call_is_a_name_and_takes_no_memory() {
    let begin = json!([{"index": u32::MAX, "id": "a", "function": {"name": "first", "arguments": "{\"q\":"}}]);
    let more = json!([{"index": u32::MAX, "function": {"arguments": "\"1\"}"}}]);
    let reply = reply_to(chunks([calls(begin), calls(more), finish("tool_calls")])).await;
    assert_eq!(reply.cut, None);
    assert_eq!((reply.calls[0].id.as_str(), &reply.calls[0].arguments), ("a", &json!({"q": "1"})));
}

#[tokio::test]
async fn calls_without_an_index_or_all_with_the_same_one_are_not_lost() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "first", "arguments": "{}"}});
    let zero = |id: &str| {
        let mut entry = call(id);
        entry["index"] = json!(0);
        entry
    };
    for entry in [json!([call("a"), call("b")]), json!([zero("a"), zero("b")])] {
        let reply = reply_to(chunks([calls(entry), finish("tool_calls")])).await;
        let ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!((ids, reply.cut), (vec!["a", "b"], None));
    }
}

#[tokio::test]
async fn a_reply_of_more_calls_than_one_may_hold_is_cut() {
    let call = |index: usize| json!([{"index": index, "id": "", "function": {"name": "first", "arguments": "{}"}}]);
    let reply = reply_to(chunks((0..=MODEL_REPLY_CALLS).map(|index| calls(call(index))))).await;
    let cut = reply.cut.unwrap();
    assert_eq!(cut.fault, ModelFault::InvalidReply);
    assert!(cut.text.contains("more than 1000 functions"), "{cut}");
}

#[rstest]
#[tokio::test]
async fn a_models_name_reaches_its_provider_as_the_user_wrote_it(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
    #[values("box-high", "o-low", "x-none", "gpt-4o-minimal", "plain", "a/b:7b-max")] name: &str,
    #[values(true, false)] stream: bool,
) {
    let server = ModelServer::start(api, [Answer::text("Hi")]).await.unwrap();
    let models = vec![ModelConfig { name: name.to_owned(), ..ModelConfig::default() }];
    let own = ClientConfig { models, ..client(&server, api) };
    let models = Models::new(&[own], &Environment::new(ProcessEnv::of(&[])));
    let model = models.resolve(&format!("box:{name}")).unwrap();
    model.chat(request(stream), &Heard::default(), CancellationToken::new()).await.unwrap();
    let asked = &server.requests()[0];
    if api == Api::Gemini {
        let unescaped = asked.path.replace("%68", "h").replace("%77", "w").replace("%65", "e").replace("%6C", "l");
        let unescaped = unescaped.replace("%78", "x");
        assert!(unescaped.contains(&format!("/models/{name}:")), "{}", asked.path);
    } else {
        assert_eq!(asked.body["model"], name);
    }
    for wish in ["reasoning_effort", "thinking", "output_config", "think"] {
        assert_eq!(asked.body.get(wish), None, "{}", asked.body);
    }
    assert_eq!(asked.body.pointer("/generationConfig/thinkingConfig"), None);
}

#[rstest]
#[tokio::test]
async fn a_provider_that_reports_an_error_in_place_of_a_reply_is_told_as_one(#[values(true, false)] begun: bool) {
    let text = json!({"index": 0, "delta": {"content": "So "}, "finish_reason": null});
    let first = if begun { format!("data: {}\n\n", json!({"choices": [text]})) } else { String::new() };
    let error = json!({"error": {"message": "no capacity", "type": "invalid_request_error"}});
    let server = ModelServer::start(Api::OpenAi, [Answer::status(200, &format!("{first}data: {error}\n\n"))]).await;
    let server = server.unwrap();
    let heard = Heard::default();
    let answer = ask(&server, Api::OpenAi, request(true), &heard);
    let error = match answer.await {
        Ok(reply) => {
            assert_eq!((begun, reply.text.as_str()), (true, "So "));
            reply.cut.unwrap()
        }
        Err(error) => error,
    };
    assert_eq!(error.fault, ModelFault::Provider);
    assert!(error.text.contains("no capacity"), "{error}");
}

#[rstest]
#[tokio::test]
async fn a_client_that_names_no_models_takes_any_and_its_provider_lists_them(
    #[values(Api::OpenAi, Api::Anthropic, Api::Gemini, Api::Ollama)] api: Api,
) {
    let server = ModelServer::start(api, [Answer::text("Hi")]).await.unwrap();
    let own = ClientConfig { models: Vec::new(), ..client(&server, api) };
    let models = Models::new(&[own], &Environment::new(ProcessEnv::of(&[])));
    let model = models.resolve("box:newest").unwrap();
    model.chat(request(true), &Heard::default(), CancellationToken::new()).await.unwrap();
    assert!(models.resolve("box:").is_err());
    // It has no list: what is taken without a name is all that can be told.
    let (ids, troubles) = models.offered().await;
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(ids.len() <= 2 && ids.ends_with(&["offline".to_owned()]), "{ids:?}");
    server.offer(&["newest", "second"]);
    let (ids, troubles) = models.offered().await;
    assert_eq!((ids, troubles), (["box:newest", "box:second", "offline"].map(str::to_owned).to_vec(), Vec::new()));
}
