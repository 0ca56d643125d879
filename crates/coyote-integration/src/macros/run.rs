//! A macro runs: one step after the other, each shown first, until one fails.
//!
//! Who runs a step is a port: a REPL, the command line, a test.

use crate::chat::Refusal;
use mcp_prompt_repl::ChatText;
use std::{fmt, pin::Pin};

/// How deep macros may run macros: one that runs itself ends here.
pub const NESTED: usize = 8;

/// One step, its variables filled in.
pub enum Step {
    /// A command or a line for the shell, as if it was typed.
    Line(String),
    /// Something to say, whatever it begins with (R14).
    Chat {
        /// For the model.
        text: ChatText,
        /// For the person.
        shown: String,
    },
}

impl Step {
    /// What is echoed; foreign text.
    pub fn shown(&self) -> &str {
        match self {
            Self::Line(line) => line,
            Self::Chat { shown, .. } => shown,
        }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if matches!(self, Self::Line(_)) { "Line" } else { "Chat" };
        f.debug_tuple(kind).field(&self.shown()).finish()
    }
}

/// A step that runs. `false` ends the macro without a fault: the program is to be left, or the user stopped it.
pub type Stepping<'a> = Pin<Box<dyn Future<Output = Result<bool, Refusal>> + Send + 'a>>;

/// Who runs steps.
pub trait StepRunner: Send {
    /// Shows a step that is about to run.
    fn echo(&mut self, step: &Step);

    /// Runs it. A turn that failed is a refusal.
    fn run(&mut self, step: Step) -> Stepping<'_>;
}

/// A step that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepFault {
    /// Its number, from 1.
    pub number: usize,
    /// How many steps there were.
    pub of: usize,
    /// Why.
    pub refusal: Refusal,
}

impl From<StepFault> for Refusal {
    fn from(fault: StepFault) -> Self {
        let StepFault { number, of, refusal } = fault;
        let sentence = format!("The macro stopped at step {number} of {of}: {}", refusal.sentence);
        Self { sentence, ..refusal }
    }
}

/// Runs these steps, until one fails; whether all of them ran.
pub async fn run_steps(runner: &mut dyn StepRunner, steps: Vec<Step>) -> Result<bool, StepFault> {
    let of = steps.len();
    for (number, step) in (1..).zip(steps) {
        runner.echo(&step);
        match runner.run(step).await {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(refusal) => return Err(StepFault { number, of, refusal }),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
