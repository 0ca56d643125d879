//! `coyote mcp prompt <server> <name>`: the flattened text of a prompt (D6, S36).

use crate::cli::{
    exit::{Failed, Status},
    host::Host,
    pairs,
};
use mcp_meta::Verb;
use serde_json::{Value, json};

/// Run a prompt and print its text
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PromptArgs {
    /// The server
    server: String,

    /// The prompt
    name: String,

    /// The prompt's arguments
    #[arg(value_name = "KEY=VALUE")]
    arguments: Vec<String>,

    /// Print the JSON that a model gets
    #[arg(long)]
    json: bool,
}

impl PromptArgs {
    pub(in crate::cli) fn server(&self) -> &str {
        &self.server
    }

    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let arguments = pairs::strings(&self.arguments)?;
        let session = host.open(&self.server).await?;
        let answer = session.call(Verb::Prompt, json!({"prompt": self.name, "arguments": arguments})).await?;
        if self.json {
            host.report.json(&answer, false);
        } else {
            show(host, &answer);
        }
        Ok(Status::Done)
    }
}

fn show(host: &Host, answer: &Value) {
    let member = |key: &str| answer.get(key).and_then(Value::as_str);
    let text = member("text").unwrap_or_default();
    host.report.data(text);
    // A document of ours, so it ends like one in a pipe too.
    if !text.is_empty() && !text.ends_with('\n') {
        host.report.data("\n");
    }
    if let Some(note) = member("note") {
        host.report.note(note);
    }
    if let Some(path) = member("path") {
        host.report.note(format!("The whole text is in `{path}`"));
    }
}
