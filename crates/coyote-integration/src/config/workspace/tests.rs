//! Which file counts, what its hash covers, and what it may not say.

use super::*;
use crate::{config::Servers, mcp::Transport};

fn file(text: &str) -> (tempfile::TempDir, WorkspaceFile) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".mcp.json"), text).unwrap();
    let file = WorkspaceFile::find(dir.path()).unwrap().unwrap();
    (dir, file)
}

fn said(text: &str) -> String {
    let (dir, file) = file(text);
    let servers = file.servers();
    let warnings: Vec<&str> = servers.warnings.iter().map(|warning| warning.text.as_str()).collect();
    let dir = fs::canonicalize(dir.path()).unwrap();
    warnings.join("\n").replace(&dir.display().to_string(), "<dir>")
}

#[test]
fn the_first_of_the_three_places_counts() {
    let dir = tempfile::tempdir().unwrap();
    let own = fs::canonicalize(dir.path()).unwrap();
    assert_eq!(workspace_file(dir.path()), None);
    fs::write(dir.path().join(".mcp.json"), "{}").unwrap();
    assert_eq!(workspace_file(dir.path()), Some(own.join(".mcp.json")));
    fs::create_dir(dir.path().join(".coyote")).unwrap();
    fs::write(dir.path().join(".coyote/.mcp.json"), "{}").unwrap();
    assert_eq!(workspace_file(dir.path()), Some(own.join(".coyote/.mcp.json")));
    fs::write(dir.path().join(".coyote/mcp.json"), "{}").unwrap();
    assert_eq!(workspace_file(dir.path()), Some(own.join(".coyote/mcp.json")));
}

#[test]
fn the_hash_is_that_of_the_bytes() {
    let (_dir, file) = file("abc");
    assert_eq!(file.sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#[cfg(unix)]
#[test]
fn a_link_inside_the_directory_has_the_directorys_path_and_a_link_to_the_directory_has_not() {
    let (elsewhere, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(elsewhere.path().join(".mcp.json"), "{}").unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join(".mcp.json"), here.path().join(".mcp.json")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), here.path().join("link")).unwrap();
    let find = |dir: &Path| WorkspaceFile::find(dir).unwrap().unwrap().path().to_owned();
    assert_eq!(find(here.path()), fs::canonicalize(here.path()).unwrap().join(".mcp.json"));
    assert_eq!(find(&here.path().join("link")), fs::canonicalize(elsewhere.path()).unwrap().join(".mcp.json"));
}

#[test]
fn a_file_that_nobody_writes_by_hand_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".mcp.json"), " ".repeat((1 << 20) + 1)).unwrap();
    let error = WorkspaceFile::find(dir.path()).unwrap().unwrap_err();
    assert!(error.ends_with("is over 1 MiB and is not used"), "{error}");
}

#[test]
fn a_workspace_entry_may_not_use_the_users_secrets() {
    let text =
        r#"{"mcpServers": {"a": {"command": "x", "env": {"T": "\u007b{HOME}}"}}, "b": {"url": "https://x/{{K}}"}}}"#;
    let (_dir, file) = file(text);
    assert!(file.servers().servers.is_empty());
    insta::assert_snapshot!(said(text), @r"
    Server `a` is skipped (`<dir>/.mcp.json` line 1): `{{HOME}}` stands in it; a workspace file may not use your environment or `.env`, so write the value itself, or copy the entry into your own mcp.json
    Server `b` is skipped (`<dir>/.mcp.json` line 1): `{{K}}` stands in it; a workspace file may not use your environment or `.env`, so write the value itself, or copy the entry into your own mcp.json
    ");
}

#[test]
fn the_trust_of_a_workspace_entry_is_ignored_and_said_to_be_s40() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "trust": true}, "b": {"command": "x", "trust": false}}}"#;
    let (_dir, file) = file(text);
    let servers = file.servers().servers;
    assert!(servers.iter().all(|server| !server.entry.trust && server.entry.origin == Origin::Workspace));
    insta::assert_snapshot!(said(text), @"Server `a` (`<dir>/.mcp.json` line 1): `trust` in a workspace file is ignored; calls of its tools are asked about. Only your own mcp.json can waive that");
}

fn user() -> McpJson {
    let text = br#"{"mcpServers": {"docs": {"command": "mine"}, "other": {"command": "mine"}}}"#;
    parse_mcp_json("/config/mcp.json".into(), text, &Environment::new(ProcessEnv::of(&[])), Origin::User)
}

fn commands(servers: &Servers) -> Vec<String> {
    let command = |transport: &Transport| match transport {
        Transport::Stdio { command, .. } => command.clone(),
        other => format!("{other:?}"),
    };
    servers.iter().map(|server| format!("{}: {}", server.entry.name, command(&server.entry.transport))).collect()
}

#[test]
fn a_trusted_workspace_replaces_servers_of_its_names_and_the_embedded_one() {
    let text =
        r#"{"mcpServers": {"docs": {"command": "theirs"}, "coyote": {"command": "theirs"}, "other": {"command": ""}}}"#;
    let (_dir, file) = file(text);
    let merged = Servers::new(user(), "/config/mcp.json".into()).with_workspace(file.servers());
    assert_eq!(commands(&merged), ["docs: theirs", "other: mine", "coyote: theirs"]);
    let file_of = |key: &str| merged.file_of(&merged.get(key).unwrap().entry).map(Path::to_owned);
    assert_eq!(file_of("docs"), Some(file.path().to_owned()));
    assert_eq!(file_of("other"), Some("/config/mcp.json".into()));
    assert!(!merged.get("coyote").unwrap().entry.trust, "a namesake of the embedded server is not trusted");
}

#[test]
fn a_server_of_an_untrusted_workspace_says_how_to_trust_it() {
    let (_dir, file) = file(r#"{"mcpServers": {"theirs": {"command": "x"}, "docs": {"command": "theirs"}}}"#);
    let servers = Servers::new(user(), "/config/mcp.json".into()).without_workspace(&file.servers());
    assert_eq!(commands(&servers), ["docs: mine", "other: mine", "coyote: Embedded"]);
    let shape = servers.get("theirs").unwrap_err();
    let text = format!("{} [{}] {}", shape.tool_call_error, shape.code, shape.hint);
    let text = text.replace(&file.path().display().to_string(), "<file>");
    insta::assert_snapshot!(text, @"Server `theirs` stands in the workspace file `<file>`, which is not trusted [denied] `coyote mcp trust` shows what it would run, and asks");
}
