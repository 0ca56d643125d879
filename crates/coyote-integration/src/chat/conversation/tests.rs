//! Conversations over a real state and a scripted model: what changes change, and what is sent.

use super::*;
use crate::{
    chat::{TurnEnd, TurnView},
    config::{AppConfig, Chosen, Environment, Paths, PlatformDirs, ProcessEnv},
    functions::{NobodyToAsk, Question, Subject, ToolCall, ToolResult},
    model::{Abilities, ChatRequest, Chatting, ModelError, ModelFault, Reply, ReplySink},
};
use mcp_catalog::Progress;
use mcp_render::Ceiling;
use std::{collections::VecDeque, path::Path, sync::Mutex};
use tokio_util::sync::CancellationToken;

/// A model that says these in order, `None` being a failure, and keeps what it was asked.
#[derive(Default)]
pub(super) struct Scripted {
    replies: Mutex<VecDeque<Option<&'static str>>>,
    requests: Mutex<Vec<ChatRequest>>,
    window: Option<u64>,
}

impl Scripted {
    pub(super) fn of(replies: &[Option<&'static str>]) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.iter().copied().collect()), ..Self::default() })
    }

    /// One with a window of so many tokens.
    pub(super) fn small(window: u64, replies: &[Option<&'static str>]) -> Arc<Self> {
        let replies = Mutex::new(replies.iter().copied().collect());
        Arc::new(Self { replies, window: Some(window), ..Self::default() })
    }

    /// The messages of request `number`, one line each.
    pub(super) fn sent(&self, number: usize) -> String {
        lines(&self.requests.lock().unwrap()[number].messages)
    }
}

pub(super) fn lines(messages: &[Message]) -> String {
    let line = |message: &Message| match message {
        Message::System(text) => format!("system: {text}"),
        Message::User(parts) => {
            let texts = parts.iter().map(|part| match part {
                Part::Text(text) => text.as_str(),
                Part::Image { name, .. } => name,
            });
            format!("user: {}", texts.collect::<Vec<_>>().join(" + "))
        }
        Message::Assistant { text, .. } => format!("assistant: {text}"),
        Message::Results(results) => format!("results: {}", results.len()),
    };
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl ChatModel for Scripted {
    fn id(&self) -> &'static str {
        "test:scripted"
    }

    fn abilities(&self) -> Abilities {
        Abilities { max_input_tokens: self.window, max_output_tokens: None, function_calling: true, vision: false }
    }

    fn chat<'a>(&'a self, request: ChatRequest, _: &'a dyn ReplySink, _: CancellationToken) -> Chatting<'a> {
        self.requests.lock().unwrap().push(request);
        let reply = self.replies.lock().unwrap().pop_front().expect("a request that no one scripted");
        Box::pin(async move {
            let text = reply.ok_or_else(|| ModelError {
                fault: ModelFault::Provider,
                text: "no".to_owned(),
                hint: String::new(),
            })?;
            Ok(Reply { text: text.to_owned(), ..Reply::default() })
        })
    }
}

struct Nobody;

impl TurnView for Nobody {
    fn text(&self, _: &str) {}
    fn call_started(&self, _: &ToolCall) {}
    fn progress(&self, _: &ToolCall, _: &Progress) {}
    fn call_ended(&self, _: &ToolCall, _: &ToolResult) {}
    fn note(&self, _: &str) {}
}

pub(super) fn view() -> Arc<dyn TurnView> {
    Arc::new(Nobody)
}

pub(super) fn text(text: &str) -> Vec<Part> {
    vec![Part::Text(text.to_owned())]
}

const CONFIG: &str = "
model: offline
temperature: 0.2
stream: false
enabled_mcp_servers: docs
clients:
  - type: openai
    api_key: k
";

const ROLE: &str = "---
temperature: 0.9
enabled_mcp_servers: [docs, notes, nothing]
---
You are a pirate.
";

/// A state with two servers that nobody starts, and the roles `pirate` and `translate`.
pub(super) fn app(dir: &Path) -> Arc<AppState> {
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("coyote/config.yaml", CONFIG);
    write("coyote/mcp.json", r#"{"mcpServers": {"docs": {"command": "true"}, "notes": {"command": "true"}}}"#);
    write("coyote/roles/pirate.md", ROLE);
    write("coyote/roles/translate.md", "Translate: __INPUT__");
    let platform = PlatformDirs { config: dir.to_owned(), cache: dir.join("cache") };
    let mut environment = Environment::new(ProcessEnv::of(&[]));
    let paths = Paths::find(&mut environment, Some(&platform)).unwrap();
    Arc::new(AppState::load(paths, environment))
}

pub(super) fn opened(dir: &Path, edit: impl FnOnce(&mut Opening)) -> Result<(Conversation, Vec<String>), Refusal> {
    let app = app(dir);
    let models = Arc::new(Models::new(&app.config.clients, &app.environment));
    let mut opening = Opening::new(Conversation::approval(&app, false).0, Arc::new(NobodyToAsk));
    edit(&mut opening);
    Conversation::begin(app, models, opening)
}

/// A conversation with this model, whatever its layers name.
pub(super) fn with_model(dir: &Path, model: &Arc<Scripted>) -> Conversation {
    let mut conversation = opened(dir, |_| ()).unwrap().0;
    conversation.model = Arc::clone(model) as _;
    conversation
}

fn names(servers: &[ServerName]) -> Vec<&str> {
    servers.iter().map(ServerName::as_str).collect()
}

#[test]
fn a_role_brings_its_settings_and_takes_them_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, warnings) = opened(dir.path(), |_| ()).unwrap();
    assert_eq!((names(conversation.enabled_servers()), warnings), (vec!["docs"], Vec::new()));
    let change = conversation.use_role("pirate").unwrap();
    assert_eq!(names(&change.enabled), ["notes"], "what ran before is not started again");
    let warning = change.warnings.concat().replace(dir.path().to_str().unwrap(), "DIR");
    let named = "`enabled_mcp_servers` in `DIR/coyote/roles/pirate.md` line 3 names `nothing`";
    assert_eq!(warning, format!("{named}, which is no server and no alias"));
    assert_eq!(conversation.layers().temperature(), Some(0.9));
    assert_eq!(conversation.flags(), StateFlags { role: true, ..StateFlags::default() });
    assert_eq!(conversation.leave_role().unwrap(), Change::default());
    assert_eq!(names(conversation.enabled_servers()), ["docs"]);
    assert_eq!(conversation.layers().temperature(), Some(0.2));
    assert_eq!(conversation.flags(), StateFlags::default());
    let again = conversation.use_role("pirate").unwrap();
    assert_eq!((names(&again.enabled), again.warnings), (vec!["notes"], Vec::new()), "each warning is told once");
}

#[test]
fn what_is_refused_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, _) =
        opened(dir.path(), |opening| opening.role = Some(RoleOf::Name("pirate".to_owned()))).unwrap();
    let before = (conversation.layers().clone(), conversation.role().cloned(), conversation.model().id().to_owned());
    let refused = [
        conversation.use_role("pirat").unwrap_err(),
        conversation.set_model(Some("opnai:nonesuch")).unwrap_err(),
        conversation.set("temperature", "hot").unwrap_err(),
        conversation.set("clients", "none").unwrap_err(),
        conversation.set("streem", "null").unwrap_err(),
        conversation.set("model", "nonesuch").unwrap_err(),
    ];
    assert!(refused.iter().all(|refusal| refusal.blame == Blame::Given && !refusal.hint.is_empty()), "{refused:?}");
    assert!(refused[0].sentence.contains("`pirate`") && refused[2].sentence.contains("a number from 0"), "{refused:?}");
    assert!(refused[3].sentence.contains("`temperature`"), "{refused:?}");
    let after = (conversation.layers().clone(), conversation.role().cloned(), conversation.model().id().to_owned());
    assert_eq!(before, after);
}

#[test]
fn a_key_that_is_unset_is_the_files_again() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, _) = opened(dir.path(), |opening| opening.model = Some("openai".to_owned())).unwrap();
    assert!(conversation.model().id().starts_with("openai:"), "{}", conversation.model().id());
    conversation.set_model(None).unwrap();
    assert_eq!(conversation.model().id(), "offline");
    for (key, value) in [
        ("temperature", "1"),
        ("stream", "true"),
        ("enabled_mcp_servers", "docs, notes"),
        ("max_tool_result_chars", "5000"),
    ] {
        conversation.set(key, value).unwrap();
    }
    assert_eq!(conversation.layers().temperature(), Some(1.0));
    assert!(conversation.app().config.stream);
    assert_eq!(
        (names(conversation.enabled_servers()), conversation.tools().ceiling),
        (vec!["docs", "notes"], Ceiling::new(5000))
    );
    for key in ["temperature", "stream", "enabled_mcp_servers", "max_tool_result_chars"] {
        conversation.set(key, "null").unwrap();
    }
    assert_eq!(conversation.layers().temperature(), Some(0.2));
    assert!(!conversation.app().config.stream, "the file says so");
    assert_eq!(
        (names(conversation.enabled_servers()), conversation.tools().ceiling),
        (vec!["docs"], Ceiling::default())
    );
}

/// Whether the user is asked before this tool runs.
fn asks(conversation: &Conversation) -> bool {
    let (server, tool) = (ServerName::new("docs").unwrap(), "t".to_owned());
    let subject = Subject::Server { server, tool };
    conversation.tools().approval.still_asks(&Question { subject, arguments: serde_json::Value::Null })
}

#[test]
fn what_a_copy_sets_of_approval_is_lost_with_it_and_what_is_read_again_counts_s40() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, _) = opened(dir.path(), |_| ()).unwrap();
    let mut copy = conversation.throw_away();
    copy.set("mcp_approval", "never").unwrap();
    assert!(!asks(&copy));
    drop(copy);
    conversation.stand();
    assert!(asks(&conversation));
    let app = AppState::clone(conversation.app());
    let mut config = AppConfig::clone(&app.config);
    for (value, asked) in [("never", false), ("ask", true)] {
        config.set("mcp_approval", value).unwrap();
        conversation.reload(Arc::new(AppState { config: Arc::new(config.clone()), ..app.clone() })).unwrap();
        assert_eq!(asks(&conversation), asked, "config.yaml was edited: {value}");
    }
    let mcp = r#"{"mcpServers": {"docs": {"command": "true", "trust": true}}}"#;
    std::fs::write(dir.path().join("coyote/mcp.json"), mcp).unwrap();
    let (reread, _) = conversation.app().reread(dir.path());
    conversation.reload(Arc::new(reread)).unwrap();
    assert!(!asks(&conversation), "mcp.json was read again, and the user trusts the server now");
}

#[test]
fn without_servers_or_functions_none_is_enabled() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, _) = opened(dir.path(), |_| ()).unwrap();
    for key in ["mcp_server_support", "function_calling_support"] {
        conversation.set(key, "false").unwrap();
        assert!(conversation.enabled_servers().is_empty(), "{key}");
        assert_eq!(names(&conversation.set(key, "null").unwrap().enabled), ["docs"], "{key}");
    }
    conversation.set("enabled_tools", "fs_cat, fs_nothing").unwrap();
    assert_eq!(conversation.tools().local.names(), ["fs_cat"]);
    assert_eq!(conversation.layers().enabled_tools(), &Chosen::of("fs_cat, fs_nothing"));
}

#[tokio::test]
async fn what_a_role_puts_first_is_sent_and_is_no_part_of_what_was_said() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("Arr"), Some("Two"), Some("Drei")]);
    let mut conversation = with_model(dir.path(), &model);
    conversation.use_role("pirate").unwrap();
    conversation.model = Arc::clone(&model) as _;
    assert_eq!(lines(&conversation.request(text("Hello")).messages), "system: You are a pirate.\nuser: Hello");
    assert_eq!(conversation.say(text("Hello"), view(), CancellationToken::new()).await.end, TurnEnd::Answered);
    conversation.leave_role().unwrap();
    conversation.say(text("More"), view(), CancellationToken::new()).await;
    conversation.use_role("translate").unwrap();
    conversation.say(text("three"), view(), CancellationToken::new()).await;
    assert_eq!(model.sent(0), "system: You are a pirate.\nuser: Hello");
    assert_eq!(model.sent(1), "user: Hello\nassistant: Arr\nuser: More");
    assert_eq!(model.sent(2), "user: Hello\nassistant: Arr\nuser: More\nassistant: Two\nuser: Translate: three");
    assert_eq!(conversation.last_answer(), Some("Drei"));
    assert!(conversation.flags().messages);
}

#[tokio::test]
async fn the_last_message_is_asked_again_and_its_old_answer_stays_until_there_is_another() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[None, Some("One"), None, Some("Two"), Some(" and more")]);
    let mut conversation = with_model(dir.path(), &model);
    let cancel = CancellationToken::new;
    assert!(conversation.regenerate(view(), cancel()).await.is_err());
    assert!(conversation.go_on(view(), cancel()).await.is_err());
    conversation.say(text("Hello"), view(), cancel()).await;
    assert_eq!(conversation.transcript().messages(), []);
    assert_eq!(conversation.regenerate(view(), cancel()).await.unwrap().end, TurnEnd::Answered);
    assert!(matches!(conversation.regenerate(view(), cancel()).await.unwrap().end, TurnEnd::Failed(_)));
    assert_eq!(lines(conversation.transcript().messages()), "user: Hello\nassistant: One");
    conversation.regenerate(view(), cancel()).await.unwrap();
    assert_eq!(
        (model.sent(3), lines(conversation.transcript().messages())),
        ("user: Hello".to_owned(), "user: Hello\nassistant: Two".to_owned())
    );
    conversation.go_on(view(), cancel()).await.unwrap();
    assert!(model.sent(4).starts_with("user: Hello\nassistant: Two\nuser: Go on exactly"), "{}", model.sent(4));
    assert_eq!(conversation.last_answer(), Some(" and more"));
    conversation.forget();
    assert_eq!((conversation.last_answer(), conversation.flags().messages), (None, false));
}

#[tokio::test]
async fn results_that_wait_for_a_reply_are_gone_on_with_as_they_stand() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("Done")]);
    let mut conversation = with_model(dir.path(), &model);
    let call = ToolCall { id: "1".to_owned(), name: "f".to_owned(), arguments: serde_json::json!({}) };
    let result = ToolResult { id: "1".to_owned(), name: "f".to_owned(), output: serde_json::json!({}), code: None };
    conversation.transcript.user(text("Hello"));
    conversation.transcript.round("", vec![call], vec![result]);
    conversation.go_on(view(), CancellationToken::new()).await.unwrap();
    assert_eq!(model.sent(0), "user: Hello\nassistant: \nresults: 1");
}

#[tokio::test]
async fn a_one_off_knows_nothing_of_the_conversation_and_leaves_nothing_but_its_answer_to_copy() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One"), Some("Arr")]);
    let mut conversation = with_model(dir.path(), &model);
    conversation.say(text("Hello"), view(), CancellationToken::new()).await;
    let (mut copy, change) = conversation.one_off("pirate").unwrap();
    assert_eq!(names(&change.enabled), ["notes"]);
    copy.say(text("Ship?"), view(), CancellationToken::new()).await;
    conversation.keep_answer(&copy);
    assert_eq!(model.sent(1), "system: You are a pirate.\nuser: Ship?");
    assert_eq!((conversation.last_answer(), conversation.role()), (Some("Arr"), None));
    assert_eq!(lines(conversation.transcript().messages()), "user: Hello\nassistant: One");
}

#[test]
fn a_picture_for_a_model_that_takes_none_is_refused_before_anything_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    let conversation = with_model(dir.path(), &Scripted::of(&[]));
    let [mime, data, name] = ["image/png", "", "a.png"].map(str::to_owned);
    let refused = conversation.accepts(&[Part::Image { mime, data, name }]).unwrap_err();
    assert!(refused.sentence.contains("`test:scripted`"), "{refused}");
    assert_eq!(conversation.accepts(&text("Hello")), Ok(()));
}

#[test]
fn an_agents_settings_stand_between_role_and_session_and_its_words_come_first() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, _) = opened(dir.path(), |_| ()).unwrap();
    let settings = Settings { temperature: Some(0.5), ..Settings::default() };
    let part =
        AgentPart { name: "scout".to_owned(), settings, instructions: "You scout.".to_owned(), ..AgentPart::default() };
    conversation.use_agent(part).unwrap();
    let name = conversation.agent().map(|agent| agent.name.as_str());
    assert_eq!((conversation.layers().temperature(), name), (Some(0.5), Some("scout")));
    assert_eq!(lines(&conversation.request(text("Go")).messages), "system: You scout.\nuser: Go");
    conversation.leave_agent().unwrap();
    assert_eq!((conversation.layers().temperature(), conversation.flags().agent), (Some(0.2), false));
}

#[test]
fn a_warning_about_an_agents_servers_and_tools_names_the_keys_of_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, _) = opened(dir.path(), |_| ()).unwrap();
    let text = "mcp_servers:\n- docs\n- nowhere\nglobal_tools: nothing\n";
    let (file, _) = AgentConfig::parse("scout", text, Path::new("scout.yaml")).unwrap();
    let part = AgentPart { name: "scout".to_owned(), settings: file.settings, ..AgentPart::default() };
    let change = conversation.use_agent(part).unwrap();
    assert_eq!(
        change.warnings,
        [
            "`mcp_servers` in `scout.yaml` line 3 names `nowhere`, which is no server and no alias",
            "`global_tools` in `scout.yaml` line 4 names `nothing`, which is no local tool and no alias",
        ]
    );
}
