//! What a local tool answers, brought under the ceiling (S25, S31).
//!
//! A program's output is JSON where it parses and text where it does not. What is over the ceiling is cut, with the marker of
//! S31 at its head and the full copy in the spill store.

use super::{Bench, FILE_READER};
use crate::functions::LocalScope;
use mcp_meta::Answer;
use mcp_render::{
    Block, BlockBody, Ceiling, Piece, ReadBack, SpillDir, SpillStore, Spiller, ToolOutcome, json_len, json_or_marker,
    tool_result,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The directory of the spill tree for what no server sent.
const SPILL_DIR: &str = "local_tools";

/// An answer's JSON from a program's output. Blocking when it spills.
pub(super) fn of_bytes(bytes: &[u8], keep: &Keep) -> Value {
    let text = String::from_utf8_lossy(bytes);
    if text.trim().is_empty() {
        return json!({"note": "The tool ended without an output"});
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => keep.value(value),
        Err(_) => keep.text(text.trim_end_matches(['\n', '\r']).to_owned(), keep.ceiling),
    }
}

/// An answer without a code.
pub(super) fn answer(value: Value) -> Answer {
    Answer { value, code: None }
}

/// Where full copies go; owned, so that it can go to another thread.
pub(super) struct Keep {
    spills: Arc<SpillStore>,
    read_back: ReadBack,
    pub(super) ceiling: Ceiling,
}

impl Keep {
    /// For the answer of one call.
    pub(super) fn of(bench: &Bench<'_>) -> Self {
        let LocalScope { ceiling, spills, .. } = bench.scope;
        let function = bench.reads.then(|| FILE_READER.to_owned());
        Self { spills: Arc::clone(spills), read_back: ReadBack::File { function }, ceiling: *ceiling }
    }

    /// A value, or the marker in its place.
    pub(super) fn value(&self, value: Value) -> Value {
        match self.spiller() {
            Some(spiller) => json_or_marker(value, self.ceiling.bytes(), &spiller, &self.read_back),
            None => value,
        }
    }

    /// A text, or its head behind the marker.
    pub(super) fn text(&self, text: String, ceiling: Ceiling) -> Value {
        if json_len(&text) <= ceiling.bytes() {
            return text.into();
        }
        let Some(spiller) = self.spiller() else { return text.into() };
        let block = Block { audience: Vec::new(), body: BlockBody::Text(Piece::Owned(text)) };
        let outcome = ToolOutcome { is_error: false, blocks: vec![block], structured: None };
        let mut shown = tool_result(Vec::new(), outcome, &spiller, &self.read_back, ceiling);
        shown.pointer_mut("/content/0").map(Value::take).unwrap_or_default()
    }

    /// The name is a constant that fits, so there always is one.
    fn spiller(&self) -> Option<Spiller> {
        SpillDir::new(SPILL_DIR).ok().map(|dir| Spiller::new(Arc::clone(&self.spills), dir))
    }
}

/// The longest head of `text` with which the object that `build` makes has at most `max` bytes of JSON.
pub(super) fn fitted<'a>(mut text: &'a str, max: usize, build: impl Fn(&'a str) -> Value) -> Value {
    /// No byte of a text takes more than this many bytes of a JSON string.
    const WIDEST: usize = 6;
    loop {
        let value = build(text);
        let over = json_len(&value).saturating_sub(max);
        if over == 0 || text.is_empty() {
            return value;
        }
        let end = text.floor_char_boundary(text.len().saturating_sub(over.div_ceil(WIDEST).max(1)));
        text = text.get(..end).unwrap_or_default();
    }
}
