//! Which servers there are, which may be started, and what a wrong name is answered.

use super::*;
use crate::mcp::Transport;

fn server(name: &str) -> ConfiguredServer {
    let transport = Transport::Stdio { command: "x".to_owned(), args: Vec::new(), env: Vec::new(), cwd: None };
    let entry = ServerEntry::new(ServerName::new(name).unwrap(), transport);
    ConfiguredServer { written: entry.spec_key(), entry, missing: None }
}

fn servers(of: Vec<ConfiguredServer>) -> Servers {
    let skipped = vec![("broken".to_owned(), "`command` is empty; write the server's command".to_owned())];
    Servers::new(McpJson { servers: of, skipped, ..McpJson::default() }, "/config/mcp.json".into())
}

fn names(servers: &Servers) -> Vec<&str> {
    servers.iter().map(|server| server.entry.name.as_str()).collect()
}

#[test]
fn the_embedded_server_is_there_unless_a_user_has_one_of_its_name() {
    assert_eq!(names(&servers(vec![server("b"), server("a")])), ["b", "a", "coyote"]);
    let own = servers(vec![server("coyote"), server("a")]);
    assert_eq!(names(&own), ["coyote", "a"]);
    assert_ne!(own.get("coyote").unwrap().entry.transport, Transport::Embedded);
}

#[test]
fn a_disabled_server_is_shown_is_no_member_of_all_and_is_never_started() {
    let mut off = server("off");
    off.entry.disabled = true;
    let servers = servers(vec![off, server("on")]);
    assert_eq!(names(&servers), ["off", "on", "coyote"]);
    let enabled: Vec<String> = servers.enabled(None).servers.iter().map(ToString::to_string).collect();
    assert_eq!(enabled, ["on", "coyote"]);
    let shape = servers.get("off").unwrap().startable().unwrap_err().shape();
    insta::assert_snapshot!(format!("{} [{}] {}", shape.tool_call_error, shape.code, shape.hint), @r#"Server `off` is disabled in `mcp.json` [denied] Remove `"disabled": true` from its entry to use it"#);
}

#[test]
fn an_unknown_server_is_not_found_with_the_closest_and_a_skipped_one_with_its_reason() {
    let servers = servers(vec![server("docs"), server("git")]);
    let shown = |key: &str| {
        let shape = servers.get(key).unwrap_err();
        assert_eq!(shape.code, Code::NotFound);
        format!("{}. {} {:?}", shape.tool_call_error, shape.hint, shape.closest.first())
    };
    insta::assert_snapshot!(shown("dcos"), @r#"No server `dcos` is configured. `coyote mcp list` shows the servers; they stand in `/config/mcp.json` Some("docs")"#);
    assert!(
        shown("broken").starts_with("Server `broken` has an entry that is not usable: `command` is empty"),
        "{}",
        shown("broken")
    );
}

#[test]
fn a_functions_part_finds_its_server_also_when_the_key_does_not_fit() {
    let servers = servers(vec![server("My Server.v2"), server("docs")]);
    for name in ["My Server.v2", "docs", "coyote"] {
        let slug = ServerName::new(name).unwrap().slug();
        assert_eq!(servers.of_slug(&slug).unwrap().entry.name.as_str(), name);
    }
    assert!(servers.of_slug("My Server.v2").is_none());
}
