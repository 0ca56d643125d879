//! `fs_cat`, `fs_ls`, `fs_write`, `get_current_time`: one file, one directory, the clock. Blocking.

use super::{
    arguments::Arguments,
    fault::{fault, file, invalid},
    output::fitted,
    table::Job,
};
use crate::config::{Access, replace_file};
use mcp_render::{Code, ErrorShape, LOCAL_PATHS_MAX_ITEMS, PAGE_DEFAULT_BYTES, json_len};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// Shows a part of a text file, or what is known of a binary one.
pub(super) fn cat(job: &Job, arguments: &Arguments) -> Result<Value, ErrorShape> {
    let given = arguments.text_or("path", "");
    let path = job.place(given);
    let fail = |error: &std::io::Error| file("path", given, &path, error);
    let found = fs::metadata(&path).map_err(|error| fail(&error))?;
    if !found.is_file() {
        let what = if found.is_dir() { "a directory" } else { "no regular file" };
        return Err(invalid(format!("`path` is `{given}`, which is {what}"), "`fs_ls` lists a directory; give a file"));
    }
    let (total, offset) = (found.len(), arguments.count("offset").unwrap_or(0));
    let limit =
        arguments.count("limit").map_or(PAGE_DEFAULT_BYTES, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let limit = limit.clamp(2 * UTF8_MAX, job.keep.ceiling.bytes());
    let mut open = File::open(&path).map_err(|error| fail(&error))?;
    let head = window(&mut open, 0, SNIFFED).map_err(|error| fail(&error))?;
    let bytes = window(&mut open, offset, limit).map_err(|error| fail(&error))?;
    let (skipped, text) = text_in(&bytes, offset);
    let at_end = offset.saturating_add(bytes.len() as u64) >= total;
    let (false, Some(text)) = (head.contains(&0), text) else {
        return Ok(json!({
            "path": path.to_string_lossy(), "binary": true, "size_bytes": total,
            "note": "A binary file is not shown; `execute_command` may have a program for it",
        }));
    };
    let start = offset + skipped;
    // A page ends with a line where it can.
    let text = match text.rfind('\n').filter(|_| !at_end) {
        Some(end) => text.get(..=end).unwrap_or(text),
        None => text,
    };
    Ok(fitted(text, job.keep.ceiling.bytes(), |text| {
        let next = start + text.len() as u64;
        let more = next < total && !text.is_empty();
        json!({
            "path": path.to_string_lossy(), "truncated": more, "next_offset": more.then_some(next),
            "total_bytes": total, "text": text,
        })
    }))
}

/// How much of a file's start decides whether it is binary.
const SNIFFED: usize = 8 << 10;
/// The longest character. A page has room for two, so that one that begins inside a character holds the next.
const UTF8_MAX: usize = 4;

fn window(file: &mut File, from: u64, len: usize) -> std::io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.by_ref().take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a window that may begin and end inside a character, and how many bytes of its start are no part of it.
fn text_in(bytes: &[u8], offset: u64) -> (u64, Option<&str>) {
    let skip =
        if offset == 0 { 0 } else { bytes.iter().take(UTF8_MAX - 1).take_while(|byte| **byte & 0xC0 == 0x80).count() };
    let rest = bytes.get(skip..).unwrap_or_default();
    let text = match str::from_utf8(rest) {
        Ok(text) => Some(text),
        // Only a character that the window cuts is forgiven.
        Err(error) if error.error_len().is_none() => {
            rest.get(..error.valid_up_to()).and_then(|whole| str::from_utf8(whole).ok())
        }
        Err(_) => None,
    };
    (skip as u64, text.filter(|text| !text.contains('\0')))
}

/// Lists one directory.
pub(super) fn ls(job: &Job, arguments: &Arguments) -> Result<Value, ErrorShape> {
    let given = arguments.text_or("path", ".");
    let path = job.place(given);
    let entries = fs::read_dir(&path).map_err(|error| file("path", given, &path, &error))?;
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    let total = names.len();
    let listed = names.iter().take(LOCAL_PATHS_MAX_ITEMS).map(|name| entry(&path, name));
    Ok(bounded_list("entries", listed, total, job, "Give a directory below this one, or `fs_glob` with a pattern"))
}

fn entry(dir: &Path, name: &std::ffi::OsStr) -> Value {
    let shown = name.to_string_lossy();
    match fs::symlink_metadata(dir.join(name)) {
        Ok(found) if found.is_dir() => json!({"name": shown, "kind": "directory"}),
        Ok(found) if found.is_file() => json!({"name": shown, "kind": "file", "bytes": found.len()}),
        Ok(found) if found.is_symlink() => json!({"name": shown, "kind": "link"}),
        _ => json!({"name": shown, "kind": "other"}),
    }
}

/// A list under the ceiling: as many items as fit, how many there are, and what to do about the others.
pub(super) fn bounded_list(
    key: &str,
    items: impl Iterator<Item = Value>,
    total: usize,
    job: &Job,
    way_out: &str,
) -> Value {
    /// Room for the keys beside the list.
    const BESIDE: usize = 512;
    let mut room = job.keep.ceiling.bytes().saturating_sub(BESIDE);
    let shown: Vec<Value> = items
        .map_while(|item| {
            room = room.checked_sub(json_len(&item) + 1)?;
            Some(item)
        })
        .collect();
    let omitted = total.saturating_sub(shown.len());
    let mut answer = json!({"total": total, "truncated": omitted > 0});
    if let Some(object) = answer.as_object_mut() {
        if omitted > 0 {
            object.insert("note".into(), format!("{omitted} more are not shown. {way_out}").into());
        }
        object.insert(key.into(), shown.into());
    }
    answer
}

/// Replaces a file whole, or makes it and the directories above it.
pub(super) fn write(job: &Job, arguments: &Arguments) -> Result<Value, ErrorShape> {
    let (given, content) = (arguments.text_or("path", ""), arguments.text("content").unwrap_or_default());
    let path = job.place(given);
    if path.is_dir() {
        return Err(invalid(format!("`path` is `{given}`, which is a directory"), "Give the path of a file"));
    }
    let existed = path.exists();
    replace_file(&path, content.as_bytes(), Access::KeptElseDefault).map_err(|error| {
        let hint = "Give another path, or tell the user";
        fault(Code::ServerError, format!("`path` is `{given}`, which could not be written: {error}"), hint)
    })?;
    Ok(json!({"path": path.to_string_lossy(), "bytes": content.len(), "replaced": existed}))
}

/// The time, here and in UTC.
#[expect(clippy::unnecessary_wraps, reason = "a row of the table")]
pub(super) fn time(_job: &Job, _arguments: &Arguments) -> Result<Value, ErrorShape> {
    let now = chrono::Local::now();
    Ok(json!({
        "local": now.to_rfc3339_opts(chrono::SecondsFormat::Secs, false),
        "utc": now.to_utc().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
        "weekday": now.format("%A").to_string(),
    }))
}
