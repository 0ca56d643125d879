//! Macros by the real binary (host.md "Agents, macros", "Workspace files"): the user's own, and a workspace's once trusted.

use crate::machine::{ends, machine, shelf};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{fs, path::Path};

async fn talking(host: &Host, answers: Vec<Answer>) -> ModelServer {
    let model = ModelServer::start(Api::OpenAi, answers).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    host.write("config/roles/reviewer.md", "You review.").unwrap();
    model
}

/// A user's macro, as a coyote user has it.
const STANDUP: &str = include_str!("../../crates/coyote-integration/src/macros/file/standup.yaml");

#[tokio::test]
async fn a_macros_steps_are_shown_and_run_one_after_the_other_with_its_words() {
    let host = machine();
    let model = talking(&host, vec![Answer::text("Little"), Answer::text("Much")]).await;
    host.write("config/macros/standup.yaml", STANDUP).unwrap();
    let done = ends(&host, 0, &["--macro", "standup", "monday", "the", "parser"]).await;
    assert_eq!(done.text(), "Little");
    assert!(done.stderr.contains("> .role reviewer\n> What changed since monday about the parser?\n"), "{done}");
    let request = &model.requests()[0];
    assert_eq!(
        (request.roles(), request.system().as_deref()),
        (vec!["system".to_owned(), "user".to_owned()], Some("You review."))
    );
    // It runs in a copy, so the session stays as it was.
    ends(&host, 0, &["-s", "work", "--macro", "standup", "topic=tests"]).await;
    assert!(!host.path("config/sessions/work.yaml").exists());
    let missing = ends(&host, 2, &["--macro", "standup"]).await;
    assert!(missing.stderr.contains("`.standup` needs a value for `topic`"), "{missing}");
    let unknown = ends(&host, 2, &["--macro", "standpu"]).await;
    assert!(unknown.stderr.contains("Did you mean `standup`?"), "{unknown}");
    assert_eq!(ends(&host, 0, &["--list-macros"]).await.text(), "standup\n");
}

#[tokio::test]
async fn a_macro_stops_at_the_first_step_that_fails() {
    let host = machine();
    let model = talking(&host, vec![Answer::text("One"), Answer::status(401, "{}")]).await;
    host.write("config/macros/a.yaml", "steps: [one, .set temperature hot, two]").unwrap();
    let done = ends(&host, 2, &["--macro", "a"]).await;
    assert!(done.stderr.contains("The macro stopped at step 2 of 3: `temperature` cannot be `hot`"), "{done}");
    assert_eq!((done.text().as_str(), model.requests().len()), ("One", 1));
    host.write("config/macros/b.yaml", "steps: [one, two]").unwrap();
    let done = ends(&host, 1, &["--macro", "b"]).await;
    assert!(done.stderr.contains("The macro stopped at step 1 of 2"), "{done}");
    host.write("config/macros/c.yaml", "steps: ['!touch made']").unwrap();
    let done = ends(&host, 2, &["--macro", "c"]).await;
    assert!(done.stderr.contains("runs in the REPL alone") && !host.path("project/made").exists(), "{done}");
    host.write("config/macros/d.yaml", "steps: [.d]").unwrap();
    let done = ends(&host, 2, &["--macro", "d"]).await;
    assert!(done.stderr.contains("`.d` runs in 8 macros already, the limit"), "{done}");
}

#[tokio::test]
async fn a_macro_whose_file_is_broken_is_not_run_and_the_file_is_named() {
    let host = machine();
    host.write("config/macros/standup.yaml", "steps: [").unwrap();
    let done = ends(&host, 2, &["--macro", "standup"]).await;
    assert!(done.stderr.contains("macros/standup.yaml"), "{done}");
}

#[tokio::test]
async fn a_macro_may_change_the_session_it_runs_in() {
    let host = machine();
    let model = talking(&host, vec![Answer::text("One"), Answer::text("Two"), Answer::text("Three")]).await;
    let steps = "steps: [.session work, .set temperature 0.5, one, .role reviewer aside, .b two]";
    host.write("config/macros/a.yaml", steps).unwrap();
    host.write("config/macros/b.yaml", "variables: [{name: x}]\nsteps: ['{{x}}']").unwrap();
    let done = ends(&host, 0, &["--macro", "a"]).await;
    assert_eq!(done.text(), "OneTwoThree");
    let requests = model.requests();
    assert_eq!([requests[1].roles().len(), requests[2].roles().len()], [2, 3], "a one-off stands alone");
    let text = fs::read_to_string(host.path("config/sessions/work.yaml")).unwrap();
    assert!(text.contains("temperature: 0.5") && text.contains("Three") && !text.contains("aside"), "{text}");
}

// A yes that an isolated macro gave itself would be one to everything that follows it (S40).
#[tokio::test]
async fn what_an_isolated_macro_sets_of_approval_ends_with_it_s40() {
    let mut host = machine();
    host.serve("docs", shelf()).unwrap();
    let call = || Answer::new().call("c1", "mcp_invoke_docs", &json!({"tool": "add", "arguments": {"a": 1, "b": 2}}));
    let answers = vec![call(), Answer::text("One"), call(), Answer::text("Two")];
    let model = talking(&host, answers).await;
    host.write("config/macros/outer.yaml", "steps: [.inner, add again]").unwrap();
    host.write("config/macros/inner.yaml", "isolated: true\nsteps: [.set mcp_approval never, add]").unwrap();
    ends(&host, 0, &["--macro", "outer"]).await;
    let results: Vec<_> = model.requests().iter().filter_map(|request| request.results().pop()).collect();
    assert!(results[0].1.contains("sum") && results[1].1.contains("\"code\":\"denied\""), "{results:?}");
}

/// Trusts a file as `trust.json` says it.
fn trust(host: &Host, inside: &str) {
    let path = fs::canonicalize(host.path(inside)).unwrap();
    let digest = Sha256::digest(fs::read(&path).unwrap());
    let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let file = Path::new("config/trust.json");
    let files = json!({"workspaceFiles": {path.to_str().unwrap(): hash}});
    host.write(file.to_str().unwrap(), &files.to_string()).unwrap();
}

#[tokio::test]
async fn a_workspaces_macro_runs_only_when_it_is_trusted_as_it_is() {
    let host = machine();
    let model = talking(&host, vec![Answer::text("One"), Answer::text("Two")]).await;
    let theirs = "project/.coyote/macros/theirs.yaml";
    host.write(theirs, "steps: [hello]").unwrap();
    let skipped = ends(&host, 2, &["--macro", "theirs"]).await;
    assert!(skipped.stderr.contains("skipped, since you have not trusted them as they are: `theirs`"), "{skipped}");
    assert_eq!(ends(&host, 0, &["--list-macros"]).await.text(), "");
    trust(&host, theirs);
    assert_eq!(ends(&host, 0, &["--macro", "theirs"]).await.text(), "One");
    assert_eq!(ends(&host, 0, &["--list-macros"]).await.text(), "theirs\n");
    ends(&host, 2, &["--no-workspace-macros", "--macro", "theirs"]).await;
    host.write(theirs, "steps: [hello, hello]").unwrap();
    ends(&host, 2, &["--macro", "theirs"]).await;
    // A user's own of that name is the one that counts, trusted or not.
    host.write("config/macros/theirs.yaml", "steps: [mine]").unwrap();
    trust(&host, theirs);
    let own = ends(&host, 0, &["--macro", "theirs"]).await;
    assert!(own.stderr.contains("> mine") && own.stderr.contains("you have your own of that name"), "{own}");
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn a_command_wins_over_a_macro_of_its_name_which_is_reported_and_still_runs_r5() {
    let host = machine();
    let model = talking(&host, vec![Answer::text("One"), Answer::text("Two")]).await;
    host.write("config/macros/role.yaml", "steps: [from the macro]").unwrap();
    host.write("config/macros/a.yaml", "steps: [.role reviewer, hello, .macro role]").unwrap();
    let listed = ends(&host, 0, &["--list-macros"]).await;
    assert_eq!(listed.text(), "a\nrole\n");
    let reported = "The macro `role` is shadowed by the command `.role`. Run it with `.macro role`, or rename it";
    assert!(listed.stderr.contains(reported), "{listed}");
    ends(&host, 0, &["--macro", "a"]).await;
    let requests = model.requests();
    assert_eq!(requests[0].system().as_deref(), Some("You review."));
    assert_eq!((requests.len(), requests[1].roles().len()), (2, 4), "`.macro role` said its step");
}
