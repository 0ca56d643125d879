//! One call, from JSON to JSON.
//!
//! Both dispatch chains of a host come here (R4): there is one place where a verb meets its code, and it matches on the
//! verb without a fallthrough.

use crate::args::Arguments;
use crate::error::MetaError;
use crate::server_call::ServerCall;
use crate::verb::{describe, invoke, prompt, read, search};
use crate::{Answer, MetaContext, Verb, route};
use mcp_catalog::{CatalogKind, Listing, PromptName, ServerName};
use mcp_render::{Flattened, shown_line};
use serde_json::{Map, Value};

/// Calls the function `name` as a model would: routed by what was declared, arguments checked, answer bounded.
pub async fn call(context: &MetaContext, name: &str, arguments: Value) -> Answer {
    match route(name, &context.declared) {
        Ok((verb, server)) => call_verb(context, verb, &server, arguments).await,
        Err(refusal) => Answer::error(refusal, context.ceiling),
    }
}

/// Calls `verb` on `server` without the declared set: for hosts and the command line, where a person asked.
pub async fn call_verb(context: &MetaContext, verb: Verb, server: &ServerName, arguments: Value) -> Answer {
    match run(context, verb, server, arguments).await {
        Ok(value) => Answer::result(value),
        Err(error) => {
            tracing::debug!(server = %logged(server), %verb, code = %error.code(), "call failed");
            Answer::error(error.to_shape(), context.ceiling)
        }
    }
}

/// Lists what may be seen of these kinds, live and to the end, as search and describe do (D1, S7): for a host's own tables.
/// The error is the answer to a search in which no kind could be looked at.
pub async fn visible_listing(
    context: &MetaContext,
    server: &ServerName,
    kinds: &[CatalogKind],
) -> Result<Listing, Answer> {
    let listed = match ServerCall::open(context, Verb::Search, server) {
        Ok(call) => call.listing(kinds).await,
        Err(error) => Err(error),
    };
    listed.map_err(|error| Answer::error(error.to_shape(), context.ceiling))
}

/// Gets a prompt's text as one block (D6), with one request and no listing: for a host that has listed, checked and asked
/// before (S42). The error is the answer to a prompt that failed.
pub async fn prompt_text(
    context: &MetaContext,
    server: &ServerName,
    prompt: PromptName,
    arguments: Option<Map<String, Value>>,
) -> Result<Flattened, Answer> {
    let got = match ServerCall::open(context, Verb::Prompt, server) {
        Ok(call) => prompt::get(&call, prompt, arguments).await,
        Err(error) => Err(error),
    };
    got.map_err(|error| Answer::error(error.to_shape(), context.ceiling))
}

async fn run(context: &MetaContext, verb: Verb, server: &ServerName, arguments: Value) -> Result<Value, MetaError> {
    let call = ServerCall::open(context, verb, server)?;
    let arguments = Arguments::of(verb, arguments)?;
    match verb {
        Verb::Invoke => invoke::run(&call, invoke::Args::parse(arguments)?).await,
        Verb::Search => search::run(&call, search::Args::parse(arguments)?).await,
        Verb::Describe => describe::run(&call, describe::Args::parse(arguments)?).await,
        Verb::Read => read::run(&call, read::Args::parse(arguments)?).await,
        Verb::Prompt => prompt::run(&call, prompt::Args::parse(arguments)?).await,
    }
}

/// A server's key in the log: it may come from a file that a stranger wrote (S46).
pub(crate) fn logged(server: &ServerName) -> impl std::fmt::Display + '_ {
    shown_line(server.as_str(), LOGGED_MAX_CHARS)
}

/// The longest stretch of a server's key in the log.
const LOGGED_MAX_CHARS: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::{Rehearsal, nothing_else, run};
    use mcp_render::Code;
    use serde_json::json;

    /// A host runs the calls of one reply side by side, on any thread.
    const fn can_move<T: Send>(_call: &T) {}

    #[test]
    fn a_call_can_move_between_threads() {
        let stage = Rehearsal::new(json!({"tools": []}), nothing_else);
        let running = call(&stage.context, "mcp_search_docs", json!({}));
        can_move(&running);
        assert_eq!(run(running).value["total"], 0);
    }

    #[test]
    fn a_prompt_that_was_checked_before_is_one_request() {
        let stage =
            Rehearsal::new(json!({"prompts": [{"name": "p", "arguments": [{"name": "a", "required": true}]}]}), |_| {
                Ok(json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}))
            });
        let get = |name: &str| prompt_text_of(&stage, name);
        assert_eq!(get("p").unwrap().text, "[user]\nhi");
        assert_eq!(get("unlisted").unwrap().text, "[user]\nhi");
        assert_eq!(stage.wire(), ["prompts/get", "prompts/get"]);
    }

    fn prompt_text_of(stage: &Rehearsal, name: &str) -> Result<Flattened, Answer> {
        run(prompt_text(&stage.context, &stage.server(), PromptName::new(name).unwrap(), None))
    }

    #[test]
    fn a_hosts_own_listing_hides_what_a_search_hides() {
        // S7.
        let catalog = json!({"tools": [{"name": "echo", "inputSchema": {}}, {"name": "secret", "inputSchema": {}}], "prompts": -32000});
        let stage = Rehearsal::new(catalog, nothing_else).allowing(&["echo"]);
        let listing = run(visible_listing(&stage.context, &stage.server(), &CatalogKind::ALL)).unwrap();
        let ids: Vec<&str> = listing.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["echo"]);
        let failed = run(visible_listing(&stage.context, &stage.server(), &[CatalogKind::Prompt])).unwrap_err();
        assert_eq!(failed.code, Some(Code::ServerError));
        let nobody =
            run(visible_listing(&stage.context, &ServerName::new("x").unwrap(), &CatalogKind::ALL)).unwrap_err();
        assert_eq!(nobody.code, Some(Code::NotFound));
    }
}
