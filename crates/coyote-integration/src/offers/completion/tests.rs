//! The failure matrix of completion (design §5.4, R13): each failure is an empty answer, soon, and nothing is started.

use super::super::testing::{Conduct, Fake, Machine};
use super::{Answered, CompletionView};
use crate::mcp::ServerState;
use mcp_catalog::{PortError, ServerName};
use mcp_prompt_repl::Need;
use std::{sync::Arc, time::Duration};

fn view(machine: &Machine, limit: Duration) -> CompletionView {
    CompletionView { limit, ..CompletionView::new(Arc::clone(&machine.app), machine.enabled.clone()) }
}

fn prompts(server: &str) -> Need {
    Need::Prompts(server.to_owned())
}

fn value(server: &str) -> Need {
    Need::Completion {
        server: server.to_owned(),
        prompt: "review".to_owned(),
        argument: "file".to_owned(),
        value: "a".to_owned(),
        context: Vec::new(),
    }
}

#[tokio::test]
async fn every_failure_of_a_server_is_an_empty_answer_r13() {
    let fakes = [
        Fake::new("hangs", Conduct::Hangs),
        Fake::new("expired", Conduct::Fails(PortError::AuthRequired)),
        Fake::new("died", Conduct::Fails(PortError::ConnectionClosed { retry_in: None })),
        Fake::new("off", Conduct::Answers),
    ];
    let machine = Machine::with(&fakes).await;
    let view = view(&machine, Duration::from_millis(30));
    for server in ["hangs", "expired", "died", "off", "misspelt", ""] {
        assert_eq!(view.fetch(&prompts(server)).await, Answered::Items(Vec::new()), "{server}");
        assert_eq!(view.fetch(&Need::Resources(server.to_owned())).await, Answered::Items(Vec::new()), "{server}");
        assert_eq!(view.fetch(&value(server)).await, Answered::Values(Vec::new()), "{server}");
    }
    assert!(fakes[3].asked().is_empty(), "a server that does not run is not asked");
    assert!(machine.app.registry.state(&ServerName::new("off").unwrap()).is_none(), "nor started");
    assert!(fakes[1].asked().iter().all(|method| *method != "initialize"));
}

#[tokio::test]
async fn stage_one_sends_nothing_s45() {
    let fakes = [Fake::new("a", Conduct::Answers), Fake::new("off", Conduct::Answers)];
    let machine = Machine::with(&fakes).await;
    let view = view(&machine, Duration::from_secs(2));
    let names: Vec<_> = view.features().into_iter().map(|features| features.name.to_string()).collect();
    assert_eq!(names, ["a"], "enabled and running");
    assert_eq!(view.configured().len(), 3, "with the embedded one");
    assert!(fakes.iter().all(|fake| fake.asked().is_empty()));
}

#[tokio::test]
async fn what_a_running_server_lists_is_asked_each_time_and_a_value_goes_with_its_context_s45() {
    let fakes = [Fake::new("a", Conduct::Answers)];
    let machine = Machine::with(&fakes).await;
    let view = view(&machine, Duration::from_secs(2));
    for _ in 0..2 {
        let Answered::Items(items) = view.fetch(&prompts("a")).await else { panic!("items") };
        assert_eq!(items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["review", "daily"]);
    }
    let Answered::Items(items) = view.fetch(&Need::Resources("a".to_owned())).await else { panic!("items") };
    assert_eq!(items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["x://text", "x://{id}"]);
    assert_eq!(view.fetch(&value("a")).await, Answered::Values(vec!["a-done".to_owned()]));
    assert!(!fakes[0].asked().contains(&"prompts/get"), "C07: completion gets no prompt");
}

#[tokio::test]
async fn a_server_that_is_not_enabled_here_is_not_asked_s45() {
    let fakes = [Fake::new("a", Conduct::Answers)];
    let machine = Machine::with(&fakes).await;
    let view = CompletionView::new(Arc::clone(&machine.app), Vec::new());
    assert!(matches!(machine.app.registry.state(&ServerName::new("a").unwrap()), Some(ServerState::Ready(_))));
    assert_eq!(view.fetch(&prompts("a")).await, Answered::Items(Vec::new()));
    assert!(view.features().is_empty() && fakes[0].asked().is_empty());
}
