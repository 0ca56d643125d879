//! `.macro name [words]`, and `.name [words]` where no command has that name (R5).
//!
//! A step runs as if it was typed. The first that fails is the last, and a turn that failed is a step that failed.

use super::{Argument, Command, Completes, Outcome, Pace, Running, usage, words};
use crate::{
    chat::{Conversation, Refusal},
    macros::{Macro, Macros, NESTED, Step, StepRunner, Stepping, run_steps},
    repl::{context::Context, line_loop},
};
use mcp_catalog::closest;
use mcp_prompt_repl::{CommandLine, Typed};
use mcp_render::shown;
use std::sync::Arc;

/// The name of the command.
pub(crate) const NAME: &str = "macro";
/// The command that lists macros among other things.
const LIST: &str = "list";

pub(super) const MACRO: Command = Command {
    name: NAME,
    usage: "<name> [words]",
    about: "Run a macro, also one that a command hides",
    help: "`.list macros` shows what there is. `.name [words]` runs it where no command has that name.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Macro, Argument::Text]),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let Some((name, rest)) = words.split_first() else {
            return Err(Refusal::given("`.macro` needs a name", usage(&MACRO)));
        };
        let known = context.macros.enabled(context.conversation.layers()).find(|known| known.name == *name).cloned();
        let Some(known) = known else {
            let near = closest(name, context.macros.iter().map(|known| known.name.as_str()));
            let meant = near.first().map(|near| format!("Did you mean `{near}`? ")).unwrap_or_default();
            let sentence = format!("There is no macro `{}`", mcp_render::shown_line(name, 80));
            return Err(Refusal::given(sentence, format!("{meant}`.list macros` shows what there is")));
        };
        perform(context, &known, rest).await
    })
}

/// Reads the macros again when a file of theirs is another one, for a line that has to do with them.
pub(crate) fn look_again(context: &mut Context, text: &str) {
    let Typed::Command(line) = Typed::read(text) else { return };
    if super::find(line.name()).is_some_and(|command| !matches!(command.name, NAME | LIST)) {
        return;
    }
    let Some(now) = context.macros.reread(&context.conversation.app().paths) else { return };
    for news in now.news(&context.macros, &super::command_names()) {
        context.report.warn(news);
    }
    context.macros = Arc::new(now);
    context.standing.take_macros(&context.macros);
}

/// Runs the macro of a line that is no command; `None`: there is none of that name.
pub(crate) fn named<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Option<Running<'a>> {
    let known = context.macros.enabled(context.conversation.layers()).find(|known| known.name == line.name())?.clone();
    Some(Box::pin(async move { perform(context, &known, &words(line)?).await }))
}

/// The names that may be meant by a typo.
pub(crate) fn names(context: &Context) -> Vec<String> {
    context.macros.enabled(context.conversation.layers()).map(|known| known.name.clone()).collect()
}

/// How a line that runs a macro runs beside others: a step that needs the terminal makes all of it need the terminal.
pub(crate) fn pace(macros: &Macros, line: CommandLine<'_>) -> Pace {
    let name = if line.name() == MACRO.name {
        words(line).ok().and_then(|words| words.first().cloned()).unwrap_or_default()
    } else {
        line.name().to_owned()
    };
    if needs_terminal(macros, &name, 0) { Pace::Terminal } else { Pace::InTurn }
}

fn needs_terminal(macros: &Macros, name: &str, depth: usize) -> bool {
    let Some(known) = macros.get(name).filter(|_| depth < NESTED) else { return false };
    known.steps.iter().any(|step| match Typed::read(step) {
        Typed::Shell(_) => true,
        Typed::Command(line) => match super::find(line.name()) {
            Some(command) if command.name == MACRO.name => {
                let inner = words(line).ok().and_then(|words| words.first().cloned()).unwrap_or_default();
                needs_terminal(macros, &inner, depth + 1)
            }
            Some(command) => command.pace == Pace::Terminal,
            None => needs_terminal(macros, line.name(), depth + 1),
        },
        Typed::Chat(_) | Typed::Nothing => false,
    })
}

async fn perform(context: &mut Context, known: &Macro, words: &[String]) -> Result<Outcome, Refusal> {
    let steps = known.steps_with(words);
    let steps = steps.map_err(|fault| Refusal::given(fault.to_string(), format!("Write `{}`", known.usage())))?;
    if context.nesting >= NESTED {
        let sentence = format!("`.{}` runs in {NESTED} macros already, the limit", known.name);
        return Err(Refusal::given(sentence, "Let no macro run itself"));
    }
    let inside = Inside::of(context, known.isolated);
    let mut runner = Steps { context: &mut *inside.context, outcome: Outcome::Done };
    run_steps(&mut runner, steps).await?;
    Ok(runner.outcome)
}

/// One macro deeper. Whoever drops it, a macro that was stopped too, has the conversation back.
struct Inside<'a> {
    context: &'a mut Context,
    outer: Option<Conversation>,
}

impl<'a> Inside<'a> {
    fn of(context: &'a mut Context, isolated: bool) -> Self {
        context.nesting += 1;
        let copy = isolated.then(|| context.conversation.throw_away());
        let outer = copy.map(|copy| std::mem::replace(&mut context.conversation, copy));
        Self { context, outer }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.context.nesting -= 1;
        if let Some(outer) = self.outer.take() {
            self.context.conversation = outer;
            self.context.conversation.stand();
            self.context.standing.update(&self.context.conversation);
        }
    }
}

struct Steps<'a> {
    context: &'a mut Context,
    outcome: Outcome,
}

impl StepRunner for Steps<'_> {
    fn echo(&mut self, step: &Step) {
        self.context.report.say(&format!("> {}", shown(step.shown())));
    }

    fn run(&mut self, step: Step) -> Stepping<'_> {
        Box::pin(async move {
            self.context.take_failed();
            self.outcome = match step {
                Step::Line(line) => line_loop::run(self.context, &line).await?,
                Step::Chat { text, .. } => self.context.say_text(text).await.map(|()| Outcome::Done)?,
            };
            if self.context.cancel.is_cancelled() {
                return Ok(false);
            }
            if self.context.take_failed() {
                return Err(Refusal::outside("the turn failed", "Mend what it said, then run the macro again"));
            }
            Ok(self.outcome != Outcome::Leave)
        })
    }
}
