//! The marker of what was cut or replaced (S31): how much is shown, and where all of it is kept.

use crate::fit::json_len;
use crate::spill::Kept;
use crate::{Ceiling, Code, ReadBack, Spiller};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::Path;

/// What a reader must know of a full copy.
pub(crate) struct FullCopy {
    kept: Kept,
    total: usize,
    note: String,
}

impl FullCopy {
    /// Keeps `bytes` and words the note. `what` says what became of them in the answer, such as "Only the head is shown".
    pub(crate) fn keep(bytes: &[u8], ext: &'static str, what: &str, place: &Place<'_>) -> Self {
        let kept = place.spiller.keep(bytes, ext);
        let (total, limit) = (bytes.len(), place.ceiling.bytes());
        let next = match &kept.path {
            Ok(_) => place.read_back.hint(&kept.sha256),
            Err(why) => crate::cut(why, 200).into_owned(),
        };
        let note = format!("{what}; one answer holds at most {limit} bytes of JSON. {next}");
        Self { kept, total, note }
    }

    /// Writes the marker's keys into `object`, counting `shown` bytes as shown.
    pub(crate) fn mark(&self, object: &mut Map<String, Value>, shown: usize, room: usize) {
        object.insert("truncated".into(), true.into());
        object.insert("shown_bytes".into(), shown.into());
        object.insert("total_bytes".into(), self.total.into());
        object.insert("path".into(), self.path().into());
        object.insert("sha256".into(), self.sha256().into());
        if self.kept.path.is_err() {
            object.insert("code".into(), Code::SpillFailed.as_str().into());
        }
        object.insert("note".into(), self.note.as_str().into());
        if json_len(object) > room {
            // A path that is longer than the room for it: the hash still finds the file.
            object.insert("path".into(), Value::Null);
        }
    }

    /// Where the copy is.
    pub(crate) fn path(&self) -> Option<Cow<'_, str>> {
        self.kept.path.as_deref().ok().map(Path::to_string_lossy)
    }

    /// Its hash, also when it could not be kept.
    pub(crate) fn sha256(&self) -> &str {
        &self.kept.sha256
    }

    /// What happened and what to do.
    pub(crate) fn note(&self) -> &str {
        &self.note
    }
}

/// Where full copies go and how they are read back.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub spiller: &'a Spiller,
    pub read_back: &'a ReadBack,
    pub ceiling: Ceiling,
}

/// `value` itself when it takes at most `max_bytes` of JSON, else the marker of S31 with a full copy spilled as `.json`.
/// Blocking when it spills.
///
/// ```
/// # use mcp_render::*;
/// # let root = std::env::temp_dir().join(format!("mcp-render-doc-{}", std::process::id()));
/// # let spiller = Spiller::new(std::sync::Arc::new(SpillStore::new(root)), SpillDir::new("docs").unwrap());
/// let read_back = ReadBack::Read { function: "read_docs".into() };
/// let small = serde_json::json!({"rows": [1, 2]});
/// assert_eq!(json_or_marker(small.clone(), 100, &spiller, &read_back), small);
/// ```
pub fn json_or_marker(value: Value, max_bytes: usize, spiller: &Spiller, read_back: &ReadBack) -> Value {
    bounded(value, max_bytes, &Place { spiller, read_back, ceiling: Ceiling::new(max_bytes) })
}

pub(crate) fn bounded(value: Value, max_bytes: usize, place: &Place<'_>) -> Value {
    if json_len(&value) <= max_bytes {
        return value;
    }
    let copy = FullCopy::keep(value.to_string().as_bytes(), "json", "Too large to show", place);
    let mut object = Map::new();
    copy.mark(&mut object, 0, max_bytes);
    Value::Object(object)
}
