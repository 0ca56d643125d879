//! Errors of local tools in the shape of S39.

use mcp_render::{Code, ErrorShape, QUOTED_NAME_MAX_BYTES, cut};
use std::{io, path::Path};

/// An error with its next step.
pub(super) fn fault(code: Code, sentence: impl Into<String>, hint: impl Into<String>) -> ErrorShape {
    ErrorShape { tool_call_error: sentence.into(), code, hint: hint.into(), closest: Vec::new() }
}

/// What was given is not accepted.
pub(super) fn invalid(sentence: impl Into<String>, hint: impl Into<String>) -> ErrorShape {
    fault(Code::InvalidArguments, sentence, hint)
}

/// The file system said no. `parameter` names what was given.
pub(super) fn file(parameter: &str, given: &str, path: &Path, error: &io::Error) -> ErrorShape {
    let given = cut(given, QUOTED_NAME_MAX_BYTES * 4);
    let (code, why, hint) = match error.kind() {
        io::ErrorKind::NotFound => {
            (Code::NotFound, "does not exist".to_owned(), "`fs_ls` and `fs_glob` show what there is".to_owned())
        }
        io::ErrorKind::PermissionDenied => {
            (Code::Denied, format!("is not accessible: {error}"), "Ask the user for access".to_owned())
        }
        _ => (Code::ServerError, format!("is not usable: {error}"), "Give another path, or tell the user".to_owned()),
    };
    let mut shape = fault(code, format!("`{parameter}` is `{given}`, which {why}"), hint);
    if code == Code::NotFound {
        shape.closest = neighbours(path);
    }
    shape
}

/// Names beside the one that is missing.
fn neighbours(path: &Path) -> Vec<String> {
    /// How many entries of a directory are looked at for a better error.
    const LOOKED_AT: usize = 2_000;
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let names: Vec<String> =
        entries.take(LOOKED_AT).flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let close = mcp_catalog::closest(name, names.iter().map(String::as_str));
    close.into_iter().map(|name| dir.join(name).to_string_lossy().into_owned()).collect()
}
