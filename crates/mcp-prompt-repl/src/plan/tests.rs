//! `.prompt` as a conversation of events and effects.

use super::{Asking, Effect, Event, Plan, Tell};
use crate::{Invocation, Reply};
use mcp_catalog::{CatalogItem, CatalogKind, Details, Listing, Note, NoteKind, PortError, PromptArgument, ServerName};
use mcp_render::Flattened;

fn plan(line: &str, asking: Asking) -> Plan {
    let servers = [ServerName::new("docs").unwrap()];
    let (plan, first) = Plan::new(Invocation::parse(line, &servers).unwrap(), asking);
    assert_eq!(first, Effect::FetchListing(servers[0].clone()));
    plan
}

fn listing() -> Listing {
    let argument = |name: &str, required| PromptArgument {
        name: name.to_owned(),
        title: None,
        description: Some(format!("the {name}\u{1b}")),
        required,
    };
    let item = CatalogItem {
        id: "review".to_owned(),
        name: "review".to_owned(),
        title: Some("Review".to_owned()),
        description: Some("Looks\nat it".to_owned()),
        mime_type: None,
        size: None,
        audience: Vec::new(),
        annotations: None,
        details: Details::Prompt {
            arguments: vec![argument("file", true), argument("depth", false), argument("why", true)],
        },
    };
    Listing { items: vec![item], notes: Vec::new() }
}

fn failed() -> Listing {
    let note = Note { kind: CatalogKind::Prompt, what: NoteKind::Failed(PortError::Cancelled) };
    Listing { items: Vec::new(), notes: vec![note] }
}

fn flattened(text: &str, note: Option<&str>) -> Flattened {
    let note = note.map(str::to_owned);
    Flattened { text: text.to_owned(), total_bytes: text.len(), truncated: false, path: None, sha256: None, note }
}

fn text(text: &str) -> Event {
    Event::Replied(Reply::Text(text.to_owned()))
}

fn asked(effect: Effect) -> String {
    match effect {
        Effect::Ask(question) => question.to_string(),
        other => format!("{other:?}"),
    }
}

/// The arguments of a fetch, as JSON.
fn fetched(effect: Effect) -> String {
    match effect {
        Effect::FetchPrompt { arguments, .. } => serde_json::to_string(&arguments).unwrap(),
        other => format!("{other:?}"),
    }
}

// C04
#[test]
fn missing_required_arguments_are_asked_one_by_one_and_an_empty_answer_asks_again_s42() {
    let mut plan = plan(".prompt docs review depth=2", Asking::Allowed);
    assert_eq!(asked(plan.step(Event::Listed(listing()))), r"file (the file\u{1b})");
    assert_eq!(asked(plan.step(text("  "))), r"file (the file\u{1b})");
    assert_eq!(asked(plan.step(text("a b.rs"))), r"why (the why\u{1b})");
    assert_eq!(fetched(plan.step(text("so"))), r#"{"depth":"2","file":"a b.rs","why":"so"}"#);
}

#[test]
fn giving_up_a_question_sends_nothing_s42() {
    let mut plan = plan(".prompt docs review file=x", Asking::Allowed);
    asked(plan.step(Event::Listed(listing())));
    assert_eq!(plan.step(Event::Replied(Reply::GivenUp)), Effect::Tell(Tell::Note("Nothing was sent".to_owned())));
    assert_eq!(plan.step(Event::Got(flattened("[user]\nx", None))), Effect::Wait, "it is over");
}

// C13
#[test]
fn without_a_terminal_the_missing_names_are_an_error_s42() {
    let mut plan = plan(".prompt docs review", Asking::Impossible);
    let Effect::Tell(Tell::Wrong(error)) = plan.step(Event::Listed(listing())) else { panic!("it is wrong") };
    assert_eq!(format!("{error}. {}", error.hint()), "`review` needs `file`, `why`. Add `file=… why=…`");
}

#[test]
fn an_unknown_key_is_refused_before_the_prompt_is_asked_s42() {
    let mut plan = plan(".prompt docs review fiel=x", Asking::Allowed);
    assert!(matches!(plan.step(Event::Listed(listing())), Effect::Tell(Tell::Wrong(_))));
}

#[test]
fn a_prompt_that_is_not_listed_is_sent_as_typed_and_its_failure_names_the_closest_s42() {
    let mut plan = plan(".prompt docs reveiw x=1", Asking::Allowed);
    assert_eq!(fetched(plan.step(Event::Listed(listing()))), r#"{"x":"1"}"#);
    let effect = plan.step(Event::Failed("no such\u{1b} prompt".to_owned()));
    let sentence = r"no such\u{1b} prompt".to_owned();
    assert_eq!(effect, Effect::Tell(Tell::Failed { sentence, closest: vec!["review".to_owned()] }));
}

#[test]
fn a_failed_listing_does_not_stop_a_prompt_s42() {
    let mut plan = plan(".prompt docs reveiw", Asking::Impossible);
    assert_eq!(fetched(plan.step(Event::Listed(failed()))), "null");
    let Effect::Tell(Tell::Failed { closest, .. }) = plan.step(Event::Failed("x".to_owned())) else { panic!("failed") };
    assert!(closest.is_empty(), "a listing that failed knows no names");
}

// R14
#[test]
fn what_a_prompt_returns_is_submitted_as_chat_with_its_echo_r14() {
    let mut plan = plan(".prompt docs review file=x why=y", Asking::Allowed);
    plan.step(Event::Listed(listing()));
    let effect = plan.step(Event::Got(flattened("!rm -rf /\n.exit\u{1b}", Some("cut\u{1b}"))));
    let Effect::Submit { text, echo, note } = effect else { panic!("it is submitted") };
    assert_eq!(text.bytes(), 16);
    assert_eq!(echo.to_string(), "!rm -rf /\n.exit\\u{1b}");
    assert_eq!(note.as_deref(), Some(r"cut\u{1b}"));
    assert_eq!(plan.step(Event::Got(flattened("again", None))), Effect::Wait, "a plan submits once");
}

// C19
#[test]
fn a_prompt_without_text_is_a_message_and_no_chat_s36() {
    let mut plan = plan(".prompt docs review file=x why=y", Asking::Allowed);
    plan.step(Event::Listed(listing()));
    let effect = plan.step(Event::Got(flattened("", Some("The prompt returned no messages"))));
    assert_eq!(effect, Effect::Tell(Tell::Note("The prompt returned no messages; nothing was sent".to_owned())));
}

#[test]
fn info_describes_a_prompt_and_asks_for_nothing_s44() {
    let info = |line, listing| match plan(line, Asking::Allowed).step(Event::Listed(listing)) {
        Effect::Tell(Tell::Info(text)) => text,
        Effect::Tell(Tell::Wrong(error)) => format!("{error}. {}", error.hint()),
        other => format!("{other:?}"),
    };
    insta::assert_snapshot!(info(".prompt docs review --info", listing()));
    assert_eq!(
        info(".prompt docs reviw --info", listing()),
        "`reviw` is not in the listing of `docs`. The closest are `review`"
    );
    assert_eq!(
        info(".prompt docs zzz --info", failed()),
        "`zzz` is not in the listing of `docs`. `.list prompts docs` shows its prompts"
    );
}

#[test]
fn an_event_that_is_not_waited_for_changes_nothing() {
    let mut plan = plan(".prompt docs review file=x", Asking::Allowed);
    assert_eq!(plan.step(Event::Got(flattened("x", None))), Effect::Wait);
    assert_eq!(plan.step(text("x")), Effect::Wait);
    assert_eq!(asked(plan.step(Event::Listed(listing()))), r"why (the why\u{1b})");
}
