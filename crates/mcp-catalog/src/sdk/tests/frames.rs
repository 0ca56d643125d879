//! Lines over the limit (S16, C74): they fail their own call, are never kept, and the connection lives on.

use super::server::{Server, ask, connected, options};
use crate::sdk::{ConnectOptions, SdkPort};
use serde_json::json;

const LIMIT: usize = 64 << 10;

fn limited() -> ConnectOptions {
    ConnectOptions { frame_limit: LIMIT, ..options() }
}

async fn usable(port: &SdkPort, server: &mut Server) {
    let serve = async {
        let id = server.read_request("tools/call").await;
        server.answer(id, &json!({"again": true})).await;
    };
    let (answer, ()) = tokio::join!(ask(port), serve);
    assert_eq!(answer, r#"result {"again":true}"#);
}

fn padding(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// A reply of exactly `length` bytes, without its line end.
fn reply(id: i64, length: usize) -> String {
    let line = |text: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"text":"{text}"}}}}"#);
    line(&padding(length - line("").len()))
}

#[tokio::test]
async fn a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_too_large() {
    let (port, mut server) = connected(limited()).await;
    for (length, expected) in [(LIMIT, "result {"), (LIMIT + 1, "frame_too_large: ")] {
        let serve = async {
            let id = server.read_request("tools/call").await;
            server.write(reply(id, length) + "\n").await;
        };
        let (answer, ()) = tokio::join!(ask(&port), serve);
        assert!(answer.starts_with(expected), "{length}: {}", &answer[..40]);
    }
    usable(&port, &mut server).await;
    assert_eq!((port.stats().oversized, port.stats().longest_line), (1, LIMIT));
}

/// The id stands first in most servers' replies and last in those of the TypeScript SDK.
#[tokio::test]
async fn an_oversized_reply_fails_the_call_whose_id_it_starts_or_ends_with() {
    for at_start in [true, false] {
        let (port, mut server) = connected(limited()).await;
        let serve = async {
            let first = server.read_request("tools/call").await;
            let second = server.read_request("tools/call").await;
            let text = format!(r#"{{"id":{first},"text":"{}"}}"#, padding(3 * LIMIT));
            let line = if at_start {
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{second},\"result\":{text}}}\n")
            } else {
                format!("{{\"result\":{text},\"jsonrpc\":\"2.0\",\"id\":{second}}}\n")
            };
            server.write(line).await;
            server.answer(first, &json!({"first": true})).await;
            if !at_start {
                // Its end came after twice the limit, so nobody could be blamed in time; now it is known to be late.
                server.answer(second, &json!({"second": true})).await;
            }
        };
        let (first, second, ()) = tokio::join!(ask(&port), ask(&port), serve);
        assert_eq!(first, r#"result {"first":true}"#);
        let expected = if at_start { "frame_too_large: " } else { "result {" };
        assert!(second.starts_with(expected), "{at_start} {second}");
        usable(&port, &mut server).await;
    }
}

#[tokio::test]
async fn an_oversized_reply_that_ends_with_its_id_fails_that_call() {
    let (port, mut server) = connected(limited()).await;
    let serve = async {
        let first = server.read_request("tools/call").await;
        let second = server.read_request("tools/call").await;
        let text = padding(LIMIT + 10);
        server
            .write(format!("{{\"result\":{{\"id\":{first},\"t\":\"{text}\"}},\"jsonrpc\":\"2.0\",\"id\":{second}}}\n"))
            .await;
        server.answer(first, &json!({"first": true})).await;
    };
    let (first, second, ()) = tokio::join!(ask(&port), ask(&port), serve);
    assert_eq!(first, r#"result {"first":true}"#);
    assert!(second.starts_with("frame_too_large: "), "{second}");
}

/// C74: bytes without an end. The call does not wait for its deadline.
#[tokio::test]
async fn a_line_without_an_end_fails_the_only_call_in_flight_and_is_not_kept() {
    let (port, mut server) = connected(limited()).await;
    let serve = async {
        server.read_request("tools/call").await;
        server.write("{\"jsonrpc\":\"2.0\",\"result\":{\"t\":\"").await;
        for _ in 0..64 {
            server.write(padding(LIMIT)).await;
        }
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert!(answer.starts_with("frame_too_large: "), "{answer}");
    server.write("\n").await;
    usable(&port, &mut server).await;
}

/// An oversized line that is no reply fails nobody.
#[tokio::test]
async fn an_oversized_notification_or_log_line_fails_no_call() {
    let (port, mut server) = connected(limited()).await;
    let serve = async {
        let id = server.read_request("tools/call").await;
        let text = padding(3 * LIMIT);
        server
            .write(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":\"{text}\"}}\n"))
            .await;
        server.write(format!("{text}\n")).await;
        server.answer(id, &json!({"good": true})).await;
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert_eq!(answer, r#"result {"good":true}"#);
}

#[tokio::test]
async fn the_message_of_a_frame_that_is_too_large_names_the_limit() {
    let (port, mut server) = connected(ConnectOptions { frame_limit: 1 << 20, ..options() }).await;
    let serve = async {
        let id = server.read_request("tools/call").await;
        server.write(reply(id, (1 << 20) + 1) + "\n").await;
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert_eq!(answer, "frame_too_large: Answer is longer than 1 MiB, the longest frame that is read");
}
