//! Every way in which one answer can be wrong has a code, and the next request works (S10, S16, S19).

use super::*;
use std::fmt::Write;
use tokio::time::timeout;

const LIMIT: usize = 64 * 1_024;

/// A wrong answer by its name.
type Case = (&'static str, fn(&Asked) -> Reply);

fn cases() -> Vec<Case> {
    fn long() -> String {
        "x".repeat(LIMIT)
    }
    vec![
        ("a body that is cut", |asked| Reply::body(&asked.result(&json!({"tools": []})).to_string()[..40])),
        ("an empty body", |_| Reply::body("")),
        ("a page", |_| Reply::of("200 OK", &[("Content-Type", "text/html")], "<html>")),
        ("no kind", |_| Reply::of("200 OK", &[], "{}")),
        ("another request's answer", |_| Reply::body(r#"{"jsonrpc":"2.0","id":987,"result":{}}"#)),
        ("neither result nor error", |asked| Reply::json(&json!({"jsonrpc": "2.0", "id": asked.body["id"]}))),
        ("both result and error", |asked| {
            Reply::json(
                &json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": {}, "error": {"code": 1, "message": "m"}}),
            )
        }),
        ("a result that is a string", |asked| Reply::json(&asked.result(&json!("text")))),
        ("an error", |asked| {
            Reply::json(&json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": -32602, "message": "no"}}))
        }),
        ("an error without an id", |_| {
            Reply::body(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#)
        }),
        ("an error that is a string", |asked| {
            Reply::json(&json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": "boom"}))
        }),
        ("400 with an error", |asked| {
            let body = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": -32000, "message": "bad"}});
            Reply::of("400 Bad Request", &[("Content-Type", "application/json")], &body.to_string())
        }),
        ("401 without a challenge", |_| Reply::of("401 Unauthorized", &[], "")),
        ("401 with a challenge", |_| Reply::of("401 Unauthorized", &[("WWW-Authenticate", "Bearer scope=\"a\"")], "")),
        ("403", |_| Reply::of("403 Forbidden", &[], "")),
        ("404 without a session", |_| Reply::of("404 Not Found", &[("Content-Type", "text/html")], "<html>")),
        ("429", |_| Reply::of("429 Too Many Requests", &[("Retry-After", "30")], "")),
        ("500", |_| Reply::of("500 Internal Server Error", &[("Content-Type", "text/plain")], "database is down")),
        ("503 until a date", |_| {
            Reply::of("503 Service Unavailable", &[("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")], "")
        }),
        ("a redirect elsewhere", |_| {
            Reply::of("307 Temporary Redirect", &[("Location", "https://example.com/mcp")], "")
        }),
        ("a connection that ends", |_| Reply::HangUp),
        ("a body that ends early", |_| {
            Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{".to_vec())
        }),
        ("a body over the limit", |asked| Reply::json(&asked.result(&json!({"tools": [long()]})))),
        ("an event over the limit", |asked| Reply::events(&[&asked.result(&json!({"tools": [long()]})).to_string()])),
        ("an event that is no JSON", |_| Reply::events(&[r#"{"jsonrpc":"2.0","id":"#])),
        ("an event that is an error", |asked| {
            let error = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": -32603, "message": "no"}});
            Reply::events(&[&error.to_string()])
        }),
        ("a stream that ends before the answer", |_| Reply::events(&[])),
    ]
}

#[tokio::test]
async fn over_http_every_wrong_answer_has_a_code_and_the_next_request_works() {
    let mut table = String::new();
    for (name, reply) in cases() {
        let first = std::sync::atomic::AtomicBool::new(true);
        let server = Server::start(move |asked| match asked.method() {
            "tools/list" if first.swap(false, std::sync::atomic::Ordering::Relaxed) => reply(asked),
            "tools/list" => good(asked),
            _ => Reply::Default,
        })
        .await;
        let mut given = options(&server);
        given.connect.frame_limit = LIMIT;
        let port = connect_http(client(), given).await.unwrap();
        let error = timeout(SOON, ask(&port)).await.expect(name).expect_err(name);
        writeln!(table, "{name}: {} | {error}", error.code()).unwrap();
        assert!(ask(&port).await.is_ok(), "{name}: the next request");
    }
    insta::assert_snapshot!(table);
}

#[tokio::test]
async fn a_challenge_is_kept_for_whoever_logs_in() {
    let server = Server::start(|asked| match asked.method() {
        "initialize" => Reply::of("401 Unauthorized", &[("WWW-Authenticate", "Bearer scope=\"a\"")], ""),
        _ => Reply::Default,
    })
    .await;
    let given = options(&server);
    let challenge = given.challenge.clone();
    assert_eq!(connect_http(client(), given).await.unwrap_err(), PortError::AuthRequired);
    assert_eq!(challenge.get().as_deref(), Some("Bearer scope=\"a\""));
}
