//! Ctrl-O: the text that is being typed, in the user's own editor.
//!
//! The editor is the one that is meant now, and a text that was not edited stays as it was, which is told.

use crate::{chat::Refusal, repl::external_editor::NONE};
use std::{
    fs, io,
    path::PathBuf,
    process::{Command, ExitStatus},
    sync::{Arc, Mutex, PoisonError},
};

/// The editor and the file that it edits.
pub(super) struct External {
    pub(super) words: Arc<Mutex<Arc<[String]>>>,
    pub(super) scratch: PathBuf,
}

impl External {
    /// What a text became; `run` runs the editor.
    pub(super) fn edited(
        &self,
        text: &str,
        run: impl FnOnce(Command) -> io::Result<ExitStatus>,
    ) -> Result<String, Refusal> {
        let words = Arc::clone(&self.words.lock().unwrap_or_else(PoisonError::into_inner));
        let Some((program, arguments)) = words.split_first() else { return Err(Refusal::outside(NONE.0, NONE.1)) };
        fs::write(&self.scratch, text).map_err(|error| unusable(&error))?;
        let mut command = Command::new(program);
        command.args(arguments).arg(&self.scratch);
        match run(command) {
            Ok(status) if status.success() => {}
            Ok(status) => {
                let sentence = format!("The editor `{program}` ended with {status}, and the text is as it was");
                return Err(Refusal::outside(sentence, ""));
            }
            Err(error) => {
                return Err(Refusal::outside(format!("The editor `{program}` could not be started: {error}"), NONE.1));
            }
        }
        let text = fs::read_to_string(&self.scratch).map_err(|error| unusable(&error))?;
        Ok(text.trim_end().to_owned())
    }
}

fn unusable(error: &io::Error) -> Refusal {
    Refusal::outside(format!("The file for the editor cannot be used: {error}"), "The text is as it was")
}
