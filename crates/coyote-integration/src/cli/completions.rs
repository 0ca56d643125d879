//! `coyote --completions SHELL`: a script with which a shell completes this command line.
//!
//! It is made of the same description as the help, reads no file of the user's and starts nothing. What only a running
//! program could know, names of servers or roles, is not in it.

use super::args;
use clap::ValueEnum;
use clap_complete::{Generator, generate};
use clap_complete_nushell::Nushell;

/// A shell that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum KnownShell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
}

/// The script.
pub(super) fn script(shell: KnownShell) -> String {
    match shell {
        KnownShell::Bash => made(clap_complete::Shell::Bash),
        KnownShell::Elvish => made(clap_complete::Shell::Elvish),
        KnownShell::Fish => made(clap_complete::Shell::Fish),
        KnownShell::Nushell => made(Nushell),
        KnownShell::PowerShell => made(clap_complete::Shell::PowerShell),
        KnownShell::Zsh => made(clap_complete::Shell::Zsh),
    }
}

fn made(shell: impl Generator) -> String {
    let mut script = Vec::new();
    let mut command = args::command();
    generate(shell, &mut command, "coyote", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_gets_a_script_with_every_long_option_and_command() {
        let mut command = args::command();
        command.build();
        let options = command.get_arguments().filter(|argument| !argument.is_hide_set());
        let mut words: Vec<String> = options.filter_map(|argument| argument.get_long()).map(str::to_owned).collect();
        words.extend(["mcp", "search", "doctor"].map(str::to_owned));
        for shell in KnownShell::value_variants() {
            let script = script(*shell);
            for word in &words {
                assert!(script.contains(word.as_str()), "{shell:?} does not know `{word}`");
            }
            // A hidden command stays hidden in help; a script that names it would be no secret, but noise.
            assert!(script.len() < 400_000, "{shell:?}: {}", script.len());
        }
    }
}
