//! Every hostile reply of the SDK's fact sheet (S9, S10, C72, C73): each is answered, or passed over, and the
//! connection goes on.

use super::server::{Server, ask, call, connected, options, shown};
use crate::{Budget, ServerPort};
use serde_json::json;
use std::{fmt::Write as _, time::Duration};

/// What the server writes in place of a reply to the request `$ID`; a good reply follows each.
const REPLIES: &[(&str, &[u8])] = &[
    ("good", br#"{"jsonrpc":"2.0","id":$ID,"result":{"odd":1}}"#),
    ("carriage return", b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"odd\":1}}\r"),
    ("byte order mark and spaces", b"\xEF\xBB\xBF  {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"odd\":1}}  "),
    ("id as a string", br#"{"jsonrpc":"2.0","id":"$ID","result":{"odd":1}}"#),
    ("id as a float", br#"{"jsonrpc":"2.0","id":$ID.0,"result":{"odd":1}}"#),
    ("wrong version", br#"{"jsonrpc":"1.0","id":$ID,"result":{"odd":1}}"#),
    ("method echoed", br#"{"jsonrpc":"2.0","id":$ID,"method":"tools/call","result":{"odd":1}}"#),
    ("both, error null", br#"{"jsonrpc":"2.0","id":$ID,"result":{"odd":1},"error":null}"#),
    ("lone surrogate in the result", br#"{"jsonrpc":"2.0","id":$ID,"result":{"text":"\ud800"}}"#),
    ("number too large in the result", br#"{"jsonrpc":"2.0","id":$ID,"result":{"n":1e400}}"#),
    ("duplicate key in the result", br#"{"jsonrpc":"2.0","id":$ID,"result":{"a":1,"a":2}}"#),
    ("result is []", br#"{"jsonrpc":"2.0","id":$ID,"result":[ ]}"#),
    ("result is {}", br#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#),
    ("result null", br#"{"jsonrpc":"2.0","id":$ID,"result":null}"#),
    ("result a string", br#"{"jsonrpc":"2.0","id":$ID,"result":"ok"}"#),
    ("result an array", br#"{"jsonrpc":"2.0","id":$ID,"result":[1]}"#),
    ("result a number", br#"{"jsonrpc":"2.0","id":$ID,"result":-5}"#),
    ("both", br#"{"jsonrpc":"2.0","id":$ID,"result":{},"error":{"code":1,"message":"m"}}"#),
    ("both, result null", br#"{"jsonrpc":"2.0","id":$ID,"result":null,"error":{"code":1,"message":"m"}}"#),
    ("both null", br#"{"jsonrpc":"2.0","id":$ID,"result":null,"error":null}"#),
    ("neither", br#"{"jsonrpc":"2.0","id":$ID}"#),
    ("error", br#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"bad cursor"}}"#),
    ("error without message", br#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-1,"data":{"why":"x"}}}"#),
    ("error with a string code", br#"{"jsonrpc":"2.0","id":$ID,"error":{"code":"E_FAIL","message":"m"}}"#),
    ("error with a numeric string code", br#"{"jsonrpc":"2.0","id":$ID,"error":{"code":"-32601","message":"m"}}"#),
    ("error with a huge code", br#"{"jsonrpc":"2.0","id":$ID,"error":{"code":5000000000,"message":"m"}}"#),
    ("error is a string", br#"{"jsonrpc":"2.0","id":$ID,"error":"boom"}"#),
    ("error is a number", br#"{"jsonrpc":"2.0","id":$ID,"error":7}"#),
    ("error null", br#"{"jsonrpc":"2.0","id":$ID,"error":null}"#),
    ("error with id null", br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#),
    ("error without id", br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}"#),
    ("error with an odd message", br#"{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"\ud800"}}"#),
    ("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"text\":\"\xB0\xA1\"}}"),
    ("raw control character", b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"text\":\"\x01\"}}"),
    ("cut", br#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"ty"#),
    ("cut before the id", br#"{"jsonrpc":"2.0","result":{"content":[{"ty"#),
    ("id behind broken text", b"{\"result\":{\"id\":99,\"text\":\"\xB0\"},\"jsonrpc\":\"2.0\",\"id\":$ID}"),
    ("duplicate result", br#"{"jsonrpc":"2.0","id":$ID,"result":{},"result":{}}"#),
    ("neither and no id", br#"{"jsonrpc":"2.0"}"#),
    // From here on: noise, so that the good reply counts.
    ("log line", b"Server is listening"),
    ("blank", b""),
    ("JSON log line", br#"{"level":"info","id":$ID}"#),
    ("JSON log line about a reply", br#"{"level":"debug","sent":{"jsonrpc":"2.0","id":$ID,"result":{}}}"#),
    ("number", b"42"),
    ("batch", br#"[{"jsonrpc":"2.0","id":$ID,"result":{"odd":1}}]"#),
    ("without version", br#"{"id":$ID,"result":{"odd":1}}"#),
    ("pretty-printed", b"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": $ID,\n  \"result\": {}\n}"),
    ("unknown id", br#"{"jsonrpc":"2.0","id":4711,"result":{"odd":1}}"#),
    ("broken reply to an unknown id", br#"{"jsonrpc":"2.0","id":4711,"result":{"#),
    ("result with id null", br#"{"jsonrpc":"2.0","id":null,"result":{"odd":1}}"#),
    ("result without id", br#"{"jsonrpc":"2.0","result":{"odd":1}}"#),
    ("result with an object as id", br#"{"jsonrpc":"2.0","id":{},"result":{"odd":1}}"#),
    ("notification with bad UTF-8", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":\"\xB0\"}"),
    ("notification with odd parameters", br#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#),
    ("unknown notification", br#"{"jsonrpc":"2.0","method":"window/logMessage","params":[]}"#),
    ("method is a number", br#"{"jsonrpc":"2.0","id":1,"method":7}"#),
    ("request with id null", br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
];

fn with_id(bytes: &[u8], id: i64) -> Vec<u8> {
    let mut parts = bytes.split(|byte| *byte == b'$');
    let mut out = parts.next().unwrap().to_vec();
    for part in parts {
        out.extend_from_slice(id.to_string().as_bytes());
        out.extend_from_slice(part.strip_prefix(b"ID").unwrap());
    }
    out
}

/// Also S13's other side: nothing but requests and cancellations is ever written to the server (C72).
#[tokio::test]
async fn every_reply_ends_its_request_or_is_passed_over_and_the_connection_goes_on() {
    let mut report = String::new();
    for (name, bytes) in REPLIES {
        let (port, mut server) = connected(options()).await;
        let serve = async {
            let id = server.read_request("tools/call").await;
            server.write(with_id(bytes, id)).await;
            server.write("\n").await;
            server.answer(id, &json!({"good": true})).await;
        };
        let (first, ()) = tokio::join!(ask(&port), serve);
        let again = async {
            let id = server.read_request("tools/call").await;
            server.answer(id, &json!({"again": true})).await;
        };
        let (second, ()) = tokio::join!(ask(&port), again);
        assert_eq!(second, r#"result {"again":true}"#, "after {name}");
        writeln!(report, "{name}: {first}").unwrap();
    }
    insta::assert_snapshot!(report);
}

#[tokio::test]
async fn a_reply_nested_a_hundred_thousand_deep_costs_only_its_item() {
    let (port, mut server) = connected(options()).await;
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let serve = async {
        let id = server.read_request("tools/call").await;
        server.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"a\":{deep}}}}}\n")).await;
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert!(answer.starts_with(r#"result {"a":[[["#) && answer.len() > 200_000);
}

/// S10: with several in flight, a broken line that names none of them ends none of them.
#[tokio::test]
async fn a_broken_reply_without_an_id_is_only_counted_when_several_requests_are_in_flight() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        let ids = [server.read_request("tools/call").await, server.read_request("tools/call").await];
        server.write("{\"jsonrpc\":\"2.0\",\"result\":{\"cut\n").await;
        server.write("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":\"lost\"}\n").await;
        for id in ids {
            server.answer(id, &json!({"id": id})).await;
        }
    };
    let (first, second, ()) = tokio::join!(ask(&port), ask(&port), serve);
    assert!(first.starts_with("result") && second.starts_with("result"), "{first} {second}");
    assert_eq!(port.stats().broken, 2);
}

#[tokio::test]
async fn a_broken_reply_ends_the_request_that_it_names_and_no_other() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        let first = server.read_request("tools/call").await;
        let second = server.read_request("tools/call").await;
        server.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{second},\"result\":{{\"cut\n")).await;
        server.answer(first, &json!({})).await;
    };
    let (first, second, ()) = tokio::join!(ask(&port), ask(&port), serve);
    assert_eq!(first, "result {}");
    assert!(second.starts_with("protocol_error: "), "{second}");
}

/// A server that answers every notification, as some do, does not spoil the request that follows.
#[tokio::test]
async fn an_answer_to_a_notification_of_ours_is_no_answer_to_the_request_in_flight() {
    for answer in [
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#,
    ] {
        let (port, mut server) = connected(options()).await;
        let serve = async {
            let id = server.read_request("tools/call").await;
            server.write(format!("{answer}\n")).await;
            server.answer(id, &json!({"good": true})).await;
        };
        let (answer, ()) = tokio::join!(ask(&port), serve);
        assert_eq!(answer, r#"result {"good":true}"#);
    }
}

#[tokio::test]
async fn the_first_of_two_answers_counts_and_the_second_is_counted() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        let id = server.read_request("tools/call").await;
        server.answer(id, &json!({"n": 1})).await;
        server.answer(id, &json!({"n": 2})).await;
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert_eq!(answer, r#"result {"n":1}"#);
    echo(&port, &mut server).await;
    assert_eq!(port.stats().unclaimed, 1);
}

/// S17: nothing was declared, so nothing but `ping` is served.
#[tokio::test]
async fn requests_of_the_server_are_refused_and_a_ping_is_answered() {
    let (_port, mut server) = connected(options()).await;
    let mut report = String::new();
    for (id, method) in [
        (json!(1), "ping"),
        (json!("two"), "roots/list"),
        (json!(3), "sampling/createMessage"),
        (json!(4), "elicitation/create"),
        (json!(5), "no/such"),
    ] {
        server.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"x": [1]}})).await;
        writeln!(report, "{}", server.read().await.unwrap()).unwrap();
    }
    insta::assert_snapshot!(report, @r#"
    {"jsonrpc":"2.0","id":1,"result":{}}
    {"jsonrpc":"2.0","id":"two","error":{"code":-32601,"message":"roots/list"}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"sampling/createMessage"}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"elicitation/create"}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"no/such"}}
    "#);
}

#[tokio::test]
async fn twenty_thousand_notifications_do_not_delay_an_answer_and_changes_are_counted() {
    let (port, mut server) = connected(options()).await;
    let serve = async {
        let id = server.read_request("tools/call").await;
        let storm = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n".repeat(1_000);
        for _ in 0..20 {
            server.write(&storm).await;
        }
        for list in ["tools", "resources", "prompts"] {
            let method = format!("notifications/{list}/list_changed");
            server.say(&json!({"jsonrpc": "2.0", "method": method})).await;
        }
        server.answer(id, &json!({})).await;
    };
    let (answer, ()) = tokio::join!(ask(&port), serve);
    assert_eq!((answer.as_str(), port.changes(), port.stats().notifications), ("result {}", 3, 20_003));
}

/// The stats tell what a diagnosis wants to know (C72).
#[tokio::test]
async fn noise_is_counted_and_a_blank_line_is_none() {
    let (port, mut server) = connected(options()).await;
    server.write("hello\n\n\r\n{\"level\":\"info\"}\n").await;
    echo(&port, &mut server).await;
    let stats = port.stats();
    assert_eq!((stats.noise, stats.broken), (2, 0));
    assert!(stats.longest_line > 16);
}

async fn echo(port: &crate::sdk::SdkPort, server: &mut Server) {
    let serve = async {
        let id = server.read_request("tools/call").await;
        server.answer(id, &json!({})).await;
    };
    let (answer, ()) = tokio::join!(port.ask(call(), Budget::new(Duration::from_mins(1))), serve);
    assert_eq!(shown(answer), "result {}");
}
