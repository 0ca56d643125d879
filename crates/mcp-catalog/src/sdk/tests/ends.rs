//! How a request ends without an answer: deadline, cancellation, a dropped future, a closed stream (S12, S13, S15).

use super::server::{Server, ask, call, connected, options, shown};
use crate::{Budget, PortError, Progress, ProgressSink, ServerPort, deadline, sdk::connect_io};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio_util::sync::CancellationToken;

async fn told_of_cancellation(server: &mut Server, id: i64) {
    let message = server.read().await.unwrap();
    assert_eq!(message["method"], "notifications/cancelled", "{message}");
    assert_eq!(message["params"]["requestId"], id);
}

async fn answers(port: &crate::sdk::SdkPort, server: &mut Server) {
    let serve = async {
        let id = server.read_request("tools/call").await;
        server.answer(id, &json!({})).await;
    };
    let (answer, ()) = tokio::join!(ask(port), serve);
    assert_eq!(answer, "result {}");
}

fn progress_of(token: &Value, step: u32) -> Value {
    let params = json!({"progressToken": token, "progress": step, "total": 3, "message": "step"});
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
}

#[tokio::test(start_paused = true)]
async fn a_deadline_fails_the_call_tells_the_server_and_the_late_answer_is_dropped() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        let id = server.read_request("tools/call").await;
        told_of_cancellation(&mut server, id).await;
        server.answer(id, &json!({"late": true})).await;
        id
    };
    let (answer, _) = tokio::join!(port.ask(call(), Budget::new(Duration::from_secs(7))), serve);
    assert_eq!(answer, Err(PortError::Timeout { method: "tools/call", after: Duration::from_secs(7) }));
    answers(&port, &mut server).await;
    assert_eq!(port.stats().unclaimed, 1);
}

/// C77: progress restarts the clock, and an absolute cap ends what never ends.
#[tokio::test(start_paused = true)]
async fn progress_restarts_the_clock_and_is_forwarded() {
    let (port, mut server) = connected(options()).await;
    let seen = Arc::new(Mutex::new(Vec::<Progress>::new()));
    let sink = ProgressSink::new({
        let seen = Arc::clone(&seen);
        move |progress| seen.lock().unwrap().push(progress)
    });
    let serve = async {
        let message = server.read().await.unwrap();
        let token = message["params"]["_meta"]["progressToken"].clone();
        assert!(token.is_i64(), "{message}");
        for step in 1..=3 {
            tokio::time::sleep(Duration::from_secs(8)).await;
            server.say(&progress_of(&token, step)).await;
        }
        tokio::time::sleep(Duration::from_secs(8)).await;
        server.answer(message["id"].as_i64().unwrap(), &json!({})).await;
    };
    let budget = Budget::new(Duration::from_secs(10)).reporting_to(sink);
    let (answer, ()) = tokio::join!(port.ask(call(), budget), serve);
    assert_eq!(shown(answer), "result {}");
    let expected = |step| Progress { progress: step, total: Some(3.0), message: Some("step".to_owned()) };
    assert_eq!(*seen.lock().unwrap(), [expected(1.0), expected(2.0), expected(3.0)]);
}

#[tokio::test(start_paused = true)]
async fn progress_for_ever_is_stopped_by_the_cap() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        let message = server.read().await.unwrap();
        let token = message["params"]["_meta"]["progressToken"].clone();
        loop {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(5)) => server.say(&progress_of(&token, 1)).await,
                message = server.read() => break message,
            }
        }
    };
    let (answer, told) = tokio::join!(port.ask(call(), Budget::new(Duration::from_secs(10))), serve);
    assert_eq!(answer, Err(PortError::Timeout { method: "tools/call", after: deadline::TOTAL }));
    assert_eq!(told.unwrap()["method"], "notifications/cancelled");
}

#[tokio::test]
async fn cancelling_tells_the_server_before_it_returns_and_spares_the_other_calls() {
    let (port, mut server) = connected(options()).await;
    let cancel = CancellationToken::new();
    let budget = Budget::new(Duration::from_mins(1)).cancelled_by(cancel.clone());
    let serve = async {
        let cancelled = server.read_request("tools/call").await;
        let kept = server.read_request("tools/call").await;
        cancel.cancel();
        told_of_cancellation(&mut server, cancelled).await;
        server.answer(kept, &json!({"kept": true})).await;
    };
    let (first, second, ()) = tokio::join!(port.ask(call(), budget), ask(&port), serve);
    assert_eq!((first, second.as_str()), (Err(PortError::Cancelled), r#"result {"kept":true}"#));
}

/// The SDK tells nothing when a request handle is dropped.
#[tokio::test]
async fn a_dropped_future_tells_the_server_and_its_late_answer_is_dropped() {
    let (port, mut server) = connected(options()).await;
    let id = {
        let mut asking = port.ask(call(), Budget::new(Duration::from_mins(1)));
        tokio::select! {
            answer = &mut asking => panic!("answered: {answer:?}"),
            id = server.read_request("tools/call") => id,
        }
    };
    told_of_cancellation(&mut server, id).await;
    server.answer(id, &json!({"late": "x".repeat(1 << 20)})).await;
    answers(&port, &mut server).await;
    assert_eq!(port.stats().unclaimed, 1);
}

/// A cancelled request no longer counts as one in flight (S10).
#[tokio::test]
async fn a_broken_reply_ends_the_only_request_that_is_still_waited_for() {
    let (port, mut server) = connected(options()).await;
    let mut asking = port.ask(call(), Budget::new(Duration::from_mins(1)));
    tokio::select! {
        answer = &mut asking => panic!("answered: {answer:?}"),
        _ = server.read_request("tools/call") => {}
    }
    drop(asking);
    let serve = async {
        // The cancellation is sent from a task of its own, before or after the next request.
        while server.read().await.unwrap()["method"] != "tools/call" {}
        server.write("{\"jsonrpc\":\"2.0\",\"result\":{\"cut\n").await;
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert!(answer.starts_with("protocol_error"), "{answer}");
}

/// S15, C75: at once, and every later call too.
#[tokio::test]
async fn a_stream_that_ends_fails_the_call_in_flight_at_once_and_every_later_one() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        server.read_request("tools/call").await;
        server.hang_up().await;
    };
    let (answer, ()) = tokio::join!(port.ask(call(), Budget::new(Duration::from_mins(1))), serve);
    let closed = Err(PortError::ConnectionClosed { retry_in: None });
    assert_eq!(answer, closed);
    assert!(port.is_closed());
    port.closed().await;
    assert_eq!(port.ask(call(), Budget::new(Duration::from_mins(1))).await, closed);
}

/// S15: a dead handle is never handed out. What was asked before is still waited for.
#[tokio::test]
async fn a_server_that_has_closed_its_stdin_is_gone_although_its_stdout_is_open() {
    let (to_server, input) = duplex(64 << 10);
    let (from_server, output) = duplex(64 << 10);
    let mut server = OneWay { lines: BufReader::new(input).lines(), output };
    let connecting = connect_io(from_server, to_server, options());
    let (port, ()) = tokio::join!(connecting, server.greet());
    let port = port.unwrap();
    let earlier = async { port.ask(call(), Budget::new(Duration::from_mins(1))).await };
    let serve = async {
        let request = server.read().await;
        let OneWay { lines, mut output } = server;
        drop(lines);
        let closed = Err(PortError::ConnectionClosed { retry_in: None });
        assert_eq!(port.ask(call(), Budget::new(Duration::from_mins(1))).await, closed);
        assert!(port.is_closed());
        port.closed().await;
        output.write_all(reply(&request, "{}").as_bytes()).await.unwrap();
    };
    let (answer, ()) = tokio::join!(earlier, serve);
    assert_eq!(shown(answer), "result {}");
}

/// A server whose two streams end one by one.
struct OneWay {
    lines: Lines<BufReader<DuplexStream>>,
    output: DuplexStream,
}

impl OneWay {
    async fn read(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn greet(&mut self) {
        let request = self.read().await;
        let greeting = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}"#;
        self.output.write_all(reply(&request, greeting).as_bytes()).await.unwrap();
        assert_eq!(self.read().await["method"], "notifications/initialized");
    }
}

fn reply(request: &Value, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", request["id"])
}

#[tokio::test]
async fn a_reply_without_a_newline_before_the_end_of_the_stream_is_delivered() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        let id = server.read_request("tools/call").await;
        server.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"last\":true}}}}")).await;
        server.hang_up().await;
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert_eq!(answer, r#"result {"last":true}"#);
}

#[tokio::test]
async fn closing_ends_the_stream_to_the_server_and_fails_what_is_in_flight() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        server.read_request("tools/call").await;
        port.close().await;
        while server.read().await.is_some() {}
    };
    let (answer, ()) = tokio::join!(port.ask(call(), Budget::new(Duration::from_mins(1))), serve);
    assert_eq!(answer, Err(PortError::ConnectionClosed { retry_in: None }));
    assert!(port.is_closed());
}

#[tokio::test]
async fn dropping_the_port_ends_the_stream_to_the_server() {
    let (port, mut server) = connected(options()).await;
    drop(port);
    assert_eq!(server.read().await, None);
}

/// A server that reads nothing costs neither the deadline nor the end.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_read_delays_neither_deadline_nor_closing() {
    let (port, server) = connected(options()).await;
    let mut request = call();
    if let crate::Request::CallTool { arguments, .. } = &mut request {
        arguments.insert("big".to_owned(), json!("x".repeat(1 << 20)));
    }
    let answer = port.ask(request, Budget::new(Duration::from_secs(5))).await;
    assert_eq!(answer, Err(PortError::Timeout { method: "tools/call", after: Duration::from_secs(5) }));
    port.close().await;
    assert!(port.is_closed());
    drop(server);
}
