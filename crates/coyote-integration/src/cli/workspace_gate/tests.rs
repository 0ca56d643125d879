//! When the question is asked, and what each answer does.

use super::*;
use crate::{
    config::{Environment, Paths, PlatformDirs, ProcessEnv},
    report::captured::report,
};
use std::{cell::RefCell, fs};

const THEIRS: &str =
    r#"{"mcpServers": {"Their Docs": {"command": "theirs"}, "off": {"command": "x", "disabled": true}}}"#;

struct Machine {
    dir: tempfile::TempDir,
}

/// What a command found and said.
struct Seen {
    servers: Vec<String>,
    asked: usize,
    said: String,
}

impl Machine {
    fn new(workspace: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("w")).unwrap();
        let machine = Self { dir };
        machine.write(workspace);
        machine
    }

    fn write(&self, workspace: &str) {
        fs::write(self.dir.path().join("w/.mcp.json"), workspace).unwrap();
    }

    fn paths(&self) -> (Paths, Environment) {
        let path = |name: &str| self.dir.path().join(name);
        let platform = PlatformDirs { config: path("config"), cache: path("cache") };
        let mut environment = Environment::new(ProcessEnv::of(&[]));
        (Paths::find(&mut environment, Some(&platform)).unwrap(), environment)
    }

    async fn run(&self, need: Need<'_>, answer: Answer) -> Result<Seen, Failed> {
        let (paths, environment) = self.paths();
        let (report, _, err) = report(false);
        let asked = RefCell::new(0);
        let ask = async |statement: &str| {
            assert!(statement.contains("theirs"), "{statement}");
            *asked.borrow_mut() += 1;
            answer
        };
        let app = AppState::load(paths, environment);
        let app = admit(app, &self.dir.path().join("w"), need, &report, ask).await?;
        let servers = app.servers.iter().map(|server| server.entry.name.to_string()).collect();
        let root = fs::canonicalize(self.dir.path()).unwrap();
        let said = err.text().replace(&root.display().to_string(), "<dir>");
        let said = said.replace(&self.dir.path().display().to_string(), "<dir>");
        Ok(Seen { servers, asked: asked.into_inner(), said })
    }
}

#[tokio::test]
async fn a_yes_is_kept_and_the_file_is_used_without_a_question_until_it_changes() {
    let machine = Machine::new(THEIRS);
    let first = machine.run(Need::All, Answer::Yes).await.unwrap();
    assert_eq!((first.asked, first.said.as_str()), (1, ""));
    assert_eq!(first.servers, ["Their Docs", "off", "coyote"]);
    for need in [Need::Nothing, Need::All, Need::Server("Their Docs")] {
        let again = machine.run(need, Answer::No).await.unwrap();
        assert_eq!((again.asked, again.servers.len()), (0, 3));
    }
    machine.write(&THEIRS.replace("theirs", "theirs-now"));
    let changed = machine.run(Need::All, Answer::Nobody).await.unwrap();
    assert_eq!((changed.asked, changed.servers.as_slice()), (1, ["coyote".to_owned()].as_slice()));
    insta::assert_snapshot!(changed.said, @"warning: The workspace file `<dir>/w/.mcp.json` is skipped: it has changed since you trusted it, and there is no terminal to ask at. `coyote mcp trust` shows what it would run; `--no-workspace-mcp` silences this");
}

#[tokio::test]
async fn a_no_and_a_missing_terminal_leave_the_file_out_and_keep_nothing() {
    let machine = Machine::new(THEIRS);
    let refused = machine.run(Need::All, Answer::No).await.unwrap();
    assert_eq!(refused.servers, ["coyote"]);
    insta::assert_snapshot!(refused.said, @"note: The workspace file is not used (`--no-workspace-mcp` does not ask)");
    let skipped = machine.run(Need::All, Answer::Nobody).await.unwrap();
    assert_eq!(skipped.servers, ["coyote"]);
    insta::assert_snapshot!(skipped.said, @"warning: The workspace file `<dir>/w/.mcp.json` is skipped: you have not trusted it, and there is no terminal to ask at. `coyote mcp trust` shows what it would run; `--no-workspace-mcp` silences this");
    assert!(!machine.paths().0.trust_file().exists());
}

#[tokio::test]
async fn ctrl_c_at_the_question_cancels_the_command() {
    let failed = Machine::new(THEIRS).run(Need::All, Answer::Cancelled).await.err().unwrap();
    assert_eq!(failed.failure.status().number(), 130);
}

#[tokio::test]
async fn a_command_is_asked_only_about_servers_that_it_would_start() {
    let machine = Machine::new(THEIRS);
    let function = format!("mcp_search_{}", mcp_catalog::ServerName::new("Their Docs").unwrap().slug());
    for (need, asked) in [
        (Need::Nothing, 0),
        (Need::Server("coyote"), 0),
        (Need::Server("off"), 0),
        (Need::Server("Their Docs"), 1),
        (Need::Function(&function), 1),
        (Need::Function("mcp_search_off"), 0),
        (Need::Function("fs_cat"), 0),
        (Need::All, 1),
    ] {
        let seen = machine.run(need, Answer::No).await.unwrap();
        assert_eq!(seen.asked, asked, "{need:?}");
        assert!(asked == 1 || seen.said.is_empty(), "{need:?}: {}", seen.said);
    }
}

#[tokio::test]
async fn a_trust_file_that_is_not_ours_is_said_and_nothing_is_asked() {
    let machine = Machine::new(THEIRS);
    let (paths, _) = machine.paths();
    fs::create_dir_all(&paths.config_dir).unwrap();
    fs::write(paths.trust_file(), "mine").unwrap();
    let seen = machine.run(Need::All, Answer::Yes).await.unwrap();
    assert_eq!((seen.asked, seen.servers.len()), (0, 1));
    insta::assert_snapshot!(seen.said, @"warning: `<dir>/config/coyote/trust.json` is not what coyote writes, so no workspace file is trusted; remove it to start over");
}
