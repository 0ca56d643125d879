//! The commands of the REPL: one table, from which dispatch, `.help`, completion and the manual's page derive (host.md).
//!
//! A command's row stands beside its code, in a file of its own. Whoever adds one writes the file and names the row here.
//! A command is parsed from a [`CommandLine`], which is what a person typed and nothing else (R14).

mod agent;
mod attach;
mod copy;
mod edit;
mod exit;
mod go_on;
mod help;
mod info;
mod list;
pub(crate) mod macros;
mod mcp;
mod model;
mod offered;
mod prompt;
mod resource;
mod role;
mod session;
mod set;

pub(crate) use help::text as help_text;
pub(crate) use session::replay;

use super::{context::Context, standing::Standing};
use crate::{
    chat::{Refusal, StateFlags},
    repl::complete::ArgumentSource,
};
use mcp_catalog::closest;
use mcp_prompt_repl::{CommandLine, Line};
use std::{pin::Pin, sync::Arc};

/// A command.
pub(crate) struct Command {
    /// Its name, without the dot.
    pub(crate) name: &'static str,
    /// What may follow it, as help writes it.
    pub(crate) usage: &'static str,
    /// One line about it.
    pub(crate) about: &'static str,
    /// What its topic of help says below that.
    pub(crate) help: &'static str,
    /// What must be so for it to be valid.
    pub(crate) needs: &'static [Need],
    /// How it runs beside others.
    pub(crate) pace: Pace,
    /// How its arguments are completed.
    pub(crate) completes: Completes,
    /// Runs it.
    pub(crate) run: Handler,
}

/// What a command's code is.
pub(crate) type Handler = for<'a> fn(&'a mut Context, CommandLine<'a>) -> Running<'a>;

/// A command that runs.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Result<Outcome, Refusal>> + Send + 'a>>;

/// What follows from a command that went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The next line.
    Done,
    /// The end of the REPL.
    Leave,
}

/// How a command runs beside others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// In its turn; keys are read meanwhile.
    InTurn,
    /// In its turn, and no key is read meanwhile: it hands the terminal to another program.
    Terminal,
    /// At once, even while a turn or a command runs.
    AtOnce,
}

/// A state that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A role is in use.
    Role,
    /// A session is open.
    Session,
    /// An agent is in use.
    Agent,
    /// Something was said and answered.
    Answer,
}

impl Need {
    /// Whether it is so.
    pub(crate) const fn holds(self, flags: StateFlags) -> bool {
        match self {
            Self::Role => flags.role,
            Self::Session => flags.session,
            Self::Agent => flags.agent,
            Self::Answer => flags.messages,
        }
    }

    /// What is told when it is not: what is missing, and how to have it.
    pub(crate) const fn missing(self) -> (&'static str, &'static str) {
        match self {
            Self::Role => ("no role is in use", "`.role <name>` takes one, `.list roles` shows what there is"),
            Self::Session => ("no session is open", "`.session [name]` opens one"),
            Self::Agent => ("no agent is in use", "`.agent <name>` takes one, `.list agents` shows what there is"),
            Self::Answer => ("nothing was answered yet", "Say something first"),
        }
    }

    /// The state, as help names it.
    pub(crate) const fn state(self) -> &'static str {
        match self {
            Self::Role => "with a role",
            Self::Session => "in a session",
            Self::Agent => "with an agent",
            Self::Answer => "after an answer",
        }
    }
}

/// How arguments are completed.
#[derive(Clone, Copy)]
pub(crate) enum Completes {
    /// Each by its kind, in order.
    Arguments(&'static [Argument]),
    /// By a source of the command's own.
    Own(fn(&Standing) -> Arc<dyn ArgumentSource>),
}

/// What an argument is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Argument {
    /// One of these.
    Words(&'static [Word]),
    /// The name of a command.
    Command,
    /// `client:name`.
    Model,
    /// A role.
    Role,
    /// A session.
    Session,
    /// An agent.
    Agent,
    /// A macro.
    Macro,
    /// A server.
    Server,
    /// A key of `.set`.
    Setting,
    /// A value of it.
    SettingValue,
    /// A file.
    File,
    /// Words of the user's own.
    Text,
}

impl Argument {
    /// Whether what follows is of the same kind.
    pub(crate) const fn repeats(self) -> bool {
        matches!(self, Self::File)
    }
}

/// A word that an argument may be.
#[derive(Debug)]
pub(crate) struct Word {
    /// The word.
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) about: &'static str,
    /// What must be so for it to be valid.
    pub(crate) needs: &'static [Need],
}

/// Every command, in the manual's order.
pub(crate) const COMMANDS: &[Command] = &[
    help::HELP,
    info::INFO,
    exit::EXIT,
    model::MODEL,
    set::SET,
    role::ROLE,
    role::TEMP_ROLE,
    agent::AGENT,
    agent::STARTER,
    session::SESSION,
    session::EMPTY,
    session::SAVE,
    edit::EDIT,
    attach::FILE,
    go_on::CONTINUE,
    go_on::REGENERATE,
    copy::COPY,
    macros::MACRO,
    list::LIST,
    prompt::PROMPT,
    resource::RESOURCE,
    mcp::MCP,
];

/// The names of all commands.
pub(crate) fn command_names() -> Vec<&'static str> {
    COMMANDS.iter().map(|command| command.name).collect()
}

/// The command of this name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

impl Command {
    /// Whether it can be used in this state; if not, why and what to do.
    pub(crate) fn is_valid(&self, flags: StateFlags) -> Result<(), Refusal> {
        valid(&format!(".{}", self.name), self.needs, flags)
    }
}

impl Word {
    /// The same for a word of a command.
    pub(crate) fn is_valid(&self, command: &str, flags: StateFlags) -> Result<(), Refusal> {
        valid(&format!(".{command} {}", self.name), self.needs, flags)
    }
}

fn valid(what: &str, needs: &[Need], flags: StateFlags) -> Result<(), Refusal> {
    match needs.iter().find(|need| !need.holds(flags)) {
        None => Ok(()),
        Some(need) => {
            let (missing, hint) = need.missing();
            Err(Refusal::given(format!("`{what}` is not valid here: {missing}"), hint))
        }
    }
}

/// What is told of a command that there is not. `also` are names that are no rows of the table: macros.
pub(crate) fn unknown(name: &str, also: &[String]) -> Refusal {
    let names = COMMANDS.iter().map(|command| command.name).chain(also.iter().map(String::as_str));
    let near = closest(name, names);
    let shown = mcp_render::shown_line(name, 80);
    let meant = near.first().map(|near| format!("Did you mean `.{near}`? ")).unwrap_or_default();
    let hint = format!("{meant}`.help` lists the commands. To say it to the model, write `..{shown}`");
    Refusal::given(format!("There is no command `.{shown}`"), hint)
}

/// The words of a command line after its name; an open quote is refused, and nothing is done (S41).
pub(crate) fn words(line: CommandLine<'_>) -> Result<Vec<String>, Refusal> {
    let line = Line::lex(line.text());
    if let Some(open) = line.open_quote() {
        let sentence = format!("The quote {} at column {} is not closed", open.quote, open.column);
        return Err(Refusal::given(sentence, format!("Close it with {}", open.quote)));
    }
    Ok(line.words().iter().skip(1).map(|word| word.value().to_owned()).collect())
}

/// The text after the name and `words` more words, as it was typed.
pub(crate) fn rest(line: CommandLine<'_>, words: usize) -> &str {
    let text = line.text();
    let lexed = Line::lex(text);
    let start = lexed.words().get(words + 1).map_or(text.len(), |word| word.span().start);
    text.get(start..).unwrap_or_default().trim_end()
}

/// What is told when a command has words that it does not take.
pub(crate) fn too_many(command: &Command) -> Refusal {
    Refusal::given(format!("`.{}` takes no more words", command.name), usage(command))
}

/// How a command is written.
pub(crate) fn usage(command: &Command) -> String {
    let blank = if command.usage.is_empty() { "" } else { " " };
    format!("Write `.{}{blank}{}`", command.name, command.usage)
}

/// The word of a command that this is, valid in this state; else what there is.
pub(crate) fn word<'w>(
    command: &Command,
    words: &'w [Word],
    given: &str,
    flags: StateFlags,
) -> Result<&'w Word, Refusal> {
    let Some(word) = words.iter().find(|word| word.name == given) else {
        let near = closest(given, words.iter().map(|word| word.name));
        let meant = near.first().map(|near| format!("Did you mean `{near}`? ")).unwrap_or_default();
        let all: Vec<String> = words.iter().map(|word| format!("`{}`", word.name)).collect();
        let shown = mcp_render::shown_line(given, 80);
        return Err(Refusal::given(
            format!("`.{}` knows no `{shown}`", command.name),
            format!("{meant}Accepted: {}", all.join(", ")),
        ));
    };
    word.is_valid(command.name, flags)?;
    Ok(word)
}

#[cfg(test)]
mod tests;
