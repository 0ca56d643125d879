//! A transcript of the REPL is typed at a terminal, and what comes must be what is shown.
//!
//! A transcript is a `text` block that begins with a prompt. A line that begins with one is typed; with `⇥` at its end the
//! Tab key is pressed instead of Enter, and the rows of the menu stand below. The last word of a line that begins with `? ` is
//! what the question is answered with.

use crate::{
    pages::{Block, Page},
    rig,
    shown::is_as_shown,
};
use acceptance::{host::Host, terminal::Terminal};
use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

/// What has not come by then does not come.
const HUNG_AFTER: Duration = Duration::from_mins(1);

/// How often it is looked, and how often in a row it has to be as shown.
const LOOK: Duration = Duration::from_millis(50);
const LOOKS: usize = 12;

/// A line that is typed, and what is shown below it.
struct Step {
    line: usize,
    prompt: String,
    typed: String,
    shown: Vec<String>,
}

/// The prompt of a line and what is typed behind it.
fn typed(line: &str) -> Option<(&str, &str)> {
    let (before, typed) = line.split_once("> ")?;
    let is_prompt = before.is_empty() || (before.ends_with(' ') && !before.trim_end().contains(' '));
    is_prompt.then(|| (&line[..=before.len()], typed))
}

/// Whether it begins with a prompt.
pub(crate) fn is_transcript(block: &Block) -> bool {
    block.language == "text" && block.lines.first().is_some_and(|line| typed(line).is_some())
}

fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, line) in block.lines.iter().enumerate() {
        if let Some((prompt, typed)) = typed(line) {
            let (prompt, typed) = (prompt.to_owned(), typed.to_owned());
            steps.push(Step { line: block.line + index + 1, prompt, typed, shown: Vec::new() });
        } else {
            steps.last_mut().unwrap().shown.push(line.clone());
        }
    }
    for step in &mut steps {
        while step.shown.last().is_some_and(String::is_empty) {
            step.shown.pop();
        }
    }
    steps
}

/// What stands in the terminal, without empty lines at its end.
fn lines(terminal: &Terminal, host: &Host) -> Vec<String> {
    rig::filters(host).apply(&terminal.everything()).lines().map(str::to_owned).collect()
}

/// The menu that Tab opens: the rows below the line.
fn offered(terminal: &Terminal, step: &Step, host: &Host) -> Result<(), Vec<String>> {
    let typed = step.typed.trim_end_matches('⇥');
    terminal.press(&format!("{typed}\t")).unwrap();
    let begun = Instant::now();
    loop {
        let all = lines(terminal, host);
        let at = all.iter().rposition(|line| line.starts_with(&format!("{} {}", step.prompt, typed.trim_end())));
        let rows: Vec<&str> = all.iter().skip(at.unwrap_or(0) + 1).map(String::as_str).collect();
        if is_as_shown(&step.shown, &rows) {
            break;
        }
        if begun.elapsed() > HUNG_AFTER {
            return Err(all);
        }
        std::thread::sleep(LOOK);
    }
    // The first closes the menu, the second clears the line.
    terminal.press("\u{1b}").unwrap();
    let line = format!("{} {}", step.prompt, typed.trim_end());
    terminal.until("the line without its menu", |screen| screen.ends_with(&line)).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.until_idle().unwrap();
    Ok(())
}

/// What comes after Enter, up to the next prompt.
fn answered(terminal: &Terminal, step: &Step, host: &Host) -> Result<(), Vec<String>> {
    let before = lines(terminal, host);
    let at = before.len() - 1;
    if before[at] != step.prompt {
        return Err(before);
    }
    terminal.enter(&step.typed).unwrap();
    for line in step.shown.iter().filter(|line| line.starts_with("? ")) {
        let (question, answer) = line.rsplit_once(' ').unwrap();
        let begun = Instant::now();
        while !terminal.screen().contains(question) {
            if begun.elapsed() > HUNG_AFTER {
                return Err(lines(terminal, host));
            }
            std::thread::sleep(LOOK);
        }
        terminal.press(&format!("{answer}\r")).unwrap();
    }
    let begun = Instant::now();
    let mut still = 0;
    loop {
        let after = lines(terminal, host);
        // A prompt stands while something runs, too; what turns beside it is seen after a moment.
        let is = after.len() > at + 1 && after.last().is_some_and(|line| line.ends_with('>')) && {
            let came: Vec<&str> = after[at + 1..after.len() - 1].iter().map(String::as_str).collect();
            let end = came.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
            is_as_shown(&step.shown, &came[..end])
        };
        still = if is { still + 1 } else { 0 };
        if still > LOOKS {
            return Ok(());
        }
        if begun.elapsed() > HUNG_AFTER {
            return Err(after);
        }
        std::thread::sleep(LOOK);
    }
}

/// Types a transcript; what is not as the page says, if anything.
pub(crate) fn fault(host: &Host, page: &Page, block: &Block) -> Option<String> {
    let columns = if page.path == "README.md" { 120 } else { 80 };
    let terminal = Terminal::open(host, &[], (columns, 40)).unwrap();
    terminal.until_idle().unwrap();
    for step in steps(block) {
        let is = if step.typed.ends_with('⇥') { offered } else { answered };
        if let Err(all) = is(&terminal, &step, host) {
            let mut text = format!("{}:{}: {} {}\nThe terminal shows\n", page.path, step.line, step.prompt, step.typed);
            for line in all {
                let _ = writeln!(text, "    {line}");
            }
            return Some(text);
        }
    }
    terminal.leave().unwrap();
    None
}

#[test]
fn a_line_is_typed_behind_a_prompt_only() {
    assert_eq!(typed("> .mcp"), Some((">", ".mcp")));
    assert_eq!(typed("trip > find it"), Some(("trip >", "find it")));
    assert_eq!(typed("a row > of text"), None);
    assert_eq!(typed("call: x"), None);
}
