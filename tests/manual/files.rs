//! A block of JSON, YAML or a role is read as the file that it shows, and nothing may be wrong with it.
//!
//! What is behind the language says what it is: `file=` a file of the configuration directory, `here=` one of the working
//! directory, `entry` an entry of `mcpServers`, `member=command` and `member=url` a member of the entry of such a server.
//! It is read by the program's own readers, which start nothing.

use crate::pages::{Block, pages};
use coyote_integration::{
    config::{
        AgentConfig, AppConfig, Environment, McpJson, Paths, PlatformDirs, ProcessEnv, Role, Warning, WorkspaceFile,
        read_config, read_mcp_json,
    },
    functions::{LocalSetup, LocalToolBox},
    macros::Macros,
    mcp::{Origin, ParentEnv},
    session::SessionDocument,
};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};
use tempfile::TempDir;

/// The languages of files.
const LANGUAGES: [&str; 3] = ["json", "yaml", "markdown"];

/// A user's directories.
struct Home {
    dir: TempDir,
    paths: Paths,
    environment: Environment,
}

impl Home {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let platform = PlatformDirs { config: dir.path().join("config"), cache: dir.path().join("cache") };
        let mut environment = Environment::new(ProcessEnv::of(&[]));
        let paths = Paths::find(&mut environment, Some(&platform)).unwrap();
        Self { dir, paths, environment }
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.paths.config_dir.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read_mcp(&self, text: &str) -> Vec<String> {
        self.write("mcp.json", text);
        faults_of(&read_mcp_json(&self.paths, &self.environment))
    }
}

fn told(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

fn faults_of(file: &McpJson) -> Vec<String> {
    let mut faults = told(&file.warnings);
    if file.servers.is_empty() {
        faults.push("no server".to_owned());
    }
    faults
}

fn faults_of_config(config: &AppConfig) -> Vec<String> {
    let ignored = config.ignored.iter().map(|key| format!("`{}` is not read", key.name));
    told(&config.warnings).into_iter().chain(ignored).collect()
}

/// What is wrong with a block that shows this file of the configuration directory.
fn of_file(home: &Home, file: &str, text: &str) -> Vec<String> {
    home.write(file, text);
    let path = home.paths.config_dir.join(file);
    let parts: Vec<&str> = file.split('/').collect();
    let stem = |name: &str| Path::new(name).file_stem().unwrap().to_str().unwrap().to_owned();
    match parts.as_slice() {
        ["mcp.json"] => home.read_mcp(text),
        ["config.yaml"] => faults_of_config(&read_config(&home.paths)),
        ["roles", name] => match Role::load(&home.paths, &stem(name)) {
            Ok((_, warnings)) => told(&warnings),
            Err(fault) => vec![fault.to_string()],
        },
        ["agents", name, "config.yaml"] => match AgentConfig::load(&home.paths, name) {
            Ok((_, warnings)) => told(&warnings),
            Err(fault) => vec![fault.to_string()],
        },
        ["macros", name] => {
            let macros = Macros::read(&home.paths, None);
            let there = macros.get(&stem(name)).is_some();
            macros.warnings.iter().cloned().chain((!there).then(|| "no macro".to_owned())).collect()
        }
        ["sessions", _] => match SessionDocument::parse(text, &path) {
            Ok(document) => document.warnings.into_iter().chain(document.others.keys().cloned()).collect(),
            Err(fault) => vec![fault],
        },
        ["functions", "functions.json"] => of_functions(home, text),
        _ => vec!["it is no file that the program reads".to_owned()],
    }
}

/// The tools of a file whose programs are there.
fn of_functions(home: &Home, text: &str) -> Vec<String> {
    let tools: Vec<serde_json::Value> = match serde_json::from_str(text) {
        Ok(tools) => tools,
        Err(fault) => return vec![fault.to_string()],
    };
    for tool in &tools {
        let program = format!("functions/bin/{}", tool["name"].as_str().unwrap_or_default());
        home.write(&program, "#!/bin/sh\n");
        fs::set_permissions(home.paths.config_dir.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (toolbox, warnings) = LocalToolBox::load(LocalSetup {
        functions_dir: home.paths.functions_dir.clone(),
        working_dir: home.dir.path().to_owned(),
        environment: ParentEnv::inherited().child(Origin::Workspace, &[]),
        timeout: Duration::from_secs(1),
    });
    let missing = tools.iter().filter_map(|tool| tool["name"].as_str());
    let missing = missing.filter(|name| toolbox.names().all(|known| known != *name)).map(|name| format!("no `{name}`"));
    told(&warnings).into_iter().chain(missing).collect()
}

fn of_workspace(home: &Home, file: &str, text: &str) -> Vec<String> {
    if file != ".mcp.json" {
        return vec!["it is no file of a workspace".to_owned()];
    }
    fs::write(home.dir.path().join(file), text).unwrap();
    match WorkspaceFile::find(home.dir.path()) {
        Some(Ok(file)) => faults_of(&file.servers()),
        Some(Err(fault)) => vec![fault],
        None => vec!["it is not found".to_owned()],
    }
}

/// What is wrong with a block.
fn faults(block: &Block) -> Vec<String> {
    let home = Home::new();
    let text = block.text();
    let Some(tag) = &block.tag else { return vec!["it does not say what file it is".to_owned()] };
    match tag.split_once('=').map_or((tag.as_str(), ""), |pair| pair) {
        ("file", file) => of_file(&home, file, &text),
        ("here", file) => of_workspace(&home, file, &text),
        ("entry", "") => home.read_mcp(&format!("{{\"mcpServers\": {{{text}}}}}")),
        ("member", "command") => {
            home.read_mcp(&format!("{{\"mcpServers\": {{\"x\": {{\"command\": \"y\", {text}}}}}}}"))
        }
        ("member", "url") => {
            home.read_mcp(&format!("{{\"mcpServers\": {{\"x\": {{\"url\": \"https://y.example/mcp\", {text}}}}}}}"))
        }
        _ => vec![format!("`{tag}` is not known")],
    }
}

#[test]
fn every_file_and_every_part_of_one_that_a_page_shows_is_read_without_a_warning() {
    let (mut read, mut wrong) = (0, Vec::new());
    for page in pages() {
        for block in page.blocks().iter().filter(|block| LANGUAGES.contains(&block.language.as_str())) {
            read += 1;
            wrong.extend(faults(block).into_iter().map(|fault| format!("{}:{}: {fault}", page.path, block.line)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {read} blocks are not as the program reads them\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(read >= 15, "{read} blocks");
}

#[test]
fn a_block_that_the_program_would_warn_about_is_found() {
    let block = |tag: &str, text: &str| Block {
        language: "yaml".to_owned(),
        tag: Some(tag.to_owned()),
        line: 1,
        lines: text.lines().map(str::to_owned).collect(),
    };
    for (tag, text) in [
        ("file=config.yaml", "modle: x"),
        ("file=config.yaml", "model: ["),
        ("file=config.yaml", "rag_top_k: 3"),
        ("file=mcp.json", "{}"),
        ("file=mcp.json", r#"{"mcpServers": {"a": {"comand": "x"}}}"#),
        ("file=roles/r.md", "---\nstream: true\n---\n"),
        ("file=roles/r.md", "---\nmodel: x\n"),
        ("file=agents/a/config.yaml", "tools: []"),
        ("file=macros/m.yaml", "steps: none"),
        ("file=sessions/s.yaml", "temprature: 1"),
        ("file=functions/functions.json", r#"[{"name": "a b"}]"#),
        ("file=elsewhere.txt", ""),
        ("here=.mcp.json", r#"{"mcpServers": {"a": {"command": "{{X}}"}}}"#),
        ("entry", r#""a": {"url": 1}"#),
        ("member=command", r#""enve": {}"#),
        ("member=url", r#""env": {}"#),
        ("fragment", ""),
    ] {
        assert_ne!(faults(&block(tag, text)), Vec::<String>::new(), "{tag} {text}");
    }
    assert_eq!(faults(&block("entry", r#""a": {"command": "x"}"#)), Vec::<String>::new());
}
