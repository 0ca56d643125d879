//! `.role name [text]` and `.temp-role text`.
//!
//! Text after a role is a one-off: it is said in that role to a copy of the conversation, which stays as it is.

use super::{Argument, Command, Completes, Outcome, Pace, Running, rest, usage, words};
use crate::{chat::Refusal, model::Part, repl::context::Context};
use mcp_prompt_repl::CommandLine;

pub(super) const ROLE: Command = Command {
    name: "role",
    usage: "<name> [text]",
    about: "Take a role; with a text, say only that in it",
    help: "A role is a file of the roles directory: `.list roles`. `.exit role` leaves it. With a text the conversation stays \
           as it is, and the model sees nothing of it.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Role, Argument::Text]),
    run: role,
};

pub(super) const TEMP_ROLE: Command = Command {
    name: "temp-role",
    usage: "<text>",
    about: "Take a role that is this text",
    help: "`__INPUT__` in it stands for what is said next. `.exit role` leaves it.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Text]),
    run: temp_role,
};

fn role<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let Some(name) = words.first() else {
            return Err(Refusal::given("`.role` needs a name", "`.list roles` shows what there is"));
        };
        let text = rest(line, 1);
        if text.is_empty() {
            let change = context.conversation.use_role(name)?;
            context.apply(change);
            return Ok(Outcome::Done);
        }
        let (mut copy, change) = context.conversation.one_off(name)?;
        context.apply(change);
        let taken = copy.say(vec![Part::Text(text.to_owned())], context.view(), context.cancel.clone()).await;
        context.conversation.keep_answer(&copy);
        context.ended(&taken);
        Ok(Outcome::Done)
    })
}

fn temp_role<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let text = rest(line, 0);
        if text.is_empty() {
            return Err(Refusal::given("`.temp-role` needs a text", usage(&TEMP_ROLE)));
        }
        let change = context.conversation.temp_role(text)?;
        context.apply(change);
        Ok(Outcome::Done)
    })
}
