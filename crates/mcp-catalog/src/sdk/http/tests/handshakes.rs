//! `initialize` over HTTP (C78, S12, S17, S47).

use super::*;
use rstest::rstest;

async fn failed(server: &Server) -> String {
    match connect_http(client(), options(server)).await.unwrap_err() {
        PortError::HandshakeFailed { cause } => cause,
        other => panic!("{other:?}"),
    }
}

/// C78: an empty list declares a capability, and a missing version is no reason to refuse.
#[rstest]
#[tokio::test]
async fn over_http_an_odd_greeting_is_mended(#[values(false, true)] streamed: bool) {
    let server = Server::start(move |asked| match asked.method() {
        "initialize" => {
            let greeting =
                json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": []}, "serverInfo": {"name": "s"}});
            let answer = asked.result(&greeting);
            if streamed { Reply::events(&[&answer.to_string()]) } else { Reply::json(&answer) }
        }
        "tools/list" => good(asked),
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    assert_eq!(port.handshake().protocol, "2025-03-26");
    assert!(port.handshake().capabilities.is_some_and(|declared| declared.tools && !declared.prompts));
    assert!(ask(&port).await.is_ok());
    let greeting = server.wait_for(|asked| asked.method() == "initialize").await;
    assert_eq!(greeting.body["params"]["protocolVersion"], "2025-11-25");
    assert_eq!(greeting.body["params"]["capabilities"], json!({}));
}

#[rstest]
#[tokio::test]
async fn over_http_an_unknown_revision_is_refused_by_name(#[values(false, true)] streamed: bool) {
    let server = Server::start(move |asked| {
        let answer = asked.result(&json!({"protocolVersion": "2099-01-01", "capabilities": {}}));
        if streamed { Reply::events(&[&answer.to_string()]) } else { Reply::json(&answer) }
    })
    .await;
    let cause = failed(&server).await;
    assert!(cause.starts_with("the server speaks protocol revision `2099-01-01`"), "{cause}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_by_the_innermost_cause() {
    let server = Server::start(|_| Reply::Default).await;
    let given = options(&server);
    drop(server);
    let error = connect_http(client(), given).await.unwrap_err().to_string();
    assert!(error.contains("refused") && !error.contains("rmcp"), "{error}");
}

#[tokio::test]
async fn over_http_a_greeting_has_its_deadline() {
    let server = Server::start(|_| Reply::Stall).await;
    let mut given = options(&server);
    given.connect.startup_timeout = Duration::from_millis(100);
    let error = connect_http(client(), given).await.unwrap_err();
    assert_eq!(error, PortError::HandshakeFailed { cause: "no answer in 0.1 s".to_owned() });
}

#[rstest]
#[case("500 Internal Server Error", "Server answered with error 500: HTTP 500 Internal Server Error")]
#[case("404 Not Found", "Server answered with error 404: HTTP 404 Not Found")]
#[tokio::test]
async fn a_greeting_that_is_refused_tells_the_status(#[case] status: &'static str, #[case] told: &str) {
    let server = Server::start(move |_| Reply::of(status, &[], "")).await;
    assert_eq!(failed(&server).await, told);
}

#[rstest]
#[case("bad name", "v", "`bad name` cannot be the name of a header; write letters, digits and `-`")]
#[case("Mcp-Session-Id", "v", "header `Mcp-Session-Id` is written by the transport itself; remove it from `headers`")]
#[case("X-Key", "hunter2\n", "the value of header `X-Key` holds a character that HTTP does not allow")]
#[tokio::test]
async fn a_header_that_cannot_be_sent_is_named_without_its_value(
    #[case] name: &str,
    #[case] value: &str,
    #[case] told: &str,
) {
    let mut given = options(&Server::start(|_| Reply::Default).await);
    given.headers = vec![(name.to_owned(), value.to_owned())];
    assert!(!format!("{given:?}").contains("hunter2"));
    assert_eq!(connect_http(client(), given).await.unwrap_err(), PortError::HandshakeFailed { cause: told.to_owned() });
}

/// S17. What has no `initialize` is asked what it has, over the same URL.
#[rstest]
#[tokio::test]
async fn over_http_a_server_without_initialize_is_discovered(
    #[values(-32601, -32022)] code: i32,
    #[values("200 OK", "400 Bad Request", "events")] status: &'static str,
) {
    let server = Server::start(move |asked| match asked.method() {
        "initialize" => {
            let error = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": code, "message": "no"}});
            match status {
                "events" => Reply::events(&[&error.to_string()]),
                status => Reply::of(status, &[("Content-Type", "application/json")], &error.to_string()),
            }
        }
        "server/discover" => Reply::json(&asked.result(&json!({
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": []}, "ttlMs": 0, "cacheScope": "private"}))),
        "tools/list" => good(asked),
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    assert_eq!(port.handshake().protocol, "2026-07-28");
    assert!(port.handshake().capabilities.is_some_and(|declared| declared.tools));
    assert!(ask(&port).await.is_ok());
    assert_eq!((server.count("initialize"), server.count("server/discover")), (1, 1));
}

/// S17.
#[tokio::test]
async fn over_http_a_server_that_has_neither_greeting_tells_both_causes() {
    let server = Server::start(|asked| {
        let id = &asked.body["id"];
        Reply::json(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": asked.method()}}))
    })
    .await;
    insta::assert_snapshot!(failed(&server).await, @"Server answered with error -32601: initialize; then, to `server/discover`: Server answered with error -32601: server/discover");
}
