//! `.model [client:name]`: the model, or another one.

use super::{Argument, Command, Completes, Outcome, Pace, Running, too_many, words};
use crate::repl::context::Context;
use mcp_prompt_repl::CommandLine;

pub(super) const MODEL: Command = Command {
    name: "model",
    usage: "[client:name]",
    about: "Show the model, or take another one",
    help: "It counts until another one is taken; `.set model null` goes back to the one of role, agent or config.yaml.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Model]),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        match words(line)?.as_slice() {
            [] => {}
            [id] => {
                let change = context.conversation.set_model(Some(id))?;
                context.apply(change);
            }
            _ => return Err(too_many(&MODEL)),
        }
        context.report.print(&format!("model: {}", context.conversation.model().id()));
        if let Some(preface) = context.conversation.model().preface() {
            context.report.prose(preface);
        }
        Ok(Outcome::Done)
    })
}
