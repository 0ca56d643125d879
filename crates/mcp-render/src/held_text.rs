//! A text that is kept: UTF-8 bytes in a shared buffer, cloned without copying (S28, S30).
//!
//! The buffer is usually the frame the text came in, so a 48 MiB text is held once. Nothing here can change the bytes;
//! that they are UTF-8 was checked when the value was made.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// UTF-8 text in a shared buffer. Cloning is a reference count; [`HeldText::as_bytes`], [`HeldText::len`] and paging
/// cost nothing, [`HeldText::as_str`] (and `Deref`) checks the bytes again at memory speed.
#[derive(Clone)]
pub struct HeldText {
    buffer: Arc<Vec<u8>>,
    start: usize,
    end: usize,
    held: usize,
}

impl HeldText {
    /// The text at `range` of `buffer`, which `held` bytes of memory are accounted to. `None` when the range is not
    /// inside the buffer or not UTF-8.
    pub(crate) fn in_buffer(buffer: &Arc<Vec<u8>>, range: Range<usize>, held: usize) -> Option<Self> {
        let bytes = buffer.get(range.clone())?;
        simdutf8::compat::from_utf8(bytes).ok()?;
        Some(Self { buffer: Arc::clone(buffer), start: range.start, end: range.end, held })
    }

    /// The whole of `bytes`; `None` when they are not UTF-8.
    pub(crate) fn from_utf8(bytes: Vec<u8>) -> Option<Self> {
        let (len, held) = (bytes.len(), bytes.capacity());
        Self::in_buffer(&Arc::new(bytes), 0..len, held)
    }

    /// The bytes, all valid UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// The text. Without `unsafe` the bytes are checked once more, at about the speed of reading them.
    pub fn as_str(&self) -> &str {
        simdutf8::basic::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Bytes of memory that this text accounts for; texts that share one buffer account for it once together.
    pub fn held_bytes(&self) -> usize {
        self.held
    }
}

impl From<String> for HeldText {
    fn from(text: String) -> Self {
        let (end, held) = (text.len(), text.capacity());
        Self { buffer: Arc::new(text.into_bytes()), start: 0, end, held }
    }
}

impl Default for HeldText {
    fn default() -> Self {
        Self::from(String::new())
    }
}

impl From<&str> for HeldText {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl Deref for HeldText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for HeldText {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for HeldText {}

impl fmt::Debug for HeldText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
