//! A `console` block is run by a shell, line by line, in a home that was bare where its page began.
//!
//! A line that begins with `$ ` is a command; a number behind `# ` is its exit status, otherwise that is 0, or not 0 where
//! the first line that is shown is one of [`ERRORS`]. What stands below a command is what it prints; below a command that shows nothing
//! anything may come.

use crate::{
    pages::{Block, Page},
    rig,
    shown::is_as_shown,
};
use acceptance::host::Host;
use std::{fmt::Write as _, process::Stdio};

/// How a line begins that is an error, for a person and for a program.
const ERRORS: [&str; 2] = ["error", "{\"tool_call_error\""];

/// A command of a page.
struct Step {
    line: usize,
    command: String,
    shown: Vec<String>,
}

impl Step {
    /// The exit status that stands behind the command.
    fn status(&self) -> Option<i32> {
        self.command.rsplit_once(" # ")?.1.trim().parse().ok()
    }
}

fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut goes_on = false;
    for (index, line) in block.lines.iter().enumerate() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { line: block.line + index + 1, command: command.to_owned(), shown: Vec::new() });
        } else {
            let step = steps.last_mut().unwrap();
            if goes_on {
                step.command = format!("{}\n{line}", step.command);
            } else {
                step.shown.push(line.clone());
            }
        }
        goes_on = line.ends_with('\\');
    }
    for step in &mut steps {
        while step.shown.last().is_some_and(String::is_empty) {
            step.shown.pop();
        }
    }
    steps
}

/// Runs every command of a block; how many there are, and what is not as the page says.
pub(crate) fn run(host: &Host, page: &Page, block: &Block) -> (usize, Vec<String>) {
    let steps = steps(block);
    (steps.len(), steps.iter().filter_map(|step| fault(host, page, step)).collect())
}

/// The text without what differs from run to run; a time that is `under 1 ms` is a time.
fn told(host: &Host, text: &str) -> String {
    rig::filters(host).apply(text).replace("under [time]", "[time]")
}

/// What a shell on the machine prints for a command, and how it ends.
fn ran(host: &Host, command: &str) -> (String, i32) {
    // One pipe for both, so that their lines come in the order in which a terminal would show them.
    let both = format!("{{ {command}\n}} 2>&1");
    let output = std::process::Command::new("sh")
        .args(["-c", &both])
        .current_dir(host.path("project"))
        .env_clear()
        .envs(rig::environment(host))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (told(host, &text), output.status.code().unwrap_or(-1))
}

/// What is not as the page says, if anything.
fn fault(host: &Host, page: &Page, step: &Step) -> Option<String> {
    let (printed, status) = ran(host, &step.command);
    let fails = step.shown.first().is_some_and(|line| ERRORS.iter().any(|error| line.starts_with(error)));
    let right = step.status().map_or(fails == (status != 0), |wanted| wanted == status);
    let shown: Vec<String> = step.shown.iter().map(|line| told(host, line)).collect();
    let mut lines: Vec<&str> = printed.lines().collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    if right && (shown.is_empty() || is_as_shown(&shown, &lines)) {
        return None;
    }
    let mut text = format!("{}:{}: {}\nstatus {status}; it prints\n", page.path, step.line, step.command);
    for line in lines {
        let _ = writeln!(text, "    {line}");
    }
    Some(text)
}
