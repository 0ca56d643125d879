//! What the editor's thread does: read, tell, and between two reads what it is ordered to.

use super::{
    Input, Order,
    prompt::{Face, FacePrompt, NoPrompt},
    tty,
};
use crate::repl::{complete::Completions, printer::Printer};
use reedline::{EditCommand, Reedline, Signal};
use std::{
    io::ErrorKind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::Receiver,
    },
};
use tokio::sync::mpsc::UnboundedSender;

/// What the thread has.
pub(super) struct Seat {
    /// Taken out only while the terminal is given away.
    pub(super) editor: Option<Reedline>,
    pub(super) face: Face,
    pub(super) printer: Printer,
    pub(super) orders: Receiver<Order>,
    pub(super) told: UnboundedSender<Input>,
    pub(super) completions: Completions,
    /// Set when an order waits while the editor reads.
    pub(super) wanted: Arc<AtomicBool>,
    /// What was begun of a line while another program had the terminal.
    pub(super) ahead: String,
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
enum Next {
    Read,
    End,
}

impl Seat {
    pub(super) fn run(mut self) {
        let prompt = FacePrompt(self.face.clone());
        tty::keep_keys();
        loop {
            let Some(editor) = &mut self.editor else { return };
            if !self.ahead.is_empty() {
                editor.run_edit_commands(&[EditCommand::InsertString(std::mem::take(&mut self.ahead))]);
            }
            let signal = editor.read_line(&prompt);
            if !matches!(signal, Ok(Signal::ExternalBreak(_))) {
                self.face.wipe_status();
                self.completions.forget();
            }
            let next = match signal {
                Ok(Signal::Success(text)) => {
                    // A history that cannot be written costs the history alone.
                    let _ = editor.sync_history();
                    self.told.send(Input::Text(text)).map_or(Next::End, |()| self.until_read())
                }
                Ok(Signal::CtrlC) => self.told.send(Input::Interrupted).map_or(Next::End, |()| Next::Read),
                Ok(Signal::ExternalBreak(text)) => self.interrupted(&text),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
                    // Only a program or a file is missing so, never the terminal.
                    self.told.send(Input::NoEditor(error.to_string())).map_or(Next::End, |()| Next::Read)
                }
                Ok(Signal::CtrlD) | Err(_) => {
                    let _ = self.told.send(Input::Ended);
                    self.until_read()
                }
                Ok(_) => Next::Read,
            };
            if next == Next::End {
                return;
            }
        }
    }

    /// Follows orders until the next text is to be read.
    fn until_read(&mut self) -> Next {
        loop {
            match self.orders.recv() {
                Ok(Order::Read) => return Next::Read,
                Ok(Order::Run(work)) => {
                    self.wanted.store(false, Ordering::Release);
                    self.lend(work);
                }
                Ok(Order::End) | Err(_) => return Next::End,
            }
        }
    }

    /// Lets `work` have the terminal. What is typed meanwhile and read by no program is a line where Enter ended it.
    fn lend(&mut self, work: Box<dyn FnOnce() + Send>) {
        self.printer.flush();
        tty::as_it_was();
        work();
        tty::keep_keys();
        let typed = tty::typed_ahead();
        let mut lines = typed.split('\n');
        self.ahead.push_str(lines.next_back().unwrap_or_default());
        for line in lines {
            // Nobody listens when the REPL ends.
            let _ = self.told.send(Input::Ahead(line.to_owned()));
        }
    }

    /// Follows the orders that wait, with the prompt off the screen, and puts the text back.
    fn interrupted(&mut self, text: &str) -> Next {
        let mut orders = self.orders.try_iter().peekable();
        if orders.peek().is_none() {
            return Next::Read;
        }
        let orders: Vec<Order> = orders.collect();
        let cursor = self.editor.as_ref().map_or(0, Reedline::current_insertion_point);
        self.face.wipe();
        // What was handed to the editor is shown by its last read; what comes from now on waits.
        self.printer.hold(true);
        self.forget_prompt();
        for order in orders {
            match order {
                Order::Read => {}
                Order::Run(work) => {
                    self.lend(work);
                }
                Order::End => {
                    self.printer.hold(false);
                    return Next::End;
                }
            }
        }
        self.printer.hold(false);
        if let Some(editor) = &mut self.editor {
            editor.run_edit_commands(&[
                EditCommand::InsertString(text.to_owned()),
                EditCommand::MoveToPosition { position: cursor, select: false },
            ]);
        }
        Next::Read
    }

    /// After a break the editor would paint its next prompt over whatever was printed in between, when that is short. It
    /// forgets the old place when a text is submitted, so an empty one is, which leaves no trace but a line end.
    fn forget_prompt(&mut self) {
        let Some(editor) = self.editor.take() else { return };
        let mut editor = editor.with_immediately_accept(true);
        editor.run_edit_commands(&[EditCommand::Clear]);
        let _ = editor.read_line(&NoPrompt);
        self.editor = Some(editor.with_immediately_accept(false));
        crate::repl::printer::raw("\u{1b}[A\r\u{1b}[J");
    }
}
