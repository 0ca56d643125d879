//! `coyote mcp invoke <server> <tool>`: call a tool. A person asked, so nobody is asked again (S40).

use super::{
    item::{Item, items},
    readable::{pretty, readable},
};
use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
    pairs,
    session::Session,
};
use mcp_catalog::{CatalogKind, Details};
use mcp_meta::Verb;
use serde_json::{Map, Value, json};

/// Call a tool
///
/// Values of key=value get the types of the tool's schema.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct InvokeArgs {
    /// The server
    server: String,

    /// The tool
    tool: String,

    /// The tool's arguments
    #[arg(value_name = "KEY=VALUE")]
    arguments: Vec<String>,

    /// Print the JSON that a model gets; with an object, take it as the arguments
    #[arg(long, value_name = "OBJECT", num_args = 0..=1, default_missing_value = "")]
    json: Option<String>,
}

impl InvokeArgs {
    pub(in crate::cli) const fn json(&self) -> bool {
        self.json.is_some()
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let given = Given::parse(&self.arguments, self.json.as_deref())?;
        let session = host.open(&self.server).await?;
        let arguments = match given {
            Given::Object(arguments) => arguments,
            Given::Pairs(words) => typed(&session, &self.tool, &words).await?,
        };
        let answer = session.call(Verb::Invoke, json!({"tool": self.tool, "arguments": arguments})).await?;
        if self.json.is_some() {
            host.report.json(&answer, false);
        } else {
            show(host, &answer);
        }
        let status = Status::of_answer(&answer);
        if status == Status::Failed && self.json.is_none() {
            host.report.failure(format!("Tool `{}` reported that it failed", self.tool));
        }
        Ok(status)
    }
}

/// How the arguments were given.
#[derive(Debug, PartialEq)]
enum Given {
    /// As a JSON object.
    Object(Map<String, Value>),
    /// As `key=value` words.
    Pairs(Vec<String>),
}

impl Given {
    /// `--json` may stand before a `key=value` word and take it for its own value.
    fn parse(words: &[String], json: Option<&str>) -> Result<Self, Failure> {
        let json = json.unwrap_or_default();
        if !json.trim_start().starts_with('{') {
            let taken = (!json.is_empty()).then(|| json.to_owned());
            let words: Vec<String> = taken.into_iter().chain(words.iter().cloned()).collect();
            pairs::parse(&words)?;
            return Ok(Self::Pairs(words));
        }
        if !words.is_empty() {
            return Err(Failure::usage(
                "The arguments are given twice",
                "Give key=value words or `--json '{…}'`, not both",
            ));
        }
        match serde_json::from_str(json) {
            Ok(Value::Object(object)) => Ok(Self::Object(object)),
            Ok(_) => Err(Failure::usage("`--json` is no object", "Write `--json '{\"key\": \"value\"}'`")),
            Err(error) => Err(Failure::usage(
                format!("`--json` does not parse: {error}"),
                "Write `--json '{\"key\": \"value\"}'`, in single quotes",
            )),
        }
    }
}

/// The words with the types of the tool's schema. An unknown tool is the server's to refuse.
async fn typed(session: &Session, tool: &str, words: &[String]) -> Result<Map<String, Value>, Failure> {
    let pairs = pairs::parse(words)?;
    if pairs.is_empty() {
        return Ok(Map::new());
    }
    let listing = session.listing(&[CatalogKind::Tool]).await;
    let schema = listing.items.iter().find(|item| item.id == tool).and_then(|item| match &item.details {
        Details::Tool { input_schema, .. } => Some(input_schema),
        Details::Resource | Details::ResourceTemplate | Details::Prompt { .. } => None,
    });
    Ok(pairs::typed(&pairs, schema))
}

/// Text as text, files as paths, structured content as JSON.
fn show(host: &Host, answer: &Value) {
    let blocks = answer.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for block in blocks {
        show_block(host, block);
    }
    if let Some(structured) = answer.get("structuredContent") {
        host.report.print(&pretty(structured));
    }
    if let Some(note) = answer.get("note").and_then(Value::as_str) {
        host.report.note(note);
    }
}

fn show_block(host: &Host, block: &Value) {
    if let Some(text) = block.get("text").and_then(Value::as_str) {
        host.report.data(text);
        // Blocks are lines of their own, also in a pipe: MCP puts nothing between them.
        if !text.ends_with('\n') {
            host.report.data("\n");
        }
        return;
    }
    match items(block).first() {
        Some(Item::Spilled(spill)) if spill.path.is_some() => {
            host.report.print(spill.path.unwrap_or_default());
            host.report.note(format!("binary: {}", spill.summary()));
        }
        Some(Item::Failed { code, error, .. }) => host.report.failure(format!("{error} ({code})")),
        _ => host.report.print(&readable(block)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[&str], json: Option<&str>) -> Result<Given, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Given::parse(&words, json).map_err(|failure| {
            assert_eq!(failure.status(), Status::Usage);
            format!("{}. {}", failure.shape.tool_call_error, failure.shape.hint)
        })
    }

    #[test]
    fn an_object_after_json_is_the_arguments_and_a_pair_after_it_is_a_pair() {
        let object = json!({"a": 1}).as_object().unwrap().clone();
        assert_eq!(given(&[], Some("{\"a\": 1}")), Ok(Given::Object(object)));
        assert_eq!(given(&["b=2"], Some("a=1")), Ok(Given::Pairs(vec!["a=1".to_owned(), "b=2".to_owned()])));
        assert_eq!(given(&["b=2"], Some("")), Ok(Given::Pairs(vec!["b=2".to_owned()])));
        assert_eq!(given(&[], None), Ok(Given::Pairs(Vec::new())));
    }

    #[test]
    fn wrong_arguments_say_how_to_write_them() {
        insta::assert_snapshot!(given(&["a=1"], Some("{}")).unwrap_err(), @"The arguments are given twice. Give key=value words or `--json '{…}'`, not both");
        insta::assert_snapshot!(given(&[], Some("{a}")).unwrap_err(), @r#"`--json` does not parse: key must be a string at line 1 column 2. Write `--json '{"key": "value"}'`, in single quotes"#);
        insta::assert_snapshot!(given(&["--"], None).unwrap_err(), @"`--` is no key=value. Write key=value; put the whole word in quotes when the value holds blanks");
    }
}
