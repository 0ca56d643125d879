//! Agents at a terminal: `.agent`, and a person's part in what a child asks (S40).

use super::{
    OWN_SERVERS_ONLY,
    cast::{Cast, call, said, spawn},
    page,
};
use crate::{
    exits::bench::until,
    machine::{ends, shelf},
};
use acceptance::{
    fixture::Entry,
    host::{Host, is_running},
    model_server::Answer,
    terminal::Terminal,
};
use serde_json::json;

/// The process of a server that was started last.
fn last_process(host: &Host, server: &str) -> u32 {
    let entries = host.wire(server).unwrap().into_iter();
    let mut pids = entries.filter_map(|entry| if let Entry::Started { pid, .. } = entry { Some(pid) } else { None });
    pids.next_back().unwrap()
}

// A child has the servers of mcp.json as it is when the child is spawned.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_began_before_mcp_json_was_read_again_spawns_children_with_its_new_servers() {
    let (mut host, model) = Cast::new(OWN_SERVERS_ONLY)
        .agent("lead", "can_spawn_agents: true\n")
        .agent("own", "mcp_servers: [late]\n")
        .plays(|who, results, _| match (who, results) {
            ("lead", 0) => spawn("own", "Look around"),
            ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
            _ => Answer::text("Seen it."),
        })
        .await;
    let terminal = Terminal::open(&host, &[], (100, 30)).unwrap();
    terminal.until_shown("Ctrl-D leaves").unwrap();
    terminal.enter(".agent lead").unwrap();
    terminal.until("the agent", |screen| screen.ends_with("lead >")).unwrap();
    host.serve("late", page("plum")).unwrap();
    terminal.enter(".mcp reload").unwrap();
    terminal.until_shown("mcp.json was read again").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter("go").unwrap();
    terminal.until_shown("Seen it.").unwrap();
    let child = said(&model.requests(), "own")[0].functions();
    assert!(child.iter().any(|name| name == "mcp_read_late"), "{child:?}");
    terminal.leave().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_repls_agent_has_the_functions_of_a_spawned_one_and_its_server_ends_when_it_is_left() {
    let (host, model) = Cast::new(OWN_SERVERS_ONLY)
        .serves("own", page("plum"))
        .agent("lead", "can_spawn_agents: true\n")
        .agent("own", "mcp_servers: [own]\nconversation_starters: [Which word?]\n")
        .plays(|who, results, _| match (who, results) {
            ("lead", 0) => spawn("own", "Look around"),
            ("lead", 1) => call("agent__collect", json!({"id": "own-1"})),
            _ => Answer::text("Seen it."),
        })
        .await;
    ends(&host, 0, &["-a", "lead", "go"]).await;
    let child = said(&model.requests(), "own")[0].functions();
    assert!(child.iter().any(|name| name == "mcp_read_own"), "{child:?}");

    let terminal = Terminal::open(&host, &[], (100, 30)).unwrap();
    terminal.until_shown("Ctrl-D leaves").unwrap();
    terminal.press(".agent own\r").unwrap();
    terminal.until_shown("`.starter` shows what to begin with").unwrap();
    terminal.press(".starter 1\r").unwrap();
    terminal.until_shown("Seen it.").unwrap();
    let requests = model.requests();
    let spoken = requests.last().unwrap();
    assert_eq!(spoken.functions(), child);
    assert!(spoken.body.to_string().contains("Which word?"));
    let pid = last_process(&host, "own");
    assert!(is_running(pid));
    terminal.press(".exit agent\r").unwrap();
    until(|| !is_running(pid)).await;
    terminal.press("\u{4}").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_childs_call_is_put_to_the_user_at_the_terminal_with_server_tool_and_arguments() {
    for (key, calls, result) in [("y\r", 1, "\"sum\""), ("n\r", 0, "denied")] {
        let (host, model) = Cast::new(OWN_SERVERS_ONLY)
            .serves("own", shelf())
            .agent("lead", "can_spawn_agents: true\n")
            .agent("own", "mcp_servers: [own]\n")
            .plays(|who, results, _| match (who, results) {
                ("lead", 0) => spawn("own", "Add"),
                ("lead", 2) => call("agent__reply_escalation", json!({"id": "e1", "answer": "yes"})),
                ("lead", 1 | 3) => call("agent__collect", json!({"id": "own-1"})),
                ("own", 0) => call("mcp_invoke_own", json!({"tool": "add", "arguments": {"a": 41, "b": 2}})),
                _ => Answer::text("Over."),
            })
            .await;
        let terminal = Terminal::open(&host, &["-a", "lead", "go"], (100, 30)).unwrap();
        terminal.until_shown("or numbers:").unwrap();
        let screen = terminal.screen();
        assert!(screen.contains("add of server own") && screen.contains("\"a\":41"), "{screen}");
        terminal.press(key).unwrap();
        assert_eq!(terminal.status().unwrap(), 0);
        assert_eq!(host.received("own", "tools/call").unwrap().len(), calls);
        assert!(said(&model.requests(), "own")[1].results()[0].1.contains(result));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_the_agent_is_answered_by_number_at_the_terminal() {
    let (host, model) = Cast::new(OWN_SERVERS_ONLY)
        .agent("own", "{}\n")
        .plays(|_, results, _| match results {
            0 => call("user__select", json!({"question": "Which colour?", "options": ["green", "red"]})),
            _ => Answer::text("Over."),
        })
        .await;
    let terminal = Terminal::open(&host, &["-a", "own", "go"], (100, 30)).unwrap();
    terminal.until_shown("Number or text:").unwrap();
    let screen = terminal.screen();
    assert!(screen.contains("Which colour?") && screen.contains("2. red"), "{screen}");
    terminal.press("3\r").unwrap();
    terminal.until_shown("Accepted is one of").unwrap();
    terminal.press("2\r").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    assert_eq!(model.requests()[1].results()[0].1, "{\"answer\":\"red\"}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_two_agents_down_goes_up_one_by_one_until_the_user_says_yes() {
    let (host, model) = Cast::new(OWN_SERVERS_ONLY)
        .serves("own", shelf())
        .agent("lead", "can_spawn_agents: true\n")
        .agent("mid", "can_spawn_agents: true\n")
        .agent("leaf", "mcp_servers: [own]\n")
        .plays(|who, results, _| match (who, results) {
            ("lead", 0) => spawn("mid", "Have it added"),
            ("mid", 0) => spawn("leaf", "Add"),
            ("lead", 1 | 3) => call("agent__collect", json!({"id": "mid-1"})),
            ("mid", 1 | 3) => call("agent__collect", json!({"id": "leaf-2"})),
            ("lead" | "mid", 2) => call("agent__reply_escalation", json!({"id": "e1", "answer": "yes"})),
            ("leaf", 0) => call("mcp_invoke_own", json!({"tool": "add", "arguments": {"a": 41, "b": 2}})),
            _ => Answer::text("Over."),
        })
        .await;
    let terminal = Terminal::open(&host, &["-a", "lead", "go"], (100, 30)).unwrap();
    terminal.until_shown("or numbers:").unwrap();
    assert!(host.received("own", "tools/call").unwrap().is_empty());
    let screen = terminal.screen();
    assert!(screen.contains("add of server own") && screen.contains("\"a\":41"), "{screen}");
    terminal.press("y\r").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);
    assert_eq!(host.received("own", "tools/call").unwrap().len(), 1);
    assert!(said(&model.requests(), "lead").last().unwrap().results()[3].1.contains("Over."));
}
