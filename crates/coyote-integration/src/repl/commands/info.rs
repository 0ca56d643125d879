//! `.info [role|session|agent|tools|mcp]`: how things stand, or one part of it.

use super::{Argument, Command, Completes, Need, Outcome, Pace, Running, Word, too_many, word, words};
use crate::{
    chat::{Conversation, Toolbox},
    repl::context::Context,
    table::table,
};
use mcp_prompt_repl::CommandLine;

pub(super) const INFO: Command = Command {
    name: "info",
    usage: "[role|session|agent|tools|mcp]",
    about: "How things stand, or one part of it",
    help: "",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Arguments(&[Argument::Words(WORDS)]),
    run,
};

const WORDS: &[Word] = &[
    Word { name: "role", about: "its prompt and what it sets", needs: &[Need::Role] },
    Word { name: "session", about: "its file, its size and whether it is kept", needs: &[Need::Session] },
    Word { name: "agent", about: "its instructions and what it sets", needs: &[Need::Agent] },
    Word { name: "tools", about: "the functions that the next request declares", needs: &[] },
    Word { name: "mcp", about: "the servers and how they stand, as `.mcp` does", needs: &[] },
];

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let words = words(line)?;
        let conversation = &context.conversation;
        let text = match words.as_slice() {
            [] => whole(context),
            [given] => match word(&INFO, WORDS, given, conversation.flags())?.name {
                "role" => conversation.role().map(|role| role.prompt.clone()).unwrap_or_default(),
                "session" => session(conversation, context.report.width()),
                "agent" => super::agent::info(conversation, context.report.width()),
                "mcp" => {
                    super::mcp::show_servers(context).await;
                    return Ok(Outcome::Done);
                }
                _ => functions(conversation, context.report.width()),
            },
            _ => return Err(too_many(&INFO)),
        };
        context.report.print(&text);
        Ok(Outcome::Done)
    })
}

fn whole(context: &Context) -> String {
    let conversation = &context.conversation;
    let values = context.standing.values();
    let none = || "none".to_owned();
    let number = |value: Option<f64>| value.map_or_else(|| "the provider's".to_owned(), |value| value.to_string());
    let layers = conversation.layers();
    let tools = conversation.tools().declare().functions().len();
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let rows = [
        row("model", conversation.model().id().to_owned()),
        row("role", values.role.unwrap_or_else(none)),
        row("session", values.session.unwrap_or_else(none)),
        row("agent", values.agent.unwrap_or_else(none)),
        row("temperature", number(layers.temperature())),
        row("top_p", number(layers.top_p())),
        row("servers", values.servers.map_or_else(none, |servers| format!("{servers} ready"))),
        row("functions", tools.to_string()),
        row("messages", conversation.transcript().messages().len().to_string()),
    ];
    table(&["WHAT", "IS"], &rows, context.report.width())
}

fn session(conversation: &Conversation, width: Option<u16>) -> String {
    let Some(session) = conversation.session() else { return String::new() };
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let file = session.file().map_or_else(|| "none: it is thrown away".to_owned(), |file| file.display().to_string());
    let mut rows = vec![
        row("session", session.name().to_owned()),
        row("file", file),
        row("messages", conversation.transcript().messages().len().to_string()),
        row("tokens, about", conversation.tokens().to_string()),
    ];
    if let Some(threshold) = conversation.compression_threshold() {
        rows.push(row("compressed from", threshold.to_string()));
    }
    if let Some(why) = session.read_only() {
        rows.push(row("read-only", why.to_owned()));
    }
    if conversation.unsaved() {
        rows.push(row("not written", "something was said or set since".to_owned()));
    }
    table(&["WHAT", "IS"], &rows, width)
}

fn functions(conversation: &Conversation, width: Option<u16>) -> String {
    let functions = conversation.tools().declare().functions();
    if functions.is_empty() {
        return "No function is declared".to_owned();
    }
    let rows: Vec<Vec<String>> = functions
        .into_iter()
        .map(|function| vec![function.name, crate::table::head(&function.description, 120)])
        .collect();
    table(&["FUNCTION", "DOES"], &rows, width)
}
