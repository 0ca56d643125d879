//! A question of one line, asked while the prompt stands aside.

use inquire::{InquireError, Text, ui::RenderConfig};

/// What came of a question of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    /// This, perhaps nothing.
    Text(String),
    /// Esc.
    GivenUp,
    /// Ctrl-C, or a terminal that is gone.
    Interrupted,
}

/// Asks for one line; `question` is safe to show. It blocks.
pub(super) fn ask_line(question: &str) -> Typed {
    match Text::new(question).with_render_config(RenderConfig::empty()).prompt() {
        Ok(text) => Typed::Text(text),
        Err(InquireError::OperationCanceled) => Typed::GivenUp,
        Err(_) => Typed::Interrupted,
    }
}
