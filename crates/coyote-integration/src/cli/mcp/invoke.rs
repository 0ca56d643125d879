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

    /// The tool's arguments; one JSON object may stand in their place
    #[arg(value_name = "KEY=VALUE")]
    arguments: Vec<String>,

    /// Print the JSON that a model gets; an object after it is the arguments
    // With `require_equals` the next word is never taken for a value: `--json` may stand anywhere.
    #[arg(long, value_name = "OBJECT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    json: Option<String>,
}

impl InvokeArgs {
    pub(in crate::cli) fn server(&self) -> &str {
        &self.server
    }

    pub(in crate::cli) const fn json(&self) -> bool {
        self.json.is_some()
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let given = Given::parse(self.arguments, self.json.as_deref())?;
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
            let (server, tool) = (&self.server, &self.tool);
            host.report.note(format!("`coyote mcp describe '{server}' '{tool}'` shows what it takes"));
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
    /// A word that begins with `{` is an object: no key does.
    fn parse(words: Vec<String>, json: Option<&str>) -> Result<Self, Failure> {
        let written = json.filter(|json| !json.is_empty()).map(str::to_owned);
        let (objects, words): (Vec<String>, Vec<String>) =
            words.into_iter().partition(|word| word.trim_start().starts_with('{'));
        match (written.into_iter().chain(objects).collect::<Vec<_>>().as_slice(), words.is_empty()) {
            ([], _) => {
                pairs::parse(&words)?;
                Ok(Self::Pairs(words))
            }
            ([object], true) => Self::object(object),
            _ => Err(Failure::usage(
                "The arguments are given twice",
                "Give key=value words or one object after `--json`, not both",
            )),
        }
    }

    fn object(text: &str) -> Result<Self, Failure> {
        let hint = "Write `--json '{\"key\": \"value\"}'`, in single quotes";
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(Self::Object(object)),
            Ok(_) => Err(Failure::usage("The arguments are no JSON object", hint)),
            Err(error) => Err(Failure::usage(format!("The arguments are no JSON: {error}"), hint)),
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
        Given::parse(words.iter().map(|word| (*word).to_owned()).collect(), json).map_err(|failure| {
            assert_eq!(failure.status(), Status::Usage);
            format!("{}. {}", failure.shape.tool_call_error, failure.shape.hint)
        })
    }

    #[test]
    fn a_word_that_begins_with_a_brace_is_the_arguments_and_all_others_are_pairs() {
        let object = Ok(Given::Object(json!({"a": 1}).as_object().unwrap().clone()));
        assert_eq!(given(&["{\"a\": 1}"], Some("")), object);
        assert_eq!(given(&[" {\"a\": 1}"], None), object);
        assert_eq!(given(&[], Some("{\"a\": 1}")), object);
        assert_eq!(given(&["b=2", "c={}"], Some("")), Ok(Given::Pairs(vec!["b=2".to_owned(), "c={}".to_owned()])));
        assert_eq!(given(&[], None), Ok(Given::Pairs(Vec::new())));
    }

    #[test]
    fn json_may_stand_anywhere_and_takes_no_word_for_itself() {
        use clap::Parser;
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            invoke: InvokeArgs,
        }
        let object = "{\"a\": 1}";
        let lines: [&[&str]; 4] = [
            &["--json", "s", "t", object],
            &["s", "--json", "t", object],
            &["s", "t", "--json", object],
            &["s", "t", object, "--json"],
        ];
        for line in lines {
            let InvokeArgs { server, tool, arguments, json } = Line::parse_from([&["x"], line].concat()).invoke;
            assert_eq!((server.as_str(), tool.as_str(), json.as_deref()), ("s", "t", Some("")), "{line:?}");
            assert_eq!(arguments, [object]);
        }
        let InvokeArgs { json, .. } = Line::parse_from(["x", "s", "t", "--json={}"]).invoke;
        assert_eq!(json.as_deref(), Some("{}"));
    }

    #[test]
    fn wrong_arguments_say_how_to_write_them() {
        insta::assert_snapshot!(given(&["a=1", "{}"], Some("")).unwrap_err(), @"The arguments are given twice. Give key=value words or one object after `--json`, not both");
        insta::assert_snapshot!(given(&["{a}"], Some("")).unwrap_err(), @r#"The arguments are no JSON: key must be a string at line 1 column 2. Write `--json '{"key": "value"}'`, in single quotes"#);
        insta::assert_snapshot!(given(&[], Some("[1]")).unwrap_err(), @r#"The arguments are no JSON object. Write `--json '{"key": "value"}'`, in single quotes"#);
        insta::assert_snapshot!(given(&["--"], None).unwrap_err(), @"`--` is no key=value. Write key=value; put the whole word in quotes when the value holds blanks");
    }
}
