//! What a user says in one message: words, what stands on stdin, and files (host.md "Command line").
//!
//! A file is given by its path, by a glob, or by a URL. A picture goes to the model as one; any other file must be text and
//! is framed with its name, so that a model can tell where it begins and ends. Everything has a limit, named where it is
//! passed. A directory is refused: its user rarely means all of it.

mod fetch;
mod files;

use crate::model::Part;
use base64::{Engine, engine::general_purpose::STANDARD};
use mcp_render::ATTACHED_BYTES;
use std::path::Path;
use thiserror::Error;

/// What cannot be said, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct InputFault {
    /// The sentence.
    pub sentence: String,
    /// The next step.
    pub hint: String,
    /// Whether something else than the command line is to blame: a URL that does not answer.
    pub remote: bool,
}

impl InputFault {
    fn of(sentence: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: hint.into(), remote: false }
    }
}

/// A file's name, as it was given, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// Its path or URL.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Reads the files of `-f`. Relative paths start at `dir`.
pub async fn attach(dir: &Path, given: &[String]) -> Result<Vec<Attached>, InputFault> {
    let mut all = Vec::new();
    let mut left = ATTACHED_BYTES;
    for name in given {
        let some = if is_url(name) {
            vec![fetch::fetch(name).await?]
        } else {
            let (dir, name) = (dir.to_owned(), name.clone());
            // A pipe may keep its reader waiting.
            let read = tokio::task::spawn_blocking(move || files::read(&dir, &name)).await;
            read.unwrap_or_else(|_| Err(InputFault::of("A file could not be read", "coyote's log has the details")))?
        };
        for file in some {
            left = left.checked_sub(file.bytes.len()).ok_or_else(|| {
                let sentence =
                    format!("The files hold more than {ATTACHED_BYTES} bytes together, the limit for one message");
                InputFault::of(sentence, "Attach fewer files, or smaller ones")
            })?;
            all.push(file);
        }
    }
    Ok(all)
}

/// The message: the words, what stood on stdin, then the files. `None` when all of it is empty.
pub fn message(words: &str, stdin: &str, files: Vec<Attached>) -> Result<Option<Vec<Part>>, InputFault> {
    let mut text: Vec<String> = Vec::new();
    // What comes through a pipe mostly ends in a line end that nobody means.
    text.extend(
        [words, stdin.trim_end_matches(['\n', '\r'])]
            .into_iter()
            .filter(|part| !part.trim().is_empty())
            .map(str::to_owned),
    );
    let mut pictures = Vec::new();
    for Attached { name, bytes } in files {
        if let Some(mime) = picture(&bytes) {
            pictures.push(Part::Image { mime: mime.to_owned(), data: STANDARD.encode(&bytes), name });
            continue;
        }
        text.push(framed(&name, &as_text(&name, bytes)?));
    }
    let text = text.join("\n\n");
    let text = if text.is_empty() { None } else { Some(Part::Text(text)) };
    let parts: Vec<Part> = text.into_iter().chain(pictures).collect();
    Ok(if parts.is_empty() { None } else { Some(parts) })
}

/// Text as bytes gave it; the same rule as for a server's blobs (S29).
fn as_text(name: &str, bytes: Vec<u8>) -> Result<String, InputFault> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or_else(|| {
        let sentence = format!("`{name}` is neither UTF-8 text nor a picture of a known kind");
        InputFault::of(sentence, "Text, PNG, JPEG, GIF and WebP can be attached; convert it first")
    })
}

/// A text with its name above it, in a fence that nothing in it can close.
fn framed(name: &str, text: &str) -> String {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    // A name is one line, whatever characters a file may have in it.
    format!("File {}:\n{fence}\n{text}{end}{fence}", serde_json::Value::from(name))
}

/// The kind of a picture, by its first bytes; a name may lie.
fn picture(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
    ];
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let known = KINDS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, mime)| *mime);
    known.or_else(|| webp.then_some("image/webp"))
}

fn is_url(name: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| name.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

#[cfg(test)]
mod tests;
