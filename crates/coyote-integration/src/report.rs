//! The one place that writes stdout and stderr (architecture.md).
//!
//! stdout is data, stderr is talk (style.md 18). What a server wrote is shown escaped wherever a terminal reads it: talk
//! always, plain text when stdout is a terminal, JSON by its own escapes; a pipe gets the original bytes (S46). A reader
//! that went away is no error: the rest is not written.

mod moving;
mod wrapped;

use self::{moving::Moving, wrapped::wrapped};
use crate::chat::markdown::Painted;
use indicatif::{MultiProgress, ProgressDrawTarget};
use mcp_render::{ErrorShape, json_for_terminal, shown};
use serde_json::Value;
use std::{
    fmt,
    io::{self, IsTerminal, Write},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Where a command writes.
pub struct Report {
    out: Stream,
    err: Stream,
    /// Whether lines may move: not above somebody else's prompt.
    moves: bool,
}

impl Report {
    /// The streams of this process.
    pub fn standard() -> Self {
        let colour = colours_wanted();
        let stream = |writer: Box<dyn Write + Send>, terminal| Stream { colour, ..Stream::new(writer, terminal) };
        let out = stream(Box::new(io::stdout()), io::stdout().is_terminal());
        let err = stream(Box::new(io::stderr()), io::stderr().is_terminal());
        let moves = err.terminal;
        Self { out, err, moves }
    }

    /// Two writers, and whether they stand for a terminal, which is one without colours.
    pub fn to(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>, terminal: bool) -> Self {
        Self { out: Stream::new(out, terminal), err: Stream::new(err, terminal), moves: terminal }
    }

    /// One writer for both, which shows whole lines above a prompt of its own on the terminal.
    pub fn above(writer: impl Write + Send + Clone + 'static, colour: bool) -> Self {
        let stream = |writer: Box<dyn Write + Send>| Stream { colour, ..Stream::new(writer, true) };
        Self { out: stream(Box::new(writer.clone())), err: stream(Box::new(writer)), moves: false }
    }

    /// Text that a server wrote, as data: its bytes to a pipe, escaped to a terminal.
    pub fn data(&self, text: &str) {
        if self.out.terminal {
            self.out.write(&shown(text).to_string());
        } else {
            self.out.write(text);
        }
    }

    /// Lines that were made safe for a terminal when they were painted.
    pub fn painted(&self, lines: &Painted) {
        self.out.write(lines.as_str());
    }

    /// Ends the line of data that was written last, for a terminal only: a pipe gets the bytes that were there.
    pub fn end_of_data(&self, text: &str) {
        if self.out.terminal && !text.is_empty() && !text.ends_with('\n') {
            self.out.write("\n");
        }
    }

    /// A line or a document of our own on stdout; foreign parts in it are escaped.
    pub fn print(&self, text: &str) {
        self.out.write(&format!("{}\n", shown(text)));
    }

    /// The same, of sentences: a terminal gets them broken between words.
    pub fn prose(&self, text: &str) {
        self.out.write(&format!("{}\n", wrapped(&shown(text).to_string(), self.width(), "")));
    }

    /// JSON on stdout, one document a line; `pretty` spreads it.
    pub fn json(&self, value: &Value, pretty: bool) {
        self.out.write(&format!("{}\n", json_for_terminal(value, pretty)));
    }

    /// What clap has to say: help to stdout, a wrong usage to stderr.
    pub fn usage(&self, message: &clap::Error) {
        let stream = if message.use_stderr() { &self.err } else { &self.out };
        let text = message.render();
        let text = if stream.terminal && stream.colour { text.ansi().to_string() } else { text.to_string() };
        stream.write(&format!("{}\n", text.trim_end_matches('\n')));
    }

    /// Something the user should know and need not act on.
    pub fn note(&self, text: impl fmt::Display) {
        self.talk("note", &text);
    }

    /// Something that is wrong while the rest works.
    pub fn warn(&self, text: impl fmt::Display) {
        self.talk("warning", &text);
    }

    /// A call and what became of it.
    pub fn call(&self, call: &str, outcome: &str) {
        self.talk("call", &format!("{call}: {outcome}"));
    }

    /// Lines on stderr that move; hidden where it is no terminal. What goes through them is escaped by whoever hands it in.
    pub fn moving_lines(&self) -> MultiProgress {
        let target = if self.moves { Moving::target(draw) } else { ProgressDrawTarget::hidden() };
        MultiProgress::with_draw_target(target)
    }

    /// Lines of our own on stderr, as part of a question; foreign parts in it are escaped.
    pub fn say(&self, text: &str) {
        self.err.write(&format!("{}\n", shown(text)));
    }

    /// A question on stderr, whose answer is typed behind it.
    pub fn ask(&self, question: &str) {
        self.err.write(&format!("{} ", shown(question)));
    }

    /// Whether a question would be seen.
    pub fn can_ask(&self) -> bool {
        self.err.terminal
    }

    /// An error with its code, its hint and what is close (S39).
    pub fn error(&self, shape: &ErrorShape) {
        self.talk(&format!("error[{}]", shape.code), &shape.tool_call_error);
        self.talk("hint", &shape.hint);
        if !shape.closest.is_empty() {
            self.talk("closest", &shape.closest.join(", "));
        }
    }

    /// An error without a code: coyote's own.
    pub fn failure(&self, text: impl fmt::Display) {
        self.talk("error", &text);
    }

    /// Whether the reader of stdout has gone, so that nobody wants more.
    pub fn reader_is_gone(&self) -> bool {
        self.out.is_closed()
    }

    /// The width of the terminal that stdout is, in columns; `None` when it is none.
    pub fn width(&self) -> Option<u16> {
        if self.out.terminal { comfy_table::Table::new().width() } else { None }
    }

    /// Whether stdout is a terminal.
    pub const fn is_terminal(&self) -> bool {
        self.out.terminal
    }

    /// Whether stdout is a terminal that shows colours.
    pub const fn has_colour(&self) -> bool {
        self.out.terminal && self.out.colour
    }

    /// What went wrong with stdout, if anything but a reader that went away.
    pub fn trouble(&self) -> Option<String> {
        lock(&self.out.trouble).clone()
    }

    fn talk(&self, label: &str, text: &dyn fmt::Display) {
        // Further lines are indented, so that foreign text cannot begin a line of ours.
        let text = shown(&text.to_string()).to_string().replace('\n', "\n  ");
        let width = if self.err.terminal { comfy_table::Table::new().width() } else { None };
        self.err.write(&format!("{}\n", wrapped(&format!("{label}: {text}"), width, "  ")));
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report").field("terminal", &self.out.terminal).finish_non_exhaustive()
    }
}

/// Whether the user wants colours on a terminal. An empty `NO_COLOR` counts as unset (no-color.org).
pub(crate) fn colours_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|value| value != "dumb")
}

/// One stream and what became of it. What became of it can be asked while somebody sits in a write.
struct Stream {
    terminal: bool,
    /// Whether the user wants colours on a terminal.
    colour: bool,
    writer: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
    trouble: Mutex<Option<String>>,
}

impl Stream {
    fn new(writer: Box<dyn Write + Send>, terminal: bool) -> Self {
        Self {
            terminal,
            colour: false,
            writer: Mutex::new(writer),
            closed: AtomicBool::new(false),
            trouble: Mutex::default(),
        }
    }

    fn write(&self, text: &str) {
        let mut writer = lock(&self.writer);
        if self.is_closed() {
            return;
        }
        if let Err(error) = writer.write_all(text.as_bytes()).and_then(|()| writer.flush()) {
            self.closed.store(true, Ordering::Relaxed);
            if error.kind() != io::ErrorKind::BrokenPipe {
                *lock(&self.trouble) = Some(format!("stdout could not be written: {error}"));
            }
        }
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Writes what moves, which stands in no stream of a report: it is drawn from a thread of its own.
fn draw(text: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(text.as_bytes())?;
    stderr.flush()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod captured {
    //! A report whose streams can be read, for the tests of every command.

    use super::*;
    use std::sync::Arc;

    /// What was written.
    #[derive(Clone, Default)]
    pub(crate) struct Captured(Arc<Mutex<Vec<u8>>>);

    impl Captured {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The same for a terminal with colours.
    pub(crate) fn coloured_report() -> (Report, Captured, Captured) {
        let (mut report, out, err) = report(true);
        report.out.colour = true;
        report.err.colour = true;
        (report, out, err)
    }

    /// A report and its stdout and stderr.
    pub(crate) fn report(terminal: bool) -> (Report, Captured, Captured) {
        let (out, err) = (Captured::default(), Captured::default());
        (Report::to(Box::new(out.clone()), Box::new(err.clone()), terminal), out, err)
    }
}

#[cfg(test)]
mod tests;
