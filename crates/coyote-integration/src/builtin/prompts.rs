//! Prompts that help to configure servers: texts with the user's own words in them, for a person or a model.
//!
//! They configure nothing by themselves.

use mcp_catalog::PortError;
use serde_json::{Map, Value, json};

/// JSON-RPC's "invalid params": what MCP servers answer to an unknown prompt or a missing argument.
const INVALID_PARAMS: i64 = -32602;

/// One argument of a prompt.
struct Argument {
    name: &'static str,
    description: &'static str,
    required: bool,
}

/// One prompt.
struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    /// The text; the arguments are checked before.
    text: fn(&Map<String, Value>) -> String,
}

/// Every prompt, in order.
const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "add-server",
        title: "Add an MCP server",
        description: "How to write the entry of a new server into mcp.json, and how to try it",
        arguments: &[
            Argument { name: "name", description: "The key the server shall have", required: true },
            Argument { name: "command", description: "The program that starts it, with its arguments", required: true },
            Argument {
                name: "secrets",
                description: "Names of environment variables it needs, with blanks between",
                required: false,
            },
        ],
        text: add_server,
    },
    Prompt {
        name: "mend-server",
        title: "Find out why a server does not work",
        description: "The steps from an error of `coyote mcp list` to its cause",
        arguments: &[
            Argument { name: "name", description: "The server's key in mcp.json", required: true },
            Argument { name: "error", description: "What `coyote mcp list` shows for it", required: false },
        ],
        text: mend_server,
    },
];

/// The result of `prompts/list`.
pub(super) fn list() -> Value {
    let arguments = |prompt: &Prompt| -> Vec<Value> {
        let argument = |a: &Argument| json!({"name": a.name, "description": a.description, "required": a.required});
        prompt.arguments.iter().map(argument).collect()
    };
    let prompts = PROMPTS.iter().map(|prompt| {
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": arguments(prompt),
        })
    });
    json!({"prompts": prompts.collect::<Vec<_>>()})
}

/// The result of `prompts/get`.
pub(super) fn get(name: &str, arguments: &Map<String, Value>) -> Result<Value, PortError> {
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        return Err(invalid(format!("Unknown prompt `{name}`")));
    };
    let missing: Vec<&str> = prompt
        .arguments
        .iter()
        .filter(|argument| argument.required && value(arguments, argument.name).is_empty())
        .map(|argument| argument.name)
        .collect();
    if !missing.is_empty() {
        return Err(invalid(format!("Missing arguments: {}", missing.join(", "))));
    }
    let text = (prompt.text)(arguments);
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    Ok(json!({"description": prompt.description, "messages": [message]}))
}

fn add_server(arguments: &Map<String, Value>) -> String {
    let name = value(arguments, "name");
    let mut words = value(arguments, "command").split_whitespace();
    let mut entry = Map::new();
    entry.insert("command".to_owned(), words.next().unwrap_or_default().into());
    entry.insert("args".to_owned(), words.collect());
    let secrets: Map<String, Value> = value(arguments, "secrets")
        .split_whitespace()
        .map(|secret| (secret.to_owned(), format!("{{{{{secret}}}}}").into()))
        .collect();
    if !secrets.is_empty() {
        entry.insert("env".to_owned(), secrets.into());
    }
    let file = json!({"mcpServers": {(name): entry}});
    let file = serde_json::to_string_pretty(&file).unwrap_or_default();
    format!(
        "Help me to add the MCP server `{name}` to coyote.\n\n\
         Its entry in mcp.json (other servers stand beside it under `mcpServers`):\n\n{file}\n\n\
         An argument that holds blanks must be one string of `args`; correct the list if the command has one. \
         `{{{{NAME}}}}` is filled in from the environment or from .env in the configuration directory, so no secret \
         stands in the file.\n\n\
         To check it: call the tool `check_config` of the server `coyote`, then run `coyote mcp list` and \
         `coyote mcp search '{name}'`. The manual page coyote://manual/start explains every key."
    )
}

fn mend_server(arguments: &Map<String, Value>) -> String {
    let name = value(arguments, "name");
    let error = value(arguments, "error");
    let seen = if error.is_empty() { String::new() } else { format!("`coyote mcp list` shows: {error}\n\n") };
    format!(
        "Help me to find out why the MCP server `{name}` does not work in coyote.\n\n{seen}\
         1. Call the tool `check_config` of the server `coyote`: it names entries that are not usable and secrets that \
         are not set.\n\
         2. `spawn_failed`: the command is not in PATH, or `cwd` does not exist. `.env` does not reach a server; what it \
         needs stands in its `env`.\n\
         3. `handshake_failed`: it ended, or did not answer in time; what it wrote to stderr is in coyote.log \
         (`coyote --info` shows where). Start its command by hand in a terminal; raise `startup_timeout_sec` if it is slow.\n\
         4. `timeout` on a started server: raise `tool_timeout_sec`.\n\n\
         The manual page coyote://manual/start explains every key."
    )
}

/// The text of an argument; absent and empty are alike.
fn value<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}

fn invalid(message: String) -> PortError {
    PortError::Server { code: INVALID_PARAMS, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, arguments: &Value) -> String {
        let result = get(name, arguments.as_object().unwrap()).unwrap();
        result.pointer("/messages/0/content/text").and_then(Value::as_str).unwrap().to_owned()
    }

    #[test]
    fn the_prompt_for_a_new_server_shows_its_entry_without_a_secret() {
        let arguments = json!({"name": "docs", "command": "npx -y docs-server", "secrets": "DOCS_TOKEN"});
        insta::assert_snapshot!(text("add-server", &arguments));
    }

    #[test]
    fn the_prompt_to_mend_a_server_repeats_its_error() {
        insta::assert_snapshot!(text("mend-server", &json!({"name": "docs", "error": "spawn_failed"})));
    }

    #[test]
    fn missing_arguments_and_unknown_prompts_are_errors_that_name_them() {
        let error = |name, arguments: &Value| get(name, arguments.as_object().unwrap()).unwrap_err().to_string();
        insta::assert_snapshot!(error("add-server", &json!({"name": " "})), @"Server answered with error -32602: Missing arguments: name, command");
        insta::assert_snapshot!(error("add", &json!({})), @"Server answered with error -32602: Unknown prompt `add`");
    }
}
