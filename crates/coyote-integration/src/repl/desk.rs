//! The user at the REPL, for what an agent asks: the question of the one-shot command line, asked while the prompt stands
//! aside.

use super::{
    asker::Stop,
    editor::{Terminal, Typed},
};
use crate::{
    agents::{Answering, Desk, Told, UserQuestion},
    chat::{question_prompt, question_statement},
};

/// Asks at the REPL's terminal.
pub(super) struct ReplDesk {
    pub(super) terminal: Terminal,
    pub(super) stop: Stop,
}

impl Desk for ReplDesk {
    fn is_staffed(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, question: &'a UserQuestion) -> Answering<'a> {
        Box::pin(async move {
            let show = |text: &str| self.terminal.printer().print(&mcp_render::shown(text).to_string());
            show(&question_statement(question));
            loop {
                let prompt = question_prompt(question.wanted);
                match self.terminal.ask(prompt).await {
                    Some(Typed::Text(line)) => match question.typed(&line) {
                        Some(answer) => return Told::Answered(answer),
                        None => show(&format!("Accepted is {}", question.accepted())),
                    },
                    Some(Typed::GivenUp) => return Told::Declined,
                    Some(Typed::Interrupted) => {
                        self.stop.all();
                        return Told::Cancelled;
                    }
                    None => return Told::Nobody,
                }
            }
        })
    }
}
