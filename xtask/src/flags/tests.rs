//! The table of commands, and what is said about wrong words.

use super::*;

fn parsed(words: &[&str]) -> Result<String, String> {
    match parse(words.iter().map(|word| (*word).to_owned()).collect())? {
        Parsed::Run(command, flags) => Ok(format!("{} {}", command.name, flags.join(" ")).trim().to_owned()),
        Parsed::Help => Ok("help".to_owned()),
    }
}

#[test]
fn every_command_is_found_with_each_of_its_flags() {
    for command in COMMANDS {
        assert_eq!(parsed(&[command.name]).as_deref(), Ok(command.name));
        for flag in command.flags {
            assert_eq!(parsed(&[command.name, flag]), Ok(format!("{} {flag}", command.name)));
        }
        assert!(help().contains(command.about), "{} has a help row", command.name);
    }
}

#[test]
fn no_word_or_a_question_shows_the_help() {
    for words in [&[][..], &["help"], &["--help"], &["-h"]] {
        assert_eq!(parsed(words).as_deref(), Ok("help"), "{words:?}");
    }
}

#[test]
fn a_wrong_word_is_answered_with_what_is_accepted() {
    let cases: [(&[&str], &str); 3] = [
        (&["tidi"], "No command `tidi`; the commands are ci, tidy, audit-prefixes, docgen, bench"),
        (&["docgen", "--chek"], "`docgen` takes --check; `--chek` was given"),
        (&["tidy", "--check"], "`tidy` takes no flags; `--check` was given"),
    ];
    for (words, expected) in cases {
        assert_eq!(parsed(words), Err(expected.to_owned()), "{words:?}");
    }
}
