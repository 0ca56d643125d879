//! Paths as a model writes them: relative to the working directory, `~` for the user's home.
//!
//! Nothing is forbidden here: reading is the user's own right, and what writes asks (S40).

use crate::mcp::ChildEnv;
use std::path::{Path, PathBuf};

/// The path that `given` means.
pub(super) fn resolve(given: &Path, working_dir: &Path, environment: &ChildEnv) -> PathBuf {
    let home = environment.get(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    match (given.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) if !home.is_empty() => Path::new(home).join(rest),
        _ => working_dir.join(given),
    }
}
