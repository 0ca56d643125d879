//! Requests that are answered, given up, or repeated.

use super::*;
use crate::{ProgressSink, ResourceUri};
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

#[tokio::test]
async fn an_answer_comes_as_a_body_or_as_an_event_over_one_session() {
    let server = Server::start(|asked| match asked.method() {
        "initialize" => {
            let greeting = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}});
            let body = asked.result(&greeting).to_string();
            Reply::of("200 OK", &[("Content-Type", "application/json; charset=utf-8"), ("Mcp-Session-Id", "s1")], &body)
        }
        "tools/list" => good(asked),
        "resources/read" => Reply::events(&[&asked.result(&json!({"contents": []})).to_string()]),
        _ => Reply::Default,
    })
    .await;
    let mut given = options(&server);
    given.headers = vec![("X-Key".to_owned(), "k".to_owned())];
    let port = connect_http(client(), given).await.unwrap();
    assert_eq!(ask(&port).await.unwrap().json(), br#"{"tools":[]}"#);
    let read = Request::ReadResource { uri: ResourceUri::new("a://1").unwrap() };
    assert_eq!(port.ask(read, Budget::new(SOON)).await.unwrap().json(), br#"{"contents":[]}"#);
    let asked = server.wait_for(|asked| asked.method() == "tools/list").await;
    assert_eq!(asked.header("mcp-session-id"), Some("s1"));
    assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"));
    assert_eq!(asked.header("x-key"), Some("k"));
    assert_eq!(asked.header("accept"), Some("application/json, text/event-stream"));
    assert!(!port.is_closed());
    port.close().await;
    assert!(port.is_closed());
    assert_eq!(ask(&port).await.unwrap_err(), PortError::ConnectionClosed { retry_in: None });
    server.wait_for(|asked| asked.verb == "DELETE" && asked.header("mcp-session-id") == Some("s1")).await;
}

/// S9: over HTTP the SDK keeps the text of an item that has both; a stranger among items costs nothing.
#[tokio::test]
async fn over_http_an_item_with_text_and_blob_arrives_as_text_and_an_odd_item_arrives_as_it_came() {
    let server = Server::start(|asked| match asked.method() {
        "resources/read" if asked.text.contains("both") => {
            Reply::json(&asked.result(&json!({"contents": [{"uri": "a://1", "text": "t", "blob": "YQ=="}]})))
        }
        "resources/read" => {
            let id = &asked.body["id"];
            Reply::body(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"contents":[{{"text":"\ud800"}},7]}}}}"#))
        }
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    let read = |uri: &str| Request::ReadResource { uri: ResourceUri::new(uri).unwrap() };
    let both: Value = port.ask(read("a://both"), Budget::new(SOON)).await.unwrap().parse().unwrap();
    assert_eq!(both["contents"], json!([{"uri": "a://1", "text": "t"}]));
    let odd = port.ask(read("a://odd"), Budget::new(SOON)).await.unwrap();
    assert_eq!(odd.json(), br#"{"contents":[{"text":"\ud800"},7]}"#);
}

/// S17, R: a lost session is opened again, once, and the request repeated.
#[tokio::test]
async fn a_lost_session_is_renewed_once_and_the_request_repeated() {
    let sessions = Arc::new(AtomicUsize::new(0));
    let opened = Arc::clone(&sessions);
    let server = Server::start(move |asked| match asked.method() {
        "initialize" => {
            let session = format!("s{}", opened.fetch_add(1, Relaxed));
            let body = asked.result(&json!({"protocolVersion": "2025-06-18", "capabilities": {}})).to_string();
            Reply::of("200 OK", &[("Content-Type", "application/json"), ("Mcp-Session-Id", &session)], &body)
        }
        "tools/list" if asked.header("mcp-session-id") == Some("s0") => Reply::of("404 Not Found", &[], ""),
        "tools/list" => good(asked),
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    assert!(ask(&port).await.is_ok());
    assert_eq!((sessions.load(Relaxed), server.count("tools/list")), (2, 2));
}

#[tokio::test]
async fn a_session_that_stays_lost_fails_its_request_and_does_not_loop() {
    let server = Server::start(|asked| match asked.method() {
        "initialize" => {
            let body = asked.result(&json!({"protocolVersion": "2025-06-18", "capabilities": {}})).to_string();
            Reply::of("200 OK", &[("Content-Type", "application/json"), ("Mcp-Session-Id", "s")], &body)
        }
        "tools/list" => Reply::of("404 Not Found", &[], ""),
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    assert_eq!(ask(&port).await.unwrap_err(), PortError::ConnectionClosed { retry_in: None });
    assert_eq!((server.count("initialize"), server.count("tools/list")), (2, 2));
}

/// S12, S13: expiry, cancellation and dropping all tell the server.
#[tokio::test]
async fn over_http_a_request_that_is_given_up_is_cancelled_at_the_server() {
    let server = Server::start(|asked| match asked.method() {
        "tools/list" => Reply::Stall,
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    let short = Duration::from_millis(200);
    let late = port.ask(tools(), Budget::new(short)).await.unwrap_err();
    assert_eq!(late, PortError::Timeout { method: "tools/list", after: short });
    let told = |nth: usize| {
        let server = &server;
        async move {
            let ids = || -> Vec<Value> {
                let seen = server.seen();
                let cancelled = seen.iter().filter(|asked| asked.method() == "notifications/cancelled");
                cancelled.map(|asked| asked.body["params"]["requestId"].clone()).collect()
            };
            while ids().len() < nth {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            ids()
        }
    };
    assert_eq!(timeout(SOON, told(1)).await.unwrap().len(), 1);
    let cancel = tokio_util::sync::CancellationToken::new();
    let budget = Budget::new(SOON).cancelled_by(cancel.clone());
    let (answer, ()) = tokio::join!(port.ask(tools(), budget), async {
        tokio::time::sleep(short).await;
        cancel.cancel();
    });
    assert_eq!(answer.unwrap_err(), PortError::Cancelled);
    let dropped = timeout(short, ask(&port)).await;
    assert!(dropped.is_err());
    let ids = timeout(SOON, told(3)).await.unwrap();
    let asked: Vec<Value> =
        server.seen().iter().filter(|a| a.method() == "tools/list").map(|a| a.body["id"].clone()).collect();
    assert_eq!(ids, asked);
}

/// S12.
#[tokio::test]
async fn over_http_progress_is_reported_and_a_changed_list_is_counted() {
    let server = Server::start(|asked| match asked.method() {
        "tools/list" => {
            let token = &asked.body["params"]["_meta"]["progressToken"];
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": 0.5, "message": "half"}});
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            let end = asked.result(&json!({"tools": []}));
            Reply::events(&[&progress.to_string(), &changed.to_string(), &end.to_string()])
        }
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let mut budget = Budget::new(SOON);
    budget.progress = Some(ProgressSink::new(move |progress| kept.lock().unwrap().push(progress.message)));
    assert!(port.ask(tools(), budget).await.is_ok());
    let changed = async {
        while port.changes() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(SOON, changed).await.unwrap();
    assert_eq!((port.changes(), port.stats().notifications), (1, 2));
    assert!(seen.lock().unwrap().iter().all(|message| message.as_deref() == Some("half")));
}

#[tokio::test]
async fn a_redirect_within_the_origin_keeps_the_message() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/mcp" if asked.verb == "POST" => Reply::of("308 Permanent Redirect", &[("Location", "/mcp/")], ""),
        _ if asked.method() == "tools/list" => good(asked),
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    assert!(ask(&port).await.is_ok());
}

/// S17.
#[tokio::test]
async fn over_http_undeclared_requests_of_a_server_are_refused_and_a_ping_is_answered() {
    let calls = [
        ("ping", json!({})),
        ("roots/list", json!({})),
        ("elicitation/create", json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}})),
        ("sampling/createMessage", json!({"messages": [], "maxTokens": 1})),
        ("unheard/of", json!({})),
    ];
    let count = calls.len();
    let server = Server::start(move |asked| match asked.method() {
        "tools/list" => {
            let calls = calls.iter().enumerate();
            let mut events: Vec<String> = calls
                .map(|(id, (method, params))| {
                    json!({"jsonrpc": "2.0", "id": format!("c{id}"), "method": method, "params": params}).to_string()
                })
                .collect();
            events.push(asked.result(&json!({"tools": []})).to_string());
            Reply::events(&events.iter().map(String::as_str).collect::<Vec<_>>())
        }
        _ => Reply::Default,
    })
    .await;
    let port = connect(&server).await;
    assert!(ask(&port).await.is_ok());
    for id in 0..count {
        let id = format!("c{id}");
        let told = server.wait_for(|asked| asked.body["id"] == id.as_str()).await.body;
        match id.as_str() {
            "c0" => assert_eq!(told["result"], json!({}), "{told}"),
            _ => assert_eq!(told["error"]["code"], -32601, "{told}"),
        }
    }
}
