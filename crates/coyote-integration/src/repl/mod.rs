//! The REPL: `coyote` without a text, at a terminal (host.md "Command line and REPL").
//!
//! The line editor reads keys on a thread of its own ([`editor`]); here one task at a time runs with what was typed, and
//! whatever it shows appears above the prompt. Nothing here waits for a server, a model or a completion before it reads
//! the next key.

mod asker;
mod commands;
mod complete;
mod context;
mod desk;
mod editor;
mod external_editor;
mod highlight;
mod left_prompt;
mod line_loop;
mod printer;
mod shell;
mod standing;
mod start;

pub(crate) use commands::command_names;
pub(crate) use start::Start;

/// Lets keys be lines again, whoever read them last: for a REPL that was given up. It writes nothing, so it cannot hang.
pub(crate) fn release_terminal() {
    // Without a terminal there is nothing to let go.
    let _ = crossterm::terminal::disable_raw_mode();
    editor::give_up();
}
