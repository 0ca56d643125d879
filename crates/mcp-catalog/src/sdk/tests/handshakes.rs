//! Handshakes: what connects, what is refused, and in which words (S4, S12, S17, C78).

use super::server::{Server, ask, options};
use crate::{
    CatalogKind, PortError, ServerPort,
    sdk::{ConnectOptions, Greeting, Refusal, SdkPort, connect_io, greet},
};
use serde_json::{Value, json};
use std::{fmt::Write as _, time::Duration};

async fn connect(result: Value) -> Result<SdkPort, PortError> {
    let ((reader, writer), mut server) = Server::pair();
    tokio::spawn(async move {
        let id = server.read_request("initialize").await;
        server.answer(id, &result).await;
        while server.read().await.is_some() {}
    });
    connect_io(reader, writer, options()).await
}

fn cause(connected: Result<SdkPort, PortError>) -> String {
    match connected {
        Err(PortError::HandshakeFailed { cause }) => cause,
        other => panic!("no failed handshake: {other:?}"),
    }
}

#[tokio::test]
async fn initialize_names_this_client_and_the_newest_revision_with_a_handshake_and_declares_nothing() {
    let ((reader, writer), mut server) = Server::pair();
    let serve = async {
        let message = server.read().await.unwrap();
        server.answer(0, &json!({"protocolVersion": "2025-11-25", "capabilities": {}})).await;
        message
    };
    let (port, message) = tokio::join!(connect_io(reader, writer, options()), serve);
    insta::assert_snapshot!(message, @r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"coyote","version":"0.0.0"}}}"#);
    let handshake = port.unwrap().handshake();
    assert_eq!((handshake.protocol.as_str(), handshake.server_info), ("2025-11-25", None));
}

/// C78: an empty PHP array, a missing version and a `true` each keep a strict client out.
#[tokio::test]
async fn a_server_with_a_sloppy_handshake_connects() {
    let port = connect(json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": true, "resources": [], "prompts": null, "experimental": []},
        "serverInfo": {"name": "php"},
        "instructions": "Be kind",
    }))
    .await
    .unwrap();
    let handshake = port.handshake();
    assert!(handshake.lists(CatalogKind::Tool) && handshake.lists(CatalogKind::Resource));
    assert!(!handshake.lists(CatalogKind::Prompt));
    assert_eq!(handshake.server_info.as_deref(), Some("php"));
    assert_eq!(handshake.instructions.as_deref(), Some("Be kind"));
}

#[tokio::test]
async fn a_server_that_declares_nothing_is_unknown() {
    for capabilities in [json!({}), json!([]), json!(null), json!({"logging": {}, "completions": {}})] {
        let port = connect(json!({"protocolVersion": "2025-06-18", "capabilities": capabilities})).await.unwrap();
        assert_eq!(port.handshake().capabilities, None);
        assert!(port.handshake().lists(CatalogKind::Tool) && !port.handshake().lists(CatalogKind::Resource));
    }
}

#[tokio::test]
async fn a_revision_that_is_not_known_is_refused() {
    let cause = cause(connect(json!({"protocolVersion": "2099-01-01", "capabilities": {}})).await);
    insta::assert_snapshot!(cause, @"the server speaks protocol revision `2099-01-01`; known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28");
}

/// S12: an expired handshake is no timeout (S19).
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_fails_its_handshake_after_its_own_deadline() {
    let ((reader, writer), mut server) = Server::pair();
    server.write("Starting…\n").await;
    let options = ConnectOptions { startup_timeout: Duration::from_secs(5), ..options() };
    let cause = cause(connect_io(reader, writer, options).await);
    insta::assert_snapshot!(cause, @"no answer in 5 s; stdout held a line that is no MCP message");
    assert_eq!(server.read_request("initialize").await, 0);
    assert_eq!(server.read().await, None, "initialize is never cancelled; the stream is closed");
}

#[tokio::test]
async fn each_end_of_a_handshake_without_an_answer_names_its_cause() {
    let mut report = String::new();
    for bytes in [
        "",
        r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Unsupported protocol version"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025"#,
        "Usage: server --key KEY",
    ] {
        let ((reader, writer), mut server) = Server::pair();
        let serve = async {
            server.read_request("initialize").await;
            server.write(bytes).await;
            server.hang_up().await;
        };
        let (connected, ()) = tokio::join!(connect_io(reader, writer, options()), serve);
        writeln!(report, "{}", cause(connected)).unwrap();
    }
    insta::assert_snapshot!(report, @r#"
    the server closed the connection before it answered `initialize`
    Server answered with error -32602: Unsupported protocol version
    Server answered with error 0: no
    Server's answer is not usable: `result` is null, not an object
    Server broke the protocol: reply is not JSON: EOF while parsing a string at line 1 column 57
    the server closed the connection before it answered `initialize`; stdout held a line that is no MCP message
    "#);
}

#[tokio::test]
async fn noise_notifications_and_a_ping_before_the_answer_do_not_spoil_the_handshake() {
    let ((reader, writer), mut server) = Server::pair();
    let serve = async {
        server.write("Banner\n{\"level\":\"info\"}\n[1]\n").await;
        server.say(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
        server.say(&json!({"jsonrpc": "2.0", "id": 9, "method": "roots/list"})).await;
        server.say(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"})).await;
        let id = server.read_request("initialize").await;
        assert_eq!(server.read().await, Some(json!({"jsonrpc": "2.0", "id": "p", "result": {}})));
        server.answer(id, &json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}})).await;
    };
    let (port, ()) = tokio::join!(connect_io(reader, writer, options()), serve);
    let port = port.unwrap();
    assert_eq!((port.stats().noise, port.changes()), (3, 1));
}

/// The stream to the server is broken at once; what it wrote still counts.
#[tokio::test]
async fn a_server_that_ends_before_it_reads_is_heard_to_its_end() {
    let ((reader, writer), mut server) = Server::pair();
    server.write("Usage: server --key KEY\n").await;
    drop(server);
    let cause = cause(connect_io(reader, writer, options()).await);
    insta::assert_snapshot!(cause, @"the server closed the connection before it answered `initialize`; stdout held a line that is no MCP message");
}

/// S17: the caller learns whether another greeting may help, by the code alone.
#[tokio::test]
async fn a_server_without_initialize_is_told_from_one_that_refuses() {
    for (code, discoverable) in [(-32022, true), (-32601, true), (-32602, false), (-32000, false)] {
        let ((reader, writer), mut server) = Server::pair();
        let serve = async {
            let id = server.read_request("initialize").await;
            let error = json!({"code": code, "message": "Method not found"});
            server.say(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
        };
        let (connected, ()) = tokio::join!(greet(reader, writer, options()), serve);
        let cause = format!("Server answered with error {code}: Method not found");
        assert_eq!(connected.err(), Some(Refusal { error: PortError::HandshakeFailed { cause }, discoverable }));
    }
}

/// S17: without a handshake every request says what `initialize` would have said.
#[tokio::test]
async fn a_server_that_is_discovered_gets_the_revision_with_each_request() {
    let ((reader, writer), mut server) = Server::pair();
    let options = ConnectOptions { greeting: Greeting::Discover, ..options() };
    let serve = async {
        let asked = server.read().await.unwrap();
        let found = json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": [], "prompts": {}},
            "instructions": "Be kind",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern"}},
        });
        server.answer(0, &found).await;
        asked
    };
    let (port, asked) = tokio::join!(greet(reader, writer, options), serve);
    let own = &asked["params"]["_meta"];
    assert_eq!(
        (&asked["method"], &own["io.modelcontextprotocol/protocolVersion"]),
        (&json!("server/discover"), &json!("2026-07-28"))
    );
    let port = port.unwrap();
    let handshake = port.handshake();
    assert_eq!((handshake.protocol.as_str(), handshake.server_info.as_deref()), ("2026-07-28", Some("modern")));
    assert!(handshake.lists(CatalogKind::Tool) && handshake.lists(CatalogKind::Prompt));
    assert!(!handshake.lists(CatalogKind::Resource) && handshake.instructions.as_deref() == Some("Be kind"));
    let serve = async {
        let call = server.read().await.unwrap();
        server.answer(1, &json!({"resultType": "complete", "content": []})).await;
        call["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].clone()
    };
    let (answer, revision) = tokio::join!(ask(&port), serve);
    assert_eq!((answer.as_str(), revision), (r#"result {"resultType":"complete","content":[]}"#, json!("2026-07-28")));
}

#[tokio::test]
async fn a_discovery_that_fails_names_its_cause() {
    let mut report = String::new();
    for answer in [
        r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":{"supportedVersions":["2099-01-01"]}}"#,
        "",
    ] {
        let ((reader, writer), mut server) = Server::pair();
        let options = ConnectOptions { greeting: Greeting::Discover, ..options() };
        let serve = async {
            server.read_request("server/discover").await;
            server.write(answer).await;
            server.hang_up().await;
        };
        let (connected, ()) = tokio::join!(greet(reader, writer, options), serve);
        let Err(Refusal { error, discoverable: false }) = connected else { panic!("{connected:?}") };
        writeln!(report, "{error}").unwrap();
    }
    insta::assert_snapshot!(report, @"
    Handshake failed: Server answered with error -32601: Method not found
    Handshake failed: the answer to `server/discover` names no revision that this client knows
    Handshake failed: the server closed the connection before it answered `server/discover`
    ");
}
