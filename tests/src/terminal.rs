//! The binary in a terminal: a pseudo-terminal of any size, keys for it, and the screen that a person sees.
//!
//! Like a real terminal it answers the question where the cursor stands, and it notices what a program must not reach: the
//! title and the clipboard (S46). What is on the screen is waited for until it is there, so no test waits for a time. It
//! interprets nothing of what is shown.

use crate::{filters::Filters, host::Host};
use anyhow::{Context, bail};
use expectrl::process::{
    Process,
    unix::{UnixProcess, WaitStatus},
};
use std::{
    fs::File,
    io::{Read, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use vt100::{Callbacks, Parser, Screen};

/// What has not come by then does not come; no test depends on the number otherwise.
const HUNG_AFTER: Duration = Duration::from_mins(1);
/// How often the screen is looked at.
const LOOK: Duration = Duration::from_millis(2);
/// How long nothing moves on a screen that is idle.
const IDLE: Duration = Duration::from_millis(150);
/// The lines that are kept above the screen.
const SCROLLED: usize = 10_000;

/// A terminal in which the binary runs.
pub struct Terminal {
    process: UnixProcess,
    keys: File,
    seen: Arc<Mutex<Seen>>,
    filters: Filters,
}

/// What has come from the binary.
struct Seen {
    parser: Parser<Noticed>,
    written: Vec<u8>,
    ended: bool,
}

/// What a terminal is asked and told beside text.
#[derive(Debug, Default)]
pub struct Noticed {
    /// How often it is to say where the cursor is.
    asked: usize,
    /// What was handed to the clipboard, in base64.
    pub clipboard: Vec<String>,
    /// Titles that were set.
    pub titles: Vec<String>,
}

impl Callbacks for Noticed {
    fn copy_to_clipboard(&mut self, _: &mut Screen, _ty: &[u8], data: &[u8]) {
        self.clipboard.push(String::from_utf8_lossy(data).into_owned());
    }

    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        self.titles.push(String::from_utf8_lossy(title).into_owned());
    }

    fn unhandled_csi(&mut self, _: &mut Screen, _: Option<u8>, _: Option<u8>, params: &[&[u16]], c: char) {
        if c == 'n' && params.first() == Some(&[6_u16].as_slice()) {
            self.asked += 1;
        }
    }
}

impl Terminal {
    /// Runs `coyote` with these arguments in a terminal of so many columns and rows.
    pub fn open(host: &Host, args: &[&str], (columns, rows): (u16, u16)) -> anyhow::Result<Self> {
        let mut command = host.plain_command(args);
        command.env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        let mut process = UnixProcess::spawn_command(command).context("The binary cannot be started")?;
        process.set_window_size(columns, rows)?;
        process.set_echo(true, None)?;
        let parser = Parser::new_with_callbacks(rows, columns, SCROLLED, Noticed::default());
        let seen = Arc::new(Mutex::new(Seen { parser, written: Vec::new(), ended: false }));
        let (output, answers, keys) = (process.get_raw_handle()?, process.get_raw_handle()?, process.get_raw_handle()?);
        let shown = Arc::clone(&seen);
        std::thread::spawn(move || show(output, answers, &shown));
        Ok(Self { process, keys, seen, filters: host.filters() })
    }

    /// Presses keys: Enter is `\r`, Ctrl-C `\u{3}`.
    pub fn press(&self, keys: &str) -> anyhow::Result<()> {
        Ok((&self.keys).write_all(keys.as_bytes())?)
    }

    /// Types a line, and Enter once its end can be seen.
    pub fn enter(&self, line: &str) -> anyhow::Result<()> {
        self.press(line)?;
        let end = line.char_indices().rev().nth(7).map_or(0, |(at, _)| at);
        self.until_shown(line.get(end..).unwrap_or(line).trim_end())?;
        self.press("\r")
    }

    /// Makes the terminal another size, as a user drags its corner.
    pub fn resize(&mut self, columns: u16, rows: u16) -> anyhow::Result<()> {
        self.seen().parser.screen_mut().set_size(rows, columns);
        Ok(self.process.set_window_size(columns, rows)?)
    }

    /// Waits until the screen shows this, and answers the screen.
    pub fn until_shown(&self, text: &str) -> anyhow::Result<String> {
        self.until(text, |screen| screen.contains(text))
    }

    /// Waits until this was shown, though it may have scrolled off since.
    pub fn until_printed(&self, text: &str) -> anyhow::Result<()> {
        self.until(text, |screen| screen.contains(text) || self.everything().contains(text)).map(drop)
    }

    /// Waits until the screen is as wanted, and answers it; `what` names that.
    pub fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> anyhow::Result<String> {
        let begun = Instant::now();
        loop {
            // Asked first: what the binary wrote last is on the screen when it has ended.
            let ended = self.seen().ended;
            let screen = self.screen();
            if wanted(&screen) {
                return Ok(screen);
            }
            if ended || begun.elapsed() > HUNG_AFTER {
                let why = if ended { "The binary has ended" } else { "It does not come" };
                bail!("{why}, and the screen does not show: {what}\n{screen}");
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until the last row is an empty prompt and nothing moves any more.
    pub fn until_idle(&self) -> anyhow::Result<()> {
        let begun = Instant::now();
        let mut before = String::new();
        while begun.elapsed() < HUNG_AFTER {
            let screen = self.screen();
            if screen == before && screen.ends_with('>') {
                return Ok(());
            }
            before = screen;
            std::thread::sleep(IDLE);
        }
        bail!("It is never idle; the screen is\n{}", self.screen())
    }

    /// Waits for the end of the binary and of what it shows; its exit status.
    pub fn status(&self) -> anyhow::Result<i32> {
        let begun = Instant::now();
        while begun.elapsed() < HUNG_AFTER {
            if self.seen().ended {
                match self.process.status().context("The binary has no status")? {
                    WaitStatus::Exited(_, status) => return Ok(status),
                    WaitStatus::StillAlive => {}
                    other => bail!("It ended with {other:?}; the screen is\n{}", self.screen()),
                }
            }
            std::thread::sleep(LOOK);
        }
        bail!("It does not end; the screen is\n{}", self.screen())
    }

    /// Leaves the REPL with Ctrl-D: it must end well.
    pub fn leave(self) -> anyhow::Result<()> {
        self.press("\u{4}")?;
        match self.status()? {
            0 => Ok(()),
            status => bail!("It ended with status {status}; the screen is\n{}", self.screen()),
        }
    }

    /// The id of the binary's process.
    pub fn pid(&self) -> i32 {
        self.process.pid().as_raw()
    }

    /// The screen as text, without blanks at the ends of rows and without empty rows at its end.
    pub fn screen(&self) -> String {
        text(self.seen().parser.screen())
    }

    /// The screen, with what differs from run to run replaced.
    pub fn snapshot(&self) -> String {
        self.filters.apply(&self.screen())
    }

    /// The screen and everything that scrolled off it.
    pub fn everything(&self) -> String {
        let mut seen = self.seen();
        let screen = seen.parser.screen_mut();
        let (rows, _) = screen.size();
        screen.set_scrollback(usize::MAX);
        let mut left = screen.scrollback();
        let mut above = String::new();
        while left > 0 {
            screen.set_scrollback(left);
            let take = left.min(usize::from(rows));
            for row in screen.rows(0, u16::MAX).take(take) {
                above.push_str(row.trim_end());
                above.push('\n');
            }
            left -= take;
        }
        screen.set_scrollback(0);
        above + &text(screen)
    }

    /// The screen with its colours, for questions that text does not answer.
    pub fn cells(&self) -> Screen {
        self.seen().parser.screen().clone()
    }

    /// Whether any cell of the screen has a colour.
    pub fn has_colour(&self) -> bool {
        let screen = self.cells();
        let (rows, columns) = screen.size();
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let mut cells = places.filter_map(|(row, column)| screen.cell(row, column));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default)
    }

    /// Row and column of the cursor, from 0.
    pub fn cursor(&self) -> (u16, u16) {
        self.seen().parser.screen().cursor_position()
    }

    /// Everything that was written to the terminal, with its control sequences.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.seen().written).into_owned()
    }

    /// What the terminal noticed beside text.
    pub fn noticed<T>(&self, look: impl FnOnce(&Noticed) -> T) -> T {
        look(self.seen().parser.callbacks())
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }
}

/// The last row of a screen without what turns at its right end.
pub fn prompt_row(screen: &str) -> &str {
    let row = screen.lines().last().unwrap_or_default();
    let turning = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
    row.split_once(turning).map_or(row, |(before, _)| before.trim_end())
}

/// Shows what is written until nothing more can be; a terminal whose program has gone reads as an error.
fn show(mut output: File, mut answers: File, shown: &Mutex<Seen>) {
    let mut bytes = [0; 4_096];
    while let Ok(count @ 1..) = output.read(&mut bytes) {
        let bytes = bytes.get(..count).unwrap_or_default();
        let mut seen = lock(shown);
        seen.written.extend_from_slice(bytes);
        // One byte at a time, so that a question is answered where it is asked.
        for byte in bytes {
            seen.parser.process(&[*byte]);
            if std::mem::take(&mut seen.parser.callbacks_mut().asked) > 0 {
                let (row, column) = seen.parser.screen().cursor_position();
                // Whole, so that no key that is pressed meanwhile gets into it. A program that has just ended hears none.
                let _ = answers.write_all(format!("\u{1b}[{};{}R", row + 1, column + 1).as_bytes());
            }
        }
    }
    lock(shown).ended = true;
}

fn text(screen: &Screen) -> String {
    let rows: Vec<String> = screen.rows(0, screen.size().1).map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end().to_owned()
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
