//! `.session [name]`, `.empty session`, and `.save role|session [name]`: what was said, kept in files.

use super::{Argument, Command, Completes, Need, Outcome, Pace, Running, Word, too_many, usage, word, words};
use crate::{
    chat::{Conversation, Refusal, conversation::Replayed},
    repl::context::Context,
    report::Report,
    session::TEMP,
};
use mcp_prompt_repl::CommandLine;

/// How much of a session is shown when it is resumed.
const EXCHANGES: usize = 2;

pub(super) const SESSION: Command = Command {
    name: "session",
    usage: "[name]",
    about: "Open a session, or begin one; without a name one that is thrown away",
    help: "What is said in it is kept after each exchange. `.exit session` leaves it.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Session]),
    run: session,
};

pub(super) const EMPTY: Command = Command {
    name: "empty",
    usage: "session",
    about: "Forget what was said in the session",
    help: "",
    needs: &[Need::Session],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Words(EMPTIED)]),
    run: empty,
};

const EMPTIED: &[Word] = &[Word { name: "session", about: "what was said in it", needs: &[Need::Session] }];

pub(super) const SAVE: Command = Command {
    name: "save",
    usage: "role|session [name]",
    about: "Write the role or the session to its file, or under another name",
    help: "A role is written with what `.set` changed. Without a session, `.save session name` makes one of what was said.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Words(SAVED), Argument::Text]),
    run: save,
};

const SAVED: &[Word] = &[
    Word { name: "role", about: "the role, with what was set", needs: &[Need::Role] },
    Word { name: "session", about: "what was said, and what was set", needs: &[] },
];

fn session<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let name = match words.as_slice() {
            [] => TEMP,
            [name] => name,
            _ => return Err(too_many(&SESSION)),
        };
        let before = context.conversation.transcript().clone();
        let change = context.conversation.open_session(name)?;
        context.apply(change);
        // A new session takes over what was said, which is on the screen already.
        if *context.conversation.transcript() != before {
            replay(&context.report, &context.conversation);
        }
        Ok(Outcome::Done)
    })
}

/// Shows the end of what was said before.
pub(crate) fn replay(report: &Report, conversation: &Conversation) {
    for Replayed { by_user, text } in conversation.replay(EXCHANGES) {
        let mark = if by_user { "> " } else { "" };
        report.print(&format!("{mark}{text}"));
    }
}

fn empty<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let [given] = words.as_slice() else {
            return Err(Refusal::given("`.empty` needs to know what", usage(&EMPTY)));
        };
        word(&EMPTY, EMPTIED, given, context.conversation.flags())?;
        context.conversation.empty_session()?;
        context.report.note("The session is empty");
        Ok(Outcome::Done)
    })
}

fn save<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let (given, name) = match words.as_slice() {
            [given] => (given, None),
            [given, name] => (given, Some(name.as_str())),
            [] => return Err(Refusal::given("`.save` needs to know what", usage(&SAVE))),
            _ => return Err(too_many(&SAVE)),
        };
        let file = match word(&SAVE, SAVED, given, context.conversation.flags())?.name {
            "role" => context.conversation.save_role(name)?,
            _ => context.conversation.save_session(name)?,
        };
        context.report.note(format!("Written to `{}`", file.display()));
        Ok(Outcome::Done)
    })
}
