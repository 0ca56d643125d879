//! Sharing by specification, against real processes.

use super::*;
use crate::mcp::testing::{SERVES, answers, factory, gone, line_of, script, with_env};
use mcp_catalog::{Asking, Budget, Capabilities, Handshake, Request, deadline};
use std::{fs, path::Path};

/// A server that adds a line to `$STARTS` when it starts.
fn counted(starts: &Path, then: &str) -> ServerEntry {
    with_env(script("docs", &format!("echo started >> \"$STARTS\"\n{then}")), &[("STARTS", starts)])
}

fn starts(path: &Path) -> usize {
    fs::read_to_string(path).unwrap_or_default().lines().count()
}

#[tokio::test]
async fn concurrent_acquisitions_of_one_specification_share_one_start() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("starts");
    let factory = factory();
    let entry = counted(&file, SERVES);
    let acquired = join_all((0..8).map(|_| factory.acquire(&entry))).await;
    let first = acquired[0].as_ref().unwrap();
    assert!(acquired.iter().all(|other| Arc::ptr_eq(first, other.as_ref().unwrap())));
    assert!(Arc::ptr_eq(first, &factory.acquire(&entry).await.unwrap()));
    assert!(answers(first.as_ref()).await);
    assert_eq!((starts(&file), factory.running()), (1, 1));
    factory.shut_down(deadline::GRACE_AT_EXIT).await;
    assert_eq!(factory.running(), 0);
}

#[tokio::test]
async fn another_specification_is_another_connection() {
    let factory = factory();
    let entry = script("docs", SERVES);
    let other = ServerEntry { tool_timeout: Some(Duration::from_secs(9)), ..entry.clone() };
    let (one, two) = tokio::join!(factory.acquire(&entry), factory.acquire(&other));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert!(!Arc::ptr_eq(&one, &two));
    assert_eq!((one.tool_timeout(), two.tool_timeout()), (None, Some(Duration::from_secs(9))));
    factory.shut_down(deadline::GRACE_AT_EXIT).await;
}

#[tokio::test]
async fn a_failed_start_is_shared_and_the_next_acquisition_tries_again() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("starts");
    let factory = factory();
    let entry = counted(&file, "exit 1");
    let acquired = join_all((0..8).map(|_| factory.acquire(&entry))).await;
    assert!(acquired.iter().all(|other| matches!(other, Err(PortError::HandshakeFailed { .. }))));
    assert_eq!(starts(&file), 1);
    factory.acquire(&entry).await.unwrap_err();
    assert_eq!(starts(&file), 2);
}

#[tokio::test]
async fn a_connection_ends_with_its_last_holder_and_is_made_anew_for_the_next() {
    let factory = factory();
    let entry = script("docs", SERVES);
    let first = factory.acquire(&entry).await.unwrap();
    let second = factory.acquire(&entry).await.unwrap();
    let id = first.process().unwrap().id().unwrap();
    drop(first);
    assert!(answers(second.as_ref()).await);
    drop(second);
    gone(id).await;
    assert!(answers(factory.acquire(&entry).await.unwrap().as_ref()).await);
}

#[tokio::test]
async fn a_connection_whose_server_has_gone_is_not_handed_out_again() {
    let factory = factory();
    let entry = script("docs", SERVES);
    let first = factory.acquire(&entry).await.unwrap();
    first.close(deadline::GRACE_AT_EXIT).await;
    let second = factory.acquire(&entry).await.unwrap();
    assert!(!Arc::ptr_eq(&first, &second) && answers(second.as_ref()).await);
}

/// A start that nobody waits for any longer is given up.
#[tokio::test]
async fn dropping_the_only_acquisition_ends_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("id");
    let factory = factory();
    let entry = with_env(script("slow", "echo $$ > \"$ID\"; cat > /dev/null"), &[("ID", &file)]);
    let mut acquiring = Box::pin(factory.acquire(&entry));
    let id = tokio::select! {
        acquired = &mut acquiring => panic!("acquired: {acquired:?}"),
        id = line_of(&file) => id.parse().unwrap(),
    };
    drop(acquiring);
    gone(id).await;
}

#[tokio::test]
async fn shutting_down_ends_servers_that_still_start_and_refuses_new_ones() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("id");
    let factory = factory();
    let entry = with_env(script("slow", "trap '' TERM; echo $$ > \"$ID\"; sleep 1000"), &[("ID", &file)]);
    let end = async {
        let id = line_of(&file).await.parse().unwrap();
        factory.shut_down(Duration::from_millis(50)).await;
        id
    };
    let (acquired, id) = tokio::join!(factory.acquire(&entry), end);
    assert_eq!(acquired.unwrap_err(), PortError::Cancelled);
    gone(id).await;
    assert_eq!(factory.running(), 0);
    assert_eq!(factory.acquire(&script("docs", SERVES)).await.unwrap_err(), PortError::Cancelled);
}

struct Inside(ServerName);

impl ServerPort for Inside {
    fn name(&self) -> &ServerName {
        &self.0
    }

    fn handshake(&self) -> Handshake {
        Handshake::of(Capabilities { resources: true, ..Capabilities::default() })
    }

    fn ask(&self, _request: Request, _budget: Budget) -> Asking<'_> {
        Box::pin(std::future::ready(Err(PortError::Cancelled)))
    }
}

#[tokio::test]
async fn an_embedded_server_is_acquired_like_any_other_and_a_disabled_one_is_not() {
    let name = ServerName::new("coyote").unwrap();
    let port: Arc<dyn ServerPort> = Arc::new(Inside(name.clone()));
    let factory = McpFactory::new(ParentEnv::inherited(), Client::default(), [port]);
    let entry = ServerEntry::new(name, Transport::Embedded);
    let connection = factory.acquire(&entry).await.unwrap();
    assert!(connection.handshake().capabilities.unwrap().resources && connection.process().is_none());
    let disabled = ServerEntry { disabled: true, ..entry };
    let error = factory.acquire(&disabled).await.unwrap_err();
    assert_eq!(error, PortError::Unsupported { cause: "Server `coyote` is disabled".to_owned() });
}
