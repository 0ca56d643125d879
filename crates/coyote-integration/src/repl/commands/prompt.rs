//! `.prompt <server> <name> [key=value …] [--info]`: a server's prompt, said as the user's words (D5, S42, S43).
//!
//! The line is what a person typed; what the prompt returns is a `ChatText`, which no parser of this room takes (R14).

use super::{Command, Completes, Outcome, Pace, Running, offered};
use crate::{
    chat::Refusal,
    offers::{Ended, ListingView, PromptPort, for_a_person, run_prompt, shape_of},
    repl::{
        complete::offers,
        context::Context,
        editor::{Terminal, Typed},
    },
};
use mcp_catalog::{Listing, PromptName, ServerName};
use mcp_meta::{Verb, prompt_text};
use mcp_prompt_repl::{Asking, CommandLine, Invocation, Question, Reply, Tell};
use mcp_render::Flattened;
use serde_json::{Map, Value};

pub(super) const PROMPT: Command = Command {
    name: "prompt",
    usage: "<server> <name> [key=value…] [--info]",
    about: "Run a server's prompt and say what it returns",
    help: "Values with blanks are quoted: `topic='a b'`. What is required and not given is asked for. `--info` describes the \
           prompt and runs nothing; `.list prompts` shows what there is. For a role of one session use `.temp-role <text>`.",
    needs: &[],
    pace: Pace::InTurn,
    completes: Completes::Own(offers),
    run,
};

fn run<'a>(context: &'a mut Context, line: CommandLine<'a>) -> Running<'a> {
    Box::pin(async move {
        let invocation = Invocation::parse(line.text(), context.conversation.enabled_servers());
        let invocation = invocation.map_err(|error| offered::wrong(context, error))?;
        let server = invocation.server.clone();
        let view = offered::view(context, &server).await?;
        let mut asked = Asked { view, terminal: context.terminal.clone(), hint: String::new() };
        match run_prompt(invocation, Asking::Allowed, &mut asked).await {
            Ended::Submit { text, echo, note } => {
                context.report.data(&echo.to_string());
                context.report.end_of_data(&echo.to_string());
                if let Some(note) = note {
                    context.report.note(note);
                }
                context.say_text(text).await?;
            }
            Ended::Told(Tell::Info(text)) => context.report.print(&text),
            Ended::Told(Tell::Note(text)) => context.report.note(text),
            Ended::Told(Tell::Wrong(error)) => return Err(error.into()),
            Ended::Told(Tell::Failed { sentence, closest }) => {
                let names: Vec<String> = closest.iter().map(|name| format!("`{name}`")).collect();
                let meant =
                    if names.is_empty() { String::new() } else { format!("The closest are {}. ", names.join(", ")) };
                return Err(Refusal::outside(sentence, format!("{meant}{}", asked.hint)));
            }
        }
        Ok(Outcome::Done)
    })
}

/// A server, and the person at the terminal.
struct Asked {
    view: ListingView,
    terminal: Terminal,
    /// The next step after a prompt that failed.
    hint: String,
}

impl PromptPort for Asked {
    async fn list(&mut self, server: &ServerName) -> Listing {
        self.view.prompts(server).await
    }

    async fn ask(&mut self, question: &Question) -> Reply {
        match self.terminal.ask(question.to_string()).await {
            Some(Typed::Text(text)) => Reply::Text(text),
            Some(Typed::GivenUp | Typed::Interrupted) | None => Reply::GivenUp,
        }
    }

    async fn get(
        &mut self,
        server: &ServerName,
        prompt: PromptName,
        arguments: Option<Map<String, Value>>,
    ) -> Result<Flattened, String> {
        prompt_text(self.view.meta(), server, prompt, arguments).await.map_err(|answer| {
            let shape = for_a_person(Verb::Prompt, server, shape_of(&answer));
            self.hint = shape.hint;
            format!("{} ({})", shape.tool_call_error, shape.code)
        })
    }
}
