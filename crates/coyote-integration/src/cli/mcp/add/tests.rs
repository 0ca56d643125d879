//! add, get and remove over real files: what is written, what is refused, and every sentence of it.

use super::*;
use crate::cli::{
    args::{Args, Command, McpCommand},
    mcp::fake_host::FakeHost,
};
use clap::Parser;
use std::{fmt::Write, fs};

/// Types `coyote mcp …` at a machine with this mcp.json; `<work>` is the working directory.
struct Machine {
    fake: FakeHost,
    work: tempfile::TempDir,
}

impl Machine {
    fn new(mcp_json: &str) -> Self {
        Self { fake: FakeHost::new(mcp_json), work: tempfile::tempdir().unwrap() }
    }

    fn own(&self) -> String {
        fs::read_to_string(&self.fake.host.app.paths.mcp_json()[0]).unwrap_or_default()
    }

    fn workspace(&self) -> String {
        fs::read_to_string(self.work.path().join(".coyote/mcp.json")).unwrap_or_default()
    }

    fn trusted(&self) -> bool {
        let file = WorkspaceFile::find(self.work.path()).unwrap().unwrap();
        Trust::read(&self.fake.host.app.paths).unwrap().covers(&file)
    }

    /// The exit status and the error, if any.
    fn types(&self, words: &[&str]) -> (u8, String) {
        let args = Args::try_parse_from([&["coyote", "mcp"], words].concat()).unwrap();
        let Some(Command::Mcp(mcp)) = args.command else { panic!("{words:?} is no command of `mcp`") };
        let (host, dir) = (&self.fake.host, self.work.path());
        let outcome = match mcp.command {
            McpCommand::Add(args) => args.write(host, args.workspace.then_some(dir)),
            McpCommand::Remove(args) => args.write(host, words.contains(&"--workspace").then_some(dir)),
            McpCommand::Get(args) => args.show(host, dir),
            other => panic!("{other:?}"),
        };
        match outcome {
            Ok(status) => (status.number(), String::new()),
            Err(failure) => {
                let shape = &failure.shape;
                let mut text = format!("{} [{}] {}", shape.tool_call_error, shape.code, shape.hint);
                if !shape.closest.is_empty() {
                    text = format!("{text} ({})", shape.closest.join(", "));
                }
                (failure.status().number(), self.clean(&text))
            }
        }
    }

    fn said(&self) -> String {
        self.clean(&[self.fake.out(), self.fake.err()].concat())
    }

    fn clean(&self, text: &str) -> String {
        let config = self.fake.host.app.paths.config_dir.display().to_string();
        let work = fs::canonicalize(self.work.path()).unwrap().display().to_string();
        text.replace(&config, "<config>").replace("<dir>/config/coyote", "<config>").replace(&work, "<work>")
    }
}

const OWN: &str = r#"{
    "x-mine": true,
    "mcpServers": {
        "docs": {"command": "old", "x-note": "mine"}
    }
}
"#;

#[test]
fn a_first_server_makes_the_file_for_its_user_alone() {
    let machine = Machine::new("");
    let words =
        ["add", "docs", "-e", "TOKEN={{TOKEN}}", "-e", "A=b=c", "--cwd", "~/x", "--", "npx", "-y", "docs server"];
    assert_eq!(machine.types(&words), (0, String::new()));
    insta::assert_snapshot!(machine.own());
    insta::assert_snapshot!(machine.said(), @r"
    Added `docs` to `<config>/mcp.json`
    note: `coyote mcp doctor 'docs'` says whether it works
    ");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = &machine.fake.host.app.paths.mcp_json()[0];
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_server_behind_a_url_is_added_after_the_others_and_the_rest_stays() {
    let machine = Machine::new(OWN);
    let words = ["add", "web", "--url", "https://x/mcp", "-H", "Authorization: Bearer {{T}}", "-H", "X-A:b", "--json"];
    assert_eq!(machine.types(&words).0, 0);
    insta::assert_snapshot!(machine.own());
    insta::assert_snapshot!(machine.said());
    assert_eq!(machine.types(&["remove", "web"]).0, 0);
    assert_eq!(machine.own(), OWN, "what was added is removed without a trace");
}

#[test]
fn what_cannot_be_added_says_what_to_write_and_writes_nothing() {
    let machine = Machine::new(OWN);
    let words: [&[&str]; 13] = [
        &["add", "docs", "--", "x"],
        &["add", "docs", "--url", "https://x/"],
        &["add", "new"],
        &["add", "new", "--url", "https://x/", "--", "x"],
        &["add", "", "--", "x"],
        &["add", "new", "--", ""],
        &["add", "new", "-e", "hunter2", "--", "x"],
        &["add", "new", "-e", "A=1", "-e", "A=2", "--", "x"],
        &["add", "new", "-H", "A: b", "--", "x"],
        &["add", "new", "-e", "A=1", "--url", "https://x/"],
        &["add", "new", "--cwd", "/x", "--url", "https://x/"],
        &["add", "new", "-H", "hunter2", "--url", "https://x/"],
        &["add", "new", "--workspace", "-e", "A={{HOME}}", "--", "x"],
    ];
    let mut said = String::new();
    for words in words {
        let (status, text) = machine.types(words);
        assert_eq!(status, 2, "{words:?}: {text}");
        assert!(!text.contains("hunter2"), "{text}");
        writeln!(said, "{}\n  {text}", words.join(" ")).unwrap();
    }
    insta::assert_snapshot!(said);
    assert_eq!((machine.own().as_str(), machine.workspace().as_str()), (OWN, ""));
}

#[test]
fn an_mcp_json_that_is_not_understood_is_never_overwritten() {
    for text in ["{\"mcpServers\": {", "{ // mine\n}", "[]", " "] {
        let machine = Machine::new(text);
        for words in [&["add", "x", "--", "y"][..], &["remove", "x"], &["get", "x"]] {
            let (status, said) = machine.types(words);
            assert_eq!(status, 1, "{words:?}: {said}");
            assert!(said.ends_with("[denied] Correct the file; it was not changed"), "{said}");
        }
        assert_eq!(machine.own(), text);
    }
}

#[test]
fn a_server_that_is_not_there_cannot_be_removed_or_shown() {
    let machine = Machine::new(OWN);
    for (words, text) in [
        (
            ["remove", "doc"],
            "No server `doc` stands in `<config>/mcp.json` [not_found] `coyote mcp list` shows the servers; `--workspace` takes the working directory's mcp.json (docs)",
        ),
        (
            ["get", "doc"],
            "No server `doc` stands in `<config>/mcp.json` [not_found] `coyote mcp list` shows the servers; `--workspace` takes the working directory's mcp.json (docs)",
        ),
    ] {
        assert_eq!(machine.types(&words), (3, text.to_owned()));
    }
    let (status, text) = machine.types(&["remove", "coyote"]);
    assert_eq!(status, 3);
    insta::assert_snapshot!(text, @r#"No server `coyote` stands in `<config>/mcp.json` [not_found] It is built into coyote; an entry `{"command": "coyote", "disabled": true}` of this key switches it off"#);
}

#[test]
fn an_entry_is_shown_as_it_stands_secrets_unresolved_s47() {
    let machine = Machine::new(
        r#"{"mcpServers": {"a": {"x-first": 1.50, "command": "{{HOME}}/x", "env": {"K": "{{KEY}}"}}, "bad": {}}}"#,
    );
    for words in
        [&["get", "a"][..], &["get", "a", "--json"], &["get", "bad"], &["get", "coyote"], &["get", "coyote", "--json"]]
    {
        assert_eq!(machine.types(words).0, 0);
    }
    insta::assert_snapshot!(machine.said());
}

#[test]
fn a_workspace_file_that_its_user_makes_or_edits_by_command_stays_trusted() {
    let machine = Machine::new(OWN);
    assert_eq!(machine.types(&["add", "--workspace", "theirs", "--", "x"]).0, 0);
    assert!(machine.trusted());
    assert_eq!(machine.types(&["add", "--workspace", "more", "--", "y"]).0, 0);
    assert!(machine.trusted());
    assert_eq!(machine.types(&["remove", "--workspace", "theirs"]).0, 0);
    assert!(machine.trusted());
    insta::assert_snapshot!(machine.workspace());
    fs::write(machine.work.path().join(".coyote/mcp.json"), r#"{"mcpServers": {"evil": {"command": "z"}}}"#).unwrap();
    assert_eq!(machine.types(&["add", "--workspace", "mine", "--", "x"]).0, 0);
    assert!(!machine.trusted(), "an edit does not trust what somebody else wrote");
    insta::assert_snapshot!(machine.said());
}
