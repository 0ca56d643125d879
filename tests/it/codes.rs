//! Every code of S19: its sentence, its next step for a model, and its exit status, in one table.
//!
//! What a server can cause comes through a port that answers nothing else, so that no row depends on how a transport
//! words it; what the user or this client causes comes by calls. `auth_required` waits for HTTP and `denied` for
//! approvals: nothing on the way from a call to its answer can cause them yet, so their rows pin what is known of them.

use crate::rig::{Rig, SERVER, resource};
use coyote_integration::cli::{Phase, Status};
use insta::assert_snapshot;
use mcp_catalog::{
    Asking, Budget, Capabilities, Handshake, McpRuntime, PortError, RawResult, Request, ServerName, ServerPort,
};
use mcp_meta::{Verb, declare, next_step};
use mcp_render::Code;
use serde_json::{Value, json};
use std::{fmt::Write, sync::Arc, time::Duration};

/// A server that answers every request with the same failure.
struct Failing {
    name: ServerName,
    error: PortError,
}

impl ServerPort for Failing {
    fn name(&self) -> &ServerName {
        &self.name
    }

    fn handshake(&self) -> Handshake {
        Handshake::of(Capabilities { tools: true, resources: true, prompts: true, completions: false })
    }

    fn ask(&self, request: Request, _budget: Budget) -> Asking<'_> {
        let answer = match request {
            // The read is asked about a URI that the listings know, so that its failure is not taken for `not_found`.
            Request::List { .. } => {
                Ok(RawResult::whole(br#"{"resources":[{"uri":"a://1"}],"resourceTemplates":[]}"#.to_vec()))
            }
            _ => Err(self.error.clone()),
        };
        Box::pin(std::future::ready(answer))
    }
}

async fn failing(error: PortError) -> Value {
    let mut rig = Rig::of(json!({})).await;
    let port: Arc<dyn ServerPort> = Arc::new(Failing { name: ServerName::new(SERVER).unwrap(), error });
    rig.context.runtime = McpRuntime::new([port]);
    rig.context.declared = Arc::new(declare(&rig.context.runtime.server_features(), &[]));
    rig.call("read", json!({"uri": "a://1"})).await
}

/// The failures that a server or its connection can cause.
fn causes() -> Vec<PortError> {
    let cause = || "the cause".to_owned();
    vec![
        PortError::SpawnFailed { cause: cause() },
        PortError::HandshakeFailed { cause: cause() },
        PortError::AuthRequired,
        PortError::Timeout { method: "resources/read", after: Duration::from_mins(1) },
        PortError::Cancelled,
        PortError::ConnectionClosed { retry_in: None },
        PortError::ConnectionClosed { retry_in: Some(Duration::from_secs(8)) },
        PortError::FrameTooLarge { limit: 96 << 20 },
        PortError::Protocol { cause: cause() },
        PortError::InvalidResponse { cause: cause() },
        PortError::InputRequired { question: "Which region?".to_owned() },
        PortError::Server { code: -32601, message: "Method not found".to_owned() },
        PortError::Server { code: -32603, message: "disk on fire".to_owned() },
        PortError::Unsupported { cause: cause() },
    ]
}

/// Answers that are caused by the call itself or by what the server sent.
async fn answers() -> Vec<Value> {
    let item = |blob: Value| resource("a://1", json!([{"uri": "a://1", "blob": blob}]));
    let rig = Rig::of(item(json!("/////w=="))).await;
    let mut answers = vec![
        rig.call("read", json!({"uri": "a://2"})).await,
        rig.call("read", json!({"uri": "a://1", "offset": "many"})).await,
        rig.answer("mcp_prompt_docs", json!({})).await.value,
    ];
    std::fs::write(rig.cache.path().join("mcp-resources"), "").unwrap();
    answers.push(rig.read("a://1").await);
    answers.push(Rig::of(item(json!({"blob_bytes": 51 << 20}))).await.read("a://1").await);
    answers
}

fn row(table: &mut String, answer: &Value) -> Code {
    let code = Code::ALL.into_iter().find(|code| answer["code"] == code.as_str()).expect("an answer has a code");
    let sentence = ["tool_call_error", "error", "note"].iter().find_map(|key| answer[key].as_str()).unwrap();
    let sentence = sentence.split('`').map(|part| if part.contains("/mcp-resources") { "[cache]" } else { part });
    let sentence = sentence.collect::<Vec<_>>().join("`");
    writeln!(table, "{code}").unwrap();
    writeln!(table, "  says    {sentence}").unwrap();
    if let Some(hint) = answer["hint"].as_str() {
        writeln!(table, "  hints   {hint}").unwrap();
    }
    let [start, call] = [Phase::Start, Phase::Call].map(|phase| Status::of(code, phase).number());
    writeln!(table, "  status  {call} ({start} before the first handshake)").unwrap();
    assert!(!sentence.ends_with('.') && !sentence.starts_with(char::is_lowercase), "{sentence}");
    code
}

#[tokio::test]
async fn every_code_has_its_sentence_its_hint_and_its_exit_status() {
    let mut table = String::new();
    let mut seen = Vec::new();
    for error in causes() {
        let code = error.code();
        let answer = failing(error).await;
        assert_eq!(row(&mut table, &answer), code);
        seen.push(code);
    }
    for answer in answers().await {
        seen.push(row(&mut table, &answer));
    }
    let missing: Vec<Code> = Code::ALL.into_iter().filter(|code| !seen.contains(code)).collect();
    assert_eq!(missing, [Code::Denied]);
    assert_snapshot!(table);
}

#[test]
fn every_code_has_a_next_step_for_every_verb() {
    let server = ServerName::new(SERVER).unwrap();
    let mut table = String::new();
    for code in Code::ALL {
        writeln!(table, "{code}").unwrap();
        for verb in Verb::ALL {
            let hint = next_step(code, verb, &server);
            assert!(!hint.is_empty() && !hint.ends_with('.'), "{hint}");
            writeln!(table, "  {:<9} {hint}", verb.as_str()).unwrap();
        }
    }
    assert_snapshot!(table);
}
