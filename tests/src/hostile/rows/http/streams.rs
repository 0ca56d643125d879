//! Streams of events that are odd, that never end, or that end too early (S10, S16, C72, C74, C75).

use super::{EVENTS, call, head, piece};
use crate::hostile::{
    Act, Leave, On, Patience, Scenario,
    text::{FINE, line, reply},
};
use std::time::Duration;

const MINUTE: Act = Act::Wait(Duration::from_mins(1));

pub(super) fn rows() -> Vec<Scenario> {
    [odd(), ends(), resumed()].concat()
}

/// An event with the good answer.
fn answer() -> Act {
    line(format!("data: {}\n", reply(FINE)))
}

fn odd() -> Vec<Scenario> {
    let before = |name, acts: &[Act]| call(name, "§2.2 C72", [&[head(EVENTS)], acts, &[answer()]].concat()).fine();
    vec![
        before("stream-of-comments", &[Act::Times(20_000, vec![piece(": still here\n\n")])]),
        before("stream-of-empty-events", &[Act::Times(20_000, vec![piece("\n")])]),
        before(
            "stream-of-named-events",
            &[piece("event: endpoint\ndata: /messages?id=1\n\n"), piece("event: ping\ndata: 1\n\n")],
        ),
        before("stream-of-unknown-fields", &[piece("colour: red\ndata\n:\nid\nretry: soon\n\n")]),
        before("stream-with-a-retry-of-an-age", &[piece("retry: 99999999999999999999\n\n")]),
        before(
            "stream-of-log-lines",
            &[piece("data: {\"level\":\"info\"}\n\n"), piece("data: 42\n\n"), piece("data: hello\n\n")],
        ),
        before("stream-of-bytes", &[Act::Bytes(b"\xFF\xFE\x00\n\n".to_vec())]),
        before("stream-behind-a-byte-order-mark", &[piece("\u{feff}: hello\n\n")]),
        call(
            "stream-event-in-pieces",
            "§2.2",
            [
                head(EVENTS),
                line("id: 7\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\ndata:\"id\":$ID,\r"),
                line(format!("data: \"result\":{FINE}}}\n")),
            ],
        )
        .fine(),
        call("stream-byte-by-byte", "§2.2", [head(EVENTS), Act::Trickle(format!("data: {}\n", reply(FINE)))]).fine(),
        call("stream-stays-open-behind-the-answer", "§2.2", [head(EVENTS), answer(), MINUTE]).fine(),
        call("stream-goes-on-behind-the-answer", "§2.2", [head(EVENTS), answer(), Act::FillForEver(b'\n')]).fine(),
        call(
            "stream-of-comments-for-ever",
            "C77",
            [head(EVENTS), Act::UntilHeard(vec![piece(": still here\n\n"), Act::Wait(Duration::from_millis(50))])],
        )
        .waiting(Patience::ShortIdle)
        .fails("timeout"),
        call("stream-comment-without-an-end", "C74", [head(EVENTS), piece(": "), Act::FillForEver(b'x')])
            .fails("frame_too_large")
            .alone(),
    ]
}

fn ends() -> Vec<Scenario> {
    let closed = |name, acts: &[Act]| call(name, "§2.2 C75", acts).fails("connection_closed").reconnects();
    vec![
        closed("stream-empty", &[head(EVENTS)]),
        closed("stream-of-one-comment", &[head(EVENTS), piece(": bye\n\n")]),
        closed("stream-that-ends-in-an-event", &[head(EVENTS), piece("data: {\"jsonrpc\":\"2.0\",\"id\":$ID")]),
        closed(
            "stream-in-bad-chunks",
            &[head("200 OK\nContent-Type: text/event-stream\nTransfer-Encoding: chunked"), piece("zz\r\n")],
        ),
        call("stream-that-stalls", "§2.2 C76", [head(EVENTS), MINUTE]).waiting(Patience::ShortCall).fails("timeout"),
        call("frozen", "C75", [head(EVENTS), Act::Leave(Leave::Freezes)])
            .waiting(Patience::ShortCall)
            .fails("timeout")
            .jams(),
    ]
}

/// SEP-1699: a stream that ends with an id is taken up again.
fn resumed() -> Vec<Scenario> {
    let id = piece("id: e1\nretry: 10\ndata: \n\n");
    let first = |name| call(name, "S16", [head(EVENTS), id.clone()]);
    let here = format!(r#"data: {{"jsonrpc":"2.0","id":1,"result":{FINE}}}"#);
    vec![
        first("resumed").once(On::Method("GET"), [head(EVENTS), line(here + "\n")]).fine(),
        first("resumed-in-vain").fails("connection_closed").reconnects(),
        first("resumed-and-refused")
            .always(On::Method("GET"), [head("500 Internal Server Error"), piece("no")])
            .waiting(Patience::ShortCall)
            .fails("timeout"),
        first("resumed-with-a-page")
            .always(On::Method("GET"), [head("200 OK\nContent-Type: text/html"), piece("<html>")])
            .waiting(Patience::ShortCall)
            .fails("timeout"),
        first("resumed-for-ever")
            .always(On::Method("GET"), [head(EVENTS), id.clone()])
            .waiting(Patience::ShortIdle)
            .fails("timeout"),
        first("resumed-and-stalled")
            .always(On::Method("GET"), [head(EVENTS), MINUTE])
            .waiting(Patience::ShortCall)
            .fails("timeout"),
    ]
}
