//! The page of the command line (contracts.md §7): every command that clap knows, with its arguments.
//!
//! Hidden commands and arguments are hidden here too, and `--help` and `--version` are not repeated.

use crate::docgen::{cells, prose};
use crate::tree::Tree;
use anyhow::Result;
use clap::{Arg, ArgAction, Command};
use std::fmt::Write as _;

pub(super) fn page(_: &Tree) -> Result<String> {
    let mut root = coyote_integration::command();
    root.build();
    document(&mut root)
}

/// The page of `root` and of everything below it.
pub(super) fn document(root: &mut Command) -> Result<String> {
    let mut text = String::from("# Command line\n");
    section(root, &mut text, true)?;
    Ok(text)
}

fn section(command: &mut Command, text: &mut String, root: bool) -> Result<()> {
    let usage = command.render_usage().to_string();
    let usage = usage.strip_prefix("Usage:").unwrap_or(&usage).trim();
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    write!(text, "\n## `{name}`\n\n")?;
    let about = command.get_long_about().or_else(|| command.get_about());
    if let Some(about) = about {
        write!(text, "{}\n\n", prose(&about.to_string()))?;
    }
    write!(text, "```text\n{usage}\n```\n")?;
    arguments(command, text, root);
    if let Some(after) = command.get_after_help() {
        write!(text, "\n{}\n", prose(&after.to_string()))?;
    }
    let below = command.get_subcommands_mut().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below.into_iter().try_for_each(|below| section(below, text, false))
}

/// The table of arguments. One that every command takes stands at the root only.
fn arguments(command: &Command, text: &mut String, root: bool) {
    let own = command.get_arguments().filter(|argument| {
        let built_in = matches!(
            argument.get_action(),
            ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort | ArgAction::Version
        );
        !built_in && !argument.is_hide_set() && (root || !argument.is_global_set())
    });
    let rows: Vec<String> = own.map(row).collect();
    if !rows.is_empty() {
        text.push_str("\n| argument | meaning |\n|---|---|\n");
        text.push_str(&rows.concat());
    }
}

fn row(argument: &Arg) -> String {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let mut meaning = help.map(ToString::to_string).unwrap_or_default();
    let choices: Vec<String> =
        argument.get_possible_values().iter().map(|choice| format!("`{}`", choice.get_name())).collect();
    if !choices.is_empty() && argument.get_action().takes_values() {
        meaning = format!("{meaning} (one of {})", choices.join(", "));
    }
    cells(&[&format!("`{}`", spelt(argument)), &meaning])
}

/// `-o, --output <FILE>`, `<URI>`, `[WORDS]…`.
fn spelt(argument: &Arg) -> String {
    let values: Vec<String> = argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let many = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let dots = if many { "…" } else { "" };
    if argument.is_positional() {
        let name = if values.is_empty() { argument.get_id().to_string() } else { values.join(" ") };
        return if argument.is_required_set() { format!("<{name}>{dots}") } else { format!("[{name}]{dots}") };
    }
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let flags: Vec<String> = short.into_iter().chain(long).collect();
    let values = if argument.get_action().takes_values() {
        values.iter().map(|value| format!(" <{value}>")).collect::<Vec<_>>().concat() + dots
    } else {
        String::new()
    };
    flags.join(", ") + &values
}
