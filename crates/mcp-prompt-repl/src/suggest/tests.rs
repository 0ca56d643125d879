//! S45 as text: `$0` is the cursor, rows are `value | display | description`, `_` stands for the blank that follows.

use super::{Completion, Configured, Known, MAX_ROWS, Need, complete};
use crate::{Line, ServerState};
use insta::assert_snapshot;
use mcp_catalog::{CatalogItem, Details, McpServerFeatures, PromptArgument, ServerName};
use proptest::prelude::*;

fn server(name: &str, prompts: bool) -> McpServerFeatures {
    McpServerFeatures {
        name: ServerName::new(name).unwrap(),
        tools: true,
        resources: false,
        prompts,
        instructions: None,
    }
}

fn prompt(name: &str, arguments: &[(&str, bool)]) -> CatalogItem {
    let argument = |(name, required): &(&str, bool)| PromptArgument {
        name: (*name).to_owned(),
        title: None,
        description: (*name != "bare").then(|| format!("the\n{name}\u{1b}[2J")),
        required: *required,
    };
    CatalogItem {
        id: name.to_owned(),
        name: name.to_owned(),
        title: None,
        description: Some(format!("About {}", name.chars().take(6).collect::<String>())),
        mime_type: None,
        size: None,
        audience: Vec::new(),
        annotations: None,
        details: Details::Prompt { arguments: arguments.iter().map(argument).collect() },
    }
}

fn servers() -> Vec<McpServerFeatures> {
    vec![server("docs", true), server("my git", true), server("tools-only", false), server("old-docs", true)]
}

fn prompts() -> Vec<CatalogItem> {
    let arguments = [("depth", false), ("topic", true), ("bare", true), ("a key", false)];
    vec![
        prompt("code review", &[]),
        prompt("review", &arguments),
        prompt("preview", &[]),
        prompt("evil\u{202e}x\u{1b}", &[]),
    ]
}

/// Completes with everything known but values.
fn at(line: &str) -> Completion {
    at_with(line, &servers(), &prompts())
}

fn at_with(line: &str, servers: &[McpServerFeatures], prompts: &[CatalogItem]) -> Completion {
    let cursor = line.find("$0").unwrap();
    let known = Known { servers: Some(servers), prompts: Some(("docs", prompts)), ..Known::default() };
    complete(&line.replace("$0", ""), cursor, known)
}

fn shown(line: &str) -> String {
    let Completion::Rows(rows) = at(line) else { return format!("{:?}", at(line)) };
    let rows = rows.into_iter().map(|row| {
        let space = if row.append_space { "_" } else { "" };
        format!("{}{space} | {} | {} | {:?}", row.value, row.display, row.description.unwrap_or_default(), row.span)
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// Completes in a line of the other commands.
fn of_other_commands(line: &str) -> String {
    let cursor = line.find("$0").unwrap();
    let mut servers = servers();
    servers[0].resources = true;
    let configured = [("docs", ServerState::Running), ("off", ServerState::Disabled), ("my git", ServerState::Failed)];
    let configured = configured.map(|(name, state)| Configured { name: ServerName::new(name).unwrap(), state });
    let item = |id: &str, details| CatalogItem { details, ..prompt(id, &[]) };
    let resources = [
        item("file:///a b.md", Details::Resource),
        item("file:///{path}/{page}", Details::ResourceTemplate),
        item("evil\u{202e}", Details::Resource),
    ];
    let known = Known {
        servers: Some(&servers),
        resources: Some(("docs", &resources)),
        configured: Some(&configured),
        ..Known::default()
    };
    match complete(&line.replace("$0", ""), cursor, known) {
        Completion::Rows(rows) => {
            let rows = rows.into_iter().map(|row| {
                let space = if row.append_space { "_" } else { "" };
                format!("{}{space} | {} | {}", row.value, row.display, row.description.unwrap_or_default())
            });
            rows.collect::<Vec<_>>().join("\n")
        }
        need @ Completion::Need(_) => format!("{need:?}"),
    }
}

#[test]
fn stage_one_names_servers_that_declare_prompts_and_asks_nobody_s45() {
    assert_snapshot!(shown(".prompt $0"));
    assert_snapshot!(shown(".prompt dcs$0"));
    assert_eq!(complete(".prompt ", 8, Known::default()), Completion::Need(Need::Servers));
    assert_eq!(shown(".pro$0"), "");
}

#[test]
fn stage_two_names_prompts_the_best_match_first_s45() {
    assert_snapshot!(shown(".prompt docs rev$0"));
    assert_snapshot!(shown(".prompt docs 'code $0 file=x"));
    assert_eq!(shown(".prompt 'my git' $0"), r#"Need(Prompts("my git"))"#);
}

#[test]
fn stage_three_names_the_required_keys_first_and_leaves_out_those_given_s45() {
    assert_snapshot!(shown(".prompt docs review $0"));
    assert_snapshot!(shown(".prompt docs review topic=x $0 depth=2"));
    assert_snapshot!(shown(".prompt docs review to$0pic=x"));
}

#[test]
fn info_is_offered_before_the_first_argument_only_s44() {
    let values = |line: &str| match at(line) {
        Completion::Rows(rows) => rows.into_iter().map(|row| row.value).collect::<Vec<_>>(),
        need @ Completion::Need(_) => panic!("{need:?}"),
    };
    assert_eq!(values(".prompt docs preview $0"), Vec::<String>::new(), "a lone row would be taken");
    assert_eq!(values(".prompt docs preview -$0"), ["--info"]);
    assert_eq!(values(".prompt docs review --in$0"), ["--info"]);
    assert_eq!(values(".prompt docs preview --info $0"), Vec::<String>::new());
    assert!(!values(".prompt docs review topic=x $0").contains(&"--info".to_owned()));
}

#[test]
fn a_resource_is_completed_from_server_to_variables_and_options_s44() {
    let lines = [
        ".resource $0",
        ".resource docs $0",
        ".resource docs 'file:///a$0",
        ".resource docs file:///{path}/{page} $0",
        ".resource docs file:///{path}/{page} path=x --send $0",
        ".resource docs other://x --o$0",
        ".resource docs other://x --pattern $0",
        ".resource docs file:///{path}/{page} path=$0",
        ".resource tools-only $0",
        ".resource gone $0",
    ];
    assert_snapshot!(lines.map(|line| format!("{line}\n{}", of_other_commands(line))).join("\n\n"));
    let asked = complete(
        ".resource docs ",
        15,
        Known { servers: Some(&[McpServerFeatures { resources: true, ..server("docs", false) }]), ..Known::default() },
    );
    assert_eq!(asked, Completion::Need(Need::Resources("docs".to_owned())));
}

#[test]
fn list_and_mcp_complete_their_words_and_the_servers_that_fit_s44() {
    let lines = [
        ".list $0",
        ".list pro$0",
        ".list prompts $0",
        ".list resources $0",
        ".list roles $0",
        ".mcp $0",
        ".mcp reconnect $0",
        ".mcp enable $0",
        ".mcp auth m$0",
        ".mcp reload $0",
        ".mcp docs $0",
        ".other $0",
    ];
    assert_snapshot!(lines.map(|line| format!("{line}\n{}", of_other_commands(line))).join("\n\n"));
    assert_eq!(complete(".mcp ", 5, Known::default()), Completion::Need(Need::Configured));
}

// R13: nothing that cannot be had is asked for, and nothing is said about it.
#[test]
fn a_misspelt_server_or_a_deleted_prompt_has_no_rows_and_no_request_r13() {
    for line in [".prompt dcos $0", ".prompt tools-only $0", ".prompt docs gone $0", ".prompt docs review no=$0"] {
        assert_eq!(at(line), Completion::Rows(Vec::new()), "{line}");
    }
}

// C14
#[test]
fn a_value_is_completed_by_the_server_with_the_other_arguments_as_context_s45() {
    let line = ".prompt docs review topic='a b' depth=d$0";
    let Completion::Need(need) = at(line) else { panic!("it needs the server") };
    let Need::Completion { argument, value, context, .. } = &need else { panic!("{need:?}") };
    assert_eq!((argument.as_str(), value.as_str()), ("depth", "d"));
    assert_eq!(context, &[("topic".to_owned(), "a b".to_owned())]);
    let values: Vec<String> = (0..130).map(|n| format!("deep {n}")).collect();
    let (servers, prompts) = (servers(), prompts());
    let known = Known {
        servers: Some(&servers),
        prompts: Some(("docs", &prompts)),
        values: Some((&need, &values)),
        ..Known::default()
    };
    let text = line.replace("$0", "");
    let Completion::Rows(rows) = complete(&text, text.len(), known) else { panic!("it is known") };
    assert_eq!((rows.len(), rows[0].value.as_str(), &text[rows[0].span.clone()]), (MAX_ROWS, "'deep 0'", "d"));
}

// C26, C71
#[test]
fn a_menu_has_at_most_a_hundred_rows_and_nothing_that_a_terminal_obeys_s45() {
    let mut many: Vec<_> = (0..300).map(|n| prompt(&format!("p{n}"), &[])).collect();
    let hostile = ["", "new\nline", "esc\u{1b}[2J", "bidi\u{202e}", "zero\u{200b}width"].map(|name| prompt(name, &[]));
    many.splice(0..0, hostile);
    many.insert(0, prompt(&"x".repeat(300), &[]));
    let Completion::Rows(rows) = at_with(".prompt docs $0", &servers(), &many) else { panic!("it is known") };
    assert_eq!(rows.len(), MAX_ROWS);
    assert_eq!((rows[0].value.len(), rows[0].display.chars().count()), (300, 60));
    assert_eq!(rows[1].value, "p0", "what cannot be typed safely is left out");
}

proptest! {
    #[test]
    fn a_completion_that_is_applied_is_read_back_as_the_name(
        name in "[a-c'\"\\\\= é-]{1,8}", typed in "['\"]?[a-c ]{0,2}", rest in " ?[a-c=' ]{0,6}",
    ) {
        let items = [prompt(&name, &[(name.as_str(), true)])];
        let servers = servers();
        let known = Known { servers: Some(&servers), prompts: Some(("docs", &items)), ..Known::default() };
        let head = format!(".prompt docs {typed}");
        let line = format!("{head}{rest}");
        if let Completion::Rows(rows) = complete(&line, head.len(), known) {
            for row in rows {
                let mut applied = line.clone();
                applied.replace_range(row.span.clone(), &row.value);
                if row.append_space {
                    applied.insert(row.span.start + row.value.len(), ' ');
                }
                let lexed = Line::lex(&applied);
                let third = lexed.words()[2].value();
                // A word further on in what was typed completes a key instead.
                prop_assert!(third == name || lexed.words()[3..].iter().any(|w| w.pair().is_some()), "{}", applied);
            }
        }
        let line = format!(".prompt docs {} ", crate::quote(&name));
        let Completion::Rows(rows) = complete(&line, line.len(), known) else { return Err(TestCaseError::fail("known")) };
        let applied = format!("{line}{}v", rows[0].value);
        let lexed = Line::lex(&applied);
        prop_assert_eq!(lexed.words()[3].pair(), Some((name.as_str(), "v")));
    }

    #[test]
    fn any_line_and_cursor_have_an_answer_and_a_span_inside_the_line(text in "\\PC{0,40}", cursor in 0usize..60) {
        let line = format!(".prompt docs {text}");
        let (servers, prompts) = (servers(), prompts());
        let known = Known { servers: Some(&servers), prompts: Some(("docs", &prompts)), ..Known::default() };
        if let Completion::Rows(rows) = complete(&line, cursor, known) {
            prop_assert!(rows.iter().all(|row| line.get(row.span.clone()).is_some()));
        }
    }
}
