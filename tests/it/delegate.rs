//! A delegate's servers are acquired from the factory and are in no registry (D7, R15, S14).

use crate::machine::shelf;
use acceptance::{
    fixture::{Entry, Received, read_wire_log, received},
    functions::functions_over,
};
use coyote_integration::{
    functions::{NoLocalTools, declarations_of},
    mcp::{Client, Lasting, McpFactory, McpRegistry, ParentEnv, ServerEntry, Transport},
};
use mcp_catalog::{ServerName, ServerPort, deadline};
use mcp_meta::{MetaContext, call};
use rstest::rstest;
use serde_json::{Value, json};
use std::{fs, sync::Arc};
use tempfile::TempDir;

/// A directory of scripts, and the entries that start them.
struct Agent {
    dir: TempDir,
    factory: Arc<McpFactory>,
}

impl Agent {
    fn new() -> Self {
        let factory = Arc::new(McpFactory::new(ParentEnv::inherited(), Client::default(), []));
        Self { dir: TempDir::new().unwrap(), factory }
    }

    fn entry(&self, name: &str, mut script: Value) -> ServerEntry {
        let path = self.dir.path().join(format!("{name}.json"));
        script["wire_log"] = json!(self.dir.path().join(format!("{name}.wire")));
        fs::write(&path, script.to_string()).unwrap();
        let transport = Transport::Stdio {
            command: env!("CARGO_BIN_EXE_fixture-server").to_owned(),
            args: vec![path.display().to_string()],
            env: Vec::new(),
            cwd: None,
        };
        ServerEntry::new(ServerName::new(name).unwrap(), transport)
    }

    fn wire(&self, name: &str) -> Vec<Entry> {
        read_wire_log(&self.dir.path().join(format!("{name}.wire"))).unwrap()
    }

    fn received(&self, name: &str, method: &str) -> Vec<Received> {
        received(&self.wire(name), method)
    }

    /// What a delegate with these connections works with.
    fn context(&self, connections: Vec<Arc<Lasting>>) -> MetaContext {
        let ports = connections.into_iter().map(|connection| connection as Arc<dyn ServerPort>);
        let context = functions_over(ports, self.dir.path());
        let declared = Arc::new(declarations_of(&context.runtime, &NoLocalTools));
        MetaContext { declared, ..context }
    }
}

#[rstest]
#[case::resources(json!({"resources": {}}), &["search", "describe", "read"])]
#[case::prompts(json!({"prompts": {}}), &["search", "describe", "prompt"])]
#[case::all(json!({"tools": {}, "resources": {}, "prompts": {}}), &["invoke", "search", "describe", "read", "prompt"])]
#[case::nothing(json!({}), &["invoke", "search", "describe"])]
#[tokio::test]
async fn a_delegates_own_server_has_its_functions_and_is_in_no_registry(
    #[case] capabilities: Value,
    #[case] verbs: &[&str],
) {
    let agent = Agent::new();
    let registry = Arc::new(McpRegistry::new(Arc::clone(&agent.factory)));
    let mut settling = registry.start([agent.entry("shared", json!({"tools": [{"name": "t"}]}))]);
    settling.next().await.unwrap();

    let mut script = shelf();
    script["capabilities"] = capabilities;
    let acquired = agent.factory.acquire(&agent.entry("own", script)).await.unwrap();
    let context = agent.context(vec![acquired]);
    let names: Vec<&str> = context.declared.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, verbs.iter().map(|verb| format!("mcp_{verb}_own")).collect::<Vec<_>>());
    assert_eq!(context.runtime.server_features().len(), 1);
    let registered: Vec<String> = registry.server_features().iter().map(|features| features.name.to_string()).collect();
    assert_eq!(registered, ["shared"], "the registry knows nothing of a delegate's server");
    if verbs.contains(&"read") {
        let page = call(&context, "mcp_read_own", json!({"uri": "book://page/7"})).await.value;
        assert_eq!(page["text"], "page seven\n");
    }
    registry.shut_down(deadline::GRACE_AT_EXIT).await;
}

#[tokio::test]
async fn contexts_that_want_the_same_server_at_once_share_one_start_and_one_connection() {
    let agent = Agent::new();
    let mut script = shelf();
    script["process"] = json!({"start_delay_ms": 50});
    let entry = agent.entry("own", script);
    let (one, two, three) =
        tokio::join!(agent.factory.acquire(&entry), agent.factory.acquire(&entry), agent.factory.acquire(&entry));
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    assert!(Arc::ptr_eq(&one, &two) && Arc::ptr_eq(&two, &three));
    let contexts = [one, two, three].map(|connection| agent.context(vec![connection]));
    for context in &contexts {
        assert_eq!(call(context, "mcp_read_own", json!({"uri": "book://page/7"})).await.value["text"], "page seven\n");
    }
    assert_eq!(agent.received("own", "initialize").len(), 1);
    assert_eq!(agent.received("own", "resources/read").len(), 3);
    agent.factory.shut_down(deadline::GRACE_AT_EXIT).await;
}

#[tokio::test]
async fn a_failed_start_is_shared_too_and_the_next_wish_tries_again() {
    let agent = Agent::new();
    let mut script = shelf();
    script["process"] = json!({"exit_at_start": 3});
    let entry = agent.entry("own", script);
    let (one, two) = tokio::join!(agent.factory.acquire(&entry), agent.factory.acquire(&entry));
    assert_eq!(one.unwrap_err(), two.unwrap_err());
    let starts = || agent.wire("own").iter().filter(|entry| matches!(entry, Entry::Started { .. })).count();
    assert_eq!(starts(), 1);
    agent.factory.acquire(&entry).await.unwrap_err();
    assert_eq!(starts(), 2);
}

#[tokio::test]
async fn other_arguments_are_another_server() {
    let agent = Agent::new();
    let one = agent.factory.acquire(&agent.entry("one", shelf())).await.unwrap();
    let two = agent.factory.acquire(&agent.entry("two", shelf())).await.unwrap();
    assert!(!Arc::ptr_eq(&one, &two));
    assert_eq!(agent.factory.running(), 2);
    agent.factory.shut_down(deadline::GRACE_AT_EXIT).await;
    assert_eq!(agent.factory.running(), 0);
}
