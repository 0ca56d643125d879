//! Sessions by the real binary (host.md "A session file", S47): kept after every exchange, one writer, nothing lost by a
//! kill.

use crate::machine::{ends, machine, shelf, with};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
};
use serde_json::{Value, json};
use std::{fs, time::Duration};

/// A machine whose model answers with these.
async fn talking(host: &Host, answers: Vec<Answer>) -> ModelServer {
    let model = ModelServer::start(Api::OpenAi, answers).await.unwrap();
    host.write("config/config.yaml", &model.config_yaml()).unwrap();
    model
}

fn file(host: &Host, name: &str) -> String {
    fs::read_to_string(host.path(&format!("config/sessions/{name}.yaml"))).unwrap()
}

/// Waits until request `number` has arrived.
async fn asked(model: &ModelServer, number: usize) {
    while model.requests().len() < number {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_named_session_goes_on_where_the_last_run_ended() {
    let host = machine();
    let model = talking(&host, vec![Answer::text("One"), Answer::text("Two")]).await;
    ends(&host, 0, &["-s", "work", "--", "first"]).await;
    ends(&host, 0, &["--session", "work", "second"]).await;
    assert_eq!(model.requests()[1].roles(), ["user", "assistant", "user"]);
    assert_eq!(ends(&host, 0, &["--list-sessions"]).await.text(), "work\n");
    insta::assert_snapshot!(file(&host, "work"), @r"
    model: stand-in:m
    messages:
    - role: user
      content: first
    - role: assistant
      content: One
    - role: user
      content: second
    - role: assistant
      content: Two
    ");
}

// What a user must be able to rely on (issue 5): a kill costs the turn in flight and nothing else.
#[cfg(unix)]
#[tokio::test]
async fn a_kill_in_the_middle_of_a_turn_loses_that_turn_alone() {
    let host = machine();
    let slow = Answer::text("never whole, never whole, never whole").in_pieces().slow(Duration::from_mins(10));
    let model = talking(&host, vec![Answer::text("One"), slow, Answer::text("Three")]).await;
    ends(&host, 0, &["-s", "work", "first"]).await;
    let before = file(&host, "work");
    let mut child = host.command(&["-s", "work", "second"]).spawn().unwrap();
    drop(child.stdin.take());
    asked(&model, 2).await;
    child.kill().await.unwrap();
    assert_eq!(file(&host, "work"), before);
    let done = ends(&host, 0, &["-s", "work", "third"]).await;
    assert_eq!(done.text(), "Three");
    assert!(!done.stderr.contains("read-only"), "the lock went with its process: {done}");
    let text = file(&host, "work");
    assert!(text.contains("first") && text.contains("third") && !text.contains("second"), "{text}");
}

#[tokio::test]
async fn a_session_opened_twice_is_read_only_the_second_time_and_says_so() {
    let host = machine();
    let slow = Answer::text("a b c").in_pieces().slow(Duration::from_mins(10));
    let model = talking(&host, vec![Answer::text("One"), slow, Answer::text("Other")]).await;
    ends(&host, 0, &["-s", "work", "first"]).await;
    let before = file(&host, "work");
    let mut first = host.command(&["-s", "work", "hangs"]).spawn().unwrap();
    drop(first.stdin.take());
    asked(&model, 2).await;
    let second = ends(&host, 0, &["-s", "work", "meanwhile"]).await;
    assert_eq!(second.text(), "Other");
    assert!(second.stderr.contains("Session `work` is read-only: another coyote has it open"), "{second}");
    assert_eq!(model.requests()[2].roles(), ["user", "assistant", "user"]);
    assert_eq!(file(&host, "work"), before);
    first.kill().await.unwrap();
}

/// A session as another program wrote it.
const THEIRS: &str = "model: openai:gpt-4o
temperature: 0.3
enabled_mcp_servers: [docs]
role_name: reviewer
messages:
  - role: user
    content: What is in the manual?
  - role: assistant
    content: One page, named start.
  - role: user
    content:
      - type: text
        text: And this picture?
      - type: image_url
        image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' }
  - role: assistant
    content:
      text: I looked.
      tool_results:
        - call: { name: mcp_read_docs, arguments: { uri: 'book://one' }, id: call_1 }
          output: { uri: 'book://one', text: 'Welcome' }
";

#[tokio::test]
async fn a_session_that_another_program_wrote_resumes_with_its_tool_results() {
    let host = with(shelf());
    let model = talking(&host, vec![Answer::text("It says welcome")]).await;
    host.write("config/sessions/work.yaml", THEIRS).unwrap();
    host.write("config/roles/reviewer.md", "You review.").unwrap();
    let done = ends(&host, 0, &["-m", "stand-in:m", "-s", "work", "and", "now?"]).await;
    assert_eq!(done.text(), "It says welcome");
    let request = &model.requests()[0];
    assert_eq!(request.roles(), ["system", "user", "assistant", "user", "assistant", "tool", "user"]);
    let results = request.results();
    assert_eq!(results.len(), 1, "{results:?}");
    let output: Value = serde_json::from_str(&results[0].1).unwrap();
    assert_eq!((results[0].0.as_str(), output), ("call_1", json!({"uri": "book://one", "text": "Welcome"})));
    assert!(request.functions().iter().all(|name| name.ends_with("_docs")), "{:?}", request.functions());
    let text = file(&host, "work");
    assert!(text.contains("iVBORw0KGgo=") && text.contains("id: call_1") && text.contains("It says welcome"), "{text}");
}

#[tokio::test]
async fn a_session_that_is_not_understood_is_status_2_and_stays() {
    let host = machine();
    let model = talking(&host, vec![]).await;
    host.write("config/sessions/work.yaml", "messages: [{role: wizard, content: x}]").unwrap();
    let done = ends(&host, 2, &["-s", "work", "hello"]).await;
    assert!(done.stderr.contains("message 1 has the role `wizard`"), "{done}");
    assert_eq!(file(&host, "work"), "messages: [{role: wizard, content: x}]");
    assert!(model.requests().is_empty());
}

#[cfg(unix)]
#[tokio::test]
async fn a_session_and_the_journal_are_their_users_alone_and_hold_no_key_s47() {
    use std::os::unix::fs::PermissionsExt;
    let mut host = machine();
    host.env("STAND_IN", "the-resolved-key");
    let model = talking(&host, vec![Answer::text("One")]).await;
    let config = model.config_yaml().replace("key-of-the-stand-in", "'{{STAND_IN}}'");
    host.write("config/config.yaml", &format!("save: true\n{config}")).unwrap();
    ends(&host, 0, &["-s", "work", "hello"]).await;
    let mode = |path: &str| fs::metadata(host.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("config/sessions"), 0o700);
    for path in ["config/sessions/work.yaml", "config/sessions/.work.lock", "cache/messages.md"] {
        assert_eq!(mode(path), 0o600, "{path}");
        assert!(!fs::read_to_string(host.path(path)).unwrap().contains("the-resolved-key"), "{path}");
    }
    assert!(fs::read_to_string(host.path("cache/messages.md")).unwrap().contains("**You**\n\nhello"));
}

#[tokio::test]
async fn a_one_shot_starts_with_what_cmd_prelude_names_unless_something_is_given() {
    let host = machine();
    let model = talking(&host, vec![Answer::text("One"), Answer::text("Two"), Answer::text("Three")]).await;
    host.write("config/config.yaml", &format!("cmd_prelude: work:reviewer\n{}", model.config_yaml())).unwrap();
    host.write("config/roles/reviewer.md", "You review.").unwrap();
    host.write("config/roles/other.md", "You do not.").unwrap();
    ends(&host, 0, &["hello"]).await;
    ends(&host, 0, &["more"]).await;
    ends(&host, 0, &["-r", "other", "else"]).await;
    let requests = model.requests();
    assert_eq!(requests[1].roles(), ["system", "user", "assistant", "user"]);
    assert_eq!(requests[1].system().as_deref(), Some("You review."));
    assert_eq!(requests[2].roles(), ["system", "user"]);
}
