//! A terminal in this process: the program at a pseudo-terminal, keys for it, and the screen that it paints.
//!
//! It answers what a terminal is asked (where the cursor is) and notices what a program must not reach: the title and the
//! clipboard.

use acceptance::host::Host;
use anyhow::{Context, bail};
use expectrl::process::{
    Process,
    unix::{PtyStream, UnixProcess, WaitStatus},
};
use std::{
    io::{Read, Write},
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use vt100::{Callbacks, Parser, Screen};

/// What takes longer has hung; no test depends on the number otherwise.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running program and its screen.
pub(crate) struct Terminal {
    process: UnixProcess,
    keys: PtyStream,
    parser: Arc<Mutex<Parser<Noticed>>>,
}

/// What a terminal is asked and told beside text.
#[derive(Default)]
pub(crate) struct Noticed {
    /// How often it is to say where the cursor is.
    asked: usize,
    /// What was handed to the clipboard.
    pub(crate) clipboard: Vec<String>,
    /// Titles that were set.
    pub(crate) titles: Vec<String>,
}

impl Callbacks for Noticed {
    fn copy_to_clipboard(&mut self, _: &mut Screen, _ty: &[u8], data: &[u8]) {
        self.clipboard.push(String::from_utf8_lossy(data).into_owned());
    }

    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        self.titles.push(String::from_utf8_lossy(title).into_owned());
    }

    fn unhandled_csi(&mut self, _: &mut Screen, _: Option<u8>, _: Option<u8>, params: &[&[u16]], c: char) {
        if c == 'n' && params.first().is_some_and(|first| *first == [6]) {
            self.asked += 1;
        }
    }
}

impl Terminal {
    /// Runs the program on a user's machine, in a terminal of this size.
    pub(crate) fn open(host: &Host, args: &[&str], (columns, rows): (u16, u16)) -> anyhow::Result<Self> {
        let mut command = host.command(args);
        command.env("TERM", "xterm-256color").env("SHELL", "/bin/sh").kill_on_drop(false);
        command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        let mut process = UnixProcess::spawn_command(command.into_std())?;
        process.set_window_size(columns, rows)?;
        let parser = Parser::new_with_callbacks(rows, columns, 2_000, Noticed::default());
        let parser = Arc::new(Mutex::new(parser));
        let (mut shown, mut answers, keys) = (process.open_stream()?, process.open_stream()?, process.open_stream()?);
        let painted = Arc::clone(&parser);
        std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            // The end of the program is the end of its terminal.
            while let Ok(count @ 1..) = shown.read(&mut bytes) {
                let mut parser = lock(&painted);
                // One byte at a time, so that a question is answered where it is asked.
                for byte in bytes.get(..count).unwrap_or_default() {
                    parser.process(&[*byte]);
                    if std::mem::take(&mut parser.callbacks_mut().asked) > 0 {
                        let (row, column) = parser.screen().cursor_position();
                        let _ = answers.write_all(format!("\u{1b}[{};{}R", row + 1, column + 1).as_bytes());
                        let _ = answers.flush();
                    }
                }
            }
        });
        Ok(Self { process, keys, parser })
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) -> anyhow::Result<()> {
        self.keys.write_all(keys.as_bytes())?;
        Ok(self.keys.flush()?)
    }

    /// Types a line and Enter.
    pub(crate) fn enter(&mut self, line: &str) -> anyhow::Result<()> {
        self.press(line)?;
        self.press("\r")
    }

    /// The rows of the screen, without blanks at their ends and without empty rows at its end.
    pub(crate) fn screen(&self) -> String {
        shown(lock(&self.parser).screen())
    }

    /// The screen and everything that scrolled off it.
    pub(crate) fn everything(&self) -> String {
        let mut parser = lock(&self.parser);
        let (rows, _) = parser.screen().size();
        parser.screen_mut().set_scrollback(usize::MAX);
        let mut left = parser.screen().scrollback();
        let mut text = String::new();
        while left > 0 {
            parser.screen_mut().set_scrollback(left);
            let take = left.min(usize::from(rows));
            for row in parser.screen().rows(0, u16::MAX).take(take) {
                text.push_str(row.trim_end());
                text.push('\n');
            }
            left -= take;
        }
        parser.screen_mut().set_scrollback(0);
        text + &shown(parser.screen())
    }

    /// What the terminal noticed beside text.
    pub(crate) fn noticed<T>(&self, look: impl FnOnce(&Noticed) -> T) -> T {
        look(lock(&self.parser).callbacks())
    }

    /// Whether any cell of the screen has a colour.
    pub(crate) fn has_colour(&self) -> bool {
        let parser = lock(&self.parser);
        let (rows, columns) = parser.screen().size();
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let mut cells = cells.filter_map(|(row, column)| parser.screen().cell(row, column));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default)
    }

    /// Where the cursor is: row and column.
    pub(crate) fn cursor(&self) -> (u16, u16) {
        lock(&self.parser).screen().cursor_position()
    }

    /// Waits until the screen is as wanted; how long that took.
    pub(crate) fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if wanted(&self.screen()) {
                return Ok(begun.elapsed());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        bail!("Waited for {what}; the screen is\n{}", self.screen())
    }

    /// Waits until this is on the screen.
    pub(crate) fn until_shown(&self, text: &str) -> anyhow::Result<Duration> {
        self.until(text, |screen| screen.contains(text))
    }

    /// Waits until the last row is an empty prompt and nothing moves any more.
    pub(crate) fn until_idle(&self) -> anyhow::Result<()> {
        let mut before = String::new();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let screen = self.screen();
            if screen == before && screen.lines().last().is_some_and(|row| row.trim_end().ends_with('>')) {
                return Ok(());
            }
            before = screen;
            std::thread::sleep(Duration::from_millis(150));
        }
        bail!("It is never idle; the screen is\n{}", self.screen())
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) -> anyhow::Result<()> {
        lock(&self.parser).screen_mut().set_size(rows, columns);
        Ok(self.process.set_window_size(columns, rows)?)
    }

    /// Waits for the end of the program, and answers its status.
    pub(crate) fn status(&self) -> anyhow::Result<i32> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.process.status().context("The program has no status")? {
                WaitStatus::Exited(_, status) => return Ok(status),
                WaitStatus::StillAlive => std::thread::sleep(Duration::from_millis(5)),
                other => bail!("It ended with {other:?}"),
            }
        }
        bail!("It does not end; the screen is\n{}", self.screen())
    }

    /// The id of the program.
    pub(crate) fn pid(&self) -> i32 {
        self.process.pid().as_raw()
    }
}

fn shown(screen: &Screen) -> String {
    let (_, columns) = screen.size();
    let rows: Vec<String> = screen.rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end().to_owned()
}

fn lock(parser: &Mutex<Parser<Noticed>>) -> MutexGuard<'_, Parser<Noticed>> {
    parser.lock().unwrap_or_else(PoisonError::into_inner)
}
