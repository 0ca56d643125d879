//! A configuration directory as a coyote user has it, keys of other features beside ours, is used as it is (host.md).
//!
//! The files here are written for this test: what they hold is what documented formats say.
#![cfg(unix)]

use crate::machine::{ends, machine, run};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
};
use regex::Regex;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

const CONFIG: &str = "\
# Keys of other features stand beside ours.
model: openai:gpt-4o
temperature: null
save: true
keybindings: vi
wrap: no
repl_prelude: null
agent_session: temp
mapping_tools:
  fs: 'fs_cat,fs_ls,fs_grep'
enabled_tools: fs, word_count
visible_tools:
  - fs_cat.sh
mapping_mcp_servers:
  docs: \"manual , notes\"
enabled_mcp_servers:
  - docs
  - github
mcp_tools:
  github:
    - get_*
skills_enabled: true
enabled_macros: null
compression_threshold: 4000
rag_top_k: 5
memory: null
sync_models_auto: true
secrets_provider:
  type: local
  password_file: ~/.coyote_password
left_prompt: '{color.red}{model}){color.green}{?session {session}}{color.reset} '
clients:
  - type: openai
    api_key: '{{OPENAI_API_KEY}}'
    api_base: API_BASE
  - type: claude
    api_key: '{{ANTHROPIC_API_KEY}}'
    prompt_cache: true
  - type: bedrock
    region: eu-central-1
";

const ROLE: &str = "---
model: openai:gpt-4o-mini
temperature: 0.1
enabled_tools: word_count
enabled_mcp_servers: docs
---
You review code on {{__os__}}. Be brief.
";

const COUNT: &str = "#!/bin/sh\n# $1 is the arguments as JSON; the result goes to $LLM_OUTPUT\n\
                     printf %s \"$1\" | wc -w | tr -d ' ' > \"$LLM_OUTPUT\"\n";

/// The directory, and a model behind its `api_base`.
async fn familiar(answers: Vec<Answer>) -> (Host, ModelServer) {
    let mut host = machine();
    let model = ModelServer::start(Api::OpenAi, answers).await.unwrap();
    host.write("config/config.yaml", &CONFIG.replace("API_BASE", &model.api_base())).unwrap();
    let manual = json!({
        "resources": [{"uri": "manual://start", "name": "start"}],
        "contents": {"manual://start": [{"uri": "manual://start", "text": "Welcome to the manual.\n"}]},
        "process": {"log_env": ["DEPTH", "QUIET"]},
    });
    host.serve_with("manual", manual, json!({"type": "stdio", "env": {"DEPTH": 2, "QUIET": true}})).unwrap();
    let notes =
        json!({"command": "npx", "args": ["-y", "some-notes-server"], "disabled": true, "alwaysAllow": ["read"]});
    host.entry("notes", notes).unwrap();
    let github = json!({"type": "http", "url": "https://api.example.invalid/mcp",
                        "headers": {"Authorization": "Bearer {{GITHUB_TOKEN}}"}, "allowedTools": ["get_*"]});
    host.entry("github", github).unwrap();
    host.entry("old", json!({"type": "sse", "url": "https://old.example.invalid/sse"})).unwrap();
    host.entry("Team Files.v2", json!({"command": "team-files", "cwd": "~/team"})).unwrap();
    host.write("config/roles/reviewer.md", ROLE).unwrap();
    host.write("config/roles/broken.md", "---\nmodel: [broken\n---\nA role that does not parse.\n").unwrap();
    let declared = json!([{"name": "word_count", "description": "Counts the words of a text",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}]);
    host.write("config/functions/functions.json", &declared.to_string()).unwrap();
    host.write("config/functions/bin/word_count", COUNT).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(host.path("config/functions/bin/word_count"), mode).unwrap();
    host.env("OPENAI_API_KEY", "key-of-the-user");
    (host, model)
}

/// The lines that hold all of these words.
fn lines(text: &str, words: &[&str]) -> usize {
    text.lines().filter(|line| words.iter().all(|word| line.contains(word))).count()
}

#[tokio::test]
async fn info_names_each_ignored_key_once_and_what_cannot_be_used_in_a_line_each() {
    let (host, _model) = familiar(Vec::new()).await;
    let done = ends(&host, 0, &["--info"]).await;
    let all = format!("{}{}", done.text(), done.stderr);
    let ignored = ["visible_tools", "skills_enabled", "rag_top_k", "memory", "sync_models_auto", "secrets_provider"];
    for key in ignored.into_iter().chain(["clients.claude.prompt_cache"]) {
        assert_eq!(all.matches(&format!("`{key}`")).count(), 1, "{key}: {done}");
    }
    assert_eq!(lines(&all, &["`bedrock`", "line 39", "accepted are"]), 1, "{done}");
    assert_eq!(lines(&all, &["`old`", "`sse`", "\"type\": \"http\""]), 1, "{done}");
    assert_eq!(lines(&all, &["`GITHUB_TOKEN`", "mcp.json` line "]), 1, "{done}");
    assert_eq!(lines(&all, &["`ANTHROPIC_API_KEY`", "config.yaml` line 37"]), 1, "{done}");
    assert_eq!(lines(&all, &["`notes`", "disabled"]), 1, "{done}");
    assert!(!all.contains("key-of-the-user"), "{done}");
}

#[tokio::test]
async fn a_broken_role_is_an_error_with_file_line_and_snippet_when_it_is_used_and_not_before() {
    let (host, model) = familiar(Vec::new()).await;
    assert_eq!(ends(&host, 0, &["--list-roles"]).await.text(), "broken\nreviewer\n");
    let done = ends(&host, 2, &["-r", "broken", "hello"]).await;
    let told = Regex::new(r"(?s)broken\.md:2:8.*2 \| model: \[broken\n.*\^").unwrap();
    assert!(told.is_match(&done.stderr), "{done}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_secret_that_is_missing_is_named_with_file_and_line_when_its_client_is_used() {
    let (host, model) = familiar(Vec::new()).await;
    let done = ends(&host, 1, &["-m", "claude", "hello"]).await;
    assert_eq!(lines(&done.stderr, &["error: ", "`ANTHROPIC_API_KEY`", "config.yaml` line 37"]), 1, "{done}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn role_local_tool_and_server_work_in_one_turn() {
    let calls = Answer::new().call("c1", "word_count", &json!({"text": "four words of text"})).call(
        "c2",
        "mcp_read_manual",
        &json!({"uri": "manual://start"}),
    );
    let (host, model) = familiar(vec![calls, Answer::text("Done.")]).await;
    let done = ends(&host, 0, &["-r", "reviewer", "count and read"]).await;
    assert_eq!(done.text(), "Done.");
    let requests = model.requests();
    let asked = &requests[0];
    assert_eq!((&asked.body["model"], &asked.body["temperature"]), (&json!("gpt-4o-mini"), &json!(0.1)));
    let system = asked.system().unwrap();
    assert!(system.starts_with("You review code on ") && !system.contains("__os__"), "{system}");
    assert_eq!(asked.header("authorization"), Some("Bearer key-of-the-user"));
    // One local tool, and what the alias `docs` enables: `notes` is disabled, `manual` offers resources alone.
    let expected = ["word_count", "mcp_search_manual", "mcp_describe_manual", "mcp_read_manual"];
    assert_eq!(asked.functions(), expected);
    let results: Vec<String> = requests[1].results().into_iter().map(|(_, text)| text).collect();
    assert!(results[0].contains('4') && results[1].contains("Welcome to the manual."), "{results:?}");
    let started = format!("{:?}", host.wire("manual").unwrap());
    assert!(started.contains("\"DEPTH\": Some(\"2\")") && started.contains("\"QUIET\": Some(\"true\")"), "{started}");
}

#[tokio::test]
async fn servers_that_cannot_be_used_are_a_warning_each_and_the_turn_goes_on() {
    let (host, _model) = familiar(vec![Answer::text("Hello")]).await;
    let done = run(&host, &["hello"]).await;
    assert_eq!((done.status, done.text().as_str()), (Some(0), "Hello"), "{done}");
    assert_eq!(lines(&done.stderr, &["`GITHUB_TOKEN`"]), 1, "{done}");
    // Not enabled, so nobody is bothered with them.
    assert_eq!(lines(&done.stderr, &["`old`"]) + lines(&done.stderr, &["Team Files"]), 0, "{done}");
}
