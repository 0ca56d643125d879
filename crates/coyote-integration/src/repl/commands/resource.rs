//! `.resource <server> <uri> …`: a resource, shown as a model would get it, and said only when that is wanted (S44).

use super::{Command, Completes, Outcome, Pace, Running, offered};
use crate::{
    offers::read_resource,
    repl::{complete::offers, context::Context},
};
use mcp_prompt_repl::{CommandLine, ResourceLine};

pub(super) const RESOURCE: Command = Command {
    name: "resource",
    usage: "<server> <uri> [key=value…] [--pattern re] [--offset n] [--item n] [--send]",
    about: "Show a server's resource, or say it to the model",
    help: "`key=value` fills a template's variables. `--pattern` keeps the lines that match, `--offset` starts a page at a byte, \
           `--item` takes one of several contents, `--send` says what is shown to the model. `.list resources` and `.list \
           templates` show what there is.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Own(offers),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let line = ResourceLine::parse(line.text(), context.conversation.enabled_servers());
        let line = line.map_err(|error| offered::wrong(context, error))?;
        let view = offered::view(context, &line.server).await?;
        let shown = read_resource(&view, line).await.map_err(|shape| offered::failed(&shape))?;
        context.report.data(&shown.text);
        context.report.end_of_data(&shown.text);
        for note in &shown.notes {
            context.report.note(note);
        }
        if let Some(text) = shown.send {
            context.say_text(text).await?;
        }
        Ok(Outcome::Done)
    })
}
