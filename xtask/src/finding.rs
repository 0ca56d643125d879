//! What a check found: where, what is wrong, and what to do instead.
//!
//! It decides nothing: a check makes findings, `report` alone prints them and turns them into a failure.

use anyhow::{Result, bail};
use std::fmt;

/// One broken rule at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, from the root, with `/` on every system.
    pub(crate) path: String,
    /// The line, from 1. A finding about a whole file stands at line 1.
    pub(crate) line: usize,
    /// What is wrong, with the rule.
    pub(crate) what: String,
    /// The next step.
    pub(crate) instead: String,
}

impl Finding {
    pub(crate) fn new(path: &str, line: usize, what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into(), instead: instead.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}. {}", self.path, self.line, self.what, self.instead)
    }
}

/// Prints `findings` in file order and fails when there is one.
pub(crate) fn report(check: &str, mut findings: Vec<Finding>) -> Result<()> {
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => bail!("{check}: 1 finding"),
        n => bail!("{check}: {n} findings"),
    }
}
