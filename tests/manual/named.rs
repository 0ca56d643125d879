//! The commands that a page names in passing, in a line of text or as a form to fill in: the program knows them and their
//! flags. They are read, and not run.

use crate::pages::{MANUAL, Page, page, pages};
use std::collections::BTreeSet;

/// The pieces of code within a page's text.
fn spans(page: &Page) -> Vec<String> {
    let prose: Vec<&str> = page.prose().into_iter().map(|(_, line)| line).collect();
    let text = prose.join("\n");
    let paragraphs = text.split("\n\n").flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
    paragraphs.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The forms of the page, each in one line.
fn forms(page: &Page) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for line in page.blocks().into_iter().filter(|block| block.language == "usage").flat_map(|block| block.lines) {
        match forms.last_mut() {
            Some(form) if line.starts_with(' ') => form.push_str(&line),
            _ => forms.push(line),
        }
    }
    forms
}

/// What stands for something else is replaced by a word, and what may be left out is there.
fn filled_in(command: &str) -> Vec<String> {
    let words = command.split_whitespace().map(|word| word.trim_matches(['[', ']', '\'', '"', '…']));
    words.filter(|word| !word.is_empty() && *word != "|").map(|word| word.replace(['<', '>'], "")).collect()
}

/// What an error may be of a command line that lacks what it leaves out, or shows two forms as one.
const LACKS: [&str; 7] = [
    "ArgumentConflict",
    "DisplayHelp",
    "DisplayHelpOnMissingArgumentOrSubcommand",
    "DisplayVersion",
    "InvalidValue",
    "MissingRequiredArgument",
    "MissingSubcommand",
];

/// Whether the command line takes it.
fn is_taken(command: &str) -> Result<(), String> {
    let words = filled_in(&command.replace(" N]", " 1]"));
    match coyote_integration::command().try_get_matches_from(&words) {
        Err(error) if !LACKS.contains(&format!("{:?}", error.kind()).as_str()) => Err(error.to_string()),
        _ => Ok(()),
    }
}

#[test]
fn every_command_line_that_a_page_names_is_one_that_the_program_takes() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in pages() {
        let named = spans(&page).into_iter().chain(forms(&page));
        for command in named.filter(|command| command.starts_with("coyote ")) {
            count += 1;
            if let Err(error) = is_taken(&command) {
                wrong.push(format!("{}: {command}\n{error}", page.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "{count}");
    assert!(is_taken("coyote mcp raed docs").is_err() && is_taken("coyote mcp read docs <uri> [--patern RE]").is_err());
}

/// The name of a command of the REPL that begins a piece of code.
fn repl_command(code: &str) -> Option<&str> {
    let word = code.split([' ', '\n']).next()?;
    let name = word.strip_prefix('.')?;
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')).then_some(name)
}

#[test]
fn every_command_of_the_repl_that_a_page_names_is_there() {
    let list = page(format!("{MANUAL}/repl.md")).text;
    let known: BTreeSet<&str> =
        list.lines().filter_map(|line| repl_command(line.strip_prefix("- `")?.split(['`', ' ']).next()?)).collect();
    assert!(known.len() > 20, "{known:?}");
    // Files that begin with a dot, a macro of an example, and a typing mistake that is to be one.
    let others = BTreeSet::from(["env", "gitignore", "standup", "word", "lsit"]);
    let mut unknown = Vec::new();
    for page in pages() {
        let lines = page.blocks().into_iter().filter(|block| matches!(block.language.as_str(), "text" | "usage"));
        let typed =
            lines.flat_map(|block| block.lines).map(|line| line.rsplit("> ").next().unwrap_or_default().to_owned());
        for code in spans(&page).into_iter().chain(typed) {
            unknown.extend(
                repl_command(&code)
                    .filter(|name| !known.contains(name) && !others.contains(name))
                    .map(|name| format!("{}: .{name}", page.path)),
            );
        }
    }
    assert_eq!(unknown, [""; 0]);
}
