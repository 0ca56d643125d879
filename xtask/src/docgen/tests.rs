//! Pages from tables: what they say, and how drift is found.

use super::*;
use crate::scratch::Scratch;
use std::time::Duration;

fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

fn expr(text: &str) -> syn::Expr {
    syn::parse_str(text).unwrap()
}

#[test]
fn what_was_written_has_no_drift() {
    let root = Scratch::new();
    let made = [("a.md", format!("{HEADER}\n\n# A\n")), ("b.md", format!("{HEADER}\n\n# B\n"))];
    write(root.path(), &made).unwrap();
    assert_eq!(lines(&drift(root.path(), &made).unwrap()), Vec::<String>::new());
}

#[test]
fn an_edited_page_is_named_with_the_first_line_that_differs() {
    let root = Scratch::new();
    let made = [("a.md", format!("{HEADER}\n\n# A\n\nOne\n"))];
    root.write("a.md", &format!("{HEADER}\n\n# A\n\nTwo\n"));
    let expected = "docs/reference/a.md:5: The page is not what the tables say (style.md 25). \
                    Run `cargo xtask docgen` and commit what it writes";
    assert_eq!(lines(&drift(root.path(), &made).unwrap()), [expected]);
}

#[test]
fn a_missing_page_is_drift() {
    let root = Scratch::new();
    let made = [("a.md", HEADER.to_owned())];
    let expected = "docs/reference/a.md:1: The page is missing. Run `cargo xtask docgen` and commit what it writes";
    assert_eq!(lines(&drift(root.path(), &made).unwrap()), [expected]);
}

#[test]
fn a_page_that_no_table_makes_is_drift_and_a_page_of_somebody_else_is_not() {
    let root = Scratch::new();
    root.write("old.md", &format!("{HEADER}\n\n# Old\n"));
    root.write("performance.md", "# Written by another command\n");
    let expected = "docs/reference/old.md:1: No table makes this page any more. Delete it, or add its row to PAGES";
    assert_eq!(lines(&drift(root.path(), &[]).unwrap()), [expected]);
}

#[test]
fn every_code_is_a_row_with_its_documentation() {
    let variants = mcp_render::Code::ALL.map(|code| format!("/// About {code}.\n{code:?},\n")).concat();
    let tree = Tree::of(&[("crates/mcp-render/src/code.rs", &format!("pub enum Code {{ {variants} }}"))]);
    let page = codes::page(&tree).unwrap();
    for code in mcp_render::Code::ALL {
        assert!(page.contains(&format!("| `{code}` | About {code}. | ")), "{code}: {page}");
    }
}

#[test]
fn an_undocumented_code_is_an_error() {
    let tree = Tree::of(&[("crates/mcp-render/src/code.rs", "pub enum Code { SpawnFailed }")]);
    let error = codes::page(&tree).unwrap_err().to_string();
    assert_eq!(error, "crates/mcp-render/src/code.rs: `SpawnFailed` is not documented");
}

#[test]
fn a_code_has_the_exit_statuses_of_the_command_line() {
    let variants = mcp_render::Code::ALL.map(|code| format!("/// Text.\n{code:?},\n")).concat();
    let tree = Tree::of(&[("crates/mcp-render/src/code.rs", &format!("pub enum Code {{ {variants} }}"))]);
    let page = codes::page(&tree).unwrap();
    for row in
        ["| `timeout` | Text. | 3 | 4 |", "| `not_found` | Text. | 3 | 1 |", "| `cancelled` | Text. | 130 | 130 |"]
    {
        assert!(page.contains(row), "{row}: {page}");
    }
}

#[test]
fn every_function_has_a_section_with_its_parameters() {
    let page = functions::page(&Tree::of(&[])).unwrap();
    let server = mcp_catalog::ServerName::new("SERVER").unwrap();
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let expected: Vec<String> =
        mcp_meta::mcp_meta_function_names(&server).iter().map(|name| format!("`{name}`")).collect();
    assert_eq!(sections, expected);
    for parameter in mcp_meta::Verb::ALL.iter().flat_map(|verb| verb.parameters()) {
        assert!(
            page.contains(&format!("| `{}` | {} |", parameter.name, parameter.kind.as_str())),
            "{}",
            parameter.name
        );
    }
}

#[test]
fn a_command_line_is_written_with_all_that_is_not_hidden() {
    use clap::{Arg, ArgAction, Command};
    let read = Command::new("read")
        .about("Read a resource")
        .arg(Arg::new("uri").required(true).value_name("URI").help("What to read"))
        .arg(Arg::new("pairs").num_args(0..).value_name("KEY=VALUE").help("Variables"))
        .arg(Arg::new("output").short('o').long("output").value_name("FILE").help("Where to"))
        .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).help("All | of it"))
        .arg(Arg::new("kind").long("kind").value_parser(["tool", "prompt"]).value_name("KIND").help("Which"))
        .arg(Arg::new("secret").long("secret").hide(true));
    let mut root = Command::new("coyote")
        .about("A client")
        .arg(Arg::new("quiet").long("quiet").global(true).action(ArgAction::SetTrue).help("Say less"))
        .subcommand(read.after_help("Exit status: 0"))
        .subcommand(Command::new("hidden").hide(true));
    root.build();
    let expected = "# Command line

## `coyote`

A client

```text
coyote [OPTIONS] [COMMAND]
```

| argument | meaning |
|---|---|
| `--quiet` | Say less |

## `coyote read`

Read a resource

```text
coyote read [OPTIONS] <URI> [KEY=VALUE]...
```

| argument | meaning |
|---|---|
| `<URI>` | What to read |
| `[KEY=VALUE]…` | Variables |
| `-o, --output <FILE>` | Where to |
| `--all` | All \\| of it |
| `--kind <KIND>` | Which (one of `tool`, `prompt`) |

Exit status: 0
";
    assert_eq!(command_line::document(&mut root).unwrap(), expected);
}

#[test]
fn limits_and_deadlines_are_read_from_their_sources() {
    let tree = Tree::of(&[
        (
            "crates/mcp-render/src/limits.rs",
            "/// The page, see [`crate::Page`].\npub const PAGE_BYTES: usize = 50 << 10;\n/// Hits.\npub const HITS: usize = 1_0;\nconst OWN: usize = 1;",
        ),
        (
            "crates/mcp-catalog/src/deadline.rs",
            "/// All of it.\npub const TOTAL: Duration = Duration::from_secs(30 * 60);",
        ),
    ]);
    let page = limits::page(&tree).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let expected = [
        "| `PAGE_BYTES` | 51,200 bytes (50 KiB) | The page, see `Page`. |",
        "| `HITS` | 10 | Hits. |",
        "| `TOTAL` | 30 min | All of it. |",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_limit_that_cannot_be_read_is_an_error_and_no_guess() {
    let tree = Tree::of(&[("crates/mcp-render/src/limits.rs", "pub const A_BYTES: usize = other();")]);
    let error = format!("{:#}", limits::page(&tree).unwrap_err());
    assert_eq!(
        error,
        "crates/mcp-render/src/limits.rs: the value of `A_BYTES` is no number, sum, product or shift: not a number"
    );
}

#[test]
fn numbers_are_evaluated_and_never_wrap() {
    for (text, value) in [("7", 7), ("1_000", 1_000), ("96 << 20", 100_663_296), ("(2 + 3) * 4 - 1", 19), ("0x10", 16)]
    {
        assert_eq!(numbers::whole(&expr(text)).unwrap(), value, "{text}");
    }
    for text in ["1 - 2", "18446744073709551615 + 1", "1 << 64", "1 / 2", "x", "1.5"] {
        assert!(numbers::whole(&expr(text)).is_err(), "{text}");
    }
}

#[test]
fn sizes_and_times_are_written_as_a_reader_writes_them() {
    let sizes = [(600, "600 bytes"), (51_200, "51,200 bytes (50 KiB)"), (96 << 20, "100,663,296 bytes (96 MiB)")];
    for (value, expected) in sizes {
        assert_eq!(numbers::bytes(value), expected);
    }
    let times = [(250, "250 ms"), (2_000, "2 s"), (120_000, "120 s"), (1_800_000, "30 min")];
    for (millis, expected) in times {
        assert_eq!(numbers::time(Duration::from_millis(millis)), expected);
    }
}

#[test]
fn a_bar_in_a_cell_does_not_end_it_and_an_angle_begins_no_tag() {
    assert_eq!(cells(&["a|b", "c\nd", "`<e>` of <f>"]), "| a\\|b | c d | `<e>` of &lt;f> |\n");
}
