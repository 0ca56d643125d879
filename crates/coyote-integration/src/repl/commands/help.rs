//! `.help [command]`: the table, or a command's topic. The manual's page is made of the same text.

use super::{Argument, COMMANDS, Command, Completes, Outcome, Pace, Running, find, too_many, unknown, words};
use crate::{repl::context::Context, table::table};
use mcp_prompt_repl::CommandLine;
use std::fmt::Write;

pub(super) const HELP: Command = Command {
    name: "help",
    usage: "[command]",
    about: "What there is to type, or more about one command",
    help: "Names are written without their dot: `.help model`.",
    needs: &[],
    pace: Pace::AtOnce,
    completes: Completes::Arguments(&[Argument::Command]),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let text = text(line, context.report.width())?;
        context.report.prose(&text);
        Ok(Outcome::Done)
    })
}

/// What `.help` shows for a line.
pub(crate) fn text(line: CommandLine<'_>, width: Option<u16>) -> Result<String, crate::chat::Refusal> {
    match words(line)?.as_slice() {
        [] => Ok(format!("{}\n\n{KEYS}", overview(width))),
        [name] => {
            let name = name.strip_prefix('.').unwrap_or(name);
            find(name).map(topic).ok_or_else(|| unknown(name, &[]))
        }
        _ => Err(too_many(&HELP)),
    }
}

const KEYS: &str = "\
Anything else is said to the model; `..word` is said as `.word`.
`!command` runs in your shell. `:::` opens and closes a text of several lines.
Ctrl-J begins a line, Ctrl-O opens your editor, Tab completes, Ctrl-R searches the history, Ctrl-C cancels, \
Ctrl-D leaves.";

fn overview(width: Option<u16>) -> String {
    let rows = COMMANDS.iter().map(|command| vec![written(command), command.about.to_owned()]);
    table(&["COMMAND", ""], &rows.collect::<Vec<_>>(), width)
}

fn written(command: &Command) -> String {
    format!(".{} {}", command.name, command.usage).trim_end().to_owned()
}

/// The topic of one command.
fn topic(command: &Command) -> String {
    let mut text = format!("{}\n\n{}.", written(command), command.about);
    if !command.help.is_empty() {
        // Writing to a string does not fail.
        let _ = write!(text, " {}", command.help);
    }
    if let Completes::Arguments(arguments) = command.completes {
        for word in arguments.iter().flat_map(|argument| match argument {
            Argument::Words(words) => *words,
            _ => &[],
        }) {
            let states = states(word.needs);
            let _ = write!(text, "\n  {:<12} {}{states}", word.name, word.about);
        }
    }
    if !command.needs.is_empty() {
        let _ = write!(text, "\n\nValid{}.", states(command.needs).replace(['(', ')'], ""));
    }
    text
}

fn states(needs: &[super::Need]) -> String {
    let states: Vec<&str> = needs.iter().map(|need| need.state()).collect();
    if states.is_empty() { String::new() } else { format!(" ({})", states.join(", ")) }
}

/// The commands as the manual's page lists them, a line each, which it may break between words.
#[cfg(test)]
pub(crate) fn page() -> String {
    let mut page = String::new();
    for command in COMMANDS {
        let when = command.needs.iter().map(|need| need.state()).collect::<Vec<_>>().join(", ");
        let when = if when.is_empty() { when } else { format!(" ({when})") };
        let _ = writeln!(page, "- `{}`: {}{when}", written(command), command.about);
    }
    page
}
