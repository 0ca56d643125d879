//! A walk through every page: what it shows is done, in its order, on a machine of its own.

use crate::{console, pages::pages, rig, transcripts};
use std::collections::BTreeMap;

/// Why a block is not run, and how many blocks say so.
const NOT_RUN: [(&str, &str, usize); 4] = [
    ("builds", "it compiles the program or the examples, which CI does by itself", 3),
    ("terminal", "it talks with a person until that person leaves; transcripts of that are typed", 2),
    ("login", "it opens a page in a browser; logins are tested in `it/login.rs`", 1),
    ("model", "it needs a model of a provider; requests are tested against a stand-in", 1),
];

#[test]
fn every_command_and_every_transcript_of_a_page_is_as_it_is_shown() {
    let (mut faults, mut commands, mut dialogues) = (Vec::new(), 0, 0);
    for page in pages() {
        let host = rig::machine(&page);
        for block in page.blocks() {
            if block.language == "console" && block.tag.is_none() {
                let (count, found) = console::run(&host, &page, &block);
                commands += count;
                faults.extend(found);
            } else if transcripts::is_transcript(&block) {
                dialogues += 1;
                faults.extend(transcripts::fault(&host, &page, &block));
            }
        }
    }
    let of = format!("{commands} commands and {dialogues} transcripts");
    assert!(faults.is_empty(), "{} of {of} are not as they are shown\n{}", faults.len(), faults.join("\n"));
    assert!(commands > 80 && dialogues > 5, "{of}");
}

#[test]
fn a_block_that_is_not_run_says_why_and_no_command_stands_outside_of_one() {
    let mut tags: BTreeMap<String, usize> = BTreeMap::new();
    let mut astray = Vec::new();
    for page in pages() {
        for block in page.blocks() {
            if block.language == "console" {
                if let Some(tag) = &block.tag {
                    *tags.entry(tag.clone()).or_default() += 1;
                }
                assert!(block.lines[0].starts_with("$ "), "{}:{}", page.path, block.line);
            } else if block.language != "usage" {
                let is = |line: &str| line.starts_with("$ ") || line.starts_with("coyote ");
                // A row of a table of servers is no command.
                let commands = block.lines.iter().filter(|line| is(line) && !transcripts::is_transcript(&block));
                astray.extend(commands.map(|line| format!("{}:{}: {line}", page.path, block.line)));
            }
        }
        // A block by four blanks is not looked into, so there is none; what goes on in a list has two.
        let indented = page.prose().into_iter().filter(|(_, line)| line.starts_with("    "));
        astray.extend(indented.map(|(number, line)| format!("{}:{number}: {line}", page.path)));
    }
    assert!(astray.is_empty(), "These stand in no `console` block:\n{}", astray.join("\n"));
    let known: BTreeMap<String, usize> = NOT_RUN.iter().map(|(tag, _, count)| ((*tag).to_owned(), *count)).collect();
    assert_eq!(tags, known);
    for (tag, reason, count) in NOT_RUN {
        println!("{count} blocks `{tag}` are not run: {reason}");
    }
}
