//! Listings: cursors that lead nowhere, entries that are none, and too much of everything (S11, S20, S21).

use crate::hostile::{
    Act, Ask, Expected, Leave, On, Patience, Scenario,
    text::{error, line, notification, result},
};
use std::time::Duration;

pub(super) fn rows() -> Vec<Scenario> {
    [cursors(), second_page(), entries(), many(), shapes(), changes()].concat()
}

/// A page with one new tool and this member for the cursor.
fn page(cursor: &str) -> Act {
    result(&format!(r#"{{"tools":[{{"name":"t$N","inputSchema":{{}}}}]{cursor}}}"#))
}

fn cursors() -> Vec<Scenario> {
    let same = result(r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}}],"nextCursor":"x"}"#);
    let fault = ["t0", "listing is partial after 1 item", "`nextCursor`"];
    vec![
        Scenario::pages("cursor-never-advances", "§2.1 C21", [same])
            .lists([r#""total":2"#, "the cursor `x` a second time", "2 repeated"])
            .costing(2),
        Scenario::stdio("cursor-goes-round", "§2.1 C22")
            .once(On::Method("tools/list"), [page(r#","nextCursor":"a""#)])
            .once(On::Method("tools/list"), [page(r#","nextCursor":"b""#)])
            .once(On::Method("tools/list"), [page(r#","nextCursor":"a""#)])
            .once(On::Method("tools/list"), [page(r#","nextCursor":"b""#)])
            .lists([r#""total":3"#, "the cursor `a` a second time"])
            .costing(3),
        Scenario::pages("cursor-always-new", "§2.1 C23", [page(r#","nextCursor":"$N""#)])
            .lists([r#""total":200"#, "200 pages are the most"])
            .costing(200),
        Scenario::pages("cursor-empty", "§2.1", [page(r#","nextCursor":"""#)])
            .lists([r#""total":2"#, "partial"])
            .costing(2),
        Scenario::pages("pages-empty-with-one-cursor", "§2.1", [result(r#"{"tools":[],"nextCursor":"x"}"#)])
            .lists([r#""total":0"#, "partial"])
            .costing(2),
        Scenario::pages("pages-empty-with-new-cursors", "§2.1", [result(r#"{"tools":[],"nextCursor":"$N"}"#)])
            .lists([r#""total":0"#, "200 pages are the most"])
            .costing(200),
        Scenario::pages("cursor-null", "§2.1 C24", [page(r#","nextCursor":null"#)])
            .lists([r#""total":1"#, r#""notes":[]"#]),
        Scenario::pages("cursor-a-number", "§2.1", [page(r#","nextCursor":5"#)]).lists(fault),
        Scenario::pages("cursor-an-object", "§2.1", [page(r#","nextCursor":{"page":2}"#)]).lists(fault),
        Scenario::pages("cursor-true", "§2.1", [page(r#","nextCursor":true"#)]).lists(fault),
    ]
}

/// The first page is good.
fn second_page() -> Vec<Scenario> {
    let second = |name, acts: &[Act]| {
        Scenario::stdio(name, "§2.1")
            .once(On::Method("tools/list"), [page(r#","nextCursor":"2""#)])
            .once(On::Method("tools/list"), acts)
            .costing(2)
    };
    let partial = |why| ["t0", "listing is partial after 1 item", why];
    vec![
        second("second-page-an-error", &[error(r#"{"code":-32602,"message":"Invalid cursor"}"#)])
            .lists(partial("(server_error)")),
        second("second-page-broken", &[line(r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"na"#)])
            .lists(partial("(protocol_error)")),
        second("second-page-null", &[result("null")]).lists(partial("(invalid_response)")),
        second("second-page-never-comes", &[]).waiting(Patience::ShortIdle).lists(partial("(timeout)")),
        second("second-page-after-the-end", &[Act::Leave(Leave::Exit(1))])
            .lists(partial("(connection_closed)"))
            .reconnects(),
        second("second-page-without-tools", &[result(r#"{"items":[]}"#)]).lists(partial("(invalid_response)")),
    ]
}

fn entries() -> Vec<Scenario> {
    let of_kind = |name, kind, method, acts: Act, holds: &[&'static str]| {
        Scenario::stdio(name, "S20")
            .always(On::Method(method), [acts])
            .asking(Ask::Search(kind), Expected::holding(holds))
    };
    vec![
        Scenario::pages("entry-without-a-usable-schema", "C25", [result(
            r#"{"tools":[{"name":"ok","inputSchema":{"type":"object"}},{"name":"alt","inputSchema":{"anyOf":[{"type":"object"}]}},{"name":"bad","inputSchema":null}]}"#,
        )])
        .lists([r#""total":2"#, r#""name":"ok""#, r#""name":"alt""#, "1 skipped: `bad`"]),
        Scenario::pages("entry-without-a-schema", "§2.1", [result(
            r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b"},{"name":"c","inputSchema":{}}]}"#,
        )])
        .lists([r#""total":2"#, "1 skipped: `b`"]),
        Scenario::pages("entry-twice", "C28", [result(
            r#"{"tools":[{"name":"post","description":"first","inputSchema":{}},{"name":"post","description":"second","inputSchema":{"type":"object"}}]}"#,
        )])
        .asking(Ask::Search("tool"), Expected::holding([r#""total":1"#, "first", "1 repeated"]).lacking(["second"])),
        Scenario::pages("entries-of-any-shape", "S20", [result(
            r#"{"tools":[null,7,"t",[],{},{"name":5,"inputSchema":{}},{"name":"ok","inputSchema":{},"description":5,"annotations":"no","icons":{}}]}"#,
        )])
        .lists([r#""total":1"#, r#""name":"ok""#, "6 skipped"]),
        Scenario::pages("entry-with-a-lone-surrogate", "§2.2", [result(
            r#"{"tools":[{"name":"ok","inputSchema":{}},{"name":"odd","description":"\ud800","inputSchema":{}}]}"#,
        )])
        .lists([r#""name":"ok""#]),
        of_kind("resource-with-odd-fields", "resource", "resources/list", result(
            r#"{"resources":[{"uri":"a://1","size":"5","annotations":{"audience":"system","priority":"high"}},{"name":"no uri"},{"uri":"a://2","name":null,"size":-1}]}"#,
        ), &[r#""total":2"#, "1 skipped"]),
        of_kind("prompt-with-odd-arguments", "prompt", "prompts/list", result(
            r#"{"prompts":[{"name":"p","arguments":{"a":1}},{"name":"q","arguments":[{"name":"x","required":"yes"}]}]}"#,
        ), &[r#""total":2"#]),
    ]
}

fn many() -> Vec<Scenario> {
    vec![
        Scenario::stdio("five-hundred-resources", "C26")
            .always(
                On::Method("resources/list"),
                [
                    Act::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"result":{"resources":["#.to_vec()),
                    Act::Times(499, vec![Act::Bytes(br#"{"uri":"a://$I","name":"n$I"},"#.to_vec())]),
                    line(r#"{"uri":"a://499","name":"n499"}]}}"#),
                ],
            )
            .asking(Ask::SearchAll, Expected::holding([r#""total":502"#, r#""next_offset":8"#]).lacking(["n9"]))
            .costing(4),
        Scenario::pages(
            "two-hundred-thousand-tools",
            "§2.1",
            [
                Act::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":["#.to_vec()),
                Act::Times(199_999, vec![Act::Bytes(br#"{"name":"t$I","inputSchema":{"type":"object"}},"#.to_vec())]),
                line(r#"{"name":"last","inputSchema":{}}]}}"#),
            ],
        )
        .lists([r#""total":10000"#, "10000 items are the most"])
        .alone(),
        Scenario::pages(
            "cursor-of-a-mebibyte",
            "§2.1",
            [
                Act::Bytes(br#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[],"nextCursor":""#.to_vec()),
                Act::Fill(b'c', 1 << 20),
                line("\"}}"),
            ],
        )
        .lists(["the cursor `ccc", "a second time"])
        .costing(2),
    ]
}

/// The result as a whole.
fn shapes() -> Vec<Scenario> {
    let failing = |row: Scenario, code| row.asking(Ask::Search("tool"), Expected::code(code));
    vec![
        failing(Scenario::pages("list-null", "§2.1", [result("null")]), "invalid_response"),
        failing(
            Scenario::pages("list-without-its-array", "§2.1", [result(r#"{"nextCursor":"x"}"#)]),
            "invalid_response",
        ),
        failing(Scenario::pages("list-of-a-string", "§2.1", [result(r#"{"tools":"none"}"#)]), "invalid_response"),
        failing(Scenario::pages("list-never-comes", "§2.1", []).waiting(Patience::ShortCall), "timeout"),
        failing(
            Scenario::pages("list-an-error", "§2.1", [error(r#"{"code":-32603,"message":"database is locked"}"#)]),
            "server_error",
        ),
        Scenario::pages(
            "list-that-is-a-prompt-too",
            "§3.1",
            [result(
                r#"{"tools":[{"name":"t","inputSchema":{}}],"messages":[],"contents":[],"completion":{"values":[]}}"#,
            )],
        )
        .lists([r#""total":1"#]),
        Scenario::stdio("templates-not-implemented", "§4.2")
            .always(On::Method("resources/templates/list"), [error(r#"{"code":-32601,"message":"Method not found"}"#)])
            .asking(Ask::SearchAll, Expected::holding([r#""total":3"#, "does not implement"]))
            .costing(4),
        Scenario::stdio("one-kind-fails", "§4.2")
            .always(On::Method("prompts/list"), [error(r#"{"code":-32603,"message":"boom"}"#)])
            .asking(Ask::SearchAll, Expected::holding([r#""total":2"#, "prompts: listing failed (server_error)"]))
            .costing(4),
    ]
}

/// C27. Nothing is listed because a server says that a list changed, and a listing that fails spoils no other.
fn changes() -> Vec<Scenario> {
    let storm = Act::Times(12, vec![notification("tools/list_changed"), Act::Wait(Duration::from_millis(8))]);
    vec![
        Scenario::call("changes-in-a-storm", "C27", [storm.clone(), Act::Plain]).fine(),
        Scenario::call("changes-and-a-listing-that-fails", "C27", [storm, Act::Plain])
            .once(On::Method("tools/list"), [error(r#"{"code":-32603,"message":"not now"}"#)])
            .fine()
            .asking(Ask::Search("tool"), Expected::code("server_error"))
            .lists([r#""total":1"#])
            .costing(3),
    ]
}
