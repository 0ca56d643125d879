//! What is asked about, and what an answer lasts for (S40, S47).

use super::*;
use crate::{
    config::{Environment, McpJson, Paths, PlatformDirs, ProcessEnv, Servers, read_mcp_json},
    functions::{LocalCall, LocalScope},
    model::Function,
};
use mcp_catalog::{Capabilities, Handshake, McpServerFeatures};
use mcp_meta::{MetaName, declare};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// Local tools of which one asks.
struct Tools;

impl LocalTools for Tools {
    fn functions(&self) -> Vec<Function> {
        ["fs_write", "fs_cat"]
            .map(|name| Function { name: name.to_owned(), description: String::new(), parameters: json!({}) })
            .to_vec()
    }

    fn asks(&self, name: &str) -> bool {
        matches!(name, "fs_write" | "execute_command")
    }

    fn call<'a>(&'a self, _name: &'a str, _arguments: &'a Value, _scope: &'a LocalScope) -> Option<LocalCall<'a>> {
        None
    }
}

/// Answers from a script, and remembers what it was asked.
struct Scripted(Asked, Mutex<Vec<Vec<Question>>>);

impl Asker for Scripted {
    fn ask<'a>(&'a self, questions: &'a [Question]) -> Asking<'a> {
        self.1.lock().unwrap().push(questions.to_vec());
        Box::pin(async { self.0.clone() })
    }
}

/// A user's directory.
struct Home {
    dir: tempfile::TempDir,
    mcp: Value,
    env: &'static [(&'static str, &'static str)],
    policy: ApprovalPolicy,
}

impl Home {
    fn new(mcp: Value) -> Self {
        Self { dir: tempfile::tempdir().unwrap(), mcp, env: &[("TOKEN", "one")], policy: ApprovalPolicy::default() }
    }

    fn store(&self) -> PathBuf {
        self.dir.path().join("approvals.json")
    }

    /// What a process started now would ask by.
    fn approval(&self) -> Approval {
        let (store, why) = ApprovalStore::read(self.store());
        assert_eq!(why, None);
        Approval::new(self.policy, self.servers().iter(), store)
    }

    /// What its mcp.json says now.
    fn servers(&self) -> Servers {
        let mut environment = Environment::new(ProcessEnv::of(self.env));
        let dirs = PlatformDirs { config: self.dir.path().join("c"), cache: self.dir.path().join("k") };
        let paths = Paths::find(&mut environment, Some(&dirs)).unwrap();
        fs::create_dir_all(&paths.config_dir).unwrap();
        fs::write(paths.config_dir.join("mcp.json"), json!({"mcpServers": self.mcp}).to_string()).unwrap();
        let file: McpJson = read_mcp_json(&paths, &environment);
        assert!(file.skipped.is_empty(), "{file:?}");
        Servers::new(file, PathBuf::new())
    }

    fn asks(&self, call: &ToolCall) -> bool {
        asks(&self.approval(), call)
    }
}

fn declared() -> Declarations {
    let all = Capabilities { tools: true, resources: true, prompts: true, completions: false };
    let features = |name: &str| McpServerFeatures::of(ServerName::new(name).unwrap(), &Handshake::of(all));
    declare(&["docs", "other", "coyote"].map(features), &[])
}

fn asks(approval: &Approval, call: &ToolCall) -> bool {
    approval.question(call, &declared(), &Tools).is_some()
}

fn of(verb: Verb, server: &str, tool: &str) -> ToolCall {
    let name = MetaName::of(verb, &ServerName::new(server).unwrap()).to_string();
    ToolCall { id: String::new(), name, arguments: json!({"tool": tool, "arguments": {"n": 1}}) }
}

fn invoke(server: &str, tool: &str) -> ToolCall {
    of(Verb::Invoke, server, tool)
}

fn local(name: &str) -> ToolCall {
    ToolCall { id: String::new(), name: name.to_owned(), arguments: json!({"path": "x"}) }
}

fn two() -> Value {
    json!({"docs": {"command": "docs", "env": {"T": "{{TOKEN}}"}}, "other": {"command": "other"}})
}

async fn answer(approval: &Approval, calls: &[ToolCall], asked: Asked) -> Vec<Option<Code>> {
    let questions: Vec<Question> =
        calls.iter().filter_map(|call| approval.question(call, &declared(), &Tools)).collect();
    let scripted = Scripted(asked, Mutex::default());
    let answers = approval.settle(&questions, &scripted).await;
    assert_eq!(scripted.1.lock().unwrap().as_slice(), [questions], "all calls are asked about together");
    answers.into_iter().map(|answer| answer.and_then(|answer| answer.code)).collect()
}

#[test]
fn only_invoke_and_tools_that_change_something_ask() {
    let home = Home::new(two());
    for verb in Verb::ALL {
        assert_eq!(home.asks(&of(verb, "docs", "t")), verb == Verb::Invoke, "{verb}");
    }
    assert!(home.asks(&local("fs_write")) && !home.asks(&local("fs_cat")) && !home.asks(&local("unknown")));
    let question = home.approval().question(&invoke("docs", "t"), &declared(), &Tools).unwrap();
    assert_eq!(question.subject.to_string(), "docs: t");
    assert_eq!(question.arguments, json!({"n": 1}));
}

#[test]
fn trust_counts_in_the_users_own_file_and_the_embedded_server_is_trusted_until_it_is_replaced() {
    let home = Home::new(json!({"docs": {"command": "docs", "trust": true}, "other": {"command": "other"}}));
    assert!(!home.asks(&invoke("docs", "t")) && home.asks(&invoke("other", "t")) && !home.asks(&invoke("coyote", "t")));
    let replaced = Home::new(json!({"coyote": {"command": "mine"}}));
    assert!(replaced.asks(&invoke("coyote", "t")));
    assert!(replaced.asks(&invoke("docs", "t")), "a server without an entry has no standing");
}

#[test]
fn a_workspace_server_is_never_trusted_whatever_its_entry_says() {
    let mut entry = crate::mcp::ServerEntry::new(
        ServerName::new("docs").unwrap(),
        crate::mcp::Transport::Http { url: "https://a/".to_owned(), headers: Vec::new() },
    );
    entry.trust = true;
    entry.origin = crate::mcp::Origin::Workspace;
    let server = ConfiguredServer { written: entry.spec_key(), entry, missing: None };
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = ApprovalStore::read(dir.path().join("a.json"));
    assert!(asks(&Approval::new(ApprovalPolicy::default(), [&server], store), &invoke("docs", "t")));
}

#[test]
fn never_waives_the_servers_questions_and_yes_waives_all() {
    let mut home = Home::new(two());
    home.policy = ApprovalPolicy { mcp: McpApproval::Never, yes: false };
    assert!(!home.asks(&invoke("docs", "t")) && home.asks(&local("fs_write")));
    home.policy = ApprovalPolicy { mcp: McpApproval::Ask, yes: true };
    assert!(!home.asks(&invoke("docs", "t")) && !home.asks(&local("fs_write")));
}

#[tokio::test]
async fn without_a_terminal_every_call_is_denied_and_the_way_out_is_named() {
    let approval = Home::new(two()).approval();
    let calls = [invoke("docs", "t"), local("fs_write")];
    assert_eq!(answer(&approval, &calls, Asked::Nobody).await, [Some(Code::Denied); 2]);
    assert_eq!(answer(&approval, &calls, Asked::Cancelled).await, [Some(Code::Cancelled); 2]);
    let questions = [approval.question(&calls[0], &declared(), &Tools).unwrap()];
    let refusal = approval.settle(&questions, &NobodyToAsk).await.remove(0).unwrap();
    insta::assert_snapshot!(refusal.value, @r#"{"tool_call_error":"The call of tool `t` of server `docs` needs the user's yes, and there is no terminal to ask at","code":"denied","hint":"Go on without it, and tell the user that `--yes` runs such calls where there is no terminal to ask at"}"#);
}

#[tokio::test]
async fn yes_is_for_once_no_is_a_denial_and_a_missing_answer_is_no() {
    let approval = Home::new(two()).approval();
    let calls = [invoke("docs", "a"), invoke("docs", "b"), invoke("docs", "c")];
    let answers = answer(&approval, &calls, Asked::Answered(vec![Consent::Yes, Consent::No])).await;
    assert_eq!(answers, [None, Some(Code::Denied), Some(Code::Denied)]);
    assert!(calls.iter().all(|call| asks(&approval, call)));
}

#[tokio::test]
async fn always_is_kept_for_that_tool_of_that_entry_and_a_namesake_inherits_nothing() {
    let mut home = Home::new(two());
    let approval = home.approval();
    let calls = [invoke("docs", "t"), local("fs_write")];
    assert_eq!(answer(&approval, &calls, Asked::Answered(vec![Consent::AlwaysTool; 2])).await, [None, None]);
    assert!(!asks(&approval, &calls[0]) && !asks(&approval, &calls[1]));
    assert!(!home.asks(&calls[0]) && !home.asks(&calls[1]), "the next process does not ask either");
    assert!(home.asks(&invoke("docs", "u")) && home.asks(&invoke("other", "t")));
    let kept = fs::read_to_string(home.store()).unwrap();
    assert!(kept.contains("\"docs\"") && !kept.contains("one"), "{kept}");
    home.env = &[("TOKEN", "two")];
    assert!(!home.asks(&calls[0]), "a rotated secret is no other server");
    home.mcp = json!({"docs": {"command": "docs", "env": {"T": "{{OTHER}}"}}, "other": {"command": "other"}});
    assert!(home.asks(&calls[0]), "an entry that was changed is another server");
}

// A yes to one command would be one to every other.
#[tokio::test]
async fn always_for_a_command_is_for_the_session_and_a_kept_one_does_not_count() {
    let home = Home::new(two());
    let approval = home.approval();
    let command = local("execute_command");
    answer(&approval, std::slice::from_ref(&command), Asked::Answered(vec![Consent::AlwaysTool])).await;
    assert!(!asks(&approval, &command) && home.asks(&command) && !home.store().exists());
    fs::create_dir_all(home.store().parent().unwrap()).unwrap();
    fs::write(home.store(), r#"{"servers": {}, "local": ["execute_command", "fs_write"]}"#).unwrap();
    assert!(home.asks(&command) && !home.asks(&local("fs_write")));
}

#[tokio::test]
async fn this_server_is_for_the_session_and_not_kept() {
    let home = Home::new(two());
    let approval = home.approval();
    answer(&approval, &[invoke("docs", "t")], Asked::Answered(vec![Consent::ServerForSession])).await;
    assert!(!asks(&approval, &invoke("docs", "u")) && asks(&approval, &invoke("other", "t")));
    assert!(home.asks(&invoke("docs", "t")) && !home.store().exists());
}

#[tokio::test]
async fn what_was_answered_about_a_server_is_forgotten_when_its_entry_is_read_again_and_is_another_s40() {
    let mut home = Home::new(two());
    let approval = home.approval();
    let calls = [invoke("docs", "t"), invoke("other", "t"), local("execute_command")];
    answer(&approval, &calls, Asked::Answered(vec![Consent::AlwaysTool; 3])).await;
    answer(&approval, &[invoke("docs", "u")], Asked::Answered(vec![Consent::ServerForSession])).await;
    approval.stand(McpApproval::Ask, home.servers().iter());
    assert!(!calls.iter().any(|call| asks(&approval, call)), "the same entries are the same servers");
    home.mcp = json!({"docs": {"command": "evil"}, "other": {"command": "other"}});
    approval.stand(McpApproval::Ask, home.servers().iter());
    assert!(asks(&approval, &calls[0]) && asks(&approval, &invoke("docs", "u")), "a namesake inherits nothing");
    assert!(!asks(&approval, &calls[1]) && !asks(&approval, &calls[2]));
    home.mcp = json!({"docs": {"command": "evil", "trust": true}});
    approval.stand(McpApproval::Ask, home.servers().iter());
    assert!(!asks(&approval, &calls[0]) && asks(&approval, &calls[1]), "a server that is gone is approved no longer");
    home.mcp = json!({"docs": {"command": "evil"}});
    approval.stand(McpApproval::Ask, home.servers().iter());
    assert!(asks(&approval, &calls[0]), "trust that was taken back counts no longer");
}

#[cfg(unix)]
#[tokio::test]
async fn the_approvals_file_is_its_users_alone_s47() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new(two());
    answer(&home.approval(), &[local("fs_write")], Asked::Answered(vec![Consent::AlwaysTool])).await;
    assert_eq!(home.store().metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn an_approvals_file_that_is_not_ours_approves_nothing_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("approvals.json");
    fs::write(&path, r#"{"local": ["fs_write"]}"#).unwrap();
    let (store, why) = ApprovalStore::read(path.clone());
    assert!(why.unwrap().contains("remove it to start over"));
    let approval = Approval::new(ApprovalPolicy::default(), [], store);
    assert!(asks(&approval, &local("fs_write")));
    answer(&approval, &[local("fs_write")], Asked::Answered(vec![Consent::AlwaysTool])).await;
    assert!(!asks(&approval, &local("fs_write")), "it counts until the program ends");
    assert!(approval.take_trouble()[0].contains("is not kept"));
    assert_eq!(fs::read_to_string(&path).unwrap(), r#"{"local": ["fs_write"]}"#);
}
