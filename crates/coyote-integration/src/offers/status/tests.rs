//! `.mcp`: every configured server with its state; a slow one delays no other.

use super::super::testing::{Conduct, Fake, Machine};
use super::statuses;
use mcp_catalog::{PortError, ServerName};
use mcp_prompt_repl::{ServerState, mcp_table};
use tokio_util::sync::CancellationToken;

#[tokio::test(start_paused = true)]
async fn the_table_has_every_configured_server_with_counts_where_somebody_answered_s44() {
    let fakes = [
        Fake::new("good", Conduct::Answers),
        Fake::new("hangs", Conduct::Hangs),
        Fake::new("broken", Conduct::Fails(PortError::Protocol { cause: "half a frame\u{1b}".to_owned() })),
        Fake::new("off", Conduct::Answers),
    ];
    let machine = Machine::with(&fakes).await;
    let enabled: Vec<ServerName> = machine.enabled.iter().filter(|name| name.as_str() != "off").cloned().collect();
    let cancel = CancellationToken::new();
    let statuses = statuses(&machine.app, &enabled, None, &cancel).await;
    let states: Vec<_> = statuses.iter().map(|status| (status.server.as_str(), status.state)).collect();
    assert_eq!(states[0], ("good", ServerState::Running));
    assert_eq!(states[3], ("off", ServerState::Disabled));
    assert!(fakes[3].asked().is_empty());
    insta::assert_snapshot!(mcp_table(&statuses, Some(120)));
}
