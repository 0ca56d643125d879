//! `coyote mcp trust` and `untrust`: the decision about the workspace's file, ahead of its first use.
//!
//! `trust` shows what the question of a first use shows. It starts nothing.

use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
    question::{self, Answer},
    trust_statement::statement,
    workspace_gate::QUESTION,
};
use crate::{
    config::{Trust, WorkspaceFile, workspace_places},
    mcp::ServerEntry,
};
use mcp_render::{Code, ErrorShape};
use serde_json::json;
use std::path::Path;

/// Trust the workspace's mcp.json, after showing what it would run
///
/// The first of `.coyote/mcp.json`, `.coyote/.mcp.json` and `.mcp.json` in the working directory. Trust covers the path
/// and the content: after any change of the file you are asked again.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TrustArgs {
    /// Do not ask
    #[arg(long)]
    yes: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Trust the workspace's mcp.json no longer
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct UntrustArgs {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl TrustArgs {
    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let dir = super::working_dir()?;
        self.decide(host, &dir, async |text: &str| question::ask(&host.report, &host.cancel, text, QUESTION).await)
            .await
    }

    async fn decide(&self, host: &Host, dir: &Path, ask: impl AsyncFnOnce(&str) -> Answer) -> Result<Status, Failed> {
        let file = found(dir)?;
        let mut trust = Trust::read(&host.app.paths).map_err(unusable)?;
        let said = file.servers();
        said.warnings.iter().for_each(|warning| host.report.warn(warning));
        let entries: Vec<&ServerEntry> = said.servers.iter().map(|server| &server.entry).collect();
        let path = file.path().display();
        if trust.covers(&file) {
            return Ok(self.done(host, &file, &format!("`{path}` is trusted already")));
        }
        let text = statement(&file, &entries, &host.app.servers);
        let answer = if self.yes {
            host.report.say(&text);
            Answer::Yes
        } else {
            ask(&text).await
        };
        match answer {
            Answer::Yes => {
                trust.add(&file).map_err(unusable)?;
                Ok(self.done(host, &file, &format!("`{path}` is trusted")))
            }
            Answer::No => Err(Failed::from(Failure::call(ErrorShape {
                tool_call_error: format!("`{path}` is not trusted: you said no"),
                code: Code::Denied,
                hint: "Run the command again to be asked again".to_owned(),
                closest: Vec::new(),
            }))),
            Answer::Nobody => {
                host.report.say(&text);
                let sentence = format!("`{path}` is not trusted: there is no terminal to ask at");
                Err(Failed::from(Failure::usage(sentence, "Read what it would run, and run the command with `--yes`")))
            }
            Answer::Cancelled => Err(Failed::from(Failure::cancelled())),
        }
    }

    fn done(&self, host: &Host, file: &WorkspaceFile, sentence: &str) -> Status {
        if self.json {
            let path = file.path().display().to_string();
            host.report.json(&json!({"file": path, "sha256": file.sha256(), "trusted": true}), true);
        } else {
            host.report.print(sentence);
        }
        Status::Done
    }
}

impl UntrustArgs {
    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) fn run(self, host: &Host) -> Result<Status, Failed> {
        self.forget(host, &super::working_dir()?)
    }

    fn forget(&self, host: &Host, dir: &Path) -> Result<Status, Failed> {
        let mut trust = Trust::read(&host.app.paths).map_err(unusable)?;
        let mut forgotten = Vec::new();
        for place in workspace_places(dir) {
            if trust.remove(&place).map_err(unusable)? {
                forgotten.push(place.display().to_string());
            }
        }
        if self.json {
            host.report.json(&json!({"forgotten": forgotten}), true);
        } else if forgotten.is_empty() {
            host.report.print("No workspace file of this directory was trusted");
        } else {
            host.report.print(&format!("No longer trusted: `{}`", forgotten.join("`, `")));
        }
        Ok(Status::Done)
    }
}

fn found(dir: &Path) -> Result<WorkspaceFile, Failure> {
    let places = workspace_places(dir).map(|place| format!("`{}`", place.display())).join(", ");
    match WorkspaceFile::find(dir) {
        Some(Ok(file)) => Ok(file),
        Some(Err(why)) => Err(Failure::call(shape(why, Code::Denied, "Correct the file"))),
        None => {
            let hint = format!("Run the command where one of these is: {places}");
            Err(Failure::call(shape("There is no workspace file".to_owned(), Code::NotFound, &hint)))
        }
    }
}

fn unusable(why: String) -> Failure {
    Failure::call(shape(why, Code::Denied, "`coyote --info` shows where coyote's files are"))
}

fn shape(tool_call_error: String, code: Code, hint: &str) -> ErrorShape {
    ErrorShape { tool_call_error, code, hint: hint.to_owned(), closest: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::mcp::fake_host::FakeHost;
    use std::fs;

    struct Tried {
        said: String,
        status: u8,
        trusted: bool,
    }

    async fn tried(flags: (bool, bool), answer: Answer, content: Option<&str>) -> Tried {
        let (fake, dir) = (FakeHost::new(""), tempfile::tempdir().unwrap());
        if let Some(content) = content {
            fs::write(dir.path().join(".mcp.json"), content).unwrap();
        }
        let args = TrustArgs { yes: flags.0, json: flags.1 };
        let outcome = args.decide(&fake.host, dir.path(), async |_: &str| answer).await;
        let (status, failed) = match outcome {
            Ok(status) => (status, String::new()),
            Err(failed) => {
                let shape = &failed.failure.shape;
                (failed.failure.status(), format!("{} [{}] {}", shape.tool_call_error, shape.code, shape.hint))
            }
        };
        let said = [fake.out(), fake.err(), failed].concat();
        let root = fs::canonicalize(dir.path()).unwrap();
        let file = WorkspaceFile::find(dir.path()).and_then(Result::ok);
        let trusted = file.is_some_and(|file| Trust::read(&fake.host.app.paths).unwrap().covers(&file));
        Tried { said: said.replace(&root.display().to_string(), "<work>"), status: status.number(), trusted }
    }

    const ONE: Option<&str> = Some(r#"{"mcpServers": {"docs": {"command": "x"}}}"#);

    #[tokio::test]
    async fn a_yes_or_the_flag_trusts_and_nothing_else_does() {
        for (flags, answer, status, trusted) in [
            ((false, false), Answer::Yes, 0, true),
            ((true, false), Answer::Nobody, 0, true),
            ((false, false), Answer::No, 1, false),
            ((false, false), Answer::Nobody, 2, false),
            ((false, false), Answer::Cancelled, 130, false),
        ] {
            let tried = tried(flags, answer, ONE).await;
            assert_eq!((tried.status, tried.trusted), (status, trusted), "{}", tried.said);
        }
    }

    #[tokio::test]
    async fn each_end_of_the_command_says_what_it_means() {
        let text = tried((false, false), Answer::Yes, ONE).await.said;
        insta::assert_snapshot!(text, @"`<work>/.mcp.json` is trusted");
        let text = tried((false, false), Answer::No, ONE).await.said;
        insta::assert_snapshot!(text, @"`<work>/.mcp.json` is not trusted: you said no [denied] Run the command again to be asked again");
        let text = tried((false, false), Answer::Nobody, ONE).await.said;
        insta::assert_snapshot!(text);
        let text = tried((false, true), Answer::Yes, ONE).await.said;
        insta::assert_snapshot!(text);
        let text = tried((false, false), Answer::Yes, None).await.said;
        insta::assert_snapshot!(text, @"There is no workspace file [not_found] Run the command where one of these is: `<work>/.coyote/mcp.json`, `<work>/.coyote/.mcp.json`, `<work>/.mcp.json`");
    }

    #[tokio::test]
    async fn untrust_forgets_the_file_even_when_it_is_gone() {
        let (fake, dir) = (FakeHost::new(""), tempfile::tempdir().unwrap());
        fs::write(dir.path().join(".mcp.json"), "{\"mcpServers\": {}}").unwrap();
        let args = TrustArgs { yes: true, json: false };
        args.decide(&fake.host, dir.path(), async |_: &str| Answer::No).await.unwrap();
        let file = WorkspaceFile::find(dir.path()).unwrap().unwrap();
        fs::remove_file(file.path()).unwrap();
        for _ in 0..2 {
            UntrustArgs { json: false }.forget(&fake.host, dir.path()).unwrap();
        }
        assert!(!Trust::read(&fake.host.app.paths).unwrap().covers(&file));
        let root = fs::canonicalize(dir.path()).unwrap();
        let said = fake.out().replace(&root.display().to_string(), "<work>");
        insta::assert_snapshot!(said, @r"
        `<work>/.mcp.json` is trusted
        No longer trusted: `<work>/.mcp.json`
        No workspace file of this directory was trusted
        ");
    }
}
