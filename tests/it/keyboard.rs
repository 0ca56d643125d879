//! The binary at a terminal: keys go in as a person types them, and what is looked at is the screen (S43–S46).
//!
//! The terminal answers the question where the cursor is, as every real one does. A wait is for something to be seen; how
//! long is only how long until a hang is called one.

use acceptance::host::Host;
use expectrl::process::{
    Process,
    unix::{UnixProcess, WaitStatus},
};
use std::{
    io::{Read, Write},
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};

/// Nothing that a test waits for takes so long unless it hangs.
const HUNG_AFTER: Duration = Duration::from_mins(1);

/// The binary, and the screen in front of it.
pub(crate) struct Screen {
    process: UnixProcess,
    keys: Arc<Mutex<std::fs::File>>,
    seen: Arc<Mutex<Seen>>,
}

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    ended: bool,
}

/// The question where the cursor is.
const WHERE: &[u8] = b"\x1b[6n";

impl Screen {
    /// Opens the REPL of this machine on a terminal of this size.
    pub(crate) fn open(host: &Host, columns: u16, rows: u16) -> Self {
        let asked = host.command(&[]);
        let asked = asked.as_std();
        // Streams of its own: the terminal is all three.
        let mut command = std::process::Command::new(asked.get_program());
        command.current_dir(asked.get_current_dir().unwrap()).env_clear().env("TERM", "xterm-256color");
        command.envs(asked.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut process = UnixProcess::spawn_command(command).unwrap();
        process.set_window_size(columns, rows).unwrap();
        let keys = Arc::new(Mutex::new(process.get_raw_handle().unwrap()));
        let parser = vt100::Parser::new(rows, columns, 500);
        let seen = Arc::new(Mutex::new(Seen { parser, raw: Vec::new(), ended: false }));
        let mut output = process.get_raw_handle().unwrap();
        let (shown, answers) = (Arc::clone(&seen), Arc::clone(&keys));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A terminal whose program has gone reads as an error.
            while let Ok(count) = output.read(&mut bytes) {
                if count == 0 {
                    break;
                }
                take(&shown, &answers, &bytes[..count]);
            }
            shown.lock().unwrap().ended = true;
        });
        Self { process, keys, seen }
    }

    /// Types text or keys.
    pub(crate) fn keys(&self, text: &str) {
        let mut keys = self.keys.lock().unwrap();
        keys.write_all(text.as_bytes()).unwrap();
        keys.flush().unwrap();
    }

    /// Types a line and sends it, once it can be seen.
    pub(crate) fn line(&self, text: &str) {
        self.keys(text);
        let tail: String = text.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
        self.wait_for(&tail);
        self.keys("\r");
    }

    /// Waits until the screen holds this, and answers it.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait(&format!("`{text}`"), |screen| screen.contains(text))
    }

    /// Waits until the screen is so.
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.text();
            if is_so(&screen) {
                return screen;
            }
            let ended = self.seen().ended;
            assert!(
                !ended && begun.elapsed() < HUNG_AFTER,
                "Waiting for {what}, ended: {ended}. The screen:\n{screen}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The screen, without blanks at the ends of lines.
    pub(crate) fn text(&self) -> String {
        let seen = self.seen();
        let screen = seen.parser.screen();
        let (_, columns) = screen.size();
        let rows: Vec<String> = screen.rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// Everything that was written to the terminal.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.seen().raw).into_owned()
    }

    /// Leaves the REPL, and waits for its end.
    pub(crate) fn leave(self) {
        self.keys("\u{4}");
        let begun = Instant::now();
        while !self.seen().ended {
            assert!(begun.elapsed() < HUNG_AFTER, "It does not end. The screen:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(matches!(self.process.wait(), Ok(WaitStatus::Exited(_, 0))), "{}", self.text());
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }
}

/// Shows bytes, and tells where the cursor is when they ask for it.
fn take(seen: &Mutex<Seen>, keys: &Mutex<std::fs::File>, bytes: &[u8]) {
    let (asked, (row, column)) = {
        let mut seen = seen.lock().unwrap();
        // A question may be cut in two by the size of a read.
        let before = seen.raw.len().saturating_sub(WHERE.len() - 1);
        seen.raw.extend_from_slice(bytes);
        let asked = seen.raw[before..].windows(WHERE.len()).filter(|window| *window == WHERE).count();
        seen.parser.process(bytes);
        (asked, seen.parser.screen().cursor_position())
    };
    for _ in 0..asked {
        // A program that has just ended hears no answer.
        let _ = write!(keys.lock().unwrap(), "\x1b[{};{}R", row + 1, column + 1);
    }
}
