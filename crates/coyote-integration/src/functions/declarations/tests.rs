//! The gating matrix of design §4.4 over a context's own servers.

use super::*;
use crate::functions::NoLocalTools;
use mcp_catalog::{Capabilities, Handshake, LocalPort, PortError, ServerName, ServerPort};
use std::sync::Arc;

fn server(name: &str, declared: &str) -> Arc<dyn ServerPort> {
    let has = |letter: char| declared.contains(letter);
    let capabilities = Capabilities { tools: has('t'), resources: has('r'), prompts: has('p'), completions: false };
    let refuse = |_request| Err(PortError::Unsupported { cause: "Nobody asks for a declaration".to_owned() });
    Arc::new(LocalPort::new(ServerName::new(name).unwrap(), Handshake::of(capabilities), Arc::new(refuse)))
}

fn functions(servers: impl IntoIterator<Item = Arc<dyn ServerPort>>) -> Vec<String> {
    let declared = declarations_of(&McpRuntime::new(servers), &NoLocalTools);
    declared.functions.into_iter().map(|function| function.name).collect()
}

#[test]
fn a_contexts_functions_follow_from_what_its_servers_declared() {
    let matrix: [(&str, &[&str]); 6] = [
        ("t", &["invoke", "search", "describe"]),
        ("tr", &["invoke", "search", "describe", "read"]),
        ("trp", &["invoke", "search", "describe", "read", "prompt"]),
        ("r", &["search", "describe", "read"]),
        ("p", &["search", "describe", "prompt"]),
        // Unknown: a handshake without any of the three fails open for tools (S4).
        ("", &["invoke", "search", "describe"]),
    ];
    for (declared, verbs) in matrix {
        let expected: Vec<String> = verbs.iter().map(|verb| format!("mcp_{verb}_x")).collect();
        assert_eq!(functions([server("x", declared)]), expected, "{declared:?}");
    }
}

#[cfg(unix)]
mod delegate {
    //! A delegate's servers are acquired from the factory and are in no registry (R15).

    use super::*;
    use crate::mcp::{Client, McpFactory, McpRegistry, ParentEnv, ServerEntry, Transport};
    use mcp_catalog::deadline;

    /// A server of a few lines of shell that declares `capabilities` and ends with its stdin.
    fn process(name: &str, capabilities: &str) -> ServerEntry {
        let greeting = format!(
            r#"{{"jsonrpc":"2.0","id":'"$id"',"result":{{"protocolVersion":"2025-06-18","capabilities":{capabilities}}}}}"#
        );
        let script = format!(
            "while IFS= read -r line; do\n\
             id=${{line#*'\"id\":'}}; id=${{id%%,*}}\n\
             case $line in *'\"initialize\"'*) printf '%s\\n' '{greeting}';; esac\n\
             done"
        );
        let args = vec!["-c".to_owned(), script];
        let transport = Transport::Stdio { command: "sh".to_owned(), args, env: Vec::new(), cwd: None };
        ServerEntry::new(ServerName::new(name).unwrap(), transport)
    }

    #[tokio::test]
    async fn a_delegate_with_an_agent_only_server_gets_what_that_server_declared_and_the_registry_knows_nothing_of_it()
    {
        let factory = Arc::new(McpFactory::new(ParentEnv::inherited(), Client::default(), []));
        let registry = Arc::new(McpRegistry::new(Arc::clone(&factory)));
        let mut settling = registry.start([process("shared", r#"{"tools":{}}"#)]);
        assert!(settling.next().await.is_some());
        let matrix: [(&str, &[&str]); 4] = [
            (r#"{"resources":{}}"#, &["search", "describe", "read"]),
            (r#"{"prompts":{}}"#, &["search", "describe", "prompt"]),
            (r#"{"tools":{},"resources":{},"prompts":{}}"#, &["invoke", "search", "describe", "read", "prompt"]),
            ("{}", &["invoke", "search", "describe"]),
        ];
        for (capabilities, verbs) in matrix {
            let acquired = factory.acquire(&process("own", capabilities)).await.unwrap();
            let port: Arc<dyn ServerPort> = acquired;
            let expected: Vec<String> = verbs.iter().map(|verb| format!("mcp_{verb}_own")).collect();
            assert_eq!(functions([port]), expected, "{capabilities}");
        }
        let registered = registry.server_features();
        assert_eq!(registered.iter().map(|features| features.name.as_str()).collect::<Vec<_>>(), ["shared"]);
        // The registry's own context goes through the same function.
        let declared = declarations_of(&registry.runtime(), &NoLocalTools);
        let names: Vec<&str> = declared.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["mcp_invoke_shared", "mcp_search_shared", "mcp_describe_shared"]);
        registry.shut_down(deadline::GRACE_AT_EXIT).await;
        assert_eq!(factory.running(), 0);
    }
}
