//! Agent files: every key, what is wrong with one, and what is filled in.

use super::*;
use crate::config::{Environment, Places, PlatformDirs, ProcessEnv};

fn parse(text: &str) -> (AgentConfig, Vec<String>) {
    let (agent, warnings) = AgentConfig::parse("a", text, Path::new("a/config.yaml")).unwrap();
    (agent, warnings.into_iter().map(|warning| warning.text).collect())
}

fn facts() -> Facts {
    let word = |text: &str| text.to_owned();
    Facts { os: word("linux"), shell: word("sh"), now: word("now"), cwd: word("/"), arch: word("x"), locale: word("C") }
}

#[test]
fn every_key_of_an_agent_is_read() {
    let (agent, warnings) = parse(
        "name: other\ndescription: Finds\nversion: 1\nmodel: openai:gpt-4o\ntemperature: 0.5\ntop_p: 1\n\
         instructions: |\n  You are {{who}}.\nvariables:\n- name: who\n  description: Who\n  default: 7\n- name: open\n\
         conversation_starters: [Hello]\nmcp_servers: [docs, all]\nmcp_tools: {docs: [get_*]}\nglobal_tools: fs_cat.sh, fs\n\
         agent_session: temp\ncan_spawn_agents: true\nspawnable_agents: [scout]\nmax_concurrent_agents: 2\n\
         max_agent_depth: 5\nescalation_timeout: 1.5\ndocuments: []\nrag_top_k: 3\n",
    );
    assert_eq!(warnings, Vec::<String>::new());
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let settings = Settings {
        model: Some("openai:gpt-4o".to_owned()),
        temperature: Some(0.5),
        top_p: Some(1.0),
        enabled_tools: Chosen::Names(names(&["fs_cat.sh", "fs"])),
        enabled_mcp_servers: Chosen::Names(names(&["docs", "all"])),
        enabled_macros: Chosen::Unset,
        mcp_tools: BTreeMap::from([("docs".to_owned(), names(&["get_*"]))]),
        places: Places::default(),
    };
    let variable = |name: &str, description: &str, default: Option<&str>| AgentVariable {
        name: name.to_owned(),
        description: description.to_owned(),
        default: default.map(str::to_owned),
    };
    assert_eq!(
        agent,
        AgentConfig {
            name: "a".to_owned(),
            description: "Finds".to_owned(),
            version: Some("1".to_owned()),
            settings,
            instructions: "You are {{who}}.\n".to_owned(),
            variables: vec![variable("who", "Who", Some("7")), variable("open", "", None)],
            starters: names(&["Hello"]),
            session: Some("temp".to_owned()),
            spawning: Spawning {
                allowed: true,
                agents: Some(names(&["scout"])),
                concurrent: 2,
                depth: 5,
                escalation_timeout: Some(Duration::from_millis(1_500)),
            },
        }
    );
}

#[test]
fn an_agent_has_what_its_file_names_and_nothing_else() {
    let (agent, warnings) = parse("# nothing\n");
    assert!(warnings.is_empty());
    assert_eq!((&agent.settings.enabled_mcp_servers, &agent.settings.enabled_tools), (&Chosen::Null, &Chosen::Null));
    assert_eq!(agent.spawning, Spawning::default());
    assert_eq!((agent.spawning.concurrent, agent.spawning.depth, agent.spawning.agents), (4, 3, None));
    let (any, _) = parse("spawnable_agents: null\nescalation_timeout: 0\n");
    assert_eq!((any.spawning.agents, any.spawning.escalation_timeout), (None, None));
    assert_eq!(parse("spawnable_agents: []\n").0.spawning.agents, Some(Vec::new()));
}

#[test]
fn a_wrong_value_of_one_key_is_one_warning_and_the_rest_counts() {
    let (agent, warnings) = parse(
        "max_agent_depth: 0\nvariables:\n- name: a\n- x\nfoo: 1\ndescription: D\nmcp_servers: [docs,\n  [x]]\nmcp_tools:\n  a: [x]\n  b: '['\nversion: []\n",
    );
    assert_eq!(agent.description, "D");
    assert_eq!(
        warnings,
        [
            "`a/config.yaml` line 1: `max_agent_depth` is `0`; accepted is a whole number from 1. It does not count",
            "`a/config.yaml` line 4: `variables` has an entry that is `x`; accepted is a list of `name`, `description`, `default`. It does not count",
            "`a/config.yaml` line 5: an agent has no key `foo`",
            "`a/config.yaml` line 8: `mcp_servers` has an entry that is a list; accepted is a list, or names with commas between. It does not count",
            "`a/config.yaml` line 11: `mcp_tools` has an entry that is `[`; accepted is a mapping of servers to lists of globs. No tool of a server may be seen whose globs are wrong",
            "`a/config.yaml` line 12: `version` is a list; accepted is text or a number. It does not count",
        ]
    );
    assert!(matches!(AgentConfig::parse("a", "- x\n", Path::new("f")), Err(AgentFault::Yaml { .. })));
}

#[test]
fn variables_are_given_or_have_a_default_and_no_value_is_filled_in_twice() {
    let (agent, _) =
        parse("instructions: '{{a}} {{b}} {{__os__}} {{c}}'\nvariables:\n- name: a\n- {name: b, default: B}\n");
    let given = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let values = agent.values(&given(&[("a", "{{b}}")])).unwrap();
    assert_eq!(agent.instructions(&values, &facts()), "{{b}} B linux {{c}}");
    let missing = agent.values(&given(&[])).unwrap_err();
    assert_eq!(missing.to_string(), "Agent `a` needs a value for `a`");
    let unknown = agent.values(&given(&[("x", "1")])).unwrap_err();
    assert_eq!(unknown.to_string(), "Agent `a` has no variable `x`; it has `a`, `b`");
}

#[test]
fn agents_are_directories_with_a_file_and_a_name_is_no_path() {
    let dir = tempfile::tempdir().unwrap();
    let platform = PlatformDirs { config: dir.path().join("config"), cache: dir.path().join("cache") };
    let paths = Paths::find(&mut Environment::new(ProcessEnv::of(&[])), Some(&platform)).unwrap();
    for name in ["scout", "librarian", ".hidden", "empty"] {
        std::fs::create_dir_all(paths.agents_dir.join(name)).unwrap();
        if name != "empty" {
            std::fs::write(paths.agent_file(name), "description: D\n").unwrap();
        }
    }
    assert_eq!(AgentConfig::names(&paths), ["librarian", "scout"]);
    assert_eq!(AgentConfig::load(&paths, "scout").unwrap().0.description, "D");
    for name in ["", "scuot", "empty", "../agents/scout", ".hidden", "a\\b"] {
        assert!(matches!(AgentConfig::load(&paths, name), Err(AgentFault::Unknown { .. })), "{name}");
    }
    let unknown = AgentConfig::load(&paths, "scuot").unwrap_err();
    assert_eq!(unknown.hint(), "The closest are `scout`; `coyote --list-agents` and `.list agents` show all");
}
