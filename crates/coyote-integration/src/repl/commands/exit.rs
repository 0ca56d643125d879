//! `.exit [role|session|agent]`: leaves what is named, or the REPL.

use super::{Argument, Command, Completes, Need, Outcome, Pace, Running, Word, too_many, word, words};
use crate::repl::context::Context;
use mcp_prompt_repl::CommandLine;

pub(super) const EXIT: Command = Command {
    name: "exit",
    usage: "[role|session|agent]",
    about: "Leave the role, the session or the agent; alone, leave coyote",
    help: "Ctrl-D leaves too. A turn that runs is cancelled.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Words(WORDS)]),
    run,
};

const WORDS: &[Word] = &[
    Word { name: "role", about: "go on without the role", needs: &[Need::Role] },
    Word { name: "session", about: "forget here what was said in it", needs: &[Need::Session] },
    Word { name: "agent", about: "go on without the agent", needs: &[Need::Agent] },
];

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let [given] = words.as_slice() else {
            return if words.is_empty() { Ok(Outcome::Leave) } else { Err(too_many(&EXIT)) };
        };
        let word = word(&EXIT, WORDS, given, context.conversation.flags())?;
        let change = match word.name {
            "role" => context.conversation.leave_role()?,
            "session" => context.conversation.leave_session()?,
            _ => context.conversation.leave_agent()?,
        };
        context.apply(change);
        Ok(Outcome::Done)
    })
}
