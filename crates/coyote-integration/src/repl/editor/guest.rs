//! A program of the user's that has the terminal to itself: what a `!` line starts, and the editor.
//!
//! As a shell does it, the program and everything it starts are a process group of their own in the foreground: Ctrl-C and
//! Ctrl-Z reach them alone, and the group ends with coyote (S18). What a program leaves in the background when it ends is
//! the user's, and is left alone. Where coyote does not have the terminal itself, the program is started as it is.

use std::{
    io,
    process::{Command, ExitStatus},
};

/// The program that has the terminal now, if any.
#[derive(Debug, Clone, Default)]
pub(super) struct Guest(#[cfg(unix)] std::sync::Arc<std::sync::Mutex<Option<rustix::process::Pid>>>);

/// How a group is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// As a terminal that is closed does it.
    Asked,
    /// At once.
    Killed,
}

#[cfg(not(unix))]
impl Guest {
    /// Runs a program, and waits for its end.
    pub(super) fn run(&self, mut command: Command) -> io::Result<ExitStatus> {
        command.status()
    }

    /// Ends the program with everything it started; whether there was one.
    pub(super) fn end(&self, _: Ending) -> bool {
        false
    }
}

#[cfg(unix)]
impl Guest {
    /// Runs a program, and waits for its end.
    pub(super) fn run(&self, mut command: Command) -> io::Result<ExitStatus> {
        use rustix::{process, termios::tcgetpgrp};
        use std::os::unix::process::CommandExt;
        let (terminal, ours) = (rustix::stdio::stdin(), process::getpgrp());
        if !tcgetpgrp(terminal).is_ok_and(|front| front == ours) {
            return command.status();
        }
        command.process_group(0);
        let group = process::Pid::from_child(&command.spawn()?);
        *self.group() = Some(group);
        let ended = unix::attend(terminal, ours, group);
        *self.group() = None;
        ended
    }

    /// Ends the program with everything it started; whether there was one.
    pub(super) fn end(&self, ending: Ending) -> bool {
        use rustix::process::{Signal, kill_process_group};
        let signals: &[Signal] = match ending {
            // An interactive shell minds the hang-up alone; one that is stopped minds nothing before it goes on.
            Ending::Asked => &[Signal::TERM, Signal::HUP, Signal::CONT],
            Ending::Killed => &[Signal::KILL],
        };
        let group = self.group();
        let Some(group) = *group else { return false };
        for signal in signals {
            // One that has just ended needs none.
            let _ = kill_process_group(group, *signal);
        }
        true
    }

    fn group(&self) -> std::sync::MutexGuard<'_, Option<rustix::process::Pid>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(unix)]
mod unix {
    use mcp_catalog::deadline;
    use nix::sys::signal::{SigSet, Signal as Blocked};
    use rustix::{
        fd::BorrowedFd,
        io::Errno,
        process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, waitpid},
        termios::tcsetpgrp,
    };
    use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus};

    /// Lets a group have the terminal until its first process has ended.
    pub(super) fn attend(terminal: BorrowedFd<'_>, ours: Pid, group: Pid) -> io::Result<ExitStatus> {
        loop {
            // A program that has ended by now takes nothing.
            let _ = tcsetpgrp(terminal, group);
            // It may have asked for the terminal before it had it, and been stopped for that.
            let _ = kill_process_group(group, Signal::CONT);
            let status = wait(group);
            take_back(terminal, ours);
            let status = status?;
            if !status.stopped() {
                return Ok(ExitStatus::from_raw(status.as_raw()));
            }
            // Ctrl-Z: the shell that started coyote gets both, and goes on with both. The stop comes during the pause.
            let _ = kill_process_group(ours, Signal::TSTP);
            std::thread::sleep(deadline::TICK);
        }
    }

    fn wait(process: Pid) -> io::Result<WaitStatus> {
        loop {
            match waitpid(Some(process), WaitOptions::UNTRACED) {
                Ok(Some((_, status))) => return Ok(status),
                Ok(None) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A group in the background that takes the terminal is stopped for it, unless it does not hear that signal.
    fn take_back(terminal: BorrowedFd<'_>, ours: Pid) {
        let stop = SigSet::from(Blocked::SIGTTOU);
        let before = SigSet::thread_get_mask();
        let blocked = stop.thread_block();
        // A terminal that is gone is noticed by the line editor.
        let _ = tcsetpgrp(terminal, ours);
        if let (Ok(before), Ok(())) = (before, blocked) {
            let _ = before.thread_set_mask();
        }
    }
}
