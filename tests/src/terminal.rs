//! The binary in a terminal: a pseudo-terminal of any size, and the screen that a person sees.
//!
//! It types keys and reads the screen; what is on it is asked for until it is there, so no test waits for a time. Like a
//! real terminal it answers the question where the cursor stands. It interprets nothing of what is shown.

use crate::{filters::Filters, host::Host};
use anyhow::{Context, bail};
use expectrl::{
    process::unix::WaitStatus,
    session::{OsSession, Session},
};
use std::{
    io::{ErrorKind, Write},
    time::{Duration, Instant},
};

/// What has not come by then does not come; no test depends on the number otherwise.
const HUNG_AFTER: Duration = Duration::from_mins(1);
/// How often the screen is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// The lines that are kept above the screen.
const SCROLLED: usize = 10_000;

/// A terminal in which the binary runs.
pub struct Terminal {
    session: OsSession,
    screen: vt100::Parser<Questions>,
    /// Every byte that the binary has written.
    written: Vec<u8>,
    filters: Filters,
}

/// What the binary has asked the terminal and waits for.
#[derive(Default)]
struct Questions {
    /// Where the cursor stood at each question for it.
    cursor: Vec<(u16, u16)>,
}

impl vt100::Callbacks for Questions {
    fn unhandled_csi(&mut self, screen: &mut vt100::Screen, _: Option<u8>, _: Option<u8>, params: &[&[u16]], c: char) {
        if c == 'n' && params.first() == Some(&[6_u16].as_slice()) {
            self.cursor.push(screen.cursor_position());
        }
    }
}

impl Terminal {
    /// Runs `coyote` with these arguments in a terminal of so many columns and rows.
    pub fn open(host: &Host, args: &[&str], columns: u16, rows: u16) -> anyhow::Result<Self> {
        Self::open_with(host, args, columns, rows, &[])
    }

    /// The same with more in its environment.
    pub fn open_with(
        host: &Host,
        args: &[&str],
        columns: u16,
        rows: u16,
        env: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let mut command = host.plain_command(args);
        command.env("TERM", "xterm-256color").envs(env.iter().copied());
        let mut session = Session::spawn(command).context("The binary cannot be started")?;
        let process = session.get_process_mut();
        process.set_window_size(columns, rows)?;
        process.set_echo(true, None)?;
        let screen = vt100::Parser::new_with_callbacks(rows, columns, SCROLLED, Questions::default());
        Ok(Self { session, screen, written: Vec::new(), filters: host.filters() })
    }

    /// Types these keys; Enter is `\r`, Ctrl-C `\u{3}`.
    pub fn types(&mut self, keys: &str) -> anyhow::Result<()> {
        self.session.write_all(keys.as_bytes())?;
        Ok(self.session.flush()?)
    }

    /// Makes the terminal another size, as a user drags its corner.
    pub fn resize(&mut self, columns: u16, rows: u16) -> anyhow::Result<()> {
        self.screen.screen_mut().set_size(rows, columns);
        Ok(self.session.get_process_mut().set_window_size(columns, rows)?)
    }

    /// Waits until the screen shows this.
    pub async fn shows(&mut self, words: &str) -> anyhow::Result<()> {
        self.until(words, |screen| screen.contains(words)).await
    }

    /// Waits until the screen is as wanted; `what` names that.
    pub async fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            let ended = self.read()?;
            if wanted(&self.screen()) {
                return Ok(());
            }
            if ended || begun.elapsed() > HUNG_AFTER {
                let why = if ended { "The binary has ended" } else { "It does not come" };
                bail!("{why}, and the screen does not show: {what}\n{}", self.screen());
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits for the end of the binary: its exit status, `None` after a signal.
    pub async fn ends(&mut self) -> anyhow::Result<Option<i32>> {
        let begun = Instant::now();
        while !self.read()? {
            if begun.elapsed() > HUNG_AFTER {
                bail!("The binary does not end\n{}", self.screen());
            }
            tokio::time::sleep(LOOK).await;
        }
        loop {
            match self.session.get_process().status()? {
                WaitStatus::Exited(_, status) => return Ok(Some(status)),
                WaitStatus::Signaled(..) => return Ok(None),
                _ => tokio::time::sleep(LOOK).await,
            }
        }
    }

    /// The id of the binary's process.
    pub fn pid(&self) -> i32 {
        self.session.get_process().pid().as_raw()
    }

    /// Reads what there is: then the screen is what a person sees now. Whether the binary has closed the terminal.
    pub fn read(&mut self) -> anyhow::Result<bool> {
        let mut bytes = [0; 4_096];
        loop {
            match self.session.try_read(&mut bytes) {
                Ok(0) => return Ok(true),
                Ok(count) => self.show(bytes.get(..count).unwrap_or_default())?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // What Linux says of a terminal whose other side is closed.
                Err(error) if error.raw_os_error() == Some(5) => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.written.extend_from_slice(bytes);
        self.screen.process(bytes);
        for (row, column) in std::mem::take(&mut self.screen.callbacks_mut().cursor) {
            write!(self.session, "\u{1b}[{};{}R", row + 1, column + 1)?;
            self.session.flush()?;
        }
        Ok(())
    }

    /// The screen as text, without blanks at the ends of lines and without empty lines at the end; what differs from run to
    /// run is replaced.
    pub fn screen(&self) -> String {
        let screen = self.screen.screen();
        let rows: Vec<String> = screen.rows(0, screen.size().1).map(|row| row.trim_end().to_owned()).collect();
        self.filters.apply(rows.join("\n").trim_end())
    }

    /// Row and column of the cursor, from 0.
    pub fn cursor(&self) -> (u16, u16) {
        self.screen.screen().cursor_position()
    }

    /// The screen with its colours, for questions that text does not answer.
    pub fn cells(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Every byte that the binary has written so far.
    pub fn written(&self) -> &[u8] {
        &self.written
    }
}
