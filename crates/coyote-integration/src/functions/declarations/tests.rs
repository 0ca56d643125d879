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
