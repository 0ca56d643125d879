//! The tables of `.list` and `.mcp` on a real screen: three widths, with colours and without, and names that mean harm
//! (S44, S46, C71).

use super::{argument, model, wait_until};
use crate::machine::machine;
use acceptance::{host::Host, terminal::Terminal};
use rstest::rstest;
use serde_json::{Value, json};

/// Names of which each does something to a screen that obeys it.
fn names() -> Vec<String> {
    let long = "long-".repeat(60);
    ["plain", "esc\u{1b}[2J", "bidi\u{202e}gnp", "zero\u{200b}width", "new\nline", "", &long]
        .map(str::to_owned)
        .to_vec()
}

fn hostile() -> Value {
    let about = |name: &str| format!("About\n{name}\u{7}");
    let prompt = |name: &String| json!({"name": name, "description": about(name), "arguments": [argument(name, true), argument("depth", false)]});
    let resource = |name: &String| json!({"uri": format!("x://{name}"), "name": name, "description": about(name)});
    let template =
        |name: &String| json!({"uriTemplate": format!("x://{name}/{{id}}"), "name": name, "description": about(name)});
    let names = names();
    json!({
        "prompts": names.iter().map(prompt).collect::<Vec<_>>(),
        "resources": names.iter().map(resource).collect::<Vec<_>>(),
        "resource_templates": names.iter().map(template).collect::<Vec<_>>(),
    })
}

async fn furnished(colours: bool) -> Host {
    let mut host = machine();
    if !colours {
        host.env("NO_COLOR", "1");
    }
    host.serve("docs", hostile()).unwrap();
    let rule = json!({"on": "prompts/list", "reply": {"error": {"code": -32000, "message": "it broke\u{1b}[2J"}}});
    host.serve("down", json!({"prompts": [{"name": "p"}], "rules": [rule]})).unwrap();
    host.serve_with("off", hostile(), json!({"disabled": true})).unwrap();
    model(&host).await;
    host
}

/// What stands below a command, bold parts between `*` and dim ones between `_`; all of it scrolls away first.
fn table(terminal: &Terminal, command: &str) -> String {
    terminal.enter(command).unwrap();
    terminal.until_idle().unwrap();
    let screen = terminal.cells();
    let (rows, columns) = screen.size();
    let mut lines = Vec::new();
    for row in 0..rows {
        let (mut line, mut now) = (String::new(), "");
        for column in 0..columns {
            let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else { continue };
            let mark = match (cell.bold(), cell.dim()) {
                (true, _) => "*",
                (_, true) => "_",
                _ => "",
            };
            if mark != now {
                line.push_str(now);
                line.push_str(mark);
                now = mark;
            }
            line.push_str(if cell.contents().is_empty() { " " } else { cell.contents() });
        }
        line.push_str(now);
        lines.push(line.trim_end().to_owned());
    }
    let begin = lines.iter().rposition(|line| line.replace('*', "").ends_with(command)).unwrap();
    let shown: Vec<_> = lines[begin + 1..].iter().take_while(|line| line.as_str() != ">").cloned().collect();
    shown.join("\n")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_table_fits_the_screen_and_a_name_does_nothing_to_it_s44_s46(
    #[values(60, 80, 120)] columns: u16,
    #[values(true, false)] colours: bool,
) {
    let host = furnished(colours).await;
    let terminal = Terminal::open(&host, &[], (columns, 100)).unwrap();
    terminal.until_shown("Ctrl-D leaves").unwrap();
    for server in ["docs", "down"] {
        wait_until(|| !host.received(server, "notifications/initialized").unwrap_or_default().is_empty());
    }
    terminal.until_idle().unwrap();
    let mut document = String::new();
    for command in [".list prompts", ".list resources docs", ".list templates docs", ".mcp"] {
        let table = table(&terminal, command);
        assert!(!table.is_empty(), "{}", terminal.screen());
        document = format!("{document}{command}\n{table}\n\n");
    }
    for harm in ["esc\u{1b}", "\u{202e}", "\u{200b}", "broke\u{1b}"] {
        assert!(!terminal.written().contains(harm), "{harm:?}");
    }
    assert_eq!(terminal.has_colour() || document.contains('*'), colours, "{document}");
    let name = format!("{columns}_{}", if colours { "emphasis" } else { "plain" });
    // The last row is of the program's own server, which has as many resources as the manual has pages.
    let (document, _) = document.split_once("\ncoyote  running").unwrap();
    insta::assert_snapshot!(name, host.filters().apply(document));
    terminal.leave().unwrap();
}
