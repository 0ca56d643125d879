//! What the editor's thread does: read, tell, and between two reads what it is ordered to.

use super::{
    Input, Order,
    begun::Begun,
    external::External,
    guest::Guest,
    hand::Hand,
    prompt::{Face, FacePrompt, NoPrompt},
    question::{Typed, ask_line},
    tty,
};
use crate::{
    repl::{complete::Completions, printer::Printer},
    typed_ahead,
};
use reedline::{EditCommand, Reedline, Signal};
use std::{
    io,
    process::{Command, ExitStatus},
    sync::{atomic::Ordering, mpsc::Receiver},
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
    pub(super) hand: Hand,
    pub(super) guest: Guest,
    pub(super) external: External,
    /// What is being typed, while the editor does not have it.
    pub(super) begun: Begun,
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
        // What was typed before a question that came before the first prompt.
        let told = self.begun.press(typed_ahead::kept());
        self.tell(told);
        loop {
            let Some(editor) = &mut self.editor else { return };
            if !self.begun.is_empty() {
                let (text, position) = std::mem::take(&mut self.begun).parts();
                editor.run_edit_commands(&[
                    EditCommand::InsertString(text),
                    EditCommand::MoveToPosition { position, select: false },
                ]);
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
                Ok(Signal::CtrlC) => {
                    self.tell(vec![Input::Interrupted]);
                    let told = self.begun.press(self.hand.late_keys());
                    self.tell(told);
                    Next::Read
                }
                Ok(Signal::ExternalBreak(text)) => self.interrupted(text),
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

    /// Nobody listens when the REPL ends; then an order to end comes.
    fn tell(&self, inputs: Vec<Input>) {
        for input in inputs {
            let _ = self.told.send(input);
        }
    }

    /// Follows orders until the next text is to be read.
    fn until_read(&mut self) -> Next {
        loop {
            match self.orders.recv() {
                Ok(Order::Read) => return Next::Read,
                Ok(Order::End) | Err(_) => return Next::End,
                Ok(order) => {
                    self.hand.wanted().store(false, Ordering::Release);
                    self.follow(order);
                }
            }
        }
    }

    /// Follows one order that is about the terminal. Whoever gave it may have gone.
    fn follow(&mut self, order: Order) {
        match order {
            Order::Read | Order::End => {}
            Order::Run { program, ended } => drop(ended.send(self.lend(program))),
            Order::Ask { question, answer } => drop(answer.send(self.ask(&question))),
        }
    }

    /// Lets a program have the terminal. What is typed meanwhile and read by no program is a line where Enter ended it.
    fn lend(&mut self, program: Command) -> io::Result<ExitStatus> {
        self.printer.flush();
        tty::as_it_was();
        let status = self.guest.run(program);
        tty::keep_keys();
        let told = self.begun.write(&tty::typed_ahead());
        self.tell(told);
        status
    }

    /// Asks for a line. What was typed before the question was shown is no answer to it (S40).
    fn ask(&mut self, question: &str) -> Typed {
        self.printer.flush();
        let told = self.begun.press(typed_ahead::waiting());
        // Ctrl-C was meant for what runs, which is what asks.
        let (stopped, lines): (Vec<_>, Vec<_>) = told.into_iter().partition(|input| *input == Input::Interrupted);
        self.tell(lines);
        if stopped.is_empty() { ask_line(question) } else { Typed::Interrupted }
    }

    /// Lets the user's editor have the text.
    fn edit(&mut self) {
        let text = self.begun.text().to_owned();
        let (guest, printer) = (self.guest.clone(), self.printer.clone());
        let edited = self.external.edited(&text, |program| {
            printer.flush();
            tty::as_it_was();
            let status = guest.run(program);
            tty::keep_keys();
            status
        });
        match edited {
            Ok(text) => self.begun = Begun::whole(text),
            Err(why) => self.tell(vec![Input::NotEdited(why)]),
        }
        let mut told = self.begun.write(&tty::typed_ahead());
        told.extend(self.begun.press(self.hand.late_keys()));
        self.tell(told);
    }

    /// Follows the orders that wait, with the prompt off the screen, and puts the text back.
    fn interrupted(&mut self, text: String) -> Next {
        let mut orders = self.orders.try_iter().peekable();
        let edit = self.hand.takes_edit();
        if orders.peek().is_none() && !edit {
            return Next::Read;
        }
        let orders: Vec<Order> = orders.collect();
        let cursor = self.editor.as_ref().map_or(0, Reedline::current_insertion_point);
        self.face.wipe();
        // What was handed to the editor is shown by its last read; what comes from now on waits.
        self.printer.hold(true);
        self.forget_prompt();
        self.begun = Begun::of(text, cursor);
        let mut next = Next::Read;
        for order in orders {
            if matches!(order, Order::End) {
                next = Next::End;
                break;
            }
            self.follow(order);
        }
        if edit && next == Next::Read {
            self.edit();
        }
        self.printer.hold(false);
        next
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
