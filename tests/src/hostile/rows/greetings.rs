//! Odd starts and odd answers to `initialize`.

use crate::hostile::{
    Act, Ask, Expected, Leave, On, Patience, Scenario,
    text::{GREETING, error, line, notification, request, result},
};
use std::time::Duration;

pub(super) fn rows() -> Vec<Scenario> {
    [silent(), answers(), capabilities(), revisions(), refusals(), talk()].concat()
}

fn silent() -> Vec<Scenario> {
    vec![
        Scenario::greeting("start-never-answers", "§2.2 C76", []).waiting(Patience::ShortStart).refused(),
        Scenario::greeting("start-slow", "C76", [Act::Wait(Duration::from_millis(400)), Act::Plain]).fine(),
        Scenario::greeting("start-exits", "§2.2", [Act::Leave(Leave::Exit(3))]).refused(),
        Scenario::greeting("start-killed", "§2.2", [Act::Leave(Leave::Killed)]).refused(),
        Scenario::greeting("start-closes-stdout", "§2.2", [Act::Leave(Leave::ClosesStdout)]).refused(),
        Scenario::greeting(
            "start-half-an-answer-then-exits",
            "§2.2",
            [Act::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"resu"#.to_vec()), Act::Leave(Leave::Exit(0))],
        )
        .refused(),
        Scenario::stdio("start-exits-unasked", "§2.2")
            .once(On::Start, [Act::Complain(3), Act::Leave(Leave::Exit(1))])
            .refused(),
        Scenario::stdio("start-answers-another-id", "§2.2")
            .once(On::Method("initialize"), [line(format!(r#"{{"jsonrpc":"2.0","id":99,"result":{GREETING}}}"#))])
            .waiting(Patience::ShortStart)
            .refused(),
        Scenario::stdio("start-echoes", "§2.2").once(On::Start, [Act::Echo]).waiting(Patience::ShortStart).refused(),
    ]
}

/// The answer's envelope.
fn answers() -> Vec<Scenario> {
    vec![
        Scenario::greeting("greeting-twice", "§2.2", [Act::Plain, Act::Plain]).fine(),
        Scenario::greeting(
            "greeting-with-a-string-id",
            "§2.2",
            [line(format!(r#"{{"jsonrpc":"2.0","id":"$ID","result":{GREETING}}}"#))],
        )
        .fine(),
        Scenario::greeting("greeting-null", "§2.2", [result("null")]).refused(),
        Scenario::greeting("greeting-a-string", "§2.2", [result(r#""hello""#)]).refused(),
        Scenario::greeting("greeting-an-array", "§2.2", [result("[]")]).refused(),
        Scenario::greeting(
            "greeting-of-bad-utf-8",
            "§2.2 C73",
            [Act::Bytes(b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"instructions\":\"\xB0\xA1\"}}\n".to_vec())],
        )
        .refused(),
        Scenario::greeting(
            "greeting-of-both",
            "§2.2",
            [line(format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{GREETING},"error":{{"code":1,"message":"m"}}}}"#))],
        )
        .refused(),
    ]
}

fn with_capabilities(name: &'static str, capabilities: &str) -> Scenario {
    let json = format!(r#"{{"protocolVersion":"2025-06-18",{capabilities}"serverInfo":{{"name":"h","version":"1"}}}}"#);
    Scenario::greeting(name, "§2.2", [result(&json)])
}

fn capabilities() -> Vec<Scenario> {
    let with_info = |name, info: &str| {
        let json = format!(r#"{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}}{info}}}"#);
        Scenario::greeting(name, "§2.2", [result(&json)]).fine()
    };
    vec![
        with_capabilities("capabilities-missing", "").fine(),
        with_capabilities("capabilities-null", r#""capabilities":null,"#).fine(),
        with_capabilities("capabilities-empty", r#""capabilities":{},"#).fine(),
        with_capabilities("capabilities-an-array", r#""capabilities":[],"#).fine(),
        with_capabilities("capabilities-tools-true", r#""capabilities":{"tools":true},"#).fine(),
        with_capabilities("capabilities-unknown", r#""capabilities":{"tools":{},"teleport":{"far":1},"experimental":7},"#).fine(),
        with_capabilities("capabilities-tools-null", r#""capabilities":{"tools":null,"resources":{}},"#)
            .asking(Ask::Read, Expected::fine()),
        with_capabilities("capabilities-empty-is-asked-for-tools-only", r#""capabilities":{},"#)
            .asking(Ask::SearchAll, Expected::holding([r#""name":"t""#, "not declared"])),
        with_info("server-info-missing", ""),
        with_info("server-info-without-version", r#","serverInfo":{"name":"h"}"#),
        with_info("server-info-of-numbers", r#","serverInfo":{"name":7,"version":1.5}"#),
        Scenario::greeting("instructions-of-a-mebibyte", "S8", [
            Act::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"instructions":""#.to_vec()),
            Act::Fill(b'i', 1 << 20),
            line("\"}}"),
        ])
        .fine(),
    ]
}

fn revisions() -> Vec<Scenario> {
    let speaks = |name, revision: &str| {
        let json =
            format!(r#"{{{revision}"capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"h","version":"1"}}}}"#);
        Scenario::greeting(name, "S17", [result(&json)])
    };
    vec![
        speaks("revision-oldest", r#""protocolVersion":"2024-11-05","#).fine(),
        speaks("revision-without-initialize", r#""protocolVersion":"2026-07-28","#).fine(),
        speaks("revision-unknown", r#""protocolVersion":"2099-01-01","#).refused(),
        speaks("revision-missing", "").refused(),
        speaks("revision-a-number", r#""protocolVersion":20250618,"#).refused(),
    ]
}

fn refusals() -> Vec<Scenario> {
    vec![
        Scenario::greeting(
            "refuses-the-revision",
            "§1.3",
            [error(r#"{"code":-32602,"message":"Unsupported protocol version"}"#)],
        )
        .refused(),
        Scenario::greeting(
            "refuses-the-revision-as-unsupported",
            "S17",
            [error(r#"{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}"#)],
        )
        .refused(),
        Scenario::greeting(
            "refuses-initialize-as-unknown",
            "S17",
            [error(r#"{"code":-32601,"message":"Method not found"}"#)],
        )
        .refused(),
        Scenario::greeting(
            "refuses-without-an-id",
            "§2.2",
            [line(r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}"#)],
        )
        .refused(),
        Scenario::greeting(
            "refuses-with-id-null",
            "§2.2",
            [line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#)],
        )
        .refused(),
        Scenario::greeting("refuses-with-a-string", "§2.2", [error(r#""no licence""#)]).refused(),
    ]
}

/// What a server says before it answers.
fn talk() -> Vec<Scenario> {
    let noise = [
        line("Hostile server v1.2 is ready!"),
        line(""),
        line(r#"{"level":"info","msg":"listening"}"#),
        line("42"),
        line("[1,2]"),
    ];
    let answering = |name, before: Act| Scenario::greeting(name, "§4.3", [before, Act::Hear, Act::Plain]);
    vec![
        Scenario::stdio("banner", "§2.2 C72").once(On::Start, noise.clone()).fine(),
        Scenario::greeting("noise-before-the-greeting", "§2.2 C72", [noise.as_slice(), &[Act::Plain]].concat()).fine(),
        Scenario::greeting(
            "a-hundred-thousand-lines-before-the-greeting",
            "C72",
            [Act::Times(100_000, vec![line("INFO step $I of the start is done")]), Act::Plain],
        )
        .fine(),
        answering("ping-before-the-greeting", request("1", "ping", "{}")).answered(["1 result {}"]).fine(),
        Scenario::greeting("roots-before-the-greeting", "§4.3", [request("\"r\"", "roots/list", "{}"), Act::Plain])
            .fine(),
        Scenario::greeting("changes-before-the-greeting", "§4.3", [notification("tools/list_changed"), Act::Plain])
            .fine(),
    ]
}
