//! Answers to a call that HTTP itself makes odd: statuses, heads, and bodies that do not end where they should.

use super::{JSON, call, head, piece};
use crate::hostile::{
    Act, Ask, Expected, Leave, On, Patience, Scenario,
    text::{FINE, line, reply},
};
use std::time::Duration;

const MEBIBYTE: u64 = 1 << 20;
const MINUTE: Act = Act::Wait(Duration::from_mins(1));

pub(super) fn rows() -> Vec<Scenario> {
    [statuses(), redirects(), heads(), bodies(), endless()].concat()
}

fn statuses() -> Vec<Scenario> {
    let status = |name, head_text: &str, code| call(name, "§2.2 S19", [head(head_text), piece("no")]).fails(code);
    let error = line(r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":"bad"}}"#);
    vec![
        status("status-400", "400 Bad Request\nContent-Type: text/plain", "server_error"),
        call("status-400-with-an-error", "§2.2", [head("400 Bad Request\nContent-Type: application/json"), error])
            .fails("server_error"),
        status("status-401", "401 Unauthorized", "auth_required"),
        status(
            "status-401-with-a-challenge",
            "401 Unauthorized\nWWW-Authenticate: Bearer scope=\"a\"",
            "auth_required",
        ),
        call(
            "status-401-with-a-long-challenge",
            "§2.2",
            [head(format!("401 Unauthorized\nWWW-Authenticate: Bearer {}", "x".repeat(50_000)))],
        )
        .fails("auth_required"),
        status("status-403", "403 Forbidden", "auth_required"),
        status("status-404-without-a-session", "404 Not Found\nContent-Type: text/html", "server_error"),
        status("status-405", "405 Method Not Allowed", "server_error"),
        status("status-413", "413 Content Too Large", "server_error"),
        status("status-429", "429 Too Many Requests\nRetry-After: 3600", "server_error"),
        status("status-500", "500 Internal Server Error\nContent-Type: text/html", "server_error"),
        status("status-503", "503 Service Unavailable\nRetry-After: Wed, 21 Oct 2099 07:28:00 GMT", "server_error"),
        status("status-799", "799 Odd", "server_error"),
        call("status-202-and-no-more", "§2.2", [head("202 Accepted\nContent-Length: 0")])
            .waiting(Patience::ShortCall)
            .fails("timeout"),
        call("status-204", "§2.2", [head("204 No Content")]).waiting(Patience::ShortCall).fails("timeout"),
        call("status-201-is-taken", "§2.2", [head("201 Created\nContent-Type: application/json"), line(reply(FINE))])
            .fine(),
    ]
}

/// S16: within the origin only, with the message, and not for ever.
fn redirects() -> Vec<Scenario> {
    let redirect = |name, head_text: &str| call(name, "S16", [head(head_text)]);
    let endless = (0..11).fold(Scenario::stdio("redirect-in-a-circle", "S16").over_http(), |row, _| {
        row.once(On::Method("tools/call"), [head("307 Temporary Redirect\nLocation: /mcp")])
    });
    vec![
        redirect("redirect-within", "307 Temporary Redirect\nLocation: /other").fine().costing(2),
        redirect("redirect-elsewhere", "307 Temporary Redirect\nLocation: http://example.com/").fails("protocol_error"),
        redirect("redirect-to-a-file", "308 Permanent Redirect\nLocation: file:///etc/passwd").fails("protocol_error"),
        redirect("redirect-as-another-verb", "303 See Other\nLocation: /mcp").fails("protocol_error"),
        redirect("redirect-to-nowhere", "307 Temporary Redirect").fails("protocol_error"),
        redirect("redirect-not-modified", "304 Not Modified").fails("protocol_error"),
        endless.fails("protocol_error").costing(11),
    ]
}

fn heads() -> Vec<Scenario> {
    let raw = |name, acts: &[Act]| call(name, "§2.2", [acts, &[Act::Leave(Leave::HangsUp)]].concat());
    let closed = |name, acts: &[Act]| raw(name, acts).fails("connection_closed").reconnects();
    let good = format!("HTTP/1.1 {}\r\nConnection: close\r\n\r\n{}", JSON.replace('\n', "\r\n"), reply(FINE));
    vec![
        closed("hangs-up", &[]),
        closed("is-no-http", &[piece("SSH-2.0-OpenSSH_9.2\r\n")]),
        closed("hangs-up-in-the-head", &[piece("HTTP/1.1 200 OK\r\nContent-Ty")]),
        closed("head-without-an-end", &[piece("HTTP/1.1 200 OK\r\nX: "), Act::FillForEver(b'x')]),
        closed(
            "head-of-endless-lines",
            &[piece("HTTP/1.1 200 OK\r\n"), Act::Times(u64::MAX, vec![piece("X-$I: y\r\n")])],
        ),
        raw("head-that-stalls", &[piece("HTTP/1.1 200 OK\r\nContent-"), MINUTE])
            .waiting(Patience::ShortCall)
            .fails("timeout"),
        raw(
            "head-behind-a-hundred-hints",
            &[Act::Times(100, vec![piece("HTTP/1.1 103 Early Hints\r\n\r\n")]), piece(&good)],
        )
        .fine(),
        raw("head-of-http-1-0", &[piece(&good.replace("1.1", "1.0"))]).fine(),
        raw(
            "switches-protocols",
            &[piece("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")],
        )
        .fails("server_error"),
    ]
}

fn bodies() -> Vec<Scenario> {
    let broken =
        |name, cites, head_text: &str, body: Act| call(name, cites, [head(head_text), body]).fails("protocol_error");
    let (half, _) = FINE.split_at(20);
    let cut = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{half}"#);
    vec![
        broken("body-cut", "§2.2", JSON, piece(&cut)),
        broken("body-empty", "§2.2", JSON, piece("")),
        broken("body-of-both", "§2.2", JSON, line(format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{FINE},"error":{{"code":1,"message":"m"}}}}"#))),
        broken("body-of-neither", "§2.2", JSON, line(r#"{"jsonrpc":"2.0","id":$ID}"#)),
        broken("body-to-another-id", "§2.2", JSON, line(format!(r#"{{"jsonrpc":"2.0","id":4711,"result":{FINE}}}"#))),
        broken("body-in-a-batch", "§2.2", JSON, line(format!("[{}]", reply(FINE)))),
        broken("body-a-page", "§2.2", "200 OK\nContent-Type: text/html", piece("<html>")),
        broken("body-of-no-kind", "§2.2", "200 OK", line(reply(FINE))),
        broken("body-of-bad-utf-8", "§2.2 C73", JSON, Act::Bytes(b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xB0\xA1\"}]}}".to_vec())),
        call("body-that-is-compressed-badly", "§2.2", [head("200 OK\nContent-Type: application/json\nContent-Encoding: gzip"), Act::Bytes(b"\x1F\x8B\x08\x00".to_vec())]).fails("connection_closed").reconnects(),
        broken("body-longer-than-announced", "§2.2", "200 OK\nContent-Type: application/json\nContent-Length: 10", line(reply(FINE))),
        call("body-of-a-kind-in-capitals", "§2.2", [head("200 OK\nContent-Type: Application/JSON; charset=utf-8"), line(reply(FINE))]).fine(),
        call("body-pretty-printed", "§2.2", [head(JSON), line(format!("{{\n  \"jsonrpc\": \"2.0\",\n  \"id\": $ID,\n  \"result\": {FINE}\n}}"))]).fine(),
        call("body-behind-a-byte-order-mark", "§2.2", [head(JSON), line(format!("\u{feff}{}", reply(FINE)))]).fine(),
        call("body-byte-by-byte", "§2.2", [head(JSON), Act::Trickle(reply(FINE))]).fine(),
        call("body-with-a-lone-surrogate", "§2.2", [head(JSON), line(reply(r#"{"content":[{"type":"text","text":"a\ud800b"},{"type":"text","text":"fine"}]}"#))]).fine(),
        call("body-shorter-than-announced", "§2.2", [head("200 OK\nContent-Type: application/json\nContent-Length: 9999"), line(reply(FINE))]).fails("connection_closed").reconnects(),
        call("body-in-bad-chunks", "§2.2", [head("200 OK\nContent-Type: application/json\nTransfer-Encoding: chunked"), piece("zz\r\n{}")]).fails("connection_closed").reconnects(),
        call("body-in-chunks-that-stop", "§2.2", [head("200 OK\nContent-Type: application/json\nTransfer-Encoding: chunked"), piece("20\r\n{\"json")]).fails("connection_closed").reconnects(),
        call("body-that-stalls", "§2.2", [head(JSON), piece(&cut), MINUTE]).waiting(Patience::ShortCall).fails("timeout"),
    ]
}

/// C74: what is too long costs its call alone, and no memory.
fn endless() -> Vec<Scenario> {
    let begin = piece(r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"fine"#);
    let too_large = |name, acts: &[Act]| call(name, "§2.2 C74", acts).fails("frame_too_large").alone();
    vec![
        call(
            "body-of-17-mebibytes",
            "§2.3",
            [head(JSON), begin.clone(), Act::Fill(b'x', 17 * MEBIBYTE), line(r#""}]}}"#)],
        )
        .fine()
        .alone(),
        too_large(
            "body-of-97-mebibytes",
            &[head(JSON), begin.clone(), Act::Fill(b'x', 97 * MEBIBYTE), line(r#""}]}}"#)],
        ),
        too_large("body-without-an-end", &[head(JSON), begin, Act::FillForEver(b'x')]),
        too_large(
            "body-announced-as-a-tebibyte",
            &[head("200 OK\nContent-Type: application/json\nContent-Length: 1099511627776"), piece("{")],
        ),
        call(
            "error-page-without-an-end",
            "C74",
            [head("500 Internal Server Error\nContent-Type: text/plain"), Act::FillForEver(b'x')],
        )
        .fails("server_error")
        .alone(),
        call(
            "error-page-that-stalls",
            "C76",
            [head("500 Internal Server Error\nContent-Type: text/plain"), piece("wa"), MINUTE],
        )
        .waiting(Patience::ShortCall)
        .asking(Ask::Invoke, Expected::code("timeout")),
    ]
}
