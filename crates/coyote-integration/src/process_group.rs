//! A child process with everything it started, in a session of its own (S18).
//!
//! Servers and local tools are started here and nowhere else, so that the guard holds for both: a group that is dropped
//! before it was seen to end is killed. When and how patiently it ends is its owner's matter.

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use std::io;
use tokio::process::Command;

/// SIGTERM has this number on every Unix.
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// The child with its group; killed when dropped before it was seen to end.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    pub(crate) child: Box<dyn ChildWrapper>,
    gone: bool,
}

impl ProcessGroup {
    /// Starts `command`, whose streams are set, at the head of a new session (Unix) or job (Windows).
    pub(crate) fn start(command: Command) -> io::Result<Self> {
        let mut wrap = CommandWrap::from(command);
        wrap.wrap(KillOnDrop);
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessSession);
        #[cfg(windows)]
        wrap.wrap(process_wrap::tokio::JobObject);
        Ok(Self { child: wrap.spawn()?, gone: false })
    }

    /// SIGTERM to the group; whether somebody was there to get it.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) -> bool {
        self.child.signal(SIGTERM).is_ok()
    }

    /// There is no such signal here; SIGKILL's counterpart follows.
    #[cfg(not(unix))]
    pub(crate) fn terminate(&self) -> bool {
        false
    }

    /// SIGKILL to the group. An error means that nobody is left to kill, so there is nothing to tell.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.start_kill();
    }

    /// The group has been ended, and the guard is off.
    pub(crate) fn disarm(&mut self) {
        self.gone = true;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.gone {
            self.kill();
        }
    }
}
