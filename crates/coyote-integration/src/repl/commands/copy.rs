//! `.copy`: the last answer to the clipboard, by OSC 52, which works over SSH too and needs no program.

use super::{Command, Completes, Need, Outcome, Pace, Running, too_many, words};
use crate::{
    chat::Refusal,
    repl::{context::Context, printer::raw},
};
use crossterm::{Command as _, clipboard::CopyToClipboard};
use mcp_prompt_repl::CommandLine;

pub(super) const COPY: Command = Command {
    name: "copy",
    usage: "",
    about: "Copy the last answer to the clipboard",
    help: "The terminal does it (OSC 52); some have to be allowed to, tmux with `set -g set-clipboard on`.",
    needs: &[Need::Answer],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[]),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        if !words(line)?.is_empty() {
            return Err(too_many(&COPY));
        }
        let Some(answer) = context.conversation.last_answer() else {
            let (missing, hint) = Need::Answer.missing();
            return Err(Refusal::given(format!("There is nothing to copy: {missing}"), hint));
        };
        let mut sequence = String::new();
        // Writing to a string does not fail.
        let _ = CopyToClipboard::to_clipboard_from(answer).write_ansi(&mut sequence);
        let characters = answer.chars().count();
        raw(&sequence);
        context.report.note(format!("{characters} characters were handed to the terminal's clipboard"));
        Ok(Outcome::Done)
    })
}
