//! One call, from JSON to JSON.
//!
//! Both dispatch chains of a host come here (R4): there is one place where a verb meets its code, and it matches on the
//! verb without a fallthrough.

use crate::args::Arguments;
use crate::error::MetaError;
use crate::server_call::ServerCall;
use crate::verb::{describe, invoke, prompt, read, search};
use crate::{Answer, MetaContext, Verb, route};
use mcp_catalog::ServerName;
use serde_json::Value;

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
            tracing::debug!(%server, %verb, code = %error.code(), "call failed");
            Answer::error(error.to_shape(), context.ceiling)
        }
    }
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
