//! Every table at three widths, with names that mean harm (S44, S46, C71).

use super::{Look, ServerListing, list_table, mcp_table};
use crate::{Counts, ServerState, ServerStatus};
use insta::assert_snapshot;
use mcp_catalog::{CatalogItem, CatalogKind, Details, Listing, Note, NoteKind, PromptArgument, ServerName};
use unicode_width::UnicodeWidthStr;

const WIDTHS: [u16; 3] = [60, 80, 120];

fn item(id: &str, about: &str, details: Details) -> CatalogItem {
    CatalogItem {
        id: id.to_owned(),
        name: id.to_owned(),
        title: None,
        description: (!about.is_empty()).then(|| about.to_owned()),
        mime_type: Some("text/plain".to_owned()),
        size: None,
        audience: Vec::new(),
        annotations: None,
        details,
    }
}

fn names() -> Vec<String> {
    let long = "long-".repeat(60);
    ["plain", "esc\u{1b}[2J", "bidi\u{202e}gnp", "zero\u{200b}width", "new\nline", "重要な", "", &long]
        .map(String::from)
        .to_vec()
}

fn listings(kind: CatalogKind) -> Vec<ServerListing> {
    let argument =
        |name: &str, required| PromptArgument { name: name.to_owned(), title: None, description: None, required };
    let details = |name: &str| match kind {
        CatalogKind::Prompt => Details::Prompt { arguments: vec![argument(name, true), argument("depth", false)] },
        CatalogKind::ResourceTemplate => Details::ResourceTemplate,
        _ => Details::Resource,
    };
    let id = |name: &str| if kind == CatalogKind::Prompt { name.to_owned() } else { format!("x://{name}/{{id}}") };
    let items = names().iter().map(|name| item(&id(name), &format!("About\n{name}\u{7}"), details(name))).collect();
    let notes = vec![Note { kind, what: NoteKind::Skipped { count: 2, reasons: vec!["no `name`\u{1b}".to_owned()] } }];
    let server = |name: &str, outcome| ServerListing { server: ServerName::new(name).unwrap(), outcome };
    vec![
        server("docs", Ok(Listing { items, notes })),
        server("evil\u{1b}]0;x\u{7}", Err("No answer in 30 s\u{1b}".to_owned())),
        server("empty", Ok(Listing::default())),
    ]
}

fn checked(tables: impl Fn(Option<u16>) -> String) -> String {
    let at = |width: u16| {
        let table = tables(Some(width));
        for line in table.lines() {
            assert!(line.width() <= usize::from(width), "{width}: {line}");
            assert!(!line.chars().any(mcp_render::is_hidden), "{line:?}");
        }
        format!("{width}:\n{table}")
    };
    WIDTHS.map(at).join("\n\n")
}

#[test]
fn prompts_of_every_server_fit_the_width_with_failures_as_rows_s44() {
    assert_snapshot!(checked(|width| list_table(CatalogKind::Prompt, &listings(CatalogKind::Prompt), width)));
}

#[test]
fn resources_and_templates_fit_the_width_s44() {
    for kind in [CatalogKind::Resource, CatalogKind::ResourceTemplate] {
        assert_snapshot!(checked(|width| list_table(kind, &listings(kind), width)));
    }
    assert_eq!(list_table(CatalogKind::Resource, &[], Some(60)), "No resources: no server is enabled here");
}

/// The same with emphasis: attributes of ours and nothing else that a terminal obeys. ESC is written as `^`.
fn emphasised(tables: impl Fn(Look) -> String) -> String {
    let ours = ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m", "\u{1b}[22m"];
    let at = |width: u16| {
        let table = tables(Look { width: Some(width), emphasis: true });
        let plain = ours.iter().fold(table.clone(), |text, code| text.replace(code, ""));
        let unpainted = tables(Look { width: Some(width), emphasis: false });
        // A padded cell keeps its blanks inside the attribute.
        let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&plain), lines(&unpainted), "emphasis changes no text");
        format!("{width}:\n{}", table.replace('\u{1b}', "^"))
    };
    WIDTHS.map(at).join("\n\n")
}

#[test]
fn with_emphasis_headers_failures_and_what_is_out_of_use_stand_out_s46() {
    for kind in [CatalogKind::Prompt, CatalogKind::Resource, CatalogKind::ResourceTemplate] {
        assert_snapshot!(emphasised(|look| list_table(kind, &listings(kind), look)));
    }
    assert_snapshot!(emphasised(|look| mcp_table(&servers(), look)));
}

#[test]
fn without_a_width_each_item_is_one_line() {
    let table = list_table(CatalogKind::Prompt, &listings(CatalogKind::Prompt), None);
    assert_eq!(table.lines().count(), 1 + names().len() + 1 + 2);
}

fn servers() -> Vec<ServerStatus> {
    let counts = Counts { tools: Some(12), resources: Some(0), templates: None, prompts: Some(3) };
    let server = |name: &str, state, last_error: Option<&str>| ServerStatus {
        server: ServerName::new(name).unwrap(),
        state,
        protocol: (state == ServerState::Running).then(|| "2025-06-18".to_owned()),
        counts: if state == ServerState::Running { counts } else { Counts::default() },
        skipped: 2,
        last_error: last_error.map(str::to_owned),
    };
    vec![
        server("docs", ServerState::Running, None),
        server("a b", ServerState::NeedsLogin, Some("401")),
        server("evil\u{1b}[2J", ServerState::Failed, Some("died\n\u{202e}with a long story about what happened")),
        server("off", ServerState::Disabled, None),
        server("new", ServerState::Starting, None),
    ]
}

#[test]
fn the_table_of_servers_fits_the_width_s44() {
    assert_snapshot!(checked(|width| mcp_table(&servers(), width)));
    assert_eq!(mcp_table(&[], Some(60)), "No servers are configured");
}

#[test]
fn one_of_a_kind_is_no_plural_on_a_narrow_screen() {
    let counts = Counts { tools: Some(1), resources: Some(2), templates: Some(1), prompts: Some(0) };
    let server = servers().remove(0);
    let table = mcp_table(&[ServerStatus { counts, skipped: 0, ..server }], Some(80));
    assert!(table.contains("1 tool, 2 resources, 1 template, 0 prompts"), "{table}");
}

#[test]
fn the_page_of_a_server_names_the_next_step_s44() {
    assert_snapshot!(servers().iter().map(ServerStatus::page).collect::<Vec<_>>().join("\n\n"));
}
