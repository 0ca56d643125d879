//! Every page as a person reads it in the REPL: `.resource coyote coyote://manual/…` at 80 columns.

use crate::{
    pages::{MANUAL, Page, page},
    rig,
};
use acceptance::terminal::Terminal;
use coyote_integration::builtin::PAGES;
use std::time::{Duration, Instant};

const COLUMNS: u16 = 80;

/// The columns of a text without wide characters, which the pages have none of.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// The lines that may be wider: code, and what has no blank to be broken at.
fn too_wide(page: &Page) -> Vec<String> {
    let lines = page.prose().into_iter().filter(|(_, line)| width(line) > usize::from(COLUMNS));
    let code_left_out = |line: &str| line.split('`').step_by(2).collect::<String>();
    let breakable = lines.filter(|(_, line)| code_left_out(line.trim_start_matches(['-', ' '])).contains(' '));
    breakable.map(|(number, line)| format!("{}:{number}: {line}", page.path)).collect()
}

/// The faults of a page's tables: read as they are written, so their columns have to stand below each other.
fn ragged(page: &Page) -> Vec<String> {
    let bars = |line: &str| -> Vec<usize> {
        let is_bar = |at: usize| !line[..at].ends_with('\\');
        line.match_indices('|').filter(|(at, _)| is_bar(*at)).map(|(at, _)| width(&line[..at])).collect()
    };
    let mut faults = Vec::new();
    let mut before: Option<(usize, Vec<usize>)> = None;
    for (number, line) in page.prose().into_iter().filter(|(_, line)| line.starts_with('|')) {
        let columns = bars(line);
        if let Some((above, wanted)) = &before
            && above + 1 == number
            && *wanted != columns
        {
            faults.push(format!("{}:{number}: {line}", page.path));
        }
        before = Some((number, columns));
    }
    faults
}

#[test]
fn no_line_of_a_page_but_code_is_wider_than_80_columns_and_the_columns_of_its_tables_are_straight() {
    let mut faults = Vec::new();
    for known in PAGES {
        let page = page(format!("{MANUAL}/{}.md", known.name));
        faults.extend(too_wide(&page));
        faults.extend(ragged(&page));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let wide = Page { path: String::new(), text: "word ".repeat(17) + "\n\n| a | b |\n|---|---|\n| cc | d |\n" };
    assert_eq!((too_wide(&wide).len(), ragged(&wide).len()), (1, 1));
}

/// The rows from this one on, when there are so many and a prompt below them.
fn shown(terminal: &Terminal, from: usize, rows: usize) -> String {
    let begun = Instant::now();
    loop {
        let all = terminal.everything();
        let below: Vec<&str> = all.lines().skip(from).collect();
        if below.len() > rows && below.last() == Some(&">") {
            return below[..below.len() - 1].join("\n");
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "{rows} rows do not come:\n{}", below.join("\n"));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_page_of_the_manual_is_read_in_the_repl_at_80_columns() {
    let host = rig::machine(&page("README.md".to_owned()));
    let terminal = Terminal::open(&host, &[], (COLUMNS, 50)).unwrap();
    terminal.until_idle().unwrap();
    for page in PAGES {
        let before = terminal.everything().lines().count();
        terminal.enter(&format!(".resource coyote {}", page.uri())).unwrap();
        let rows: usize = page.text.lines().map(|line| width(line).div_ceil(usize::from(COLUMNS)).max(1)).sum();
        insta::assert_snapshot!(page.name, shown(&terminal, before, rows));
    }
    terminal.leave().unwrap();
}
