//! The words of a command line before they are parsed: what somebody means who writes `coyote help`, and the whole line
//! that was meant where a program stands behind no `--`.
//!
//! It runs nothing. A value that may be a secret is not repeated (S47).

use super::{args::command, exit::Failure, mcp::add::url_and_program};
use clap::{Command, error::ErrorKind};
use std::ffi::OsString;

/// The options of `coyote mcp add` whose values may be secrets.
const SECRET: [&str; 2] = ["env", "headers"];

/// The words as they are parsed: the one word `help` asks for the help, and so it does behind `mcp`. Any other text is the
/// model's, `coyote -- help` too.
pub(super) fn as_meant(words: Vec<OsString>) -> Vec<OsString> {
    let texts: Vec<Option<&str>> = words.iter().map(|word| word.to_str()).collect();
    match texts.as_slice() {
        [Some(name), Some("help")] => vec![(*name).into(), "-h".into()],
        [Some(name), Some("mcp"), Some("help")] => vec![(*name).into(), "mcp".into(), "-h".into()],
        [Some(name), Some("mcp"), Some("help"), Some(verb)] if !verb.starts_with('-') => {
            vec![(*name).into(), "mcp".into(), (*verb).into(), "-h".into()]
        }
        _ => words,
    }
}

/// The failure of `coyote mcp add NAME COMMAND…`, where the command stands behind no `--`: the whole line as it was meant.
pub(super) fn without_dashes(words: &[OsString], message: &clap::Error) -> Option<Failure> {
    if message.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let words: Vec<&str> = words.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let at = words.windows(2).position(|pair| pair == ["mcp", "add"])?;
    let (before, given) = words.split_at_checked(at + 2)?;
    let top = command();
    let add = top.find_subcommand("mcp")?.find_subcommand("add")?;
    let Meant { options, program } = meant(given, add)?;
    if options.iter().any(|option| option.starts_with("--url ")) {
        return Some(url_and_program());
    }
    let program_name = program.first()?;
    let is_one_text = program.len() == 1 && program_name.contains(char::is_whitespace);
    let program = if is_one_text { (*program_name).to_owned() } else { line(program) };
    // What stands before `mcp` is no option that takes a value.
    let before: Vec<&str> = before.iter().skip(1).copied().collect();
    let corrected = format!("coyote {} {} -- {program}", line(&before), options.join(" "));
    let sentence = format!("The program `{program_name}` and its arguments stand after `--`");
    Some(Failure::usage(sentence, format!("Write `{corrected}`")))
}

/// The words behind `add`: the name and the options, as they are shown, and the program.
struct Meant<'a> {
    options: Vec<String>,
    program: &'a [&'a str],
}

/// Splits the words where the second begins that is no option. `None`: they are wrong in another way.
fn meant<'a>(words: &'a [&'a str], add: &Command) -> Option<Meant<'a>> {
    let (mut options, mut named, mut at) = (Vec::new(), false, 0);
    while let Some(word) = words.get(at) {
        if *word == "--" {
            return None;
        }
        if !word.starts_with('-') || *word == "-" {
            if named {
                return Some(Meant { options, program: words.get(at..)? });
            }
            named = true;
            options.push(quoted(word));
            at += 1;
            continue;
        }
        let (name, value) = split(word);
        let option = add.get_arguments().find(|arg| {
            let short = arg.get_short().is_some_and(|short| name == format!("-{short}"));
            short || arg.get_long().is_some_and(|long| name == format!("--{long}"))
        });
        // Options of all commands stand here too; they take no value.
        let takes = option.is_some_and(|option| option.get_action().takes_values());
        if option.is_none() && name != "--no-workspace-mcp" {
            return None;
        }
        let hides = option.is_some_and(|option| SECRET.contains(&option.get_id().as_str()));
        let shown = |value: &str| if hides { quoted(&hidden(value)) } else { quoted(value) };
        match (takes, value) {
            (false, None) => options.push(quoted(word)),
            (false, Some(_)) => return None,
            (true, Some(value)) => options.push(format!("{name} {}", shown(value))),
            (true, None) => {
                at += 1;
                options.push(format!("{name} {}", shown(words.get(at)?)));
            }
        }
        at += 1;
    }
    None
}

/// An option and the value that is written to it: `--env=A=1`, `-eA=1`.
fn split(word: &str) -> (&str, Option<&str>) {
    if word.starts_with("--") {
        return word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    }
    let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
    let (name, value) = word.split_at_checked(end).unwrap_or((word, ""));
    (name, (!value.is_empty()).then(|| value.strip_prefix('=').unwrap_or(value)))
}

/// `KEY=…` for `KEY=VALUE`; the name of a secret is none.
fn hidden(pair: &str) -> String {
    let end = pair.find(['=', ':']).map_or(0, |at| at + 1);
    let (key, value) = pair.split_at_checked(end).unwrap_or(("", pair));
    if value.contains("{{") { pair.to_owned() } else { format!("{key}…") }
}

fn line(words: &[&str]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@,+%…".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Args;
    use clap::Parser;

    fn words(line: &str) -> Vec<OsString> {
        std::iter::once("coyote").chain(line.split(' ')).map(OsString::from).collect()
    }

    fn told(words: &[OsString]) -> Option<String> {
        let message = Args::try_parse_from(words).unwrap_err();
        without_dashes(words, &message).map(|failure| failure.shape.hint)
    }

    #[test]
    fn help_alone_is_the_help_and_every_other_text_is_the_models() {
        for (given, meant) in [
            ("help", "-h"),
            ("mcp help", "mcp -h"),
            ("mcp help add", "mcp add -h"),
            ("help me", "help me"),
            ("-- help", "-- help"),
            ("Help", "Help"),
            ("-m offline help", "-m offline help"),
            ("mcp help --json", "mcp help --json"),
        ] {
            assert_eq!(as_meant(words(given)), words(meant), "{given}");
        }
    }

    #[test]
    fn a_program_without_dashes_is_answered_with_the_whole_line() {
        for (given, meant) in [
            ("mcp add x npx -y foo", Some("Write `coyote mcp add x -- npx -y foo`")),
            ("--no-workspace-mcp mcp add x npx", Some("Write `coyote --no-workspace-mcp mcp add x -- npx`")),
            ("mcp add --cwd /a x npx", Some("Write `coyote mcp add --cwd /a x -- npx`")),
            ("mcp add -e A=hunter2 -eB={{B}} x npx", Some("Write `coyote mcp add -e A=… -e 'B={{B}}' x -- npx`")),
            ("mcp add x -H Key:hunter2 npx", Some("Write `coyote mcp add x -H Key:… -- npx`")),
            ("mcp add x --url=https://a npx", Some(url_and_program().shape.hint.as_str())),
            ("mcp add x --bogus npx", None),
            ("mcp add x --bogus", None),
            ("mcp remove x y", None),
        ] {
            assert_eq!(told(&words(given)).as_deref(), meant, "{given}");
        }
    }

    #[test]
    fn a_program_that_is_one_text_is_taken_apart() {
        let mut given = words("mcp add x");
        given.push("npx -y 'foo'".into());
        assert_eq!(told(&given).as_deref(), Some("Write `coyote mcp add x -- npx -y 'foo'`"));
        let mut given = words("mcp add");
        given.extend(["a b", "npx", "it's"].map(OsString::from));
        assert_eq!(told(&given).as_deref(), Some(r"Write `coyote mcp add 'a b' -- npx 'it'\''s'`"));
    }
}
