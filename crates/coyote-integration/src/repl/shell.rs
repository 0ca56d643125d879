//! `!command`: a line for the user's own shell, with the terminal to itself.
//!
//! Nothing asks first: a person typed it (R14). Ctrl-C goes to what runs there and not to coyote, with which it ends (S18).

use super::context::Context;
use crate::chat::Refusal;
use std::process::Command;

/// Runs a line, and waits for its end.
pub(super) async fn run(context: &Context, line: &str) -> Result<(), Refusal> {
    let line = line.trim().to_owned();
    if line.is_empty() {
        return Err(Refusal::given("There is no command after `!`", "`!ls` runs `ls` in your shell"));
    }
    let ended = context.terminal.run(command(&line)).await;
    match ended {
        Some(Ok(status)) if status.success() => Ok(()),
        Some(Ok(status)) => {
            context.report.note(status);
            Ok(())
        }
        Some(Err(error)) => Err(Refusal::outside(format!("The shell could not be started: {error}"), "Check SHELL")),
        None => Err(Refusal::outside("The terminal is gone", "Start coyote again")),
    }
}

#[cfg(unix)]
fn command(line: &str) -> Command {
    let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty()).unwrap_or_else(|| "/bin/sh".into());
    let mut command = Command::new(shell);
    command.arg("-c").arg(line);
    command
}

#[cfg(not(unix))]
fn command(line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.arg("/C").arg(line);
    command
}
