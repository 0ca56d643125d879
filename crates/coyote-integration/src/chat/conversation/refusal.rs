//! Why a conversation does not begin or change: a sentence, the next step, and who is to blame.
//!
//! It prints nothing and knows no exit status; the command line makes one of [`Blame`], a REPL shows the words.

use crate::{
    config::{NamedBy, RoleFault, SetFault},
    model::{ModelError, ModelFault},
};
use thiserror::Error;

/// What was asked for is not done, and nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct Refusal {
    /// What is wrong: what was given and what is accepted.
    pub sentence: String,
    /// The next step.
    pub hint: String,
    /// Who can mend it.
    pub blame: Blame,
}

/// Who can mend what was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// What was given: a name, a key, a value.
    Given,
    /// A file, a key of a provider, a disk.
    Outside,
    /// Nobody: the user stopped it.
    Stopped,
}

impl Refusal {
    /// The user stopped it.
    pub fn stopped() -> Self {
        Self { sentence: "Cancelled".to_owned(), hint: "Nothing has changed".to_owned(), blame: Blame::Stopped }
    }

    /// What was given is wrong.
    pub fn given(sentence: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: hint.into(), blame: Blame::Given }
    }

    /// The same with what named that which is wrong.
    #[must_use]
    pub fn named_by(mut self, by: Option<&NamedBy>) -> Self {
        if let Some(by) = by {
            self.sentence = format!("{}; {by} names it", self.sentence);
        }
        self
    }

    /// Something outside failed.
    pub fn outside(sentence: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: hint.into(), blame: Blame::Outside }
    }
}

impl From<RoleFault> for Refusal {
    fn from(fault: RoleFault) -> Self {
        Self::given(fault.to_string(), fault.hint())
    }
}

impl From<SetFault> for Refusal {
    fn from(fault: SetFault) -> Self {
        Self::given(fault.to_string(), "`null` as a value unsets a key; `.info` shows what counts now")
    }
}

/// A model that does not exist was named by somebody; one that cannot be used was not.
impl From<ModelError> for Refusal {
    fn from(error: ModelError) -> Self {
        let ModelError { fault, text, hint } = error;
        if fault == ModelFault::NotFound { Self::given(text, hint) } else { Self::outside(text, hint) }
    }
}
