//! Rows of every state, as text and as JSON.

use super::*;
use crate::cli::mcp::{counts::Count, fake_host::FakeHost};
use mcp_catalog::{Capabilities, CatalogKind};
use mcp_render::Code;

fn rows() -> Vec<Row> {
    let declared = Capabilities { tools: true, resources: true, prompts: false, completions: true };
    let handshake = |capabilities: Capabilities| Handshake {
        protocol: "2025-06-18".to_owned(),
        server_info: Some("docs 1.0".to_owned()),
        ..Handshake::of(capabilities)
    };
    let counts = Counts {
        kinds: vec![
            (CatalogKind::Tool, Count::Whole(17)),
            (CatalogKind::Resource, Count::AtLeast(10_000)),
            (CatalogKind::ResourceTemplate, Count::NotImplemented),
        ],
        notes: vec!["tools: 1 skipped: x".to_owned()],
    };
    let unknown = Counts { kinds: vec![(CatalogKind::Tool, Count::Unknown)], notes: Vec::new() };
    let failed = ErrorShape {
        tool_call_error: "`broken`: Server could not be started: `no-such-command`: No such file or directory"
            .to_owned(),
        code: Code::SpawnFailed,
        hint: "Check `command`".to_owned(),
        closest: Vec::new(),
    };
    let row = |name: &str, state| Row { name: name.to_owned(), origin: "user", state };
    vec![
        row("docs", State::Ready(Box::new(handshake(declared)), counts)),
        row("Team Files.v2\u{1b}[2J", State::Ready(Box::new(handshake(Capabilities::default())), unknown)),
        row("broken", State::Failed(failed)),
        row("notes", State::Disabled),
    ]
}

fn printed(width: Option<u16>) -> String {
    let widths = [22, Columns::STATE, Columns::PROTOCOL];
    rows().iter().map(|each| row(&each.cells(), &widths, width)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_row_shows_state_protocol_and_counts_or_the_code_and_the_cause() {
    insta::assert_snapshot!(printed(None));
}

#[test]
fn rows_fit_the_terminal_and_hold_nothing_that_it_obeys() {
    for width in [70, 80, 120] {
        let text = printed(Some(width));
        assert!(text.lines().all(|line| line.width() <= usize::from(width)), "{width}\n{text}");
        assert!(!text.contains('\u{1b}'));
    }
    insta::assert_snapshot!(printed(Some(80)));
}

#[test]
fn json_tells_a_program_the_same() {
    let values: Vec<Value> = rows().iter().map(Row::to_value).collect();
    insta::assert_snapshot!(format!("{:#}", Value::from(values)));
}

#[tokio::test]
async fn the_embedded_server_is_a_row_without_any_configuration() {
    let machine = FakeHost::new("");
    let status = ListArgs { json: false }.run(&machine.host).await;
    assert_eq!(status, Ok(Status::Done));
    let pages = format!("resources {},", crate::builtin::PAGES.len());
    let shown = machine.out() + &machine.err();
    assert!(shown.contains(&pages), "{shown}");
    insta::assert_snapshot!(shown.replace(&pages, "resources [pages],"));
}

#[tokio::test]
async fn a_server_that_cannot_be_started_is_a_row_and_the_status_is_0() {
    let machine = FakeHost::new(
        r#"{"mcpServers": {
            "off": {"command": "x", "disabled": true},
            "secretive": {"command": "x", "env": {"T": "{{COYOTE_TEST_NOWHERE}}"}},
            "old": {"type": "sse", "url": "https://old.example/sse"}
        }}"#,
    );
    let status = ListArgs { json: true }.run(&machine.host).await;
    assert_eq!(status, Ok(Status::Done));
    let pages = format!(r#""resource": {},"#, crate::builtin::PAGES.len());
    insta::assert_snapshot!((machine.out() + &machine.err()).replace(&pages, r#""resource": "[pages]","#));
}

#[tokio::test]
async fn a_user_who_stops_the_table_is_told_so() {
    let machine = FakeHost::new("");
    machine.host.cancel.cancel();
    let failed = ListArgs { json: false }.run(&machine.host).await.unwrap_err();
    assert_eq!(failed.failure.status(), Status::Cancelled);
}
