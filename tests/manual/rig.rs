//! A user's machine for the pages: nothing is configured, and the servers that the pages name can be started.
//!
//! The stand-in for `@modelcontextprotocol/server-everything` was recorded from the real one: what it lists and what it
//! answers to the calls that are shown. It replaces a server that needs Node.js and a network, and nothing of coyote.

use crate::pages::{Block, Page};
use acceptance::{
    filters::Filters,
    host::{Host, Programs},
};
use serde_json::{Map, Value, json};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

const COYOTE: &str = env!("CARGO_BIN_EXE_coyote-under-test");
const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture-server");

/// What makes a server's script, or an entry of mcp.json.
type Made = fn() -> Value;

/// The programs that the pages start, beside coyote.
const SERVERS: [(&str, Made); 6] = [
    ("npx", everything),
    ("docs-server", docs),
    ("faulty-server", faulty),
    ("notes-server", docs),
    ("library-server", library),
    ("hello-server", hello),
];

/// What is configured where a page begins, for those that do not say it themselves.
const CONFIGURED: [(&str, &[(&str, Made)]); 4] = [
    ("manual/doctor.md", &[("docs", || json!({"command": "faulty-server"}))]),
    ("manual/prompts.md", PROMPTS),
    ("manual/completion.md", PROMPTS),
    ("manual/connections.md", &[("docs", || json!({"command": "docs-server"}))]),
];

const PROMPTS: &[(&str, Made)] = &[
    ("everything", || json!({"command": "npx"})),
    ("library", || json!({"command": "library-server"})),
    ("hello", || json!({"command": "hello-server"})),
];

/// A machine whose home is bare but for the files that the page shows.
pub(crate) fn machine(page: &Page) -> Host {
    let programs = Programs { coyote: COYOTE.into(), fixture: FIXTURE.into() };
    let mut host = Host::new(programs).unwrap();
    fs::create_dir(host.path("bin")).unwrap();
    symlink(COYOTE, host.path("bin/coyote")).unwrap();
    for (name, script) in SERVERS {
        program(&host, name, &script());
    }
    if let Some((_, servers)) = CONFIGURED.iter().find(|(file, _)| page.path.ends_with(file)) {
        let entries: Map<String, Value> = servers.iter().map(|(name, entry)| ((*name).to_owned(), entry())).collect();
        host.write("home/.config/coyote/mcp.json", &json!({"mcpServers": entries}).to_string()).unwrap();
    }
    host.write("project/notes.txt", "Some notes\n").unwrap();
    host.write("project/main.rs", "fn main() {}\n").unwrap();
    fs::create_dir(host.path("home/notes")).unwrap();
    for block in page.blocks() {
        if let Some(file) = block.file() {
            host.write(&file, &block.text()).unwrap();
        }
    }
    for (name, value) in environment(&host) {
        host.env(name, &value);
    }
    host
}

/// What a shell and a terminal on the machine have.
pub(crate) fn environment(host: &Host) -> [(&'static str, String); 6] {
    let inside = |path: &str| host.path(path).display().to_string();
    [
        ("PATH", format!("{}:{}", inside("bin"), std::env::var("PATH").unwrap())),
        ("HOME", inside("home")),
        ("LANG", "C.UTF-8".to_owned()),
        ("COYOTE_CONFIG_DIR", inside("home/.config/coyote")),
        ("COYOTE_CACHE_DIR", inside("home/.cache/coyote")),
        // No Ollama of the machine that runs the tests.
        ("OLLAMA_HOST", "127.0.0.1:1".to_owned()),
    ]
}

/// What differs from run to run, and the home as `~`.
pub(crate) fn filters(host: &Host) -> Filters {
    let mut filters = Filters::default();
    filters.path(&host.path("home"), "~");
    filters.path(&host.path("project"), "~/project");
    filters
}

impl Block {
    /// Where the file that it shows belongs: in the configuration directory, or in the working directory.
    fn file(&self) -> Option<String> {
        let (key, path) = self.tag.as_ref()?.split_once('=')?;
        match key {
            "file" => Some(format!("home/.config/coyote/{path}")),
            "here" => Some(format!("project/{path}")),
            _ => None,
        }
    }
}

/// A program of this name in `PATH`, which is a server.
fn program(host: &Host, name: &str, script: &Value) {
    host.write(&format!("scripts/{name}.json"), &script.to_string()).unwrap();
    let path = host.path(&format!("bin/{name}"));
    let script = host.path(&format!("scripts/{name}.json"));
    fs::write(&path, format!("#!/bin/sh\nexec '{FIXTURE}' '{}'\n", script.display())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn everything() -> Value {
    serde_json::from_str(include_str!("everything.json")).unwrap()
}

/// The server that the pages call `docs`, where any server would do.
fn docs() -> Value {
    json!({
        "server_info": {"name": "docs", "version": "1.0"},
        "tools": [
            {"name": "get_page", "description": "Gets a page", "inputSchema": {"type": "object"}},
            {"name": "delete_page", "description": "Deletes a page", "inputSchema": {"type": "object"}},
        ],
        "resources": [{"uri": "docs://start", "name": "start", "mimeType": "text/markdown"}],
        "contents": {"docs://start": [{"uri": "docs://start", "mimeType": "text/markdown", "text": "# Start\n"}]},
    })
}

/// The server of the page on `doctor`: it has the faults that the page shows.
fn faulty() -> Value {
    json!({
        "server_info": {"name": "docs", "version": "1.0"},
        "protocol_version": "2025-06-18",
        "capabilities": {"tools": {}, "resources": {}, "completions": {}},
        "tools": [{"repeat": 13, "of": {"name": "tool_{n}", "inputSchema": {"type": "object"}}}],
        "resources": [{"repeat": 100, "of": {"uri": "docs://{n}", "name": "page {n}"}}],
        "prompts": [{"repeat": 7, "of": {"name": "prompt_{n}"}}],
        "paging": {"tools/list": {"size": 7}},
        "rules": [{"on": "resources/templates/list", "reply": {"error": {"code": -32601, "message": "Method not found"}}}],
        "process": {"banner": ["docs 1.0 is starting"]},
    })
}

fn library() -> Value {
    json!({
        "server_info": {"name": "library", "version": "1.0"},
        "protocol_version": "2025-11-25",
        "tools": [{"name": "lend", "inputSchema": {"type": "object"}}],
        "resources": [{"uri": "book://1", "name": "1"}],
        "prompts": [
            {"name": "summarize", "description": "Summarize a book of the library",
             "arguments": [{"name": "book_id", "required": true}, {"name": "style"}]},
            {"name": "few-shot", "description": "A conversation with assistant turns",
             "arguments": [{"name": "word", "required": true}]},
            {"name": "look-at-logo"},
        ],
    })
}

fn hello() -> Value {
    json!({
        "server_info": {"name": "hello", "version": "1.0"},
        "protocol_version": "2025-06-18",
        "prompts": [{"name": "helpful-assistant", "description": "A helpful assistant prompt"}],
    })
}
