//! Errors in every shape: each ends its call, with what the server said.

use crate::hostile::{
    Ask, Expected, On, Scenario,
    text::{error, line, result},
};

pub(super) fn rows() -> Vec<Scenario> {
    let error = |name, json: &str| Scenario::call(name, "§2.2", [error(json)]).fails("server_error");
    let plain = |name, text: &str| Scenario::call(name, "§2.2", [line(text)]).fails("server_error");
    vec![
        error("error-without-message", r#"{"code":-1,"data":{"why":"x"}}"#),
        error("error-with-a-string-code", r#"{"code":"E_FAIL","message":"m"}"#),
        error("error-with-a-huge-code", r#"{"code":5000000000,"message":"m"}"#),
        error("error-with-an-odd-message", r#"{"code":1,"message":"\ud800"}"#),
        error("error-that-is-a-string", r#""boom""#),
        error("error-that-is-a-number", "7"),
        error("error-that-is-an-array", r#"[{"code":1}]"#),
        error("error-with-escape-sequences", r#"{"code":1,"message":"\u001b[2J\r\nroot# \u202e"}"#),
        error("error-of-a-mebibyte", &format!(r#"{{"code":1,"message":"{}"}}"#, "e".repeat(1 << 20))),
        plain(
            "error-beside-result-null",
            r#"{"jsonrpc":"2.0","id":$ID,"result":null,"error":{"code":1,"message":"m"}}"#,
        ),
        plain("error-with-id-null", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#),
        plain("error-without-id", r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}"#),
        Scenario::call("error-null", "§2.2", [line(r#"{"jsonrpc":"2.0","id":$ID,"error":null}"#)])
            .fails("protocol_error"),
        Scenario::call(
            "error-null-beside-result-null",
            "§2.2",
            [line(r#"{"jsonrpc":"2.0","id":$ID,"result":null,"error":null}"#)],
        )
        .fails("invalid_response"),
        Scenario::call(
            "method-not-found",
            "S19",
            [line(r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}"#)],
        )
        .costing(2)
        .asking(Ask::Invoke, Expected::code("method_not_found")),
        Scenario::stdio("error-after-a-cached-result", "§2.5")
            .once(
                On::Method("resources/read"),
                [result(r#"{"contents":[{"uri":"a://1","text":"fine"}],"ttlMs":600000,"cacheScope":"private"}"#)],
            )
            .once(
                On::Method("resources/read"),
                [line(r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"gone"}}"#)],
            )
            .asking(Ask::Read, Expected::fine())
            .asking(Ask::Read, Expected::code("server_error"))
            .costing(4),
    ]
}
