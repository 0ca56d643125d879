//! One run of the binary as one document: the command, the exit status, stdout, stderr.

use crate::filters::Filters;
use anyhow::Context;
use serde_json::Value;
use std::fmt;

/// What a run left.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// The arguments.
    pub args: Vec<String>,
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// stdout, byte for byte.
    pub stdout: Vec<u8>,
    /// stderr.
    pub stderr: String,
    /// What the document leaves out.
    pub filters: Filters,
}

impl Transcript {
    /// stdout as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The same run with the lines of stdout in order, for tables whose rows come as they are known.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        let text = self.text();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        self.stdout = (lines.join("\n") + "\n").into_bytes();
        self
    }

    /// stdout as JSON.
    pub fn json(&self) -> anyhow::Result<Value> {
        serde_json::from_slice(&self.stdout).with_context(|| format!("stdout is not JSON:\n{self}"))
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map_or_else(|| "signal".to_owned(), |status| status.to_string());
        let document = format!(
            "$ coyote {}\nexit status: {status}\n----- stdout -----\n{}----- stderr -----\n{}",
            self.args.join(" "),
            ended(&self.text()),
            ended(&self.stderr),
        );
        f.write_str(&self.filters.apply(&document))
    }
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}⏎\n") }
}
