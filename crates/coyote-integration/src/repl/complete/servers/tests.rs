//! The source of completion over servers of this process: what is kept, for how long, and where it may be called.

use super::Servers;
use crate::{
    offers::{
        CompletionView,
        testing::{Conduct, Fake, Machine},
    },
    repl::complete::{Answer, ArgumentSource},
};
use mcp_catalog::PortError;
use std::sync::Arc;

fn over(machine: &Machine) -> Servers {
    let (app, enabled) = (Arc::clone(&machine.app), machine.enabled.clone());
    Servers::over(move || CompletionView::new(Arc::clone(&app), enabled.clone()))
}

fn names(answer: Answer) -> Vec<String> {
    match answer {
        Answer::Rows(rows) => rows.into_iter().map(|row| row.value).collect(),
        Answer::Work(_) => panic!("it has to be asked first"),
    }
}

/// Does the work that is needed, and asks again.
async fn rows(source: &Servers, line: &str) -> Vec<String> {
    if let Answer::Work(work) = source.complete(line, line.len()) {
        work.await;
    }
    names(source.complete(line, line.len()))
}

#[tokio::test]
async fn a_listing_is_kept_until_the_line_is_gone_or_names_another_server_s45() {
    let fakes = [Fake::new("a", Conduct::Answers), Fake::new("b", Conduct::Answers)];
    let machine = Machine::with(&fakes).await;
    let source = over(&machine);
    for line in [".prompt a ", ".prompt a re", ".prompt a review "] {
        assert!(!rows(&source, line).await.is_empty());
    }
    assert_eq!(fakes[0].asked(), ["prompts/list"], "one line, one request");
    rows(&source, ".prompt b ").await;
    assert_eq!(fakes[1].asked(), ["prompts/list"]);
    source.forget();
    rows(&source, ".prompt a ").await;
    assert_eq!(fakes[0].asked().len(), 2, "the next line asks again");
}

#[tokio::test]
async fn an_answer_that_comes_after_its_line_is_dropped_s45() {
    let fakes = [Fake::new("a", Conduct::Answers)];
    let machine = Machine::with(&fakes).await;
    let source = over(&machine);
    let Answer::Work(work) = source.complete(".prompt a ", 10) else { panic!("it has to be asked first") };
    source.forget();
    work.await;
    assert!(matches!(source.complete(".prompt a ", 10), Answer::Work(_)), "the late answer was kept");
}

#[tokio::test]
async fn a_failure_is_kept_as_empty_and_not_asked_again_r13() {
    let fakes = [Fake::new("a", Conduct::Fails(PortError::AuthRequired))];
    let machine = Machine::with(&fakes).await;
    let source = over(&machine);
    assert!(rows(&source, ".prompt a ").await.is_empty());
    assert!(rows(&source, ".prompt a x").await.is_empty());
    assert_eq!(fakes[0].asked(), ["prompts/list"], "and no login was begun");
}

// The editor's thread has no runtime (design §9); what needs one is handed out as work.
#[tokio::test]
async fn a_thread_without_a_runtime_gets_rows_or_work_and_never_waits_r13() {
    let fakes = [Fake::new("a", Conduct::Hangs)];
    let machine = Machine::with(&fakes).await;
    let source = over(&machine);
    let here = std::thread::spawn(move || {
        let servers = names(source.complete(".prompt ", 8));
        let work = matches!(source.complete(".prompt a ", 10), Answer::Work(_));
        let actions = names(source.complete(".mcp re", 7));
        (servers, work, actions)
    });
    let (servers, work, actions) = here.join().unwrap();
    assert_eq!((servers, work), (vec!["a".to_owned()], true));
    assert_eq!(actions, ["reconnect", "reload"]);
    assert!(fakes[0].asked().is_empty());
}
