//! `prompt`: run a prompt and return its text as one labelled block (D6, S36).
//!
//! Nothing enters the conversation as a turn of its own. Arguments are checked against the prompt's declaration when a
//! listing of two seconds knows it (S42); a prompt that is not listed is sent as it was asked for.

use super::{Parameter, ParameterType, Row, function, server};
use crate::Verb;
use crate::args::Arguments;
use crate::error::MetaError;
use crate::gate::Gate;
use crate::server_call::{ServerCall, is_complete};
use mcp_catalog::{
    CatalogKind, Details, Listing, McpServerFeatures, PortError, PromptArgument, PromptName, RawResult, Request,
    closest, deadline, salvage,
};
use mcp_render::{Flattened, flatten};
use serde_json::{Map, Value};

const PROMPT: &str = "prompt";
const ARGUMENTS: &str = "arguments";

pub(super) const ROW: Row = Row {
    word: "prompt",
    gate: Gate::Prompts,
    summary: "Run a prompt and return its text",
    parameters: &[
        Parameter::new(PROMPT, ParameterType::String, "The prompt's name, exactly as search lists it").required(),
        Parameter::new(
            ARGUMENTS,
            ParameterType::Object,
            "Values by argument name: strings only, since arguments of a prompt have no schema",
        ),
    ],
    description,
};

/// Which prompt to run, and with what.
#[derive(Debug)]
pub(crate) struct Args {
    prompt: PromptName,
    /// String values; `None` when the call gave no `arguments`.
    arguments: Option<Map<String, Value>>,
}

impl Args {
    pub(crate) fn parse(mut arguments: Arguments) -> Result<Self, MetaError> {
        let prompt = arguments.required_text(PROMPT)?;
        let given = arguments.object(ARGUMENTS)?.map(|values| strings(&prompt, values)).transpose()?;
        let prompt = PromptName::new(prompt).map_err(|_empty| MetaError::MissingParameter {
            verb: Verb::Prompt,
            parameter: PROMPT,
            empty: true,
        })?;
        Ok(Self { prompt, arguments: given })
    }
}

/// Scalars become strings, `null` is absent, and arrays and objects are errors that name their keys (S38, C08).
fn strings(prompt: &str, values: Map<String, Value>) -> Result<Map<String, Value>, MetaError> {
    let no_string = |value: &Value| value.is_array() || value.is_object();
    let keys: Vec<String> = values.iter().filter(|(_, value)| no_string(value)).map(|(key, _)| key.clone()).collect();
    if !keys.is_empty() {
        return Err(MetaError::NoStrings { prompt: prompt.to_owned(), keys });
    }
    let given = values.into_iter().filter(|(_, value)| !value.is_null());
    Ok(given
        .map(|(key, value)| if value.is_string() { (key, value) } else { (key, value.to_string().into()) })
        .collect())
}

/// Runs the prompt and flattens its messages.
pub(crate) async fn run(call: &ServerCall<'_>, args: Args) -> Result<Value, MetaError> {
    call.declares(CatalogKind::Prompt)?;
    let listing = call.quick_listing(&[CatalogKind::Prompt]).await;
    let arguments = match declared(&listing, args.prompt.as_str()) {
        Some(declared) => checked(args.prompt.as_str(), args.arguments, declared)?,
        None => args.arguments,
    };
    let prompt = args.prompt.as_str().to_owned();
    let raw = ask(call, args.prompt, arguments).await.map_err(|error| judge(call, error, prompt, &listing))?;
    settle(call, raw).await.map(|flattened| flattened.to_value())
}

/// Gets the prompt with these arguments and nothing else: whoever calls this has listed and checked before.
pub(crate) async fn get(
    call: &ServerCall<'_>,
    prompt: PromptName,
    arguments: Option<Map<String, Value>>,
) -> Result<Flattened, MetaError> {
    call.declares(CatalogKind::Prompt)?;
    let raw = ask(call, prompt, arguments).await.map_err(|error| call.failed(error))?;
    settle(call, raw).await
}

async fn ask(
    call: &ServerCall<'_>,
    name: PromptName,
    arguments: Option<Map<String, Value>>,
) -> Result<RawResult, PortError> {
    call.ask(Request::GetPrompt { name, arguments }, deadline::PROMPT).await
}

/// Flattens an answer, away from the async threads.
async fn settle(call: &ServerCall<'_>, raw: RawResult) -> Result<Flattened, MetaError> {
    let (spiller, read_back, ceiling) = (call.spiller()?, call.read_back(), call.context.ceiling);
    let flattened = call.offload(move || {
        let messages = salvage::messages(&raw)?;
        Ok(flatten(raw.into_line(), messages, &spiller, &read_back, ceiling))
    });
    flattened.await?.map_err(|error| call.failed(error))
}

/// The declared arguments of a listed prompt.
fn declared<'a>(listing: &'a Listing, prompt: &str) -> Option<&'a [PromptArgument]> {
    listing.items.iter().find(|item| item.id == prompt).and_then(|item| match &item.details {
        Details::Prompt { arguments } => Some(arguments.as_slice()),
        Details::Tool { .. } | Details::Resource | Details::ResourceTemplate => None,
    })
}

/// What to send to a prompt that declares these arguments: an object, even an empty one, if there are any (C06).
fn checked(
    prompt: &str,
    given: Option<Map<String, Value>>,
    declared: &[PromptArgument],
) -> Result<Option<Map<String, Value>>, MetaError> {
    let given = given.unwrap_or_default();
    let known = |key: &str| declared.iter().any(|argument| argument.name == key);
    let unknown: Vec<String> = given.keys().filter(|key| !known(key)).cloned().collect();
    if !unknown.is_empty() {
        let declared = declared.iter().map(|argument| argument.name.clone()).collect();
        return Err(MetaError::UnknownPromptArguments { prompt: prompt.to_owned(), unknown, declared });
    }
    let absent = declared.iter().filter(|argument| argument.required && !given.contains_key(&argument.name));
    let missing: Vec<_> = absent.map(|argument| (argument.name.clone(), argument.description.clone())).collect();
    if !missing.is_empty() {
        return Err(MetaError::MissingPromptArguments { prompt: prompt.to_owned(), missing });
    }
    Ok((!declared.is_empty()).then_some(given))
}

/// A server's own error is `not_found` only when the listing was whole and does not know the prompt (S19).
fn judge(call: &ServerCall<'_>, error: PortError, prompt: String, listing: &Listing) -> MetaError {
    let PortError::Server { message, .. } = &error else { return call.failed(error) };
    if declared(listing, &prompt).is_some() || !is_complete(listing) {
        return call.failed(error);
    }
    let said = format!("it answered: {message}");
    let closest = closest(&prompt, listing.items.iter().map(|item| item.id.as_str()));
    call.not_found("prompt", prompt, closest, Some(said))
}

fn description(features: &McpServerFeatures) -> String {
    let search = function(features, Verb::Search);
    format!(
        "Run a prompt of the MCP server `{}` and get its text, each message labelled with its role. `prompt` is its name \
         exactly as `{search}` lists it, with the arguments that it takes. The text is for you to use; nothing is added to the \
         conversation.",
        server(features)
    )
}

#[cfg(test)]
mod tests;
