//! Servers that go, that stay, and that leave something behind (S15, S18, C75).

use crate::hostile::{
    Act, Ask, Expected, Leave, On, Patience, Scenario,
    text::{FINE, reply},
};
use std::time::Duration;

pub(super) fn rows() -> Vec<Scenario> {
    [goes(), jams(), stays()].concat()
}

fn goes() -> Vec<Scenario> {
    let goes = |name, cites, acts: &[Act]| Scenario::call(name, cites, acts).fails("connection_closed").reconnects();
    vec![
        goes("exits-in-a-call", "§2.2 C75", &[Act::Leave(Leave::Exit(0))]),
        goes("exits-in-a-call-with-a-status", "§2.2 C75", &[Act::Complain(5), Act::Leave(Leave::Exit(3))]),
        Scenario::call(
            "exits-in-half-a-reply",
            "§2.2",
            [Act::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"result":{"conte"#.to_vec()), Act::Leave(Leave::Exit(0))],
        )
        .fails("protocol_error")
        .reconnects(),
        goes("closes-stdout-in-a-call", "§2.2", &[Act::Leave(Leave::ClosesStdout)]),
        goes("exits-and-an-heir-keeps-stdout", "§2.2", &[Act::Heir, Act::Leave(Leave::Exit(0))]),
        Scenario::stdio("killed-in-a-read", "C75")
            .once(On::Method("resources/read"), [Act::Leave(Leave::Killed)])
            .asking(Ask::Read, Expected::code("connection_closed"))
            .reconnects(),
        Scenario::call(
            "replies-without-a-line-end-and-exits",
            "§2.2",
            [Act::Bytes(reply(FINE).into_bytes()), Act::Leave(Leave::Exit(0))],
        )
        .fine()
        .reconnects(),
        Scenario::call("replies-and-exits", "§2.2", [Act::Plain, Act::Leave(Leave::Exit(0))]).fine().reconnects(),
        Scenario::stdio("exits-after-the-handshake", "C75")
            .once(On::Method("notifications/initialized"), [Act::Leave(Leave::Exit(0))])
            .fails("connection_closed")
            .costing(0)
            .reconnects(),
    ]
}

/// It still runs and is of no use.
fn jams() -> Vec<Scenario> {
    vec![
        Scenario::call("freezes", "§2.2", [Act::Leave(Leave::Freezes)])
            .waiting(Patience::ShortCall)
            .fails("timeout")
            .jams(),
        Scenario::stdio("freezes-before-a-large-call", "§2.4")
            .once(On::Method("notifications/initialized"), [Act::Leave(Leave::Freezes)])
            .waiting(Patience::ShortCall)
            .asking(Ask::InvokeWith(4 << 20), Expected::code("timeout"))
            .costing(0)
            .jams(),
        Scenario::call("closes-stdin-in-a-call", "§2.4", [Act::Leave(Leave::ClosesStdin)])
            .waiting(Patience::ShortCall)
            .fails("timeout")
            .asking(Ask::Invoke, Expected::code("connection_closed"))
            .reconnects(),
    ]
}

/// It is asked and answers; what is hard is to be rid of it.
fn stays() -> Vec<Scenario> {
    let minute = Act::Wait(Duration::from_mins(1));
    let stays = |name| Scenario::stdio(name, "S18");
    vec![
        stays("stays-after-stdin-ends").once(On::Eof, [minute.clone()]).fine(),
        stays("stays-after-stdin-ends-and-sigterm")
            .once(On::Start, [Act::IgnoreSignals])
            .once(On::Eof, [minute.clone()])
            .fine(),
        stays("stays-after-a-failed-handshake")
            .once(On::Start, [Act::IgnoreSignals])
            .once(On::Method("initialize"), [])
            .once(On::Eof, [minute])
            .waiting(Patience::ShortStart)
            .refused(),
        stays("leaves-an-heir").once(On::Method("notifications/initialized"), [Act::Heir]).fine(),
        stays("leaves-an-heir-that-ignores-signals")
            .once(On::Start, [Act::IgnoreSignals])
            .once(On::Method("notifications/initialized"), [Act::Heir])
            .fine(),
        Scenario::call("complains-for-eight-mebibytes", "S18", [Act::Complain(100_000), Act::Plain]).fine(),
    ]
}
