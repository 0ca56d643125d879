//! The table: each row is complete, and every state and every typo has a clear answer.

use super::*;
use crate::repl::commands::help::{page, text};
use mcp_prompt_repl::Typed;
use std::collections::BTreeSet;

fn typed(line: &str) -> CommandLine<'_> {
    match Typed::read(line) {
        Typed::Command(line) => line,
        other => panic!("{other:?} is no command"),
    }
}

fn told(refusal: &Refusal) -> String {
    format!("{}\n{}", refusal.sentence, refusal.hint)
}

const ALL: StateFlags = StateFlags { role: true, session: true, agent: true, messages: true };

#[test]
fn every_command_is_named_once_and_has_help_that_says_what_it_does() {
    let names: BTreeSet<&str> = COMMANDS.iter().map(|command| command.name).collect();
    assert_eq!(names.len(), COMMANDS.len());
    for command in COMMANDS {
        assert!(command.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", command.name);
        assert!(!command.about.is_empty() && !command.about.ends_with('.'), "{}", command.name);
        let topic = text(typed(&format!(".help {}", command.name)), None).unwrap();
        assert!(topic.starts_with(&format!(".{}", command.name)), "{topic}");
        assert!(topic.contains(command.about), "{topic}");
        assert!(topic.contains(command.help), "{topic}");
    }
}

#[test]
fn every_command_is_valid_somewhere_and_elsewhere_says_what_is_missing_and_how_to_have_it() {
    for command in COMMANDS {
        assert_eq!(command.is_valid(ALL), Ok(()), "{}", command.name);
        match command.is_valid(StateFlags::default()) {
            Ok(()) => assert!(command.needs.is_empty(), "{}", command.name),
            Err(refusal) => {
                assert!(!command.needs.is_empty());
                assert!(refusal.sentence.contains(&format!("`.{}` is not valid here", command.name)), "{refusal}");
                assert!(!refusal.hint.is_empty());
            }
        }
    }
}

#[test]
fn every_word_of_a_command_is_in_its_usage_and_says_when_it_is_not_valid() {
    for command in COMMANDS {
        let Completes::Arguments(arguments) = command.completes else { continue };
        for argument in arguments {
            let Argument::Words(words) = argument else { continue };
            for given in *words {
                assert!(command.usage.contains(given.name), "`.{}` hides {}", command.name, given.name);
                assert!(word(command, words, given.name, ALL).is_ok());
                if let Err(refusal) = word(command, words, given.name, StateFlags::default()) {
                    assert!(!given.needs.is_empty() && refusal.sentence.contains(given.name), "{refusal}");
                }
            }
            let refusal = word(command, words, "nonsense", ALL).unwrap_err();
            assert!(words.iter().all(|word| refusal.hint.contains(word.name)), "{}", refusal.hint);
        }
    }
}

#[test]
fn a_typo_names_the_closest_command_and_how_to_say_it_to_the_model() {
    insta::assert_snapshot!(told(&unknown("hlep", &[])), @r"
    There is no command `.hlep`
    Did you mean `.help`? `.help` lists the commands. To say it to the model, write `..hlep`
    ");
    insta::assert_snapshot!(told(&unknown("qqqq", &[])), @r"
    There is no command `.qqqq`
    `.help` lists the commands. To say it to the model, write `..qqqq`
    ");
    assert!(unknown("comit", &["commit".to_owned()]).hint.starts_with("Did you mean `.commit`?"));
    assert!(!told(&unknown("a\u{1b}[2J", &[])).contains('\u{1b}'));
}

#[test]
fn help_of_an_unknown_command_names_the_closest_and_two_words_are_too_many() {
    let help = |line| text(typed(line), None);
    assert!(help(".help modle").unwrap_err().hint.contains("`.model`"));
    assert_eq!(help(".help .model"), help(".help model"));
    assert!(help(".help model set").unwrap_err().sentence.contains("takes no more words"));
}

#[test]
fn an_open_quote_is_told_with_its_column_and_does_nothing() {
    assert_eq!(
        told(&words(typed(".model 'a b")).unwrap_err()),
        "The quote ' at column 8 is not closed\nClose it with '"
    );
    assert_eq!(words(typed(".set x 'a b' c")).unwrap(), ["x", "a b", "c"]);
}

#[test]
fn the_rest_of_a_line_is_as_it_was_typed() {
    assert_eq!(rest(typed(".role 'a b'  don't  do \"it\""), 1), "don't  do \"it\"");
    assert_eq!(rest(typed(".temp-role Be   brief"), 0), "Be   brief");
    assert_eq!(rest(typed(".role x"), 1), "");
    assert_eq!(rest(typed(".temp-role one\ntwo"), 0), "one\ntwo");
}

#[test]
fn the_overview_fits_the_width_and_names_every_command() {
    for width in [60, 120] {
        let overview = text(typed(".help"), Some(width)).unwrap();
        assert!(
            overview.lines().take(COMMANDS.len()).all(|line| line.chars().count() <= usize::from(width)),
            "{overview}"
        );
        for command in COMMANDS {
            assert!(overview.contains(&format!("\n.{}", command.name)), "{}", command.name);
        }
    }
}

#[test]
fn the_manual_lists_the_table_of_the_commands() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (manual, page) = (include_str!("../../../manual/repl.md"), page());
    assert!(words(manual).contains(&words(&page)), "manual/repl.md must hold:\n{page}");
}
