//! Sessions that are lost, odd, or hard to end (S15, S16).

use super::{EVENTS, JSON, head, piece};
use crate::hostile::{
    Act, Ask, Expected, On, Patience, Scenario,
    text::{GREETING, line, reply},
};
use std::time::Duration;

const MINUTE: Act = Act::Wait(Duration::from_mins(1));
const GONE: &str = "404 Not Found\nContent-Length: 0";

pub(super) fn rows() -> Vec<Scenario> {
    [lost(), odd(), streams(), ends()].concat()
}

/// A server that greets with this session every time.
fn session(name: &'static str, cites: &'static str, id: &str) -> Scenario {
    let greets = [head(format!("{JSON}\nMcp-Session-Id: {id}")), line(reply(GREETING))];
    Scenario::stdio(name, cites).always(On::Method("initialize"), greets).over_http()
}

fn lost() -> Vec<Scenario> {
    let lost = |name| session(name, "S15 C75", "s-1").once(On::Method("tools/call"), [head(GONE)]);
    vec![
        lost("session-lost").fine().costing(2),
        lost("session-lost-again")
            .once(On::Method("tools/call"), [head(GONE)])
            .fails("connection_closed")
            .costing(2)
            .reconnects(),
        session("session-lost-in-a-stream", "S15", "s-1")
            .once(On::Method("tools/call"), [head(EVENTS), piece(": bye\n\n")])
            .fails("connection_closed")
            .reconnects(),
    ]
}

fn odd() -> Vec<Scenario> {
    vec![
        session("session-without-a-name", "§2.2", "").fine(),
        session("session-with-a-name-of-bytes", "§2.2", "s\u{e9}\u{fc}").fine(),
        session("session-with-a-name-of-spaces", "§2.2", "a b; c=\"d\"").fine(),
        session("session-with-a-long-name", "§2.2", &"s".repeat(8_000)).fine(),
    ]
}

/// The stream that a client opens for what a server says unasked.
fn streams() -> Vec<Scenario> {
    let opened = |name, acts: &[Act]| session(name, "§4.3", "s-1").always(On::Method("GET"), acts).fine();
    let ping = line("data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n");
    vec![
        opened("standing-stream-that-is-silent", &[head(EVENTS), MINUTE]),
        opened("standing-stream-that-ends", &[head(EVENTS), piece(": bye\n\n")]),
        opened("standing-stream-that-ends-at-once-and-wants-more", &[head(EVENTS), piece("id: 1\nretry: 0\n\n")]),
        opened("standing-stream-that-is-a-page", &[head("200 OK\nContent-Type: text/html"), piece("<html>")]),
        opened("standing-stream-that-is-refused", &[head("500 Internal Server Error"), piece("no")]),
        opened("standing-stream-that-wants-a-login", &[head("401 Unauthorized"), piece("no")]),
        opened("standing-stream-that-never-comes", &[]),
        opened(
            "standing-stream-of-noise",
            &[head(EVENTS), Act::Times(20_000, vec![piece("data: noise $I\n\n")]), MINUTE],
        ),
        opened("standing-stream-without-an-end", &[head(EVENTS), piece("data: "), Act::FillForEver(b'x')]).alone(),
        session("standing-stream-that-asks", "§4.3", "s-1")
            .once(On::Method("GET"), [head(EVENTS), ping, Act::Hear, MINUTE])
            .once(On::Method("tools/call"), [Act::Wait(Duration::from_millis(300)), Act::Plain])
            .answered(["9 result {}"])
            .fine(),
    ]
}

/// How it takes the end, which no row waits for.
fn ends() -> Vec<Scenario> {
    let ended = |name, acts: &[Act]| session(name, "S18", "s-1").always(On::Method("DELETE"), acts).fine();
    vec![
        ended("session-end-refused", &[head("405 Method Not Allowed\nContent-Length: 0")]),
        ended("session-end-never-answered", &[]),
        ended("session-end-without-an-end", &[head("200 OK"), Act::FillForEver(b'x')]),
        session("session-of-a-call-that-never-ends", "S13", "s-1")
            .once(On::Method("tools/call"), [])
            .waiting(Patience::ShortCall)
            .asking(Ask::Invoke, Expected::code("timeout")),
    ]
}
