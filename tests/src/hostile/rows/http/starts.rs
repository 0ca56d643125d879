//! Starts that go wrong before anybody speaks MCP.

use super::{EVENTS, JSON, head, piece};
use crate::hostile::{
    Act, Leave, On, Patience, Scenario,
    text::{GREETING, line, reply},
};
use std::time::Duration;

pub(super) fn rows() -> Vec<Scenario> {
    [refusals(), answers(), other_greetings(), beside()].concat()
}

fn greeting(name: &'static str, cites: &'static str, acts: impl Into<Vec<Act>>) -> Scenario {
    Scenario::greeting(name, cites, acts).over_http()
}

fn refusals() -> Vec<Scenario> {
    let refuses = |name, status: &str| greeting(name, "§2.2 C76", [head(status), piece("no")]);
    let wants_login = |name, status: &str| refuses(name, status).fails("auth_required").costing(0).reconnects();
    vec![
        wants_login("start-wants-a-login", "401 Unauthorized"),
        wants_login("start-wants-a-login-and-says-how", "401 Unauthorized\nWWW-Authenticate: Bearer scope=\"a\""),
        wants_login("start-forbidden", "403 Forbidden"),
        refuses("start-not-found", "404 Not Found").refused(),
        refuses("start-of-another-verb", "405 Method Not Allowed\nAllow: GET").refused(),
        refuses("start-too-often", "429 Too Many Requests\nRetry-After: 3600").refused(),
        refuses("start-broken", "500 Internal Server Error\nContent-Type: text/html").refused(),
        refuses("start-unavailable", "503 Service Unavailable").refused(),
        refuses("start-elsewhere", "307 Temporary Redirect\nLocation: http://example.com/mcp").refused(),
        refuses("start-as-another-verb", "302 Found\nLocation: /login").refused(),
        greeting("start-hangs-up", "§2.2", [Act::Leave(Leave::HangsUp)]).refused(),
        greeting("start-is-no-http", "§2.2", [piece("SSH-2.0-OpenSSH_9.2\r\n"), Act::Leave(Leave::HangsUp)]).refused(),
    ]
}

fn answers() -> Vec<Scenario> {
    let answer = reply(GREETING);
    let (first, _) = answer.split_at(answer.len() / 2);
    vec![
        greeting("start-accepted-and-no-more", "§2.2", [head("202 Accepted\nContent-Length: 0")])
            .waiting(Patience::ShortStart)
            .refused(),
        greeting("start-is-a-page", "§2.2", [head("200 OK\nContent-Type: text/html"), piece("<html>")]).refused(),
        greeting("start-of-no-bytes", "§2.2", [head(JSON)]).refused(),
        greeting("start-of-half-a-body", "§2.2", [head(JSON), piece(first)]).refused(),
        greeting("start-of-an-empty-stream", "§2.2", [head(EVENTS), piece(": nothing\n\n")]).refused(),
        greeting("start-of-a-body-that-stalls", "C76", [head(JSON), piece(first), Act::Wait(Duration::from_mins(1))])
            .waiting(Patience::ShortStart)
            .refused(),
        greeting(
            "start-of-a-stream-that-stays-open",
            "§2.2",
            [head(EVENTS), line(format!("data: {}\n", reply(GREETING))), Act::Wait(Duration::from_mins(1))],
        )
        .fine(),
        greeting("start-by-a-redirect-within", "S16", [head("307 Temporary Redirect\nLocation: /other")]).fine(),
    ]
}

/// S17: one that knows no `initialize` is asked what it has.
fn other_greetings() -> Vec<Scenario> {
    let rejects = |name, status: &str, error: &str| {
        let error = format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#);
        greeting(name, "S17", [head(format!("{status}\nContent-Type: application/json")), line(error)])
            .fine()
            .costing(2)
    };
    let unsupported = r#"{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#;
    vec![
        rejects("start-unknown-in-a-body", "200 OK", r#"{"code":-32601,"message":"Method not found"}"#),
        rejects("start-unknown-with-a-status", "400 Bad Request", r#"{"code":-32601,"message":"Method not found"}"#),
        rejects("start-unsupported-with-a-status", "400 Bad Request", unsupported),
    ]
}

/// What is answered to the message behind the handshake, which expects nothing.
fn beside() -> Vec<Scenario> {
    let initialized = |name, acts: &[Act]| {
        Scenario::stdio(name, "§2.2").once(On::Method("notifications/initialized"), acts).over_http()
    };
    vec![
        initialized("initialized-gets-a-page", &[head("200 OK\nContent-Type: text/html"), piece("<html>")]).fine(),
        initialized("initialized-gets-no-content", &[head("204 No Content")]).fine(),
        initialized(
            "initialized-gets-a-stream",
            &[head(EVENTS), piece("data: {}\n\n"), Act::Wait(Duration::from_mins(1))],
        )
        .fine(),
        initialized("initialized-is-too-much", &[head("500 Internal Server Error"), piece("no")]).fine(),
    ]
}
