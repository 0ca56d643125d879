//! A scope over layers: what it declares, what is started, and which tools may be seen.

use super::*;
use crate::{
    config::{Environment, Paths, PlatformDirs, ProcessEnv, Settings},
    context::Layer,
    functions::NoLocalTools,
};
use mcp_catalog::{Capabilities, Handshake, LocalPort, PortError, ServerPort};

/// A user whose files are these.
fn app(config: &str, mcp_json: &str) -> (AppState, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let platform = PlatformDirs { config: dir.path().to_owned(), cache: dir.path().join("cache") };
    let mut environment = Environment::new(ProcessEnv::of(&[]));
    let paths = Paths::find(&mut environment, Some(&platform)).unwrap();
    std::fs::create_dir_all(&paths.config_dir).unwrap();
    std::fs::write(&paths.config_file, config).unwrap();
    std::fs::write(&paths.mcp_json()[0], mcp_json).unwrap();
    (AppState::load(paths, environment), dir)
}

fn connected(names: &[&str]) -> McpRuntime {
    McpRuntime::new(names.iter().map(|name| -> Arc<dyn ServerPort> {
        let capabilities = Capabilities { tools: true, resources: false, prompts: false, completions: false };
        let refuse = |_request| Err(PortError::Unsupported { cause: "Nobody asks for a declaration".to_owned() });
        Arc::new(LocalPort::new(ServerName::new(name).unwrap(), Handshake::of(capabilities), Arc::new(refuse)))
    }))
}

fn declared(app: &AppState, names: &[&str], layers: &Layers) -> Vec<String> {
    let (scope, _) = Scope::of_layers(app, connected(names), &NoLocalTools, layers);
    let servers = scope.declared.functions.iter().map(|function| function.server.to_string());
    let mut servers: Vec<String> = servers.collect();
    servers.dedup();
    servers
}

const SERVERS: &str = r#"{"mcpServers": {"a": {"command": "a", "allowedTools": ["get_*", "list_*"]}, "b": {"command": "b"},
                          "off": {"command": "off", "disabled": true}}}"#;

#[test]
fn a_request_declares_the_servers_of_the_most_specific_layer_in_its_order() {
    let (app, _dir) = app("enabled_mcp_servers: a\nmapping_mcp_servers: {both: 'b, a'}\n", SERVERS);
    let layers = Layers::new(&app.config);
    assert_eq!(declared(&app, &["a", "b"], &layers), ["a"]);
    let mut role = Settings::default();
    role.set("enabled_mcp_servers", "both").unwrap();
    let layers = layers.with(Layer::Role, role);
    assert_eq!(declared(&app, &["a", "b"], &layers), ["b", "a"]);
}

#[test]
fn a_server_that_no_file_configures_is_declared_as_any_other() {
    let (app, _dir) = app("", "{\"mcpServers\": {}}");
    assert_eq!(declared(&app, &["delegate"], &Layers::new(&app.config)), ["delegate"]);
}

#[test]
fn disabled_servers_are_no_members_of_all_and_unknown_ones_are_reported_once() {
    let (app, _dir) = app("enabled_mcp_servers: [all, gone, gone]\n", SERVERS);
    let enabled = Scope::enabled_servers(&app, &Layers::new(&app.config));
    let names: Vec<&str> = enabled.servers.iter().map(ServerName::as_str).collect();
    assert_eq!(names, ["a", "b", "coyote"]);
    assert_eq!(enabled.unknown, ["gone"]);
}

#[test]
fn switches_of_the_file_leave_out_servers_or_every_function() {
    for config in ["mcp_server_support: false", "function_calling_support: false", "enabled_mcp_servers: null"] {
        let (app, _dir) = app(config, SERVERS);
        let layers = Layers::new(&app.config);
        assert_eq!(declared(&app, &["a"], &layers), [""; 0], "{config}");
        assert_eq!(Scope::enabled_servers(&app, &layers).servers, [], "{config}");
    }
}

#[test]
fn a_layer_narrows_the_tools_of_an_entry_and_of_the_layers_below() {
    let (app, _dir) = app("mapping_mcp_servers: {both: 'a, b'}\nmcp_tools: {both: [get_*, set_*]}\n", SERVERS);
    let mut session = Settings::default();
    session.set("mcp_tools", "{b: [get_one, list_x]}").unwrap();
    let layers = Layers::new(&app.config).with(Layer::Session, session);
    let (scope, _) = Scope::of_layers(&app, connected(&["a", "b"]), &NoLocalTools, &layers);
    let seen = |server: &str| {
        let allow = &scope.allow[&ServerName::new(server).unwrap()];
        ["get_one", "get_two", "set_x", "list_x"].map(|tool| allow.allows(tool))
    };
    assert_eq!(seen("a"), [true, true, false, false], "the entry has no set_*, the file no list_*");
    assert_eq!(seen("b"), [true, false, false, false], "the session gave back what the file took");
}
