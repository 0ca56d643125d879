//! `--macro NAME [words…]`: a macro's steps without a REPL, one after the other, until one fails (host.md "Macros").
//!
//! A step is said to the model, or is one of the commands of [`COMMANDS`], which change the conversation. What needs a
//! terminal or a shell is refused: a script has its own. A workspace's macro is asked about first, and only when it is
//! meant.

use super::{Display, Refused, ended};
use crate::{
    chat::{Change, Conversation, Refusal, conversation::Blame},
    cli::{
        args::ChatArgs,
        exit::{Failed, Failure, Status},
        host::Host,
        question::{self, Answer},
    },
    macros::{Macros, NESTED, Step, StepRunner, Stepping, run_steps},
    model::{Models, Part},
    repl::command_names,
};
use mcp_catalog::closest;
use mcp_prompt_repl::{CommandLine, Line, Typed, Word};
use mcp_render::shown;
use std::sync::Arc;

/// The commands that a step may be here.
const COMMANDS: &[&str] =
    &["role", "temp-role", "model", "set", "session", "empty", "save", "exit", "continue", "regenerate", "macro"];

impl ChatArgs {
    /// `--list-macros`: those that can run.
    pub(super) fn macro_names(&self, host: &Host) -> Vec<String> {
        let macros = self.macros(host);
        let shadowed = macros.shadowed(&command_names());
        for warning in macros.warnings.iter().chain(&shadowed).chain(&macros.skipped()) {
            host.report.warn(warning);
        }
        macros.iter().map(|known| known.name.clone()).collect()
    }

    /// Runs the macro of this name with the words of the command line.
    pub(super) async fn run_macro(&self, host: &Host, models: Arc<Models>, name: &str) -> Result<Status, Failed> {
        let mut macros = self.macros(host);
        let offered = macros.offered.iter().any(|offered| offered.what.name == name);
        if offered && macros.get(name).is_none() {
            trust(host, &mut macros).await?;
        }
        let Some(known) = macros.get(name).cloned() else {
            // Its file may be there and broken.
            macros.warnings.iter().for_each(|warning| host.report.warn(warning));
            return Err(unknown(name, &macros, offered).into());
        };
        let steps = known
            .steps_with(&self.text)
            .map_err(|fault| Failure::usage(fault.to_string(), format!("Its words: `{}`", known.usage())))?;
        host.warn(None);
        macros.warnings.iter().for_each(|warning| host.report.warn(warning));
        let display = Arc::new(Display::new(Arc::clone(&host.report), super::look(host)));
        let mut conversation = match self.begin(host, models, &display).await {
            Ok(conversation) => conversation,
            Err(refused) => return refused.told(host),
        };
        if !macros.enabled(conversation.layers()).any(|enabled| enabled.name == known.name) {
            let sentence = format!("The macro `{name}` is not among `enabled_macros`");
            return Err(Failure::usage(sentence, "Add it there, or remove the key").into());
        }
        if known.isolated {
            conversation = conversation.throw_away();
        }
        super::start_servers(host, conversation.enabled_servers(), &display).await?;
        if let Some(preface) = conversation.model().preface() {
            host.report.print(preface);
        }
        let mut runner = AtCommandLine { host, conversation, macros: &macros, display, depth: 0, status: Status::Done };
        match run_steps(&mut runner, steps).await {
            Ok(_) => Ok(Status::Done),
            Err(fault) if runner.status == Status::Done => Refused::from(Refusal::from(fault)).told(host),
            // The turn has told what happened to it.
            Err(fault) => {
                let (number, of) = (fault.number, fault.of);
                host.report.note(format!("The macro stopped at step {number} of {of}"));
                Ok(runner.status)
            }
        }
    }

    /// The macros of a REPL: those of the workspace are asked about before it opens.
    pub(super) async fn macros_for_repl(&self, host: &Host) -> Result<Macros, Failed> {
        let mut macros = self.macros(host);
        trust(host, &mut macros).await?;
        Ok(macros)
    }

    fn macros(&self, host: &Host) -> Macros {
        let dir = std::env::current_dir().ok().filter(|_| !self.no_workspace_macros);
        Macros::read(&host.app.paths, dir.as_deref())
    }
}

/// Asks about the workspace's macros; without a yes they stay away.
async fn trust(host: &Host, macros: &mut Macros) -> Result<(), Failed> {
    let Some(statement) = macros.statement() else { return Ok(()) };
    match question::ask(&host.report, &host.cancel, &statement, "Trust these macros?").await {
        Answer::Yes => {
            if let Err(why) = macros.trust(&host.app.paths) {
                host.report.warn(format!("{why}. The macros are trusted for this run alone"));
            }
        }
        Answer::Cancelled => return Err(Failure::cancelled().into()),
        Answer::No => host.report.note("The workspace's macros are not used (`--no-workspace-macros` does not ask)"),
        Answer::Nobody => macros.skipped().iter().for_each(|warning| host.report.warn(warning)),
    }
    Ok(())
}

fn unknown(name: &str, macros: &Macros, offered: bool) -> Failure {
    if offered {
        let sentence = format!("The macro `{name}` of the workspace is not used: you have not trusted it as it is");
        return Failure::usage(sentence, "Run it at a terminal to be shown what it does and asked");
    }
    let near = closest(name, macros.iter().map(|known| known.name.as_str()));
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    let meant = if near.is_empty() { String::new() } else { format!("Did you mean {}? ", near.join(" or ")) };
    Failure::usage(format!("There is no macro `{name}`"), format!("{meant}`coyote --list-macros` shows the macros"))
}

/// What steps work with.
struct AtCommandLine<'a> {
    host: &'a Host,
    conversation: Conversation,
    macros: &'a Macros,
    display: Arc<Display>,
    /// How many macros run this one.
    depth: usize,
    /// How the turn that failed ended.
    status: Status,
}

impl StepRunner for AtCommandLine<'_> {
    fn echo(&mut self, step: &Step) {
        self.host.report.say(&format!("> {}", shown(step.shown())));
    }

    fn run(&mut self, step: Step) -> Stepping<'_> {
        Box::pin(async move {
            match step {
                Step::Chat { shown, .. } => self.say(shown).await.map(|()| true),
                Step::Line(line) => match Typed::read(&line) {
                    Typed::Command(line) => self.command(line).await,
                    Typed::Shell(_) => {
                        let sentence = "A `!` line of a macro runs in the REPL alone";
                        Err(Refusal::given(sentence, "Run the command in your script, and the macro without it"))
                    }
                    Typed::Chat(_) | Typed::Nothing => self.say(line).await.map(|()| true),
                },
            }
        })
    }
}

impl AtCommandLine<'_> {
    async fn say(&mut self, text: String) -> Result<(), Refusal> {
        let parts = vec![Part::Text(text)];
        let taken = self.conversation.say(parts, Arc::clone(&self.display) as _, self.host.cancel.clone()).await;
        self.ended(&taken)
    }

    fn ended(&mut self, taken: &crate::chat::Taken) -> Result<(), Refusal> {
        self.display.still();
        self.status = ended(self.host, &self.display, taken);
        match self.status {
            Status::Done => Ok(()),
            _ => Err(Refusal { blame: Blame::Outside, ..Refusal::given("The turn failed", "") }),
        }
    }

    /// Starts what a change enables, and waits for it (S14).
    async fn apply(&self, change: Change) -> Result<(), Refusal> {
        change.warnings.iter().for_each(|warning| self.host.report.warn(warning));
        let started = super::start_servers(self.host, &change.enabled, &self.display).await;
        started.map_err(|failure| Refusal::outside(failure.shape.tool_call_error, failure.shape.hint))
    }

    async fn command(&mut self, line: CommandLine<'_>) -> Result<bool, Refusal> {
        let lexed = Line::lex(line.text());
        if let Some(open) = lexed.open_quote() {
            let sentence = format!("The quote {} at column {} is not closed", open.quote, open.column);
            return Err(Refusal::given(sentence, format!("Close it with {}", open.quote)));
        }
        let words: Vec<&str> = lexed.words().iter().skip(1).map(Word::value).collect();
        let after = |count: usize| {
            let start = lexed.words().get(count + 1).map(|word| word.span().start);
            start.and_then(|start| line.text().get(start..)).unwrap_or_default().trim_end()
        };
        let needs = |what: &str| Refusal::given(format!("`.{}` needs {what}", line.name()), "Correct the macro's step");
        let name = words.first().copied();
        let change = match (line.name(), name) {
            ("role", Some(role)) if !after(1).is_empty() => return self.one_off(role, after(1)).await.map(|()| true),
            ("role", Some(role)) => self.conversation.use_role(role)?,
            ("temp-role", Some(_)) => self.conversation.temp_role(after(0))?,
            ("model", Some(model)) => self.conversation.set_model(Some(model))?,
            ("set", Some(key)) => self.conversation.set(key, after(1))?,
            ("session", name) => self.conversation.open_session(name.unwrap_or(crate::session::TEMP))?,
            ("empty", Some("session")) => {
                self.conversation.empty_session()?;
                Change::default()
            }
            ("save", Some(what @ ("session" | "role"))) => {
                let name = words.get(1).copied();
                let saved = if what == "role" {
                    self.conversation.save_role(name)
                } else {
                    self.conversation.save_session(name)
                };
                self.host.report.note(format!("Saved to `{}`", saved?.display()));
                Change::default()
            }
            ("exit", None) => return Ok(false),
            ("exit", Some("role")) => self.conversation.leave_role()?,
            ("exit", Some("session")) => self.conversation.leave_session()?,
            ("continue" | "regenerate", _) => return self.again(line.name() == "continue").await.map(|()| true),
            ("macro", Some(name)) => return self.nested(name, words.get(1..).unwrap_or_default()).await,
            ("role" | "temp-role" | "model" | "set" | "macro", None) => return Err(needs("a word")),
            ("empty" | "save" | "exit", _) => return Err(needs("`role` or `session`")),
            (name, _) => match self.macros.get(name) {
                Some(_) => return self.nested(name, &words).await,
                None => return Err(no_command(name)),
            },
        };
        self.apply(change).await?;
        Ok(true)
    }

    async fn one_off(&mut self, role: &str, text: &str) -> Result<(), Refusal> {
        let (mut copy, change) = self.conversation.one_off(role)?;
        self.apply(change).await?;
        let parts = vec![Part::Text(text.to_owned())];
        let taken = copy.say(parts, Arc::clone(&self.display) as _, self.host.cancel.clone()).await;
        self.conversation.keep_answer(&copy);
        self.ended(&taken)
    }

    async fn again(&mut self, go_on: bool) -> Result<(), Refusal> {
        let (view, cancel) = (Arc::clone(&self.display) as _, self.host.cancel.clone());
        let taken = if go_on {
            self.conversation.go_on(view, cancel).await?
        } else {
            self.conversation.regenerate(view, cancel).await?
        };
        self.ended(&taken)
    }

    async fn nested(&mut self, name: &str, words: &[&str]) -> Result<bool, Refusal> {
        let Some(known) = self.macros.get(name) else {
            return Err(Refusal::given(
                format!("There is no macro `{name}`"),
                "`coyote --list-macros` shows the macros",
            ));
        };
        if self.depth + 1 >= NESTED {
            let sentence = format!("`.{name}` runs in {NESTED} macros already, the limit");
            return Err(Refusal::given(sentence, "Let no macro run itself"));
        }
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let steps = known.steps_with(&words);
        let steps =
            steps.map_err(|fault| Refusal::given(fault.to_string(), format!("Its words: `{}`", known.usage())))?;
        let whole = known.isolated.then(|| self.conversation.throw_away());
        let outer = whole.map(|copy| std::mem::replace(&mut self.conversation, copy));
        self.depth += 1;
        let ran = run_steps(self, steps).await;
        self.depth -= 1;
        if let Some(outer) = outer {
            self.conversation = outer;
            self.conversation.stand();
        }
        Ok(ran?)
    }
}

fn no_command(name: &str) -> Refusal {
    let accepted: Vec<String> = COMMANDS.iter().map(|name| format!("`.{name}`")).collect();
    let name = mcp_render::shown_line(name, 80).to_string();
    let instead = match name.as_str() {
        "prompt" => "`coyote mcp prompt` prints what a prompt returns. ",
        "resource" => "`coyote mcp read` prints a resource. ",
        _ => "",
    };
    let hint = format!("{instead}Accepted are {}, macros, and text for the model", accepted.join(", "));
    Refusal::given(format!("`.{name}` does not run in a macro at the command line"), hint)
}
