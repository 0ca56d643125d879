//! Listings over many servers: all at once, and none of them hides another.

use super::super::testing::{Conduct, Fake, Machine};
use mcp_catalog::{CatalogKind, PortError, ServerName};
use mcp_prompt_repl::list_table;
use std::{sync::Arc, time::Duration};
use tokio::{sync::Barrier, time::timeout};

#[tokio::test]
async fn ten_servers_are_listed_at_once_and_their_table_fits_a_narrow_screen_s44() {
    // Each answers only when all ten have been asked.
    let barrier = Arc::new(Barrier::new(10));
    let fakes: Vec<_> =
        (0..10).map(|n| Fake::new(&format!("server-{n}"), Conduct::Meets(Arc::clone(&barrier)))).collect();
    let machine = Machine::with(&fakes).await;
    let view = machine.listing_view();
    let listings = timeout(Duration::from_secs(20), view.list(CatalogKind::Prompt, None)).await.unwrap();
    assert_eq!(listings.len(), 10);
    assert!(listings.iter().all(|listing| listing.outcome.as_ref().is_ok_and(|listed| listed.items.len() == 2)));
    let table = list_table(CatalogKind::Prompt, &listings, Some(60));
    assert!(table.lines().all(|line| line.chars().count() <= 60), "{table}");
    assert!(fakes.iter().all(|fake| fake.asked() == ["prompts/list"]), "each is asked once");
}

#[tokio::test]
async fn a_server_that_fails_or_does_not_run_is_a_row_with_its_next_step_s14() {
    let fakes = [
        Fake::new("good", Conduct::Answers),
        Fake::new("locked", Conduct::Fails(PortError::AuthRequired)),
        Fake::new("off", Conduct::Answers),
    ];
    let machine = Machine::with(&fakes).await;
    let listings = machine.listing_view().list(CatalogKind::Resource, None).await;
    insta::assert_snapshot!(list_table(CatalogKind::Resource, &listings, Some(80)));
    assert!(fakes[2].asked().is_empty(), "a list starts no server");
}

#[tokio::test]
async fn one_server_can_be_listed_alone_s44() {
    let fakes = [Fake::new("a", Conduct::Answers), Fake::new("b", Conduct::Answers)];
    let machine = Machine::with(&fakes).await;
    let only = ServerName::new("b").unwrap();
    let listings = machine.listing_view().list(CatalogKind::ResourceTemplate, Some(&only)).await;
    assert_eq!(listings.iter().map(|listing| listing.server.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!((fakes[0].asked().len(), fakes[1].asked()), (0, vec!["resources/templates/list"]));
}

#[tokio::test]
async fn prompts_that_cannot_be_listed_leave_a_note_s42() {
    let fakes = [Fake::new("a", Conduct::Fails(PortError::AuthRequired))];
    let machine = Machine::with(&fakes).await;
    let listing = machine.listing_view().prompts(&ServerName::new("a").unwrap()).await;
    assert!(listing.items.is_empty() && listing.notes.len() == 1);
}
