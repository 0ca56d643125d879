//! The user's file: what it may say, and the sentence for each thing that is wrong with it.

use super::*;
use crate::{
    config::{About, PlatformDirs, ProcessEnv},
    mcp::Transport,
};
use std::time::Duration;

struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn read(&self, variables: &[(&str, &str)]) -> McpJson {
        let mut environment = Environment::new(ProcessEnv::of(variables));
        let path = |name: &str| self.dir.path().join(name);
        let platform = PlatformDirs { config: path(""), cache: path("cache") };
        let paths = Paths::find(&mut environment, Some(&platform)).unwrap();
        read_mcp_json(&paths, &environment)
    }

    fn write(&self, inside: &str, text: &str) {
        let path = self.dir.path().join("coyote").join(inside);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn shown(&self, text: &str) -> String {
        text.replace(&self.dir.path().display().to_string(), "<dir>")
    }
}

fn read(text: &str, variables: &[(&str, &str)]) -> (McpJson, Vec<String>) {
    let machine = Machine::new();
    machine.write("mcp.json", text);
    let found = machine.read(variables);
    let warnings = found.warnings.iter().map(|warning| machine.shown(&warning.text)).collect();
    (found, warnings)
}

/// The warning that one entry costs.
fn refusal(entry: &str) -> String {
    let (found, warnings) =
        read(&format!("{{\"mcpServers\": {{\"bad\": {entry}, \"good\": {{\"command\": \"x\"}}}}}}"), &[]);
    assert_eq!(names(&found), ["good"], "{entry}: {warnings:?}");
    assert_eq!(found.skipped.len(), 1, "{entry}");
    assert_eq!(found.warnings[0].about, About::Server("bad".to_owned()));
    warnings.join("\n").replace("Server `bad` is skipped (`<dir>/coyote/mcp.json` line 1): ", "")
}

fn names(found: &McpJson) -> Vec<&str> {
    found.servers.iter().map(|server| server.entry.name.as_str()).collect()
}

#[test]
fn every_field_of_an_entry_is_read_in_the_files_order() {
    let text = r#"{"$schema": "x", "mcpServers": {
        "zeta": {"type": "stdio", "command": "~/bin/zeta", "args": ["-y", "{{WHO}}"], "env": {"B": "x", "A": 2, "C": true},
                 "cwd": "~/team", "allowedTools": ["get_*"], "trust": true, "startup_timeout_sec": 5, "tool_timeout_sec": 0.5},
        "Team Files.v2": {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer {{TOKEN}}"}, "oauth": {}},
        "alpha": {"type": "streamable-http", "url": "HTTP://localhost:1/"}
    }}"#;
    let (found, warnings) = read(text, &[("WHO", "a \"b\""), ("TOKEN", "t")]);
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(names(&found), ["zeta", "Team Files.v2", "alpha"]);
    let zeta = &found.servers[0].entry;
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        zeta.transport,
        Transport::Stdio {
            command: "~/bin/zeta".to_owned(),
            args: vec!["-y".to_owned(), "a \"b\"".to_owned()],
            env: vec![pair("B", "x"), pair("A", "2"), pair("C", "true")],
            cwd: Some("~/team".into()),
        }
    );
    assert_eq!(zeta.allowed_tools, Some(vec!["get_*".to_owned()]));
    assert!(zeta.trust && !zeta.disabled);
    assert_eq!(
        (zeta.startup_timeout, zeta.tool_timeout),
        (Some(Duration::from_secs(5)), Some(Duration::from_millis(500)))
    );
    let http =
        Transport::Http { url: "https://x.example/mcp".to_owned(), headers: vec![pair("Authorization", "Bearer t")] };
    assert_eq!(found.servers[1].entry.transport, http);
}

#[test]
fn one_bad_entry_is_one_warning_that_says_what_is_accepted_and_the_others_load() {
    let entries = [
        "7",
        "{}",
        r#"{"command": "x", "url": "https://x"}"#,
        r#"{"type": "stdio", "command": "x", "headers": {}}"#,
        r#"{"type": "http", "url": "https://x", "env": {}}"#,
        r#"{"type": "http", "command": "x"}"#,
        r#"{"type": "stdio"}"#,
        r#"{"type": "tcp", "command": "x"}"#,
        r#"{"type": 1, "command": "x"}"#,
        r#"{"command": ""}"#,
        r#"{"command": ["x"]}"#,
        r#"{"command": "x", "args": "-y"}"#,
        r#"{"command": "x", "args": ["-p", 80]}"#,
        r#"{"command": "x", "env": ["A=1"]}"#,
        r#"{"command": "x", "env": {"A": null}}"#,
        r#"{"command": "x", "env": {"A=B": "1"}}"#,
        r#"{"command": "x", "cwd": 1}"#,
        r#"{"url": "x.example/mcp"}"#,
        r#"{"url": "https://x", "headers": {"A": 1}}"#,
        r#"{"command": "x", "allowedTools": "get_*"}"#,
        r#"{"command": "x", "allowedTools": [1]}"#,
        r#"{"command": "x", "disabled": "yes"}"#,
        r#"{"command": "x", "trust": 1}"#,
        r#"{"command": "x", "startup_timeout_sec": "5"}"#,
        r#"{"command": "x", "tool_timeout_sec": 0}"#,
        r#"{"command": "x", "tool_timeout_sec": -1}"#,
    ];
    let table: Vec<String> = entries.iter().map(|entry| format!("{entry}\n  {}", refusal(entry))).collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn an_allowlist_that_does_not_compile_costs_the_entry_and_opens_nothing() {
    let refused = refusal(r#"{"command": "x", "allowedTools": ["get_["]}"#);
    assert!(refused.starts_with("`allowedTools` does not parse: ") && refused.contains("get_["), "{refused}");
}

#[test]
fn sse_loads_as_a_server_that_is_not_supported() {
    let (found, warnings) = read(r#"{"mcpServers": {"old": {"type": "sse", "url": "https://x"}}}"#, &[]);
    assert_eq!(warnings, Vec::<String>::new());
    assert!(
        matches!(&found.servers[0].entry.transport, Transport::Unsupported { reason } if reason.contains("`\"type\": \"http\"`"))
    );
}

#[test]
fn unknown_keys_are_named_once_for_the_whole_file() {
    let text = r#"{"inputs": [], "mcpServers": {"a": {"command": "x", "alwaysAllow": []}, "b": {"command": "x", "timeout": 1}}}"#;
    let (found, warnings) = read(text, &[]);
    assert_eq!(found.warnings[0].about, About::Hint);
    insta::assert_snapshot!(warnings.join("\n"), @"`<dir>/coyote/mcp.json` has keys that mean nothing to coyote: `inputs` (line 1), `alwaysAllow` of `a` (line 1), `timeout` of `b` (line 1)");
}

#[test]
fn a_literal_dollar_brace_is_warned_about_and_passed_on() {
    let (found, warnings) =
        read(r#"{"mcpServers": {"a": {"command": "x", "args": ["${HOME}/y"], "env": {"P": "${P}"}}}}"#, &[]);
    assert!(matches!(&found.servers[0].entry.transport, Transport::Stdio { args, .. } if args == &["${HOME}/y"]));
    insta::assert_snapshot!(warnings.join("\n"), @"Server `a` (`<dir>/coyote/mcp.json` line 1): `${…}` in `args[0]`, `env.P` is passed on as it is; coyote fills in `{{NAME}}`");
}

#[test]
fn a_missing_secret_costs_its_own_server_and_names_file_and_line() {
    let machine = Machine::new();
    machine.write("mcp.json", "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"b\": {\"url\": \"https://x\",\n \"headers\": {\"A\": \"Bearer {{ NOWHERE }}\"}}}}");
    let found = machine.read(&[]);
    assert_eq!(names(&found), ["a", "b"]);
    assert!(found.servers[0].startable().is_ok());
    let why = found.servers[1].startable().unwrap_err();
    let shape = why.shape();
    insta::assert_snapshot!(machine.shown(&format!("{} [{}] {}", shape.tool_call_error, shape.code, shape.hint)), @"Server `b` cannot be started: Secret `NOWHERE` is not set; `<dir>/coyote/mcp.json` line 4 uses it [spawn_failed] Set `NOWHERE` in the environment, or write `NOWHERE=…` into `<dir>/coyote/.env`");
}

#[test]
fn a_secret_is_filled_in_from_the_env_file_and_never_shown() {
    let machine = Machine::new();
    machine.write(".env", "TOKEN=hunter2\n");
    machine.write(
        "mcp.json",
        r#"{"mcpServers": {"a": {"command": "x", "env": {"T": "{{TOKEN}}"}, "args": ["{{TOKEN}}"]}}}"#,
    );
    let found = machine.read(&[]);
    assert!(matches!(&found.servers[0].entry.transport, Transport::Stdio { args, .. } if args == &["hunter2"]));
    assert!(!format!("{found:?}").contains("hunter2"));
}

#[test]
fn a_server_that_stands_there_twice_is_read_once() {
    let text = "{\"mcpServers\": {\"a\": {\"command\": \"one\"},\n\"a\": {\"command\": \"two\"}}}";
    let (found, warnings) = read(text, &[]);
    assert!(matches!(&found.servers[0].entry.transport, Transport::Stdio { command, .. } if command == "one"));
    assert_eq!(names(&found), ["a"]);
    insta::assert_snapshot!(warnings.join("\n"), @"`<dir>/coyote/mcp.json` line 2: server `a` stands there twice; the first entry counts");
}

#[test]
fn a_file_that_cannot_be_used_is_one_warning() {
    let warning = |text: &str| {
        let (found, warnings) = read(text, &[]);
        assert!(found.servers.is_empty() && found.path.is_some());
        assert!(found.warnings.iter().all(|warning| warning.concerns(None)));
        warnings.join("\n")
    };
    insta::assert_snapshot!(warning("{\n  \"mcpServers\": {,}\n}"), @"`<dir>/coyote/mcp.json` is no JSON object: key must be a string at line 2 column 18");
    insta::assert_snapshot!(warning("[]"), @"`<dir>/coyote/mcp.json` is no JSON object: invalid type: sequence, expected an object at line 1 column 0");
    insta::assert_snapshot!(warning("{\"servers\": {}}"), @r#"`<dir>/coyote/mcp.json` has no `mcpServers`. Write `{"mcpServers": {"<name>": {…}}}`"#);
    insta::assert_snapshot!(warning("{\"mcpServers\": []}"), @"`mcpServers` in `<dir>/coyote/mcp.json` is no object; write one entry a server");
    insta::assert_snapshot!(warning("{\"mcpServers\": {\"\": {}}}"), @"Server `` is skipped (`<dir>/coyote/mcp.json` line 1): its name is empty; give it one, functions are named after it");
}

#[test]
fn the_file_in_functions_counts_when_there_is_no_other() {
    let machine = Machine::new();
    assert_eq!(machine.read(&[]).path, None);
    machine.write("functions/mcp.json", r#"{"mcpServers": {"inner": {"command": "x"}}}"#);
    assert_eq!(names(&machine.read(&[])), ["inner"]);
    machine.write("mcp.json", "\u{feff}{\"mcpServers\": {\"outer\": {\"command\": \"x\"}}}");
    assert_eq!(names(&machine.read(&[])), ["outer"]);
}
