//! Every command of the program's own table, driven at a terminal: what it does, and what it says where it is not valid.
//!
//! The table is read off the program's own help, so that a command or a word of one which has no row here fails.

use super::{WIDE, machine};
use acceptance::{
    host::Host,
    model_server::{Answer, Api, ModelServer},
    terminal::Terminal,
};
use serde_json::json;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

/// High enough for the longest answer of a row.
const HIGH: (u16, u16) = (WIDE.0, 60);

/// What is typed, one line after the other, and what stands below it when it is done.
const ROWS: &[(&str, &str)] = &[
    (".help", "Anything else is said to the model"),
    (".help model", "Show the model, or take another one"),
    (".info", "temperature  the provider's"),
    (".set temperature 0.5", ""),
    (".info", "temperature  0.5"),
    (".info tools", "mcp_prompt_docs"),
    (".info mcp", "PROTOCOL"),
    (".model offline", "no language model"),
    (".model stand-in:m", "model: stand-in:m"),
    (".temp-role Answer in verse", "\ntemporary >"),
    (".info role", "Answer in verse"),
    (".save role verse", "config/roles/verse.md`"),
    ("in verse", "Answer 1."),
    (".exit role", "\n>"),
    (".role poet", "\npoet >"),
    (".edit role", "\npoet >"),
    (".info role", "edited"),
    (".exit role", "\n>"),
    (".session", "\ntemp >"),
    (".exit session", "\n>"),
    (".session sky", "\nsky >"),
    ("which colour", "Answer 2."),
    (".info session", "config/sessions/sky.yaml"),
    (".save session", "config/sessions/sky.yaml`"),
    (".save session moon", "config/sessions/moon.yaml`"),
    (".edit session", "\nmoon >"),
    ("and now", "Answer 3."),
    (".empty session", "The session is empty"),
    (".exit session", "\n>"),
    (".edit config", "\n>"),
    (".edit mcp-config", "\n>"),
    (".file notes.txt -- look", "Answer 4."),
    (".continue", "Answer 5."),
    (".regenerate", "Answer 6."),
    (".copy", "9 characters"),
    (".macro standup parsers", "Answer 7."),
    (".list roles", "poet\nverse"),
    (".list sessions", "moon\nsky"),
    (".list agents", "lead"),
    (".list macros", ".standup"),
    (".list tools", "fs_cat"),
    (".list mcp-servers", "docs    ready"),
    (".list prompts docs", "plain"),
    (".list resources docs", "cfg://app"),
    (".list templates docs", "cfg://{part}"),
    (".list models", "* stand-in:m"),
    (".prompt docs plain", "Answer 8."),
    (".resource docs cfg://app", "the setting"),
    (".mcp", "running"),
    (".mcp docs", "prompts    1"),
    (".mcp reconnect docs", "`docs` is connected"),
    (".mcp disable docs", "`docs` is disabled"),
    (".mcp enable docs", "`docs` is enabled"),
    (".mcp auth docs", "is not reached by a URL"),
    (".mcp reload", "mcp.json was read again"),
    (".agent lead", "\nlead >"),
    (".info agent", "You lead"),
    (".starter", "1. Where to?"),
    (".starter 1", "Answer 9."),
    (".exit agent", "\n>"),
];

/// A machine with one of everything, and an editor that notes what it edits.
async fn furnished() -> (Host, ModelServer) {
    let mut host = machine();
    let mut number = 0;
    let model = ModelServer::answering(Api::OpenAi, move |_| {
        number += 1;
        Answer::text(&format!("Answer {number}."))
    });
    let model = model.await.unwrap();
    let text = json!({"role": "user", "content": {"type": "text", "text": "plain words"}});
    let script = json!({
        "prompts": [{"name": "plain"}], "prompt_results": {"plain": {"messages": [text]}},
        "resources": [{"uri": "cfg://app", "name": "app"}],
        "resource_templates": [{"uriTemplate": "cfg://{part}", "name": "part"}],
        "contents": {"cfg://app": [{"uri": "cfg://app", "mimeType": "text/plain", "text": "the setting\n"}]},
    });
    host.serve("docs", script).unwrap();
    for (file, text) in [
        ("config/config.yaml", model.config_yaml().as_str()),
        ("config/roles/poet.md", "Rhyme.\n"),
        ("config/agents/lead/config.yaml", "instructions: You lead.\nconversation_starters: [Where to?]\n"),
        ("config/macros/standup.yaml", "variables: [{name: topic}]\nsteps: ['What of {{topic}}?']\n"),
        ("project/notes.txt", "the notes"),
        ("bin/edit", EDITOR),
    ] {
        host.write(file, text).unwrap();
    }
    std::process::Command::new("chmod").arg("+x").arg(host.path("bin/edit")).status().unwrap();
    host.env("EDITOR", &host.path("bin/edit").display().to_string());
    host.env("EDITED", &host.path("edited").display().to_string());
    (host, model)
}

const EDITOR: &str = r#"#!/bin/sh
echo "$1" >> "$EDITED"
case "$1" in
*.md) echo 'And edited.' >> "$1" ;;
*/sessions/*) sed 's/which colour/which shade/' "$1" > "$1.new" && cat "$1.new" > "$1" && rm "$1.new" ;;
esac
"#;

/// The REPL of that machine when its server is there.
fn at(host: &Host) -> Terminal {
    let terminal = Terminal::open(host, &[], HIGH).unwrap();
    terminal.until_shown("Ctrl-D leaves").unwrap();
    while host.received("docs", "notifications/initialized").unwrap_or_default().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    terminal.until_idle().unwrap();
    terminal
}

/// Types a line; what stands below it when `wanted` does and nothing moves any more.
fn said_to(terminal: &Terminal, line: &str, wanted: &str) -> String {
    told(terminal, line, &[wanted]);
    terminal.until_idle().unwrap();
    below(terminal, line).unwrap().1
}

/// The same for a line that runs nothing: it is done when all of this stands below it.
fn told(terminal: &Terminal, line: &str, wanted: &[&str]) -> String {
    let before = below(terminal, line).map_or(0, |(count, _)| count);
    terminal.enter(line).unwrap();
    // A prompt that is painted anew is gone for a moment, so what was seen then is what counts.
    let seen = RefCell::new(String::new());
    let shown = |screen: &str| {
        let Some((_, below)) = below(terminal, line).filter(|(count, _)| *count > before) else { return false };
        let is_there = screen.ends_with('>') && wanted.iter().all(|wanted| below.contains(wanted));
        seen.replace(below);
        is_there
    };
    terminal.until(&format!("{wanted:?} below {line:?}"), shown).unwrap();
    seen.into_inner()
}

/// How often this line was entered, and what stands below the last one.
fn below(terminal: &Terminal, line: &str) -> Option<(usize, String)> {
    let (typed, everything) = (format!("> {line}\n"), terminal.everything() + "\n");
    let (_, below) = everything.rsplit_once(&typed)?;
    Some((everything.matches(&typed).count(), format!("\n{}", below.trim_end())))
}

/// A command as the program's own help has it.
#[derive(Debug)]
struct Known {
    /// What must be so, if anything.
    valid: Option<String>,
    /// Its words, and what must be so for each.
    words: BTreeMap<String, Option<String>>,
}

/// The program's own table.
fn table(terminal: &Terminal) -> BTreeMap<String, Known> {
    let overview = told(terminal, ".help", &["Anything else"]);
    let names = overview.lines().take_while(|line| !line.starts_with("Anything else"));
    let names = names.filter_map(|line| line.strip_prefix('.')?.split_whitespace().next().map(str::to_owned));
    let names: BTreeSet<String> = names.collect();
    assert!(names.len() > 20, "{names:?}");
    names.into_iter().map(|name| (name.clone(), known(terminal, &name))).collect()
}

fn known(terminal: &Terminal, name: &str) -> Known {
    let topic = told(terminal, &format!(".help {name}"), &[&format!("\n.{name}")]);
    let state = |text: &str| {
        let (_, state) = text.rsplit_once(" (")?;
        state.strip_suffix(')').filter(|state| STATES.iter().any(|(known, _)| known == state)).map(str::to_owned)
    };
    let words = topic.lines().filter_map(|line| {
        let (word, about) = line.strip_prefix("  ")?.split_once("  ")?;
        Some((word.to_owned(), state(about)))
    });
    let words = words.collect();
    let valid = topic.lines().find_map(|line| line.strip_prefix("Valid ")?.strip_suffix('.').map(str::to_owned));
    Known { valid, words }
}

/// The states, as help names them, and what is told when one is missing.
const STATES: [(&str, &str); 4] = [
    ("with a role", "no role is in use"),
    ("in a session", "no session is open"),
    ("with an agent", "no agent is in use"),
    ("after an answer", "nothing was answered yet"),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_table_and_every_word_of_it_does_what_it_says() {
    let (host, model) = furnished().await;
    let terminal = at(&host);
    for (name, known) in table(&terminal) {
        let row = |begin: String| {
            let alone = begin.trim_end().to_owned();
            assert!(
                ROWS.iter().any(|(line, _)| *line == alone || line.starts_with(&format!("{alone} ")))
                    || alone == ".exit",
                "`{alone}` has no row that drives it"
            );
        };
        row(format!(".{name}"));
        known.words.keys().for_each(|word| row(format!(".{name} {word}")));
    }
    for (line, wanted) in ROWS {
        let below = said_to(&terminal, line, wanted);
        assert!(!below.contains("error:") || line.starts_with(".mcp auth"), "{line}: {below}");
    }
    terminal.enter(".exit").unwrap();
    assert_eq!(terminal.status().unwrap(), 0);

    let requests = model.requests();
    let messages = |number: usize| requests[number - 1].body["messages"].to_string();
    assert_eq!((requests.len(), requests[0].body["temperature"].clone()), (9, json!(0.5)));
    assert_eq!(requests[0].system().as_deref(), Some("Answer in verse"));
    assert!(messages(3).contains("which shade") && !messages(3).contains("which colour"), "{}", messages(3));
    assert!(messages(4).contains("the notes") && messages(4).contains("look") && !messages(4).contains("which"));
    assert!(messages(6).contains("Do not repeat") && !messages(6).contains("Answer 5."), "{}", messages(6));
    assert!(messages(7).contains("What of parsers?") && messages(8).contains("[user]\\nplain words"));
    assert!(messages(9).contains("Where to?") && messages(9).contains("You lead"));
    let edited = std::fs::read_to_string(host.path("edited")).unwrap();
    let edited: Vec<&str> = edited.lines().filter_map(|line| line.rsplit('/').next()).collect();
    assert_eq!(edited, ["poet.md", "moon.yaml", "config.yaml", "mcp.json"]);
    let verse = std::fs::read_to_string(host.path("config/roles/verse.md")).unwrap();
    assert!(verse.contains("temperature: 0.5") && verse.contains("Answer in verse"), "{verse}");
    let moon = std::fs::read_to_string(host.path("config/sessions/moon.yaml")).unwrap();
    assert!(!moon.contains("Answer"), "it was emptied: {moon}");
    // Base64 of the sixth answer.
    assert_eq!(terminal.noticed(|noticed| noticed.clipboard.clone()), ["QW5zd2VyIDYu"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_says_what_is_missing_where_it_is_not_valid_and_what_it_takes_otherwise() {
    let (host, model) = furnished().await;
    let terminal = at(&host);
    let mut count = 0;
    for (name, known) in table(&terminal) {
        let mut out_of_place = |line: &str, state: &str| {
            let missing = STATES.iter().find(|(known, _)| *known == state).unwrap().1;
            told(&terminal, line, &["is not valid here", missing, "\nnote: "]);
            count += 1;
        };
        if let Some(state) = &known.valid {
            out_of_place(&format!(".{name}"), state);
            continue;
        }
        for (word, state) in &known.words {
            if let Some(state) = state {
                out_of_place(&format!(".{name} {word}"), state);
            }
        }
        if !known.words.is_empty() {
            let below = told(&terminal, &format!(".{name} nonsense"), &["knows no `nonsense`", "\nnote: "]);
            assert!(known.words.keys().all(|word| below.contains(&format!("`{word}`"))), "{below}");
        }
    }
    assert!(count >= 12, "{count}");
    // What lacks its word, or has one too many, says how it is written.
    for (line, why) in [
        (".set", "needs a key and a value"),
        (".set temperature", "needs a value"),
        (".set nonsense 1", "nonsense"),
        (".role", "needs a name"),
        (".role nobody", "No role `nobody`"),
        (".temp-role", "needs a text"),
        (".agent", "needs a name"),
        (".agent nobody", "nobody"),
        (".save", "needs to know what"),
        (".save session", "No session is open"),
        (".edit", "needs to know what"),
        (".list", "needs to know what"),
        (".file", "needs a file"),
        (".file nothing.txt", "nothing.txt"),
        (".macro", "needs a name"),
        (".macro nobody", "There is no macro"),
        (".model nobody:m", "There is no model"),
        (".regenerate", "nothing"),
        (".help nonsense", "There is no command"),
        (".session a b", "takes no more words"),
        (".prompt", "needs a server"),
        (".prompt docs nobody", "nobody"),
        (".resource docs", "needs a URI"),
        (".mcp nonsense", "nonsense"),
    ] {
        told(&terminal, line, &["\nerror: ", why, "\nnote: "]);
    }
    assert!(model.requests().is_empty());
    terminal.leave().unwrap();
}
