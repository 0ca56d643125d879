//! When a session is summarised, and what stays of it.

use crate::chat::{
    Conversation, TurnView,
    conversation::tests::{Scripted, lines, text, with_model},
};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl TurnView for Notes {
    fn text(&self, _: &str) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

async fn say(conversation: &mut Conversation, words: &str) -> Vec<String> {
    let notes = Arc::new(Notes::default());
    conversation.say(text(words), Arc::clone(&notes) as _, CancellationToken::new()).await;
    notes.0.lock().unwrap().clone()
}

#[tokio::test]
async fn a_session_over_the_threshold_goes_on_with_a_summary_and_its_file_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::small(1000, &[Some("One"), Some("Two"), Some("They counted."), Some("Three")]);
    let mut conversation = with_model(dir.path(), &model);
    assert_eq!(conversation.compression_threshold(), Some(600));
    conversation.open_session("work").unwrap();
    assert_eq!(say(&mut conversation, &"long ".repeat(400)).await, Vec::<String>::new());
    let notes = say(&mut conversation, &"more ".repeat(80)).await;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("the threshold is 600: 2 messages are summarised"), "{notes:?}");
    assert!(notes[1].ends_with("They counted."), "{notes:?}");
    let sent = model.sent(2);
    assert!(sent.starts_with("user: [user]\nlong long") && sent.contains("[assistant]\nOne\n\nSummarise"), "{sent}");
    let said = lines(conversation.transcript().messages());
    assert!(said.starts_with("user: What was said before, in short?\nassistant: They counted.\nuser: more"), "{said}");
    let document = conversation.session().unwrap().reread().unwrap().unwrap();
    assert_eq!(document.messages, conversation.transcript().messages());
    assert!(lines(&document.compressed).starts_with("user: long long") && document.compressed.len() == 2);
    assert_eq!(say(&mut conversation, "three").await, Vec::<String>::new());
    assert!(model.sent(3).contains("They counted.\nuser: more"), "{}", model.sent(3));
}

#[tokio::test]
async fn a_summary_that_does_not_arrive_changes_nothing_and_a_conversation_without_a_session_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::small(1000, &[Some("One"), Some("Two"), None]);
    let mut conversation = with_model(dir.path(), &model);
    conversation.set("compression_threshold", "10").unwrap();
    assert_eq!(say(&mut conversation, &"long ".repeat(40)).await, Vec::<String>::new());
    conversation.open_session("temp").unwrap();
    let notes = say(&mut conversation, "More").await;
    assert!(notes[1].contains("stays as it is: no"), "{notes:?}");
    assert!(lines(conversation.transcript().messages()).ends_with("user: More\nassistant: Two"));
    conversation.set("compression_threshold", "0").unwrap();
    assert_eq!(conversation.compression_threshold(), None, "0 is never");
}

#[tokio::test]
async fn what_was_summarised_is_not_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let model = Scripted::small(100, &[Some("One"), Some("They counted.")]);
    let mut conversation = with_model(dir.path(), &model);
    conversation.open_session("temp").unwrap();
    say(&mut conversation, &"long ".repeat(80)).await;
    assert_eq!(conversation.transcript().messages().len(), 2);
    let view = Arc::new(Notes::default());
    let refused = conversation.regenerate(view, CancellationToken::new()).await.unwrap_err();
    assert!(refused.sentence.contains("summarised"), "{refused}");
}
