//! Replies whose envelope is odd, broken or missing: each ends its call at once, or is passed over (S10).

use crate::hostile::{
    Act, On, Patience, Scenario,
    text::{FINE, line, reply, result},
};
use std::time::Duration;

pub(super) fn rows() -> Vec<Scenario> {
    [silent(), taken(), broken(), nobodys(), late(), progress()].concat()
}

/// No answer, or none that may be taken for one.
fn silent() -> Vec<Scenario> {
    let never = |name, acts: &[Act]| Scenario::call(name, "§2.2", acts).waiting(Patience::ShortCall).fails("timeout");
    vec![
        never("reply-none", &[]),
        never("reply-in-a-batch", &[line(format!("[{}]", reply(FINE)))]),
        never("reply-pretty-printed", &[line("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": $ID,\n  \"result\": {}\n}")]),
        never("reply-without-version", &[line(format!(r#"{{"id":$ID,"result":{FINE}}}"#))]),
        never("reply-with-id-null", &[line(format!(r#"{{"jsonrpc":"2.0","id":null,"result":{FINE}}}"#))]),
        never("reply-to-another-id", &[line(format!(r#"{{"jsonrpc":"2.0","id":4711,"result":{FINE}}}"#))]),
    ]
}

/// Odd, and clear enough.
fn taken() -> Vec<Scenario> {
    vec![
        Scenario::call(
            "reply-with-a-string-id",
            "§2.2",
            [line(format!(r#"{{"jsonrpc":"2.0","id":"$ID","result":{FINE}}}"#))],
        )
        .fine(),
        Scenario::call(
            "reply-with-a-float-id",
            "§2.2",
            [line(format!(r#"{{"jsonrpc":"2.0","id":$ID.0,"result":{FINE}}}"#))],
        )
        .fine(),
        Scenario::call(
            "reply-of-another-version",
            "§2.2",
            [line(format!(r#"{{"jsonrpc":"1.0","id":$ID,"result":{FINE}}}"#))],
        )
        .fine(),
        Scenario::call(
            "reply-that-echoes-the-method",
            "§2.2",
            [line(format!(r#"{{"jsonrpc":"2.0","id":$ID,"method":"tools/call","result":{FINE}}}"#))],
        )
        .fine(),
        Scenario::call(
            "reply-with-error-null",
            "§2.2",
            [line(format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{FINE},"error":null}}"#))],
        )
        .fine(),
        Scenario::call(
            "reply-with-its-id-at-the-end",
            "§2.2",
            [line(format!(r#"{{"result":{FINE},"jsonrpc":"2.0","id":$ID}}"#))],
        )
        .fine(),
        Scenario::call("reply-byte-by-byte", "§2.2", [Act::Trickle(reply(FINE))]).fine(),
        Scenario::call("reply-twice", "§2.2", [Act::Plain, Act::Plain]).fine(),
        Scenario::call("reply-twice-and-different", "§2.2", [Act::Plain, result(r#"{"content":[]}"#)]).fine(),
    ]
}

/// Meant as a reply and not readable as one.
fn broken() -> Vec<Scenario> {
    let breaks = |name, cites, acts: &[Act]| Scenario::call(name, cites, acts).fails("protocol_error");
    let bytes = |bytes: &[u8]| Act::Bytes([bytes, b"\n"].concat());
    vec![
        breaks("reply-cut", "§2.2", &[line(r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"ty"#)]),
        breaks("reply-cut-before-its-id", "§2.2", &[line(r#"{"jsonrpc":"2.0","result":{"content":[{"ty"#)]),
        breaks("reply-cut-then-a-good-one", "§2.2", &[line(r#"{"jsonrpc":"2.0","id":$ID,"result":{"cont"#), Act::Plain]),
        breaks("reply-of-bad-utf-8", "§2.2 C73", &[bytes(
            b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xB0\xA1\"}]}}",
        )]),
        breaks("reply-of-bad-utf-8-before-its-id", "§2.2 C73", &[bytes(
            b"{\"result\":{\"id\":99,\"text\":\"\xB0\xA1\"},\"jsonrpc\":\"2.0\",\"id\":$ID}",
        )]),
        breaks("reply-with-a-control-character", "§2.2", &[bytes(
            b"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\x01\"}]}}",
        )]),
        breaks("reply-of-neither", "§2.2", &[line(r#"{"jsonrpc":"2.0","id":$ID}"#)]),
        breaks("reply-of-both", "§2.2", &[line(format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"result":{FINE},"error":{{"code":1,"message":"m"}}}}"#
        ))]),
        breaks("reply-with-two-results", "§2.2", &[line(r#"{"jsonrpc":"2.0","id":$ID,"result":{},"result":{}}"#)]),
        breaks("reply-with-garbage-behind", "§2.2", &[line(format!("{}}}", reply(FINE)))]),
    ]
}

/// Replies that nobody asked for.
fn nobodys() -> Vec<Scenario> {
    let unknown = |id: &str| line(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#));
    vec![
        Scenario::call("reply-to-another-id-first", "§2.2", [unknown("4711"), Act::Plain]).fine(),
        Scenario::call(
            "broken-reply-to-another-id-first",
            "§2.2",
            [line(r#"{"jsonrpc":"2.0","id":4711,"result":{"#), Act::Plain],
        )
        .fine(),
        Scenario::greeting(
            "replies-before-the-requests",
            "§2.2",
            [unknown("1"), unknown("2"), unknown("3"), Act::Plain],
        )
        .fine(),
        Scenario::stdio("notifications-are-answered", "§2.2")
            .always(
                On::Method("notifications/initialized"),
                [line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#)],
            )
            .fine(),
    ]
}

/// Too late.
fn late() -> Vec<Scenario> {
    vec![
        Scenario::call("reply-after-the-cancellation", "§2.4", [])
            .once(On::Method("notifications/cancelled"), [result(r#"{"content":[{"type":"text","text":"late"}]}"#)])
            .waiting(Patience::ShortCall)
            .fails("timeout"),
        Scenario::call("error-after-the-cancellation", "§2.4", [])
            .once(
                On::Method("notifications/cancelled"),
                [line(r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32800,"message":"Request cancelled"}}"#)],
            )
            .waiting(Patience::ShortCall)
            .fails("timeout"),
        Scenario::call("reply-slow", "§2.4", [Act::Wait(Duration::from_millis(300)), Act::Plain]).fine(),
    ]
}

fn says_progress(token: &str, more: &str) -> Act {
    let params = format!(r#"{{"progressToken":{token},{more}}}"#);
    line(format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#))
}

/// C77. The client waits 3 s for a sign, and the good row goes on for 4 s; the others until the client gives up.
fn progress() -> Vec<Scenario> {
    let often = |acts: Act| vec![acts, Act::Wait(Duration::from_millis(100))];
    let steps = r#""progress":$I,"total":40"#;
    vec![
        Scenario::call(
            "progress-for-longer-than-the-deadline",
            "C77",
            [Act::Times(40, often(says_progress("$TOKEN", steps))), Act::Plain],
        )
        .waiting(Patience::ShortIdle)
        .fine(),
        Scenario::call(
            "progress-of-odd-numbers",
            "C77",
            [
                says_progress("$TOKEN", r#""progress":"half""#),
                says_progress("$TOKEN", r#""progress":null,"total":[],"message":7"#),
                Act::Plain,
            ],
        )
        .fine(),
        Scenario::call(
            "progress-for-ever",
            "C77",
            [Act::UntilHeard(often(says_progress("$TOKEN", r#""progress":1"#)))],
        )
        .waiting(Patience::ShortCall)
        .fails("timeout"),
        Scenario::call(
            "progress-of-another-request",
            "C77",
            [Act::UntilHeard(often(says_progress("9999", r#""progress":1"#)))],
        )
        .waiting(Patience::ShortIdle)
        .fails("timeout"),
    ]
}
