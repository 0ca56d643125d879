//! What follows a macro's name, and its steps with that filled in.
//!
//! A word is for the next variable, or for the one that it names: `name=value`. What a step is, a command, a line for the
//! shell or something to say, is decided before anything is filled in, so that no value makes a command of it.

use super::{Macro, Step};
use crate::config::{Placeholder, placeholders};
use mcp_prompt_repl::{ChatText, Typed};
use std::collections::BTreeMap;
use thiserror::Error;

/// Words that do not fit a macro's variables.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BindFault {
    /// A variable without a default got none.
    #[error("`.{name}` needs a value for `{}`", missing.join("`, `"))]
    Missing {
        /// The macro.
        name: String,
        /// The variables.
        missing: Vec<String>,
    },
    /// There are more words than variables.
    #[error("`.{name}` takes no more words, and `{word}` is left")]
    TooMany {
        /// The macro.
        name: String,
        /// The first word too many.
        word: String,
    },
    /// A variable is named twice.
    #[error("`{variable}` is given twice to `.{name}`")]
    Twice {
        /// The macro.
        name: String,
        /// The variable.
        variable: String,
    },
}

impl Macro {
    /// The steps with these words for its variables.
    pub fn steps_with(&self, words: &[String]) -> Result<Vec<Step>, BindFault> {
        let values = self.bind(words)?;
        Ok(self.steps.iter().map(|step| filled_step(step, &values)).collect())
    }

    fn bind(&self, words: &[String]) -> Result<BTreeMap<&str, String>, BindFault> {
        let name = || self.name.clone();
        let mut values: BTreeMap<&str, String> = BTreeMap::new();
        let mut free = Vec::new();
        for word in words {
            let named = word.split_once('=').and_then(|(key, value)| {
                Some((self.variables.iter().find(|variable| variable.name == key)?.name.as_str(), value))
            });
            match named {
                None => free.push(word.as_str()),
                Some((variable, value)) => {
                    if values.insert(variable, value.to_owned()).is_some() {
                        return Err(BindFault::Twice { name: name(), variable: variable.to_owned() });
                    }
                }
            }
        }
        let mut free = free.into_iter().peekable();
        let mut missing = Vec::new();
        for variable in &self.variables {
            if values.contains_key(variable.name.as_str()) {
                continue;
            }
            let given = if variable.rest && free.peek().is_some() {
                Some(free.by_ref().collect::<Vec<_>>().join(" "))
            } else {
                free.next().map(str::to_owned)
            };
            match given.or_else(|| variable.default.clone()) {
                Some(value) => drop(values.insert(&variable.name, value)),
                None => missing.push(variable.name.clone()),
            }
        }
        match free.next() {
            Some(word) => Err(BindFault::TooMany { name: name(), word: word.to_owned() }),
            None if !missing.is_empty() => Err(BindFault::Missing { name: name(), missing }),
            None => Ok(values),
        }
    }
}

fn filled_step(step: &str, values: &BTreeMap<&str, String>) -> Step {
    match Typed::read(step) {
        Typed::Command(_) | Typed::Shell(_) => Step::Line(fill(step, values)),
        Typed::Chat(_) | Typed::Nothing => {
            // `..word` is said with one dot (S43).
            let said = step.strip_prefix('.').filter(|rest| is_dotted(rest)).unwrap_or(step);
            let shown = fill(said, values);
            Step::Chat { text: ChatText::typed(shown.clone()), shown }
        }
    }
}

/// Whether what follows the first dot is another one and a letter.
fn is_dotted(rest: &str) -> bool {
    rest.strip_prefix('.').is_some_and(|name| name.starts_with(char::is_alphabetic))
}

/// Whether a backslash makes text of it: `\{{name}}`.
pub(super) fn is_escaped(text: &str, found: &Placeholder<'_>) -> bool {
    text.get(..found.start).is_some_and(|before| before.ends_with('\\'))
}

/// A text with each `{{variable}}` filled in; what is filled in is not looked at again. `\{{name}}` is text, without the
/// backslash. What a role fills in stays.
fn fill(text: &str, values: &BTreeMap<&str, String>) -> String {
    let (mut filled, mut from) = (String::with_capacity(text.len()), 0);
    for found in placeholders(text) {
        if is_escaped(text, &found) {
            filled.push_str(text.get(from..found.start - 1).unwrap_or_default());
            from = found.start;
            continue;
        }
        let Some(value) = values.get(found.name) else { continue };
        filled.push_str(text.get(from..found.start).unwrap_or_default());
        filled.push_str(value);
        from = found.end;
    }
    filled.push_str(text.get(from..).unwrap_or_default());
    filled
}

#[cfg(test)]
mod tests;
