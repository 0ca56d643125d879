//! `.continue` and `.regenerate`: the last answer, longer or once more.

use super::{Command, Completes, Need, Outcome, Pace, Running, too_many, words};
use crate::repl::context::Context;
use mcp_prompt_repl::CommandLine;

pub(super) const CONTINUE: Command = Command {
    name: "continue",
    usage: "",
    about: "Let the model go on where it stopped",
    help: "For an answer that was cut, and for a turn that was stopped after its calls.",
    needs: &[Need::Answer],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[]),
    run: go_on,
};

pub(super) const REGENERATE: Command = Command {
    name: "regenerate",
    usage: "",
    about: "Ask the last message again",
    help: "What was answered to it is dropped when the model answers anew. A message that failed is sent once more.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[]),
    run: regenerate,
};

fn go_on<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        if !words(line)?.is_empty() {
            return Err(too_many(&CONTINUE));
        }
        let taken = context.conversation.go_on(context.view(), context.cancel.clone()).await?;
        context.ended(&taken);
        Ok(Outcome::Done)
    })
}

fn regenerate<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        if !words(line)?.is_empty() {
            return Err(too_many(&REGENERATE));
        }
        let taken = context.conversation.regenerate(context.view(), context.cancel.clone()).await?;
        context.ended(&taken);
        Ok(Outcome::Done)
    })
}
