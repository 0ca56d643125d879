//! Lines on stdout that are no message, beside a good answer: passed over, counted, never answered (S10, C72).

use crate::hostile::{
    Act, Scenario,
    text::{FINE, line, reply},
};

pub(super) fn rows() -> Vec<Scenario> {
    let before = |name, noise: &[Act]| Scenario::call(name, "§2.2 C72", [noise, &[Act::Plain]].concat()).fine();
    vec![
        before("noise-log-lines", &[line("INFO t is called"), line("WARN  t is slow")]),
        before("noise-blank-lines", &[line(""), line("   "), line("\r")]),
        before("noise-json-log-line", &[line(r#"{"level":"info","id":$ID}"#)]),
        before(
            "noise-json-log-line-about-a-reply",
            &[line(r#"{"level":"debug","sent":{"jsonrpc":"2.0","id":$ID,"result":{}}}"#)],
        ),
        before("noise-a-number", &[line("42")]),
        before("noise-an-array", &[line("[1,2]")]),
        before("noise-null", &[line("null")]),
        before("noise-malformed", &[line("{oops")]),
        before("noise-bytes", &[Act::Bytes(b"\xFF\xFE\x00\x1B[2J\n".to_vec())]),
        before("noise-twenty-thousand-lines", &[Act::Times(20_000, vec![line("DEBUG $I")])]),
        before("noise-an-id-that-is-an-object", &[line(r#"{"jsonrpc":"2.0","id":{},"result":{"odd":1}}"#)]),
        before("noise-a-method-that-is-a-number", &[line(r#"{"jsonrpc":"2.0","id":1,"method":7}"#)]),
        before("noise-a-result-without-an-id", &[line(r#"{"jsonrpc":"2.0","result":{"odd":1}}"#)]),
        before("noise-a-result-with-id-null", &[line(r#"{"jsonrpc":"2.0","id":null,"result":{"odd":1}}"#)]),
        Scenario::call("reply-behind-a-byte-order-mark", "§2.2", [line(format!("\u{feff}{}", reply(FINE)))]).fine(),
        Scenario::call("reply-with-a-carriage-return", "§2.2", [line(format!("{}\r", reply(FINE)))]).fine(),
        Scenario::call("reply-with-spaces-around", "§2.2", [line(format!(" \t{}  ", reply(FINE)))]).fine(),
    ]
}
