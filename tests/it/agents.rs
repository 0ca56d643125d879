//! Agents by the real binary: what a child sees, what it shares, how it asks, and that nothing of it is left (D7, R15, S14,
//! S40). One model stands in for all of them and tells them apart by their instructions.

mod cast;
#[cfg(target_os = "linux")]
mod ends;
#[cfg(target_os = "linux")]
mod terminal;

use crate::machine::{ends, run, shelf};
use acceptance::{
    fixture::Entry,
    model_server::{Answer, Gate, Request},
};
use cast::{Cast, call, done, said, spawn};
use rstest::rstest;
use serde_json::{Value, json};

/// A server that offers one resource and was given no other capability.
fn page(word: &str) -> Value {
    json!({
        "resources": [{"uri": format!("{word}://page"), "name": word}],
        "contents": {format!("{word}://page"): [{"uri": format!("{word}://page"), "text": format!("The word is {word}.\n")}]},
    })
}

/// No server is in the registry but the embedded one: what a child has is its own.
const OWN_SERVERS_ONLY: &str = "enabled_mcp_servers: [coyote]\n";

#[rstest]
#[case::resources(json!({"resources": {}}), &["search", "describe", "read"])]
#[case::prompts(json!({"prompts": {}}), &["search", "describe", "prompt"])]
#[case::tools(json!({"tools": {}}), &["invoke", "search", "describe"])]
#[case::all(json!({"tools": {}, "resources": {}, "prompts": {}}), &["invoke", "search", "describe", "read", "prompt"])]
#[case::nothing(json!({}), &["invoke", "search", "describe"])]
#[tokio::test]
async fn a_spawned_child_and_the_same_agent_at_the_command_line_have_the_same_functions(
    #[case] capabilities: Value,
    #[case] verbs: &[&str],
) {
    let mut script = shelf();
    script["capabilities"] = capabilities;
    let cast = Cast::new(OWN_SERVERS_ONLY)
        .serves("own", script)
        .agent("lead", "mcp_servers: [coyote]\ncan_spawn_agents: true\n")
        .agent("own", "mcp_servers: [own]\nglobal_tools: [fs_cat]\n");
    let (host, model) = cast
        .plays(|who, results, _| match (who, results) {
            ("lead", 0) => spawn("own", "Look around"),
            ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
            _ => Answer::text("Seen."),
        })
        .await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let requests = model.requests();
    let child = said(&requests, "own")[0].functions();
    let meta: Vec<String> = verbs.iter().map(|verb| format!("mcp_{verb}_own")).collect();
    assert!(
        child.ends_with(&meta) && child.iter().filter(|name| name.starts_with("mcp_")).count() == verbs.len(),
        "{child:?}"
    );
    assert!(child.iter().any(|name| name == "fs_cat") && !child.iter().any(|name| name.starts_with("agent__")));
    assert!(
        said(&requests, "lead").iter().all(|request| request.functions().iter().all(|name| !name.ends_with("_own")))
    );
    let before = requests.len();
    ends(&host, 0, &["-a", "own", "Look around"]).await;
    assert_eq!(model.requests()[before].functions(), child);
}

#[tokio::test]
async fn a_resources_only_server_of_its_own_lets_a_child_search_describe_and_read() {
    let cast = Cast::new(OWN_SERVERS_ONLY)
        .serves("own", page("plum"))
        .agent("lead", "can_spawn_agents: true\n")
        .agent("own", "mcp_servers: [own]\n");
    let (host, model) = cast
        .plays(|who, results, _| match (who, results) {
            ("lead", 0) => spawn("own", "Read the page"),
            ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
            ("own", 0) => Answer::new()
                .call("c1", "mcp_search_own", &json!({}))
                .call("c2", "mcp_describe_own", &json!({"tool": "plum://page", "kind": "resource"}))
                .call("c3", "mcp_read_own", &json!({"uri": "plum://page"})),
            _ => Answer::text("Plum."),
        })
        .await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let requests = model.requests();
    let results = said(&requests, "own")[1].results();
    assert_eq!(results.len(), 3);
    assert!(
        results.iter().all(|(_, text)| text.contains("plum://page") && !text.contains("tool_call_error")),
        "{results:?}"
    );
    assert!(results[2].1.contains("The word is plum."));
    let collected = said(&requests, "lead")[2].results();
    assert!(
        collected[1].1.contains("\"text\":\"Plum.\"") && collected[1].1.contains("\"status\":\"done\""),
        "{collected:?}"
    );
}

#[tokio::test]
async fn aliases_and_all_mean_the_same_to_a_child_as_everywhere() {
    let (host, model) =
        Cast::new("enabled_mcp_servers: [coyote]\nmapping_mcp_servers: {fruit: 'south , north', coyote: none}\n")
            .serves("north", page("pear"))
            .serves("south", page("fig"))
            .agent("lead", "can_spawn_agents: true\n")
            .agent("some", "mcp_servers: [fruit, north]\n")
            .agent("every", "mcp_servers: all\n")
            .plays(|who, results, _| match (who, results) {
                ("lead", 0) => Answer::new()
                    .call("s1", "agent__spawn", &json!({"agent": "some", "task": "Look"}))
                    .call("s2", "agent__spawn", &json!({"agent": "every", "task": "Look"})),
                ("lead", 2) => Answer::new().call("k1", "agent__collect", &json!({"id": "some-1"})).call(
                    "k2",
                    "agent__collect",
                    &json!({"id": "every-2"}),
                ),
                _ => Answer::text("Seen."),
            })
            .await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let requests = model.requests();
    let searched = |name: &str| -> Vec<String> {
        let functions = said(&requests, name)[0].functions();
        functions.iter().filter_map(|name| name.strip_prefix("mcp_search_")).map(str::to_owned).collect()
    };
    assert_eq!(searched("some"), ["south", "north"]);
    assert_eq!(searched("every"), ["coyote", "north", "south"]);
}

#[tokio::test]
async fn a_parent_spawns_two_answers_the_question_of_one_and_collects_both() {
    let cast = Cast::new(OWN_SERVERS_ONLY)
        .serves("north", page("pear"))
        .serves("south", page("fig"))
        .agent("lead", "can_spawn_agents: true\n")
        .agent("left", "mcp_servers: [north]\n")
        .agent("right", "mcp_servers: [south]\n");
    let (host, model) = cast
        .plays(|who, results, request| match (who, results) {
            ("lead", 0) => Answer::new()
                .call("s1", "agent__spawn", &json!({"agent": "left", "task": "Read the page of the north"}))
                .call("s2", "agent__spawn", &json!({"agent": "right", "task": "Read the page of the south"})),
            ("left", 0) => call("mcp_read_north", json!({"uri": "pear://page"})),
            ("left", 1) => call("user__select", json!({"question": "Which colour?", "options": ["green", "red"]})),
            ("left", _) => {
                Answer::text(if done(request).contains("\"answer\":\"green\"") { "A green pear." } else { "No." })
            }
            ("right", 0) => call("mcp_read_south", json!({"uri": "fig://page"})),
            ("right", _) => Answer::text("A fig."),
            ("lead", 2) => call("agent__collect", json!({"id": "left-1"})),
            ("lead", 3) => {
                assert!(done(request).contains("Which colour?"), "{}", done(request));
                call("agent__reply_escalation", json!({"id": "e1", "answer": "green"}))
            }
            ("lead", 4) => Answer::new().call("k1", "agent__collect", &json!({"id": "left-1"})).call(
                "k2",
                "agent__collect",
                &json!({"id": "right-2"}),
            ),
            _ => Answer::text("Both are in."),
        })
        .await;
    let talk = ends(&host, 0, &["-a", "lead", "go"]).await;
    assert_eq!(talk.text(), "Both are in.");
    let requests = model.requests();
    let last = said(&requests, "lead").last().unwrap().results();
    assert!(last[4].1.contains("A green pear.") && last[5].1.contains("A fig."), "{last:?}");
    for (agent, server, word) in [("left", "north", "pear"), ("right", "south", "fig")] {
        let functions = said(&requests, agent)[0].functions();
        assert!(
            functions.iter().filter(|name| name.starts_with("mcp_")).all(|name| name.ends_with(server)),
            "{functions:?}"
        );
        assert!(said(&requests, agent)[1].results()[0].1.contains(&format!("The word is {word}.")));
        assert_eq!(host.received(server, "resources/read").unwrap().len(), 1);
    }
}

// The files are those of the example directory; its servers' pages are served by the fixture.
#[tokio::test]
async fn the_librarian_of_the_example_directory_spawns_the_scout() {
    let (host, model) = Cast::new("model: openai:gpt-4o\nenabled_mcp_servers: [coyote]\n")
        .client("openai")
        .serves("manual", page("manual"))
        .serves("docs-b", page("docs-b"))
        .file(
            "scout",
            "name: scout\ndescription: Reads one page and reports\nversion: 1\nmodel: openai:gpt-4o\ninstructions: |\n  \
             You read the page you are asked for and report it in one line.\nmcp_servers: [docs-b]\n",
        )
        .file(
            "librarian",
            "name: librarian\ndescription: Finds pages\nversion: 1\nmodel: openai:gpt-4o\ninstructions: |\n  \
             You find pages for {{reader}}. Ask before you answer.\nvariables:\n  - name: reader\n    description: Who reads\n    \
             default: the team\nconversation_starters:\n  - What is new in the manual?\nmcp_servers: [manual]\n\
             global_tools: [fs_cat.sh]\ncan_spawn_agents: true\nspawnable_agents: [scout]\nmax_concurrent_agents: 2\ndocuments: []\n",
        )
        .plays(|who, results, _| match (who, results) {
            ("find", 0) => call("agent__list_available", json!({})),
            ("find", 1) => spawn("scout", "Read docs-b://page"),
            ("find", 2) => call("agent__collect", json!({"id": "scout-1"})),
            ("read", 0) => call("mcp_read_docs-b", json!({"uri": "docs-b://page"})),
            ("read", _) => Answer::text("One line."),
            _ => Answer::text("Found."),
        })
        .await;
    let talk = ends(&host, 0, &["-a", "librarian", "--agent-variable", "reader", "Ada", "What is new?"]).await;
    assert_eq!(talk.text(), "Found.");
    let requests = model.requests();
    let librarian = said(&requests, "find");
    assert_eq!(librarian[0].system().unwrap().trim(), "You find pages for Ada. Ask before you answer.");
    let functions = librarian[0].functions();
    for name in ["agent__spawn", "user__confirm", "fs_cat", "mcp_read_manual"] {
        assert!(functions.iter().any(|own| own == name), "{name} {functions:?}");
    }
    assert!(!functions.iter().any(|name| name.ends_with("docs-b")), "{functions:?}");
    let results = librarian.last().unwrap().results();
    assert!(results[0].1.contains("\"name\":\"scout\"") && !results[0].1.contains("librarian"), "{results:?}");
    assert!(results[2].1.contains("One line."), "{results:?}");
    assert!(said(&requests, "read")[1].results()[0].1.contains("The word is docs-b."));
}

#[tokio::test]
async fn limits_of_number_and_depth_answer_with_the_limit_and_what_to_do() {
    let cast = Cast::new(OWN_SERVERS_ONLY)
        .agent("lead", "can_spawn_agents: true\nmax_concurrent_agents: 1\nmax_agent_depth: 1\n")
        .agent("mid", "can_spawn_agents: true\nmax_agent_depth: 9\n");
    // The first child is at work until its parent was told that there is no room for a second one.
    let gate = Gate::default();
    let (host, model) = cast
        .plays(move |who, results, _| match (who, results) {
            ("lead", 0) => Answer::new()
                .call("s1", "agent__spawn", &json!({"agent": "mid", "task": "Spawn another"}))
                .call("s2", "agent__spawn", &json!({"agent": "mid", "task": "Spawn another"})),
            ("lead", 2) => {
                gate.open();
                call("agent__collect", json!({"id": "mid-1"}))
            }
            ("mid", 0) => spawn("mid", "And another").held(0, &gate),
            _ => Answer::text("Done."),
        })
        .await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let requests = model.requests();
    let results = said(&requests, "lead").last().unwrap().results();
    assert!(
        results[1].1.contains("the limit is 1 (`max_concurrent_agents`)") && results[1].1.contains("agent__collect")
    );
    let deep = said(&requests, "mid").last().unwrap().results();
    assert!(deep[0].1.contains("the limit is 1 (`max_agent_depth`)") && deep[0].1.contains("hint"), "{deep:?}");
}

#[tokio::test]
async fn a_child_that_fails_tells_its_parents_model_why() {
    let cast = Cast::new(OWN_SERVERS_ONLY).agent("lead", "can_spawn_agents: true\n").agent("own", "{}\n");
    let (host, model) = cast
        .plays(|who, results, _| match (who, results) {
            ("lead", 0) => spawn("own", "Try"),
            ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
            ("own", _) => Answer::status(401, "{\"error\":{\"message\":\"Bad key\"}}"),
            _ => Answer::text("It failed."),
        })
        .await;
    assert_eq!(ends(&host, 0, &["-a", "lead", "go"]).await.text(), "It failed.");
    let requests = model.requests();
    let collected = &said(&requests, "lead")[2].results()[1].1;
    assert!(collected.contains("\"status\":\"failed\"") && collected.contains("\"reason\":"), "{collected}");
    assert!(collected.contains("stand-in") && !collected.contains("key-of-the-stand-in"), "{collected}");
}

#[tokio::test]
async fn a_server_that_fails_is_a_note_for_child_and_parent_and_never_a_failed_spawn() {
    let mut host = Cast::new(OWN_SERVERS_ONLY)
        .serves("own", page("plum"))
        .agent("lead", "can_spawn_agents: true\n")
        .agent("own", "mcp_servers: [broken, own, nowhere]\n");
    host.host.entry("broken", json!({"command": "no-such-program-anywhere"})).unwrap();
    let (host, model) = host
        .plays(|who, results, _| match (who, results) {
            ("lead", 0) => spawn("own", "Read"),
            ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
            ("own", 0) => call("mcp_read_own", json!({"uri": "plum://page"})),
            _ => Answer::text("Plum."),
        })
        .await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let requests = model.requests();
    let told = said(&requests, "own")[0].system().unwrap();
    assert!(told.contains("Server `broken` could not be started"), "{told}");
    let collected = &said(&requests, "lead")[2].results()[1].1;
    assert!(
        collected.contains("\"status\":\"done\"") && collected.contains("Server `broken` could not be started"),
        "{collected}"
    );
    assert!(collected.contains("`nowhere`"), "{collected}");
}

#[tokio::test]
async fn a_turn_that_ends_with_children_left_open_is_told_so_and_asked_to_collect() {
    let cast = Cast::new(OWN_SERVERS_ONLY).agent("lead", "can_spawn_agents: true\n").agent("own", "{}\n");
    let (host, model) = cast
        .plays(|who, results, request| match (who, results) {
            ("lead", 0) => spawn("own", "Look"),
            ("lead", 1) if !request.body.to_string().contains("Your turn has ended") => Answer::text("I am done."),
            ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
            _ => Answer::text("All in."),
        })
        .await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let requests = model.requests();
    let lead = said(&requests, "lead");
    assert_eq!(lead.len(), 4);
    assert!(lead[2].body.to_string().contains("agent__collect`, which waits"));
    assert!(lead[3].results()[1].1.contains("All in."));
}

#[tokio::test]
async fn a_childs_call_needs_the_users_yes_and_without_a_terminal_there_is_none() {
    for (args, code, calls) in
        [(&["-a", "lead", "go"][..], "denied", 0), (&["--yes", "-a", "lead", "go"][..], "sum", 1)]
    {
        let cast = Cast::new(OWN_SERVERS_ONLY)
            .serves("own", shelf())
            .agent("lead", "can_spawn_agents: true\n")
            .agent("own", "mcp_servers: [own]\n");
        let (host, model) = cast
            .plays(|who, results, _| match (who, results) {
                ("lead", 0) => spawn("own", "Add"),
                ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
                ("own", 0) => call("mcp_invoke_own", json!({"tool": "add", "arguments": {"a": 1, "b": 2}})),
                _ => Answer::text("Done."),
            })
            .await;
        ends(&host, 0, args).await;
        let requests = model.requests();
        assert!(said(&requests, "own")[1].results()[0].1.contains(code));
        assert_eq!(host.received("own", "tools/call").unwrap().len(), calls);
    }
}

#[tokio::test]
async fn a_question_of_the_agent_itself_needs_a_human_where_there_is_no_terminal() {
    let (host, model) = Cast::new(OWN_SERVERS_ONLY)
        .agent("own", "{}\n")
        .plays(|_, results, _| match results {
            0 => call("user__confirm", json!({"question": "Shall I?"})),
            _ => Answer::text("Shall I?"),
        })
        .await;
    ends(&host, 0, &["-a", "own", "go"]).await;
    let answer = model.requests()[1].results()[0].1.clone();
    assert!(answer.contains("\"needs_human\":true") && answer.contains("Shall I?"), "{answer}");
}

#[tokio::test]
async fn an_agent_at_the_command_line_is_named_listed_and_needs_its_variables() {
    let (host, model) = Cast::new(OWN_SERVERS_ONLY)
        .agent("scout", "variables:\n- name: who\n  description: Who asks\n")
        .agent("lead", "{}\n")
        .plays(|_, _, _| Answer::text("Hello"))
        .await;
    assert_eq!(ends(&host, 0, &["--list-agents"]).await.text(), "lead\nscout\n");
    for (args, words) in [
        (&["-a", "scuot", "go"][..], "The closest are `scout`"),
        (&["-a", "scout", "go"][..], "Agent `scout` needs a value for `who` (Who asks)"),
        (&["-a", "lead", "--agent-variable", "who", "x", "go"][..], "Agent `lead` has no variable `who`; it has none"),
        (&["--agent-variable", "who", "x", "go"][..], "--agent"),
    ] {
        let refused = run(&host, args).await;
        assert_eq!(refused.status, Some(2), "{refused}");
        assert!(refused.stderr.contains(words), "{refused}");
    }
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn an_agents_sessions_are_in_its_own_folder_and_it_goes_on_where_it_stopped() {
    let (host, model) = Cast::new("agent_session: diary\n")
        .agent("own", "{}\n")
        .plays(|_, _, request| Answer::text(&format!("Heard {}.", request.roles().len())))
        .await;
    ends(&host, 0, &["-a", "own", "one"]).await;
    ends(&host, 0, &["-a", "own", "two"]).await;
    ends(&host, 0, &["-a", "own", "-s", "work", "three"]).await;
    let sizes: Vec<usize> = model.requests().iter().map(|request| request.roles().len()).collect();
    // The instructions and what was said: one, then with what the diary holds, then in a session of its own.
    assert_eq!(sizes, [2, 4, 2]);
    let dir = host.path("config/agents/own/sessions");
    assert!(dir.join("diary.yaml").is_file() && dir.join("work.yaml").is_file());
    assert!(!host.path("config/sessions").exists());
}

#[tokio::test]
async fn two_children_with_one_specification_share_one_process() {
    let (host, model) = two_agents_of_one_server().plays(two_readers).await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let started = host.wire("own").unwrap().iter().filter(|entry| matches!(entry, Entry::Started { .. })).count();
    assert_eq!((started, host.received("own", "initialize").unwrap().len()), (1, 1));
    assert_eq!(host.received("own", "resources/read").unwrap().len(), 2);
    let requests = model.requests();
    assert!(["one", "two"].iter().all(|name| said(&requests, name)[1].results()[0].1.contains("The word is plum.")));
}

/// Two agents with one server, which takes a while to start.
fn two_agents_of_one_server() -> Cast {
    let mut script = page("plum");
    script["process"] = json!({"start_delay_ms": 100});
    Cast::new(OWN_SERVERS_ONLY)
        .serves("own", script)
        .agent("lead", "can_spawn_agents: true\n")
        .agent("one", "mcp_servers: [own]\n")
        .agent("two", "mcp_servers: [own]\n")
}

/// Both are spawned in one reply, read, and are collected in one reply.
fn two_readers(who: &str, results: usize, _: &Request) -> Answer {
    match (who, results) {
        ("lead", 0) => Answer::new().call("s1", "agent__spawn", &json!({"agent": "one", "task": "Read"})).call(
            "s2",
            "agent__spawn",
            &json!({"agent": "two", "task": "Read"}),
        ),
        ("lead", 2) => Answer::new().call("k1", "agent__collect", &json!({"id": "one-1"})).call(
            "k2",
            "agent__collect",
            &json!({"id": "two-2"}),
        ),
        ("one" | "two", 0) => call("mcp_read_own", json!({"uri": "plum://page"})),
        _ => Answer::text("Plum."),
    }
}
