//! `.set key value`: a key of config.yaml for this conversation.

use super::{Argument, Command, Completes, Outcome, Pace, Running, rest, usage, words};
use crate::{chat::Refusal, repl::context::Context};
use mcp_prompt_repl::CommandLine;

pub(super) const SET: Command = Command {
    name: "set",
    usage: "<key> <value>",
    about: "Set a key of config.yaml for this conversation",
    help: "The keys are those that a request reads, and those of how an answer looks. The value `null` unsets it, and role, agent or config.yaml count again. \
           Nothing is written to a file.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Setting, Argument::SettingValue]),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let (key, value) = match words.as_slice() {
            [] => return Err(Refusal::given("`.set` needs a key and a value", usage(&SET))),
            [key] => {
                return Err(Refusal::given(format!("`.set {key}` needs a value"), "`null` unsets a key"));
            }
            [key, value] => (key, value.as_str()),
            // A list, a mapping, a text of several words: as it was typed.
            [key, ..] => (key, rest(line, 1)),
        };
        let change = context.conversation.set(key, value)?;
        context.apply(change);
        Ok(Outcome::Done)
    })
}
