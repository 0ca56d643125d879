//! Concurrent starts and their states (S14), against real processes.

use super::*;
use crate::mcp::{
    ServerEntry,
    testing::{SERVES, answers, factory, script},
};
use mcp_catalog::deadline;
use mcp_render::Code;

fn name(text: &str) -> ServerName {
    ServerName::new(text).unwrap()
}

fn shown(states: &[(ServerName, ServerState)]) -> Vec<String> {
    states.iter().map(|(name, state)| format!("{name} {}", state_word(state))).collect()
}

#[tokio::test]
async fn one_bad_server_never_blocks_the_others() {
    let registry = Arc::new(McpRegistry::new(Arc::new(factory())));
    let mut settling = registry.start([
        script("broken", "exit 1"),
        ServerEntry { disabled: true, ..script("off", SERVES) },
        script("good", SERVES),
        script("never", "cat > /dev/null; sleep 1000"),
    ]);
    let mut told = Vec::new();
    while told.len() < 3 {
        let Settled { name, state, .. } = settling.next().await.unwrap();
        told.push((name, state));
    }
    told.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert_eq!(shown(&told), ["broken failed", "good ready", "off disabled"]);
    assert_eq!(shown(&registry.states()), ["broken failed", "good ready", "never starting", "off disabled"]);
    assert_eq!(registry.wait(Duration::ZERO).await, [name("never")]);

    let features = registry.server_features();
    assert_eq!(features.iter().map(|features| features.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert!(answers(registry.runtime().get(&name("good")).unwrap().as_ref()).await);

    registry.shut_down(Duration::from_millis(50)).await;
    assert_eq!((registry.factory().running(), registry.states().len()), (0, 0));
    assert!(settling.next().await.is_none());
}

#[tokio::test]
async fn waiting_ends_when_the_last_server_is_settled() {
    let registry = Arc::new(McpRegistry::new(Arc::new(factory())));
    let _ = registry.start([script("one", SERVES), script("two", SERVES), script("broken", "exit 1")]);
    assert_eq!(registry.wait(Duration::from_mins(1)).await, []);
    assert_eq!(shown(&registry.states()), ["broken failed", "one ready", "two ready"]);
    registry.shut_down(deadline::GRACE_AT_EXIT).await;
}

#[tokio::test]
async fn a_server_that_is_started_again_has_the_state_of_its_last_start() {
    let registry = Arc::new(McpRegistry::new(Arc::new(factory())));
    let slow = ServerEntry { startup_timeout: Some(Duration::from_millis(200)), ..script("docs", "cat > /dev/null") };
    let mut first = registry.start([slow]);
    let mut second = registry.start([script("docs", SERVES)]);
    assert!(matches!(second.next().await.unwrap().state, ServerState::Ready(_)));
    let ServerState::Failed(error) = first.next().await.unwrap().state else { panic!("it never answers") };
    assert_eq!(error.code(), Code::HandshakeFailed);
    assert!(matches!(registry.state(&name("docs")), Some(ServerState::Ready(_))));
    registry.shut_down(deadline::GRACE_AT_EXIT).await;
}
