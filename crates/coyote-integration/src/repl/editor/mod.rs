//! The line editor on a thread of its own: it reads keys all the time, whatever else the program does (S45).
//!
//! What is typed comes out as [`Input`]s; what is to be shown goes in through [`Printer`]. Who needs the terminal for
//! itself (a question, a shell, an editor) borrows it with [`Terminal::borrow`]: its work runs on this thread, between two
//! reads, and the text that was being typed is there again afterwards.

mod blocks;
mod completer;
mod geometry;
mod keys;
mod menu;
mod prompt;
mod setup;
mod thread;
mod tty;

pub(super) use blocks::{Submitted, submitted};
pub(super) use setup::Setup;
pub(super) use tty::give_up;

use super::printer::Printer;
use crate::chat::display::StatusLine;
use prompt::Face;
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
};
use tokio::sync::{mpsc as events, oneshot};

/// What came from the keyboard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A text was submitted. The editor waits until [`Terminal::read`].
    Text(String),
    /// A text was entered while another program had the terminal. The editor waits for nothing.
    Ahead(String),
    /// The external editor could not be started, and why. The text is still being typed.
    NoEditor(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or a terminal that is gone.
    Ended,
}

/// An order for the editor's thread.
enum Order {
    /// Go on reading.
    Read,
    /// Run this while nobody reads.
    Run(Box<dyn FnOnce() + Send>),
    /// It is over.
    End,
}

/// The terminal, as everything but the editor's thread sees it.
#[derive(Clone)]
pub(crate) struct Terminal {
    printer: Printer,
    face: Face,
    orders: mpsc::Sender<Order>,
    wanted: Arc<AtomicBool>,
    repaint: Arc<dyn Fn() + Send + Sync>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Terminal {
    /// Begins to read keys.
    pub(super) fn open(setup: Setup, printer: Printer) -> std::io::Result<(Self, events::UnboundedReceiver<Input>)> {
        let (orders, taken) = mpsc::channel();
        let (told, inputs) = events::unbounded_channel();
        let wanted = Arc::new(AtomicBool::new(false));
        let face = Face::default();
        face.set(setup.prompt.clone());
        let completions = setup.completions.clone();
        let (editor, repaint) = setup.build(&printer, &face, &wanted);
        let seat = thread::Seat {
            editor: Some(editor),
            face: face.clone(),
            printer: printer.clone(),
            orders: taken,
            told,
            completions,
            wanted: Arc::clone(&wanted),
            ahead: String::new(),
        };
        let thread = std::thread::Builder::new().name("line-editor".to_owned()).spawn(move || seat.run())?;
        let thread = Arc::new(Mutex::new(Some(thread)));
        Ok((Self { printer, face, orders, wanted, repaint, thread }, inputs))
    }

    /// Lets the editor read the next text.
    pub(super) fn read(&self) {
        // A thread that has ended reads nothing; its end was told.
        let _ = self.orders.send(Order::Read);
    }

    /// Runs `work`, which may block, with the terminal to itself. `None` when the editor has ended.
    pub(crate) async fn borrow<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, result) = oneshot::channel();
        let order = Order::Run(Box::new(move || {
            // Whoever asked may have gone.
            let _ = done.send(work());
        }));
        self.orders.send(order).ok()?;
        self.wanted.store(true, Ordering::Release);
        result.await.ok()
    }

    /// Shows another prompt, at once.
    pub(super) fn prompt(&self, prompt: String) {
        if self.face.set(prompt) {
            (self.repaint)();
        }
    }

    /// Turns what turns beside the prompt.
    pub(super) fn turn(&self) {
        if self.face.turn() {
            (self.repaint)();
        }
    }

    /// Whether what is typed is coloured.
    pub(super) fn highlight(&self, on: bool) {
        self.face.highlight(on);
    }

    /// Where text is shown.
    pub(crate) const fn printer(&self) -> &Printer {
        &self.printer
    }

    /// Ends the editor, and waits until the terminal is as it was.
    pub(super) async fn close(&self) {
        let _ = self.orders.send(Order::End);
        self.wanted.store(true, Ordering::Release);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let ended = tokio::task::spawn_blocking(move || thread.join());
            // A thread that sits in somebody's question ends with the process.
            let _ = tokio::time::timeout(mcp_catalog::deadline::HANDING_BACK, ended).await;
        }
        crate::repl::release_terminal();
        self.printer.flush();
    }
}

impl StatusLine for Terminal {
    fn show(&self, status: Option<&str>) {
        if self.face.wait(status) {
            (self.repaint)();
        }
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}
