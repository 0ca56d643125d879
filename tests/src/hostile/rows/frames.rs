//! Lines of any length. What is over the limit fails its call, costs no memory, and spares the connection (S16, C74).

use crate::hostile::{Act, On, Patience, Scenario, text::line};

const MEBIBYTE: u64 = 1 << 20;

pub(super) fn rows() -> Vec<Scenario> {
    [within(), over(), endless()].concat()
}

fn head() -> Act {
    Act::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"fine"#.to_vec())
}

fn tail() -> Act {
    line(r#""}]}}"#)
}

fn within() -> Vec<Scenario> {
    vec![
        Scenario::call("frame-of-15-mebibytes", "§2.3", [head(), Act::Fill(b'x', 15 * MEBIBYTE), tail()])
            .fine()
            .alone(),
        Scenario::call("frame-of-17-mebibytes", "§2.3", [head(), Act::Fill(b'x', 17 * MEBIBYTE), tail()])
            .fine()
            .alone(),
    ]
}

fn over() -> Vec<Scenario> {
    let too_large = |name, acts: &[Act]| Scenario::call(name, "§2.3 C74", acts).fails("frame_too_large").alone();
    vec![
        too_large("frame-of-97-mebibytes", &[head(), Act::Fill(b'x', 97 * MEBIBYTE), tail()]),
        too_large("frame-of-200-mebibytes", &[head(), Act::Fill(b'x', 200 * MEBIBYTE), tail()]),
        too_large(
            "frame-of-200-mebibytes-with-its-id-at-the-end",
            &[
                Act::Bytes(br#"{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"fine"#.to_vec()),
                Act::Fill(b'x', 100 * MEBIBYTE),
                line(r#""}]},"id":$ID}"#),
            ],
        ),
        too_large(
            "frame-of-200-mebibytes-without-an-id",
            &[
                Act::Bytes(br#"{"jsonrpc":"2.0","result":{"text":""#.to_vec()),
                Act::Fill(b'x', 200 * MEBIBYTE),
                line(r#""}}"#),
            ],
        ),
        Scenario::call("noise-of-200-mebibytes", "C74", [Act::Fill(b'#', 200 * MEBIBYTE), line(""), Act::Plain])
            .fine()
            .alone(),
    ]
}

/// The line never ends, so that nothing can follow on the same connection.
fn endless() -> Vec<Scenario> {
    vec![
        Scenario::call("frame-without-an-end", "§2.3 C74", [head(), Act::FillForEver(b'x')])
            .fails("frame_too_large")
            .jams()
            .alone(),
        Scenario::call(
            "frame-without-an-end-or-an-id",
            "§2.3 C74",
            [Act::Bytes(br#"{"jsonrpc":"2.0","result":{"text":""#.to_vec()), Act::FillForEver(b'x')],
        )
        .fails("frame_too_large")
        .jams()
        .alone(),
        Scenario::call("noise-without-an-end", "C74", [Act::FillForEver(b'#')])
            .waiting(Patience::ShortCall)
            .fails("timeout")
            .jams()
            .alone(),
        Scenario::stdio("noise-without-an-end-at-the-start", "C74")
            .once(On::Start, [Act::FillForEver(b'#')])
            .waiting(Patience::ShortStart)
            .refused()
            .alone(),
    ]
}
