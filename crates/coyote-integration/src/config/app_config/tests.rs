//! What `config.yaml` is read as, what is refused, and what is told.

use super::*;
use crate::config::{ChangedBy, Chosen, ClientKind, ProcessEnv, SetFault};
use std::collections::BTreeMap;

fn parse(text: &str) -> AppConfig {
    AppConfig::parse(text, Path::new("config.yaml"))
}

fn told(config: &AppConfig) -> String {
    config.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A user's file, in which keys of other features stand beside ours.
const FULL: &str = r"
model: openai:gpt-4o
temperature: null
stream: yes
save: true
keybindings: vi
wrap: no
repl_prelude: null
cmd_prelude: 'work:reviewer'
agent_session: temp
mapping_tools:
  fs: 'fs_cat,fs_ls , fs_grep'
enabled_tools: fs, get_current_time
visible_tools:
  - fs_cat.sh
mapping_mcp_servers:
  docs: 'manual , notes'
enabled_mcp_servers:
  - docs
  - github
mcp_tools:
  github: [get_*, list_*]
skills_enabled: true
enabled_macros: null
compression_threshold: 4000
rag_top_k: 5
temprature: 1
clients:
  - type: openai
    api_key: '{{OPENAI_API_KEY}}'
  - type: openai-compatible
    name: ollama
    api_base: http://localhost:11434/v1
    models:
      - name: llama3.1
        max_input_tokens: 128000
        supports_function_calling: true
      - name: nomic-embed-text
        type: embedding
    extra: {proxy: 'http://p', connect_timeout: 2.5}
  - type: claude
    prompt_cache: true
  - type: bedrock
    region: eu-central-1
";

#[test]
fn a_users_file_is_read_as_it_is() {
    let config = parse(FULL);
    assert_eq!(config.fault, None);
    assert_eq!(config.settings.model.as_deref(), Some("openai:gpt-4o"));
    assert_eq!(config.settings.temperature, None);
    assert!(config.stream && config.save && config.highlight);
    assert_eq!((config.keybindings, config.wrap), (Keybindings::Vi, Wrap::No));
    let both = Prelude::Both { session: "work".to_owned(), role: "reviewer".to_owned() };
    assert_eq!((config.repl_prelude, config.cmd_prelude), (None, Some(both)));
    assert_eq!(config.mapping_tools["fs"], ["fs_cat", "fs_ls", "fs_grep"]);
    assert_eq!(config.settings.enabled_tools, Chosen::of("fs,get_current_time"));
    assert_eq!(config.settings.enabled_mcp_servers, Chosen::of("docs,github"));
    assert_eq!(config.settings.enabled_macros, Chosen::Null);
    assert_eq!(config.settings.mcp_tools["github"], ["get_*", "list_*"]);
    assert_eq!(config.compression_threshold, Some(4000));
    let kinds: Vec<(ClientKind, &str)> =
        config.clients.iter().map(|client| (client.kind, client.name.as_str())).collect();
    let expected =
        [(ClientKind::OpenAi, "openai"), (ClientKind::OpenAiCompatible, "ollama"), (ClientKind::Claude, "claude")];
    assert_eq!(kinds, expected);
    assert_eq!(config.clients[0].api_key.as_deref(), Some("{{OPENAI_API_KEY}}"), "a secret was filled in");
    let models: Vec<&str> = config.clients[1].models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(models, ["llama3.1"], "a model that embeds cannot be talked to");
    assert_eq!(config.clients[1].connect_timeout, Some(Duration::from_millis(2500)));
}

#[test]
fn keys_that_are_not_read_are_each_named_once_with_their_reason() {
    let ignored: Vec<String> =
        parse(FULL).ignored.iter().map(|IgnoredKey { name, line, why }| format!("{line} {name}: {why}")).collect();
    insta::assert_snapshot!(ignored.join("\n"));
}

#[test]
fn an_unsupported_client_is_one_warning_and_the_others_work() {
    insta::assert_snapshot!(told(&parse(FULL)));
}

#[test]
fn a_wrong_value_names_file_line_key_given_and_accepted_and_the_rest_counts() {
    let config = parse(
        "model: [a]\ntemperature: hot\ntop_p: 2\nstream: perhaps\nwrap: -1\nkeybindings: nano\nmcp_approval: always\n\
         mcp_tools: {a: 'b['}\ntool_timeout: 0\nrepl_prelude: reviewer\nenabled_tools: true\nmapping_tools: x\n\
         max_tool_result_chars: 0\nsave: true\nclients: openai\n",
    );
    assert!(config.save, "the rest does not count");
    let mut expected = AppConfig::default();
    expected.settings.mcp_tools.insert("a".to_owned(), Vec::new());
    assert_eq!(AppConfig { save: false, file: None, warnings: Vec::new(), ..config.clone() }, expected);
    insta::assert_snapshot!(told(&config));
}

// S7: a limit that is not understood must not be none.
#[test]
fn globs_that_are_wrong_hide_every_tool_of_their_server() {
    let globs = |text: &str| parse(text).settings.mcp_tools;
    let of = |server: &str, globs: &[&str]| {
        (server.to_owned(), globs.iter().map(|&glob| glob.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        globs("mcp_tools: {a: ['x', 'b['], c: get_*, d: {}}"),
        BTreeMap::from([of("a", &[]), of("c", &["get_*"]), of("d", &[])])
    );
    assert_eq!(globs("mcp_tools: get_*"), BTreeMap::from([of("all", &[])]));
    assert_eq!(globs("mcp_tools: null"), BTreeMap::new());
    let mut config = parse("mcp_tools: {c: get_*}");
    config.set("mcp_tools", "{c: 'b['}").unwrap_err();
    assert_eq!(config.settings.mcp_tools, BTreeMap::from([of("c", &["get_*"])]), "what `.set` refuses changes nothing");
}

#[test]
fn what_is_wrong_with_a_client_costs_that_client_and_tells_no_value() {
    let config = parse(
        "clients:\n  - type: openai\n    api_key: [sk-live-1]\n    models: [gpt-5, {max_input_tokens: 1}]\n  - type: openai\n  \
         - sk-live-2\n  - name: x\n  - type: openai-compatible\n    api_key: '{{NO}}'\n  - type: gemini\n    extra: {read_timeout: soon}\n    models:\n      \
         - {name: a, max_input_tokens: many, supports_vision: 1}\n",
    );
    let names: Vec<&str> = config.clients.iter().map(|client| client.name.as_str()).collect();
    assert_eq!(names, ["openai", "gemini"]);
    assert_eq!(config.clients[0].models[0].name, "gpt-5");
    let told = told(&config);
    assert!(!told.contains("sk-live"), "{told}");
    insta::assert_snapshot!(told);
}

#[test]
fn a_file_that_does_not_parse_is_one_fault_with_its_place_and_the_defaults() {
    let config = parse("model: openai:gpt-4o\nclients: [\n");
    let fault = config.fault.clone().unwrap();
    insta::assert_snapshot!(format!("{}\n{}", fault.sentence, fault.hint));
    assert_eq!(config.warnings.len(), 1);
    assert_eq!(AppConfig { fault: None, warnings: Vec::new(), file: None, ..config }, AppConfig::default());
    assert!(parse("- a\n").fault.is_some_and(|fault| fault.sentence.contains("a list")));
}

#[test]
fn an_empty_file_and_none_are_the_defaults() {
    assert_eq!(AppConfig { file: None, ..parse("# nothing\n") }, AppConfig::default());
    let dir = tempfile::tempdir().unwrap();
    let dir_name = dir.path().to_str().unwrap();
    let mut environment =
        Environment::new(ProcessEnv::of(&[("COYOTE_CONFIG_DIR", dir_name), ("COYOTE_CACHE_DIR", dir_name)]));
    let paths = Paths::find(&mut environment, None).unwrap();
    assert_eq!(read_config(&paths), AppConfig::default());
    std::fs::write(&paths.config_file, "model: a:b\n").unwrap();
    assert_eq!(read_config(&paths).settings.model.as_deref(), Some("a:b"));
    std::fs::write(&paths.config_file, b"\xff\xfe").unwrap();
    assert!(read_config(&paths).fault.is_some());
}

#[test]
fn absent_null_and_empty_are_three_things() {
    let servers = |text: &str| parse(text).settings.enabled_mcp_servers;
    assert_eq!(servers("save: true"), Chosen::Unset);
    assert_eq!(servers("enabled_mcp_servers: null"), Chosen::Null);
    assert_eq!(servers("enabled_mcp_servers:"), Chosen::Null);
    assert_eq!(servers("enabled_mcp_servers: []"), Chosen::Names(Vec::new()));
    assert_eq!(servers("enabled_mcp_servers: all"), Chosen::of("all"));
}

#[test]
fn null_is_the_default_of_every_key() {
    for key in KEYS {
        let mut config = parse(&format!("{}: null\n", key.name));
        assert_eq!(config.warnings, [], "{}", key.name);
        let settings = &mut config.settings;
        for chosen in [&mut settings.enabled_tools, &mut settings.enabled_mcp_servers, &mut settings.enabled_macros] {
            *chosen = Chosen::Unset;
        }
        assert_eq!(AppConfig { file: None, ..config }, AppConfig::default(), "{}", key.name);
    }
}

#[test]
fn a_missing_secret_of_a_client_is_named_with_file_and_line() {
    let config = parse(FULL);
    let environment = Environment::new(ProcessEnv::of(&[]));
    let missing = config.missing_secret("openai", &environment).unwrap();
    assert_eq!((missing.name.as_str(), missing.line), ("OPENAI_API_KEY", 30));
    assert_eq!(config.missing_secret("ollama", &environment), None);
    let environment = Environment::new(ProcessEnv::of(&[("OPENAI_API_KEY", "x")]));
    assert_eq!(config.missing_secret("openai", &environment), None);
}

#[test]
fn set_takes_the_keys_a_request_reads_and_null_unsets() {
    let mut config = parse("temperature: 0.5\nenabled_mcp_servers: docs\n");
    config.set("temperature", "1").unwrap();
    config.set("stream", "false").unwrap();
    config.set("enabled_tools", "fs_cat, fs_ls").unwrap();
    assert_eq!((config.settings.temperature, config.stream), (Some(1.0), false));
    assert_eq!(config.settings.enabled_tools, Chosen::of("fs_cat,fs_ls"));
    for key in ["temperature", "stream", "enabled_mcp_servers"] {
        config.set(key, "null").unwrap();
    }
    assert_eq!((config.settings.temperature, config.stream), (None, true));
    assert_eq!(config.settings.enabled_mcp_servers, Chosen::Unset);
    let faults: String = [("clients", "[]"), ("colour", "red"), ("temperature", "hot"), ("top_p", "[")]
        .map(|(key, value)| format!("{}\n", config.set(key, value).unwrap_err()))
        .concat();
    insta::assert_snapshot!(faults);
    let mut layer = Settings::default();
    layer.set("top_p", "0.5").unwrap();
    assert_eq!(layer.top_p, Some(0.5));
    assert_eq!(layer.set("stream", "true"), Err(SetFault::Key { name: "stream".to_owned() }));
}

#[test]
fn every_key_stands_once_in_the_table_and_none_belongs_to_another_feature() {
    for (place, key) in KEYS.iter().enumerate() {
        assert!(!KEYS[..place].iter().any(|other| other.name == key.name), "{} stands twice", key.name);
        assert_eq!(foreign(key.name), None);
    }
    assert_eq!(KEYS.iter().filter(|key| key.changed_by == ChangedBy::Layers).count(), 7);
}

#[test]
fn a_key_with_one_slip_is_a_warning_and_any_other_unknown_key_is_none() {
    let config = parse("modell: x\ntemprature: 1\ntpo_p: 1\nstraem: no\nwrao: auto\ntheme: dark\nmodels: x\n");
    insta::assert_snapshot!(told(&config), @r"
    `config.yaml` line 1: `modell` is no key and does not count; the closest is `model`
    `config.yaml` line 2: `temprature` is no key and does not count; the closest is `temperature`
    `config.yaml` line 3: `tpo_p` is no key and does not count; the closest is `top_p`
    `config.yaml` line 4: `straem` is no key and does not count; the closest is `stream`
    `config.yaml` line 5: `wrao` is no key and does not count; the closest is `wrap`
    `config.yaml` line 7: `models` is no key and does not count; the closest is `model`
    ");
    assert_eq!(config.ignored.len(), 7);
}

#[test]
fn the_manual_lists_the_keys() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (page, list) = (include_str!("../../../manual/configuration.md"), crate::config::key_list());
    assert!(words(page).contains(&words(&list)), "manual/configuration.md needs this list:\n{list}");
}
