//! Sessions of a conversation over real files and a scripted model.

use super::*;
use crate::chat::conversation::{
    Blame, RoleOf,
    tests::{Scripted, lines, opened, text, view, with_model},
};
use std::fs;
use tokio_util::sync::CancellationToken;

async fn say(conversation: &mut Conversation, words: &str) {
    conversation.say(text(words), view(), CancellationToken::new()).await;
}

fn file(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join("coyote/sessions").join(format!("{name}.yaml"))).unwrap_or_default()
}

#[tokio::test]
async fn an_exchange_is_in_the_file_when_it_has_ended_and_the_next_process_goes_on_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One"), None]);
    let mut first = with_model(dir.path(), &model);
    assert_eq!(first.open_session("work").unwrap(), Change::default());
    assert!(first.flags().session && !first.unsaved());
    assert_eq!(file(dir.path(), "work"), "", "what says nothing writes nothing");
    first.model = model.clone();
    say(&mut first, "Hello").await;
    assert!(!first.unsaved());
    let written = file(dir.path(), "work");
    assert_eq!(
        written,
        "model: test:scripted\nmessages:\n- role: user\n  content: Hello\n- role: assistant\n  content: One\n"
    );
    say(&mut first, "More").await;
    assert_eq!(file(dir.path(), "work"), written, "nothing was answered");
    drop(first);
    let (next, warnings) = opened(dir.path(), |opening| {
        (opening.session, opening.model) = (Some("work".to_owned()), Some("offline".to_owned()));
    })
    .unwrap();
    assert_eq!((lines(next.transcript().messages()).as_str(), warnings), ("user: Hello\nassistant: One", Vec::new()));
    assert_eq!(
        next.replay(1),
        [(true, "Hello"), (false, "One")]
            .map(|(by_user, text)| crate::chat::conversation::Replayed { by_user, text: text.to_owned() })
    );
    assert_eq!((next.replay(0), next.unsaved()), (Vec::new(), false));
}

#[tokio::test]
async fn what_was_set_and_the_role_go_with_a_session() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One"), Some("Two")]);
    let mut conversation = with_model(dir.path(), &model);
    conversation.use_role("pirate").unwrap();
    conversation.set("top_p", "0.5").unwrap();
    conversation.open_session("work").unwrap();
    say(&mut conversation, "Hello").await;
    let document = conversation.session().unwrap().reread().unwrap().unwrap();
    assert_eq!(
        (document.role_name.as_deref(), document.settings.top_p, document.settings.temperature),
        (Some("pirate"), Some(0.5), None)
    );
    assert_eq!(lines(&document.messages), "user: Hello\nassistant: One", "what a role says is the role's");
    conversation.leave_session().unwrap();
    assert_eq!((conversation.flags().session, conversation.flags().messages), (false, false));
    conversation.leave_role().unwrap();
    let path = dir.path().join("coyote/sessions/work.yaml");
    fs::write(&path, file(dir.path(), "work").replace("test:scripted", "offline")).unwrap();
    conversation.open_session("work").unwrap();
    assert_eq!(conversation.role().map(|role| role.name.as_str()), Some("pirate"));
    assert_eq!(conversation.layers().temperature(), Some(0.9));
    // Without its role a session goes on, and keeps the name for when it is back.
    conversation.leave_session().unwrap();
    fs::remove_file(dir.path().join("coyote/roles/pirate.md")).unwrap();
    conversation.leave_role().unwrap();
    let change = conversation.open_session("work").unwrap();
    assert!(change.warnings[0].starts_with("Session `work` goes on without its role: No role `pirate`"), "{change:?}");
    conversation.model = model;
    say(&mut conversation, "More").await;
    assert!(file(dir.path(), "work").contains("role_name: pirate"));
}

#[tokio::test]
async fn a_session_that_is_open_elsewhere_is_read_only_and_can_be_saved_under_another_name() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One"), Some("Two"), Some("Three")]);
    let mut first = with_model(dir.path(), &model);
    first.open_session("work").unwrap();
    first.model = model.clone();
    say(&mut first, "Hello").await;
    let written = file(dir.path(), "work").replace("test:scripted", "offline");
    fs::write(dir.path().join("coyote/sessions/work.yaml"), &written).unwrap();
    let (mut second, warnings) = opened(dir.path(), |opening| opening.session = Some("work".to_owned())).unwrap();
    assert_eq!(
        warnings,
        ["Session `work` is read-only: another coyote has it open. Nothing of what follows is kept in it"]
    );
    second.model = model;
    say(&mut second, "More").await;
    assert_eq!((file(dir.path(), "work"), second.unsaved()), (written, true));
    let refused = second.save_session(None).unwrap_err();
    assert!(refused.hint.contains(".save session NAME"), "{refused:?}");
    second.save_session(Some("mine")).unwrap();
    assert_eq!((second.session().unwrap().name(), second.unsaved()), ("mine", false));
    say(&mut second, "Again").await;
    assert!(file(dir.path(), "mine").contains("Three"));
    assert!(first.open_session("work").unwrap_err().sentence.contains("open already"));
}

#[tokio::test]
async fn a_session_without_a_name_is_thrown_away_unless_it_gets_one() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One")]);
    let mut conversation = with_model(dir.path(), &model);
    assert!(conversation.save_session(None).is_err() && conversation.empty_session().is_err());
    conversation.open_session("temp").unwrap();
    say(&mut conversation, "Hello").await;
    assert!(!dir.path().join("coyote/sessions").exists());
    for name in [None, Some("temp"), Some("a/b")] {
        assert_eq!(conversation.save_session(name).unwrap_err().blame, Blame::Given, "{name:?}");
    }
    conversation.save_session(Some("kept")).unwrap();
    assert!(file(dir.path(), "kept").contains("Hello"));
    conversation.empty_session().unwrap();
    assert_eq!(file(dir.path(), "kept"), "model: test:scripted\nmessages: []\n");
    // A file that is there is not replaced by another session.
    conversation.leave_session().unwrap();
    let refused = conversation.save_session(Some("kept")).unwrap_err();
    assert!(refused.sentence.contains("would be replaced"), "{refused}");
}

#[tokio::test]
async fn sessions_are_kept_only_when_asked_for_if_the_file_says_so_and_everything_may_be_journaled() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One"), Some("Two")]);
    let mut conversation = with_model(dir.path(), &model);
    let mut config = crate::config::AppConfig::clone(&conversation.app().config);
    (config.save_session, config.save) = (Some(false), true);
    let app = AppState { config: std::sync::Arc::new(config), ..AppState::clone(conversation.app()) };
    conversation.reload(std::sync::Arc::new(app)).unwrap();
    conversation.open_session("work").unwrap();
    say(&mut conversation, "Hello").await;
    assert_eq!((file(dir.path(), "work"), conversation.unsaved()), (String::new(), true));
    conversation.save_session(None).unwrap();
    assert!(file(dir.path(), "work").contains("Hello") && !conversation.unsaved());
    say(&mut conversation, "More").await;
    conversation.leave_session().unwrap();
    assert!(!file(dir.path(), "work").contains("More"));
    let journal = fs::read_to_string(conversation.app().paths.messages_file()).unwrap();
    assert!(journal.contains("(test:scripted, session work)\n\n**You**\n\nHello\n\n**Model**\n\nOne\n"), "{journal}");
    assert_eq!(journal.matches("# 2").count(), 2, "{journal}");
}

#[tokio::test]
async fn a_session_that_was_edited_says_what_its_file_says_and_keeps_foreign_keys() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One"), Some("Two")]);
    let mut conversation = with_model(dir.path(), &model);
    conversation.open_session("work").unwrap();
    say(&mut conversation, "Hello").await;
    conversation.set("temperature", "0.7").unwrap();
    let path = conversation.session_to_edit().unwrap();
    let edited = fs::read_to_string(&path).unwrap().replace("0.7", "0.1").replace("test:scripted", "offline");
    fs::write(&path, format!("theirs: [1]\n{}", edited.replace("Hello", "Good day"))).unwrap();
    conversation.session_edited().unwrap();
    assert_eq!(conversation.layers().temperature(), Some(0.1));
    assert_eq!(lines(conversation.transcript().messages()), "user: Good day\nassistant: One");
    conversation.model = model;
    say(&mut conversation, "More").await;
    let written = file(dir.path(), "work");
    assert!(written.contains("theirs:\n- 1\n") && written.contains("Two"), "{written}");
    fs::write(&path, "messages: 1").unwrap();
    assert!(conversation.session_edited().is_err());
    assert_eq!(conversation.transcript().messages().len(), 4, "what is not understood changes nothing");
}

#[tokio::test]
async fn a_copy_of_a_conversation_writes_no_session() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::of(&[Some("One"), Some("Two")]);
    let mut conversation = with_model(dir.path(), &model);
    conversation.open_session("work").unwrap();
    say(&mut conversation, "Hello").await;
    let before = file(dir.path(), "work");
    let mut copy = conversation.throw_away();
    say(&mut copy, "More").await;
    assert_eq!((file(dir.path(), "work"), copy.flags().session), (before, false));
}

#[test]
fn a_role_is_saved_with_what_was_set_and_replaces_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let (mut conversation, _) =
        opened(dir.path(), |opening| opening.role = Some(RoleOf::Text("Be brief.".to_owned()))).unwrap();
    conversation.set("temperature", "0.5").unwrap();
    conversation.set("enabled_tools", "fs_cat, fs_ls").unwrap();
    assert!(conversation.save_role(None).is_err(), "it has no name");
    assert!(conversation.save_role(Some("pirate")).unwrap_err().sentence.contains("would be replaced"));
    let path = conversation.save_role(Some("brief")).unwrap();
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        "---\ntemperature: 0.5\nenabled_tools:\n- fs_cat\n- fs_ls\n---\nBe brief.\n"
    );
    let role = conversation.role().cloned().unwrap();
    conversation.leave_role().unwrap();
    conversation.use_role("brief").unwrap();
    assert_eq!(conversation.role(), Some(&role));
    conversation.set("temperature", "0.6").unwrap();
    assert!(fs::read_to_string(conversation.save_role(None).unwrap()).unwrap().contains("temperature: 0.6"));
}
