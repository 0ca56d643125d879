//! `.prompt` as it runs: the effects of a [`Plan`], done one after the other (D5, S42, S43).
//!
//! It decides nothing: the plan does. What a prompt returned leaves it as a `ChatText`, which no command parser takes (R14).

use mcp_catalog::{Listing, PromptName, ServerName};
use mcp_prompt_repl::{Asking, ChatText, Echo, Effect, Event, Invocation, Plan, Question, Reply, Tell};
use mcp_render::Flattened;
use serde_json::{Map, Value};

/// Who does what a plan wants done.
pub trait PromptPort: Send {
    /// Lists the prompts of a server; one that fails has a note.
    fn list(&mut self, server: &ServerName) -> impl Future<Output = Listing> + Send;

    /// Asks the person.
    fn ask(&mut self, question: &Question) -> impl Future<Output = Reply> + Send;

    /// Gets the prompt; the error is a sentence for the person.
    fn get(
        &mut self,
        server: &ServerName,
        prompt: PromptName,
        arguments: Option<Map<String, Value>>,
    ) -> impl Future<Output = Result<Flattened, String>> + Send;
}

/// How it ended.
#[derive(Debug, PartialEq)]
pub enum Ended {
    /// Show the echo and the note, then say the text to the model.
    Submit {
        /// The text.
        text: ChatText,
        /// What the person sees of it.
        echo: Echo,
        /// What there is to say about it; safe to show.
        note: Option<String>,
    },
    /// Tell the person, and say nothing to the model.
    Told(Tell),
}

/// Runs an invocation to its end.
pub async fn run_prompt(invocation: Invocation, asking: Asking, port: &mut impl PromptPort) -> Ended {
    let (mut plan, mut effect) = Plan::new(invocation, asking);
    loop {
        let event = match effect {
            Effect::FetchListing(server) => Event::Listed(port.list(&server).await),
            Effect::Ask(question) => Event::Replied(port.ask(&question).await),
            Effect::FetchPrompt { server, prompt, arguments } => match port.get(&server, prompt, arguments).await {
                Ok(flattened) => Event::Got(flattened),
                Err(sentence) => Event::Failed(sentence),
            },
            Effect::Submit { text, echo, note } => return Ended::Submit { text, echo, note },
            Effect::Tell(tell) => return Ended::Told(tell),
            // Each event here answers the effect before it, so a plan waits for nothing else.
            Effect::Wait => return Ended::Told(Tell::Note("Nothing was sent".to_owned())),
        };
        effect = plan.step(event);
    }
}

#[cfg(test)]
mod tests;
