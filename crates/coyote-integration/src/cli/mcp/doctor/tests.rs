//! Every finding and every shape of a checkup, and a server that is examined for real.

use super::*;
use crate::{
    cli::mcp::fake_host::FakeHost,
    mcp::{ServerEntry, Transport},
};
use mcp_catalog::{Capabilities, Handshake, LocalPort, Note, NoteKind, PortError, Request, sdk::WireStats};
use mcp_render::{Code, ErrorShape};
use std::sync::Mutex;

const EVERYTHING: Capabilities = Capabilities { tools: true, resources: true, prompts: true, completions: true };

fn name() -> ServerName {
    ServerName::new("docs\u{1b}[2J").unwrap()
}

fn kind_check(kind: CatalogKind, declared: bool, items: usize, notes: Vec<NoteKind>) -> KindCheck {
    let notes = notes.into_iter().map(|what| Note { kind, what }).collect();
    let took = Duration::from_millis(12);
    KindCheck { kind, declared, items, hidden: 0, pages: 1, took, round_trip: Some(Duration::from_millis(3)), notes }
}

fn ready(capabilities: Capabilities, kinds: Vec<KindCheck>, stats: WireStats) -> Outcome {
    let handshake = Handshake {
        protocol: "2025-06-18".to_owned(),
        server_info: Some("docs 1.0".to_owned()),
        ..Handshake::of(capabilities)
    };
    Outcome::Ready(Box::new(Ready { handshake, kinds, stats: Some(stats), closed: false, over: Over::Stdio }))
}

fn checkup(outcome: Outcome) -> Checkup {
    let took = Some(Duration::from_millis(120));
    Checkup { name: name(), origin: "user", took, slow_start: None, outcome, stderr: Vec::new(), env_names: Vec::new() }
}

fn healthy() -> Checkup {
    let kinds = CatalogKind::ALL.map(|kind| kind_check(kind, true, 2, Vec::new()));
    checkup(ready(EVERYTHING, kinds.into(), WireStats { longest_line: 4096, ..WireStats::default() }))
}

#[test]
fn a_healthy_server_has_no_finding() {
    insta::assert_snapshot!(healthy().to_text(5));
    insta::assert_snapshot!(format!("{:#}", healthy().to_value()));
}

#[test]
fn a_server_behind_a_url_has_figures_of_its_answers_and_no_stderr_is_spoken_of() {
    let failed = vec![NoteKind::Failed(PortError::Timeout { method: "tools/list", after: Duration::from_secs(30) })];
    let kinds = vec![kind_check(CatalogKind::Tool, true, 0, failed)];
    let stats = WireStats { broken: 1, oversized: 2, longest_line: 77, ..WireStats::default() };
    let mut sick = checkup(ready(EVERYTHING, kinds, stats));
    if let Outcome::Ready(ready) = &mut sick.outcome {
        (ready.over, ready.closed) = (Over::Http, true);
    }
    let text = sick.to_text(5);
    assert!(!text.contains("stderr") && !text.contains("stdout") && !text.contains("line"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn every_fault_of_a_server_is_a_finding_with_a_next_step() {
    let failed = |error| NoteKind::Failed(error);
    let kinds = vec![
        kind_check(
            CatalogKind::Tool,
            true,
            3,
            vec![
                NoteKind::Partial { read: 3, why: "the server sent the cursor `x` a second time".to_owned() },
                NoteKind::Skipped { count: 2, reasons: vec!["entry 3: \u{1b}[31mno name".to_owned()] },
                NoteKind::Duplicates { count: 1, ids: vec!["`a`".to_owned()] },
                NoteKind::Mended { count: 4 },
            ],
        ),
        kind_check(CatalogKind::Resource, true, 0, vec![failed(PortError::AuthRequired)]),
        kind_check(CatalogKind::ResourceTemplate, true, 0, vec![NoteKind::NotImplemented]),
        kind_check(CatalogKind::Prompt, false, 7, Vec::new()),
    ];
    let stats = WireStats { noise: 1, broken: 2, oversized: 1, unclaimed: 5, notifications: 9, longest_line: 77 };
    let declared = Capabilities { prompts: false, ..EVERYTHING };
    let mut sick = checkup(ready(declared, kinds, stats));
    sick.took = Some(Duration::from_secs(12));
    sick.slow_start = sick.took;
    sick.stderr = (0..7).map(|number| format!("line {number}\u{202e}")).collect();
    if let Outcome::Ready(ready) = &mut sick.outcome {
        ready.closed = true;
    }
    insta::assert_snapshot!(sick.to_text(5));
    insta::assert_snapshot!(format!("{:#}", sick.to_value()));
}

#[test]
fn a_server_that_declares_nothing_and_one_that_does_not_implement_its_prompts_are_told_apart() {
    let nothing = Capabilities::default();
    let kinds = vec![
        kind_check(CatalogKind::Tool, true, 1, Vec::new()),
        kind_check(CatalogKind::Prompt, false, 0, vec![NoteKind::NotDeclared]),
    ];
    insta::assert_snapshot!(checkup(ready(nothing, kinds, WireStats::default())).to_text(5));
    let late = NoteKind::Failed(PortError::Timeout { method: "tools/list", after: Duration::from_secs(30) });
    let kinds = vec![
        kind_check(CatalogKind::Tool, true, 0, vec![late]),
        kind_check(CatalogKind::Prompt, true, 0, vec![NoteKind::NotImplemented]),
    ];
    insta::assert_snapshot!(checkup(ready(EVERYTHING, kinds, WireStats::default())).to_text(5));
}

fn failed(stderr: &[&str], env_names: &[&str]) -> String {
    let shape = ErrorShape {
        tool_call_error: crate::cli::hints::named(name().as_str(), "Handshake failed: no answer in 5 s"),
        code: Code::HandshakeFailed,
        hint: "What it wrote is in `/cache/coyote.log`".to_owned(),
        closest: Vec::new(),
    };
    let mut checkup = checkup(Outcome::Failed(shape));
    checkup.stderr = stderr.iter().map(|line| (*line).to_owned()).collect();
    checkup.env_names = env_names.iter().map(|name| (*name).to_owned()).collect();
    checkup.to_text(usize::MAX)
}

#[test]
fn a_server_that_does_not_start_is_told_with_its_last_words_and_what_env_may_have_to_do_with_it_s18() {
    insta::assert_snapshot!(failed(&[], &[]));
    insta::assert_snapshot!(failed(&["Error: API_KEY is not set"], &["API_KEY", "OTHER", "KEY"]));
    insta::assert_snapshot!(failed(&["Error: something"], &["API_KEY", "OTHER"]));
}

#[test]
fn a_disabled_server_is_no_fault_and_the_summary_counts_all() {
    let off = checkup(Outcome::Disabled);
    insta::assert_snapshot!(off.to_text(5), @r"docs\u{1b}[2J: disabled");
    let all = [off, healthy(), healthy()];
    insta::assert_snapshot!(checkup::summary(all.iter()), @"2 works; 1 disabled");
}

#[test]
fn only_names_of_env_that_the_entry_does_not_set_are_hinted_at() {
    let transport = Transport::Stdio {
        command: "x".to_owned(),
        args: Vec::new(),
        env: vec![("PASSED".to_owned(), "hunter2".to_owned())],
        cwd: None,
    };
    let entry = ServerEntry::new(name(), transport);
    let names = ["PASSED", "COYOTE_LOG_LEVEL", "KEPT"];
    assert_eq!(verdict::names_not_passed(names.into_iter(), &entry), ["KEPT"]);
    let url = Transport::Http { url: "https://x/".to_owned(), headers: Vec::new() };
    assert!(verdict::names_not_passed(names.into_iter(), &ServerEntry::new(name(), url)).is_empty());
}

#[tokio::test]
async fn every_page_is_counted_and_kinds_that_are_not_declared_are_asked_too() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let answer = move |request: Request| {
        let Request::List { kind, cursor } = request else { return Err(PortError::Cancelled) };
        seen.lock().unwrap().push(kind);
        match (kind, cursor.as_deref()) {
            (CatalogKind::Tool, None) => Ok(json!({"tools": [{"name": "a", "inputSchema": {}}], "nextCursor": "2"})),
            (CatalogKind::Tool, Some("2")) => Ok(json!({"tools": [{"name": "b", "inputSchema": {}}]})),
            (CatalogKind::Prompt, None) => Ok(json!({"prompts": [{"name": "p"}]})),
            _ => Err(PortError::Server { code: -32601, message: "no".to_owned() }),
        }
    };
    let tools = Capabilities { tools: true, ..Capabilities::default() };
    let port = LocalPort::new(name(), Handshake::of(tools), Arc::new(answer));
    let budget = || Budget::new(Duration::from_secs(5));
    let mut allow = mcp_meta::Allowlist::default();
    allow.narrow(&["a".to_owned()]).unwrap();
    let found = check_kind(&port, CatalogKind::Tool, budget(), Some(&allow)).await;
    assert_eq!((found.declared, found.items, found.hidden, found.pages), (true, 2, 1, 2));
    let found = check_kind(&port, CatalogKind::Prompt, budget(), Some(&allow)).await;
    assert!(!found.declared && found.answered() && found.items == 1);
    let found = check_kind(&port, CatalogKind::Resource, budget(), None).await;
    assert!(!found.declared && !found.answered());
    assert_eq!(asked.lock().unwrap().len(), 4);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_at_once_is_told_with_what_it_wrote_and_the_status_is_0() {
    let text = r#"{"mcpServers": {"dies": {"command": "sh", "args": ["-c", "echo DOCS_TOKEN is missing >&2; exit 3"]}, "off": {"command": "x", "disabled": true}}}"#;
    let fake = FakeHost::new(text);
    let args = DoctorArgs { server: None, json: false };
    assert_eq!(args.run(&fake.host).await.unwrap(), Status::Done);
    let out = fake.out();
    assert!(out.contains("dies: does not start") && out.contains("    | DOCS_TOKEN is missing"), "{out}");
    assert!(out.contains("coyote: works\n") && out.contains("off: disabled"), "{out}");
    assert!(out.ends_with("1 works; 1 does not start; 1 disabled\n"), "{out}");
    let args = DoctorArgs { server: Some("nobody".to_owned()), json: true };
    assert_eq!(args.run(&fake.host).await.unwrap_err().failure.status().number(), 3);
}
