//! Blocks that become one line: links, unknown types, the head of an embedded text (S35, S36).
//!
//! A server's strings keep their characters but not their line breaks, so one line stays one line.

use crate::{ReadBack, cut};
use std::fmt::Write;

/// A `resource_link`. It is never followed.
pub(crate) struct Link {
    pub uri: String,
    pub name: Option<String>,
    pub mime_type: Option<String>,
    pub description: Option<String>,
    pub size: Option<u64>,
}

impl Link {
    /// Its URI and how it is read, and what else the server told; strings of at most `max` bytes each.
    pub(crate) fn line(&self, read_back: &ReadBack, max: usize) -> String {
        let mut line = format!("{} — {}", one_line(&self.uri, max), read_back.link_hint());
        let size = self.size.map(|size| format!("{size} bytes"));
        let told = [&self.name, &self.mime_type, &size, &self.description];
        let told: Vec<_> = told.into_iter().flatten().map(|text| one_line(text, max)).collect();
        if !told.is_empty() {
            let _ = write!(line, " ({})", told.join("; "));
        }
        line
    }
}

/// A block of a type that this client does not know.
pub(crate) fn unknown_line(type_name: &str, bytes: usize) -> String {
    format!("A block of type `{}`, {bytes} bytes of JSON; this client does not know the type", one_line(type_name, 100))
}

/// The line before a text that is no plain text block: an embedded resource, or a picture that is text, as an SVG is.
pub(crate) fn embedded_line(kind: &str, uri: &str, mime_type: Option<&str>, max: usize) -> String {
    let what = match kind {
        "image" => "Image",
        "audio" => "Audio",
        _ => "Resource",
    };
    let uri = if uri.is_empty() { String::new() } else { format!(" {}", one_line(uri, max)) };
    let mime = mime_type.map(|mime| format!(" ({})", one_line(mime, max))).unwrap_or_default();
    format!("{what}{uri}{mime}:")
}

/// `text` without line breaks, cut to `max` bytes.
fn one_line(text: &str, max: usize) -> String {
    cut(text, max).replace('\n', "\\n").replace('\r', "\\r")
}
